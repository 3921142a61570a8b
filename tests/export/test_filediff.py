"""The edits of a session put together into one diff a file."""

from __future__ import annotations

import difflib
import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from sessionbrowser.export.filediff import FileDiff, over
from sessionbrowser.export.files import unified
from sessionbrowser.model import Diff, Hunk
from sessionbrowser.sources.diffs import diff_of

TEXT = st.lists(st.sampled_from(["a", "b", "c", "d", "e", ""]), min_size=1, max_size=14)


def edit(old: list[str], new: list[str]) -> Diff:
    """The diff an agent records that knows the file: right line numbers, three lines of context."""
    hunks = []
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(3):
        lines: list[str] = []
        for tag, a, b, c, d in group:
            if tag == "equal":
                lines += [" " + line for line in old[a:b]]
            else:
                lines += ["-" + line for line in old[a:b]] + ["+" + line for line in new[c:d]]
        hunks.append(Hunk(group[0][1] + 1, group[0][3] + 1, tuple(lines)))
    return Diff("f", tuple(hunks))


def patched(old: list[str], diff: Diff) -> list[str]:
    """A file after a diff."""
    made, at = [], 0
    for hunk in diff.hunks:
        start = hunk.old_start - 1
        made += old[at:start]
        at = start
        for line in hunk.lines:
            if line[0] == "+":
                made.append(line[1:])
                continue
            assert old[at] == line[1:]
            at += 1
            if line[0] == " ":
                made.append(line[1:])
    return made + old[at:]


@given(TEXT, st.lists(TEXT, min_size=1, max_size=4))
@settings(deadline=None, max_examples=150)
def test_the_final_diff_leads_from_the_first_text_to_the_last(first: list[str], later: list[list[str]]) -> None:
    """However often the file was edited, when each edit says where it is."""
    versions = [first, *later]
    found = over("f", [edit(a, b) for a, b in itertools.pairwise(versions)])
    assert found.loose == ()
    assert patched(first, found.diff) == versions[-1]


def test_an_edit_that_was_taken_back_is_none() -> None:
    """Nothing is left to show."""
    lines = list("abcdefgh")
    found = over("f", [edit(lines, list("abXdefgh")), edit(list("abXdefgh"), lines)])
    assert found.diff.hunks == ()
    assert found.edits == 2


def test_a_remark_is_no_line_of_the_file() -> None:
    """The lines after it stay where they are, and an edit that could not be placed is counted right."""
    remark = "\\ No newline at end of file"
    found = over("f", [Diff("f", (Hunk(4, 4, (" a", "-b", remark, "+c", "+d", remark)),)), Diff("f", (Hunk(5, 5, ("-c", "+e")),))])
    assert found.diff.hunks == (Hunk(4, 4, (" a", "-b", "+e", "+d")),)
    loose = over("f", [Diff("f", (Hunk(0, 0, ("-b", remark, "+c")),))])
    assert list(unified(FileDiff(Diff("f", (Hunk(3, 3, ("-b", remark, "+c")),)), edits=1))) == ["@@ -3,1 +3,1 @@", "-b", remark, "+c"]
    assert list(unified(loose)) == ["@@ not placed @@", "-b", remark, "+c"]


def test_a_file_that_was_created_and_edited_is_all_new() -> None:
    """As it is at the end."""
    created = Diff("f", (Hunk(0, 1, ("+one", "+two", "+three")),), created=True)
    found = over("f", [created, diff_of("f", "two", "2")])
    assert found.diff.created
    assert [line for hunk in found.diff.hunks for line in hunk.lines] == ["+one", "+2", "+three"]


def test_edits_without_line_numbers_meet_by_their_text() -> None:
    """The second one changes what the first one wrote."""
    first = Diff("f", (Hunk(5, 5, (" top", "-old", "+new", " end")),))
    found = over("f", [first, Diff("f", (Hunk(0, 0, ("-new", "+newer")),))])
    assert [line for hunk in found.diff.hunks for line in hunk.lines] == [" top", "-old", "+newer", " end"]


def test_an_edit_that_fits_nowhere_is_shown_as_it_was_made() -> None:
    """Beside the rest."""
    hunk = Hunk(0, 0, ("-never seen", "+something"))
    assert over("f", [Diff("f", (hunk,))]).loose == (hunk,)


def test_a_file_that_somebody_else_went_on_writing() -> None:
    """What an edit shows behind the end that was known is taken as it is."""
    created = Diff("f", (Hunk(0, 1, ("+one",)),), created=True)
    found = over("f", [created, Diff("f", (Hunk(1, 1, (" one", " two", "+three")),))])
    assert found.loose == ()
    assert [line for hunk in found.diff.hunks for line in hunk.lines] == ["+one", "+two", "+three"]
