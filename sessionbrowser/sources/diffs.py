"""Diffs in agent-neutral form: from two texts, from a unified diff, from an `*** Begin Patch` text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sessionbrowser.model import REMARK, Diff, Hunk
from sessionbrowser.text import for_eyes

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
PATCH_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.M)


def diff_of(path: str, old: str, new: str, *, start: int = 1, created: bool = False) -> Diff:
    """The change from `old` to `new`, `start` being the number of the first line when it is known."""
    import difflib

    before, after = for_eyes(old).split("\n"), for_eyes(new).split("\n")
    if created or not old:
        if len(after) > 1 and not after[-1]:
            after.pop()  # the end of the last line, not a line of its own
        return Diff(for_eyes(path), (Hunk(0, start, tuple("+" + line for line in after)),), created=created)
    hunks: list[Hunk] = []
    if len(before) * len(after) > 4_000_000:  # difflib would take seconds
        lines = ["-" + line for line in before] + ["+" + line for line in after]
        return Diff(for_eyes(path), (Hunk(start, start, tuple(lines)),))
    for group in difflib.SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(3):
        lines = []
        for tag, a, b, c, d in group:
            if tag == "equal":
                lines += [" " + line for line in before[a:b]]
                continue
            lines += ["-" + line for line in before[a:b]] + ["+" + line for line in after[c:d]]
        hunks.append(Hunk(group[0][1] + start, group[0][3] + start, tuple(lines)))
    return Diff(for_eyes(path), tuple(hunks))


def unified(text: str, path: str = "") -> tuple[Diff, ...]:
    """The files of a unified diff (`path` names the file when the text has no header)."""
    diffs: list[Diff] = []
    hunks: list[Hunk] = []
    name = path
    rows = iter(for_eyes(text).split("\n"))
    for row in rows:
        if found := _HUNK.match(row):
            counts = [int(found[2] or 1), int(found[4] or 1)]
            hunks.append(Hunk(int(found[1]), int(found[3]), tuple(_hunk_rows(rows, *counts))))
        elif row.startswith(f"{REMARK} ") and hunks:
            hunks[-1] = hunks[-1]._replace(lines=(*hunks[-1].lines, row))
        elif row.startswith(("+++ ", "--- ", "diff --git", "Index: ")):
            if hunks:
                diffs.append(Diff(name, tuple(hunks)))
                hunks = []
            if row.startswith(("+++ ", "--- ")) and not row.startswith(("+++ /dev/null", "--- /dev/null")):
                name = row[4:].split("\t")[0].removeprefix("b/" if row[0] == "+" else "a/")
    if hunks:
        diffs.append(Diff(name, tuple(hunks)))
    return tuple(diffs)


def _hunk_rows(rows: Iterator[str], old: int, new: int) -> Iterator[str]:
    """The rows of one hunk, as many as its header says: a removed "-- x" looks like the header of a file."""
    while old > 0 or new > 0:
        row = next(rows, None)
        if row is None:
            return
        if row.startswith(REMARK):
            yield row
            continue
        sign = row[:1] or " "
        if sign not in " -+":
            return
        old -= sign != "+"
        new -= sign != "-"
        yield row or " "


def patch(text: str) -> tuple[Diff, ...]:
    """The files of an `*** Begin Patch` text, whose hunks carry no line numbers."""
    diffs: list[Diff] = []
    heads = list(PATCH_FILE.finditer(text))
    for index, head in enumerate(heads):
        end = heads[index + 1].start() if index + 1 < len(heads) else len(text)
        body = for_eyes(text[head.end() : end]).strip("\n").split("\n")
        hunks: list[Hunk] = []
        lines: list[str] = []
        for line in body:
            if line.startswith(("@@", "***")):
                if lines:
                    hunks.append(Hunk(0, 0, tuple(lines)))
                lines = []
            elif line[:1] in (" ", "-", "+"):
                lines.append(line)
        if lines:
            hunks.append(Hunk(0, 0, tuple(lines)))
        diffs.append(Diff(for_eyes(head[2].strip()), tuple(hunks), created=head[1] == "Add", deleted=head[1] == "Delete"))
    return tuple(diffs)


def changed_lines(diffs: tuple[Diff, ...] | list[Diff]) -> tuple[int, int]:
    """Lines added and removed over all of `diffs`."""
    added = removed = 0
    for diff in diffs:
        for hunk in diff.hunks:
            signs = [line[:1] for line in hunk.lines]
            added += signs.count("+")
            removed += signs.count("-")
    return added, removed
