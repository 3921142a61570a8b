"""The pieces of exports: skeletons, names of files, bounded texts, two transcripts side by side."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionbrowser.commands.show_text import bone_rows, files_rows
from sessionbrowser.export.beside import pairs
from sessionbrowser.export.bounded import within
from sessionbrowser.export.brief import brief
from sessionbrowser.export.files import Changed
from sessionbrowser.export.names import apart, slug, stem
from sessionbrowser.export.nested import elsewhere
from sessionbrowser.export.skeleton import Bone, called, how_it_went, shortened, skeleton
from sessionbrowser.export.surroundings import surroundings
from sessionbrowser.export.views import keep
from sessionbrowser.model import Agent, Block, Body, Handle, Place, Root, Session, Transcript
from sessionbrowser.render.glyphs import UNICODE
from sessionbrowser.render.going import under_way
from sessionbrowser.render.rows import Look


def call(name: str, title: str, ok: bool | None = True, **more: object) -> Block:
    return Block("tool", Place(0), 1, title, "read", 1.0, name=name, ok=ok, **more)  # type: ignore[arg-type]


def run_line(run: list[Block]) -> str:
    return called(run) + how_it_went(run)


def test_an_id_that_begins_with_the_time_is_told_by_more_of_it() -> None:
    """Its first eight digits are those of every session of the same minute."""
    one, other = (Session(f"01a22aaf-{part}-7c3e-9f00-0123456789ab", "codex", "/x", title="again", created=1.0) for part in ("621d", "638a"))
    assert stem(one) == "1970-01-01_0000_codex_01a22aaf621d_again"
    assert stem(other) == "1970-01-01_0000_codex_01a22aaf638a_again"
    taken: set[str] = set()
    assert [apart("again", session, taken) for session in (one, other)] == ["again", "again-01a22aaf638a7c3e9f000123456789ab"]


def test_a_run_of_one_tool_is_one_line() -> None:
    """With what it was about and how it went."""
    run = [call("Read", "a.py"), call("Read", "b.py"), call("Read", "c.py"), call("Read", "d.py", False)]
    assert run_line(run) == "4× Read (a.py, b.py, c.py, +1) → 3 ok, 1 error"


def test_one_call_is_told_with_its_outcome() -> None:
    """The exit status when it failed, the lines when it edited."""
    assert run_line([call("Bash", "pytest -q", False, exit_code=1)]) == "Bash pytest -q → exit 1"
    assert run_line([call("Edit", "a.py", added=3, removed=1)]) == "Edit a.py → +3 −1"
    assert run_line([call("Task", "find it", None)]) == "Agent find it → no result"  # what every agent calls otherwise is called the same


def test_a_run_ends_where_another_tool_or_a_text_begins() -> None:
    """And at the end of a turn."""
    text = Block("text", Place(0), 1, "so", time=2.0, size=2)
    blocks = [call("Read", "a"), call("Read", "b"), text, call("Read", "c"), call("Bash", "ls"), call("Read", "d")._replace(turn=2)]
    assert [bone.text for bone in skeleton(blocks, lambda block: Body(block.title))] == [
        "2× Read (a, b) → 2 ok", "so", "Read c → ok", "Bash ls → ok", "Read d → ok",
    ]  # fmt: skip


def test_what_was_rewound_stands_between_two_notes() -> None:
    """Else it would read as if it stood; a run of calls ends there, too."""
    blocks = [call("Read", "a"), call("Read", "b")._replace(branch=1), call("Bash", "ls")._replace(branch=1), call("Bash", "make")]
    assert [bone.text for bone in skeleton(blocks, lambda block: Body(""))] == [
        "Read a → ok", "Rewound: what follows was taken back", "Read b → ok", "Bash ls → ok", "End of what was rewound", "Bash make → ok",
    ]  # fmt: skip


@pytest.mark.parametrize("width", [40, 60, 100])
def test_a_line_too_long_for_the_width_is_cut_before_how_it_went(width: int) -> None:
    """What failed must not read as if nobody knew."""
    blocks = [call("Bash", "x" * 150), call("Bash", "y" * 150, False)]
    bones = list(skeleton(blocks, lambda block: Body("")))
    lines = [row.text for row in bone_rows(Session("s", "claude", "s"), bones, Look(width))]
    assert lines[-1].endswith("… → 1 ok, 1 error")
    assert max(map(len, lines[3:])) <= width
    assert bones[0].text.endswith(bones[0].came)


def test_a_call_under_way_is_told_as_running() -> None:
    """In the last turn of a session that runs; elsewhere nothing came of it."""
    blocks = [call("Bash", "one", None), call("Task", "a", None)._replace(turn=2), call("Task", "b")._replace(turn=2)]
    lines = {status: [bone.text for bone in skeleton(blocks, lambda block: Body(""), under_way=under_way(blocks, status))]
             for status in ("running", "interrupted")}  # fmt: skip
    assert lines["running"] == ["Bash one → no result", "2× Agent (a, b) → 1 ok, 1 running"]
    assert lines["interrupted"] == ["Bash one → no result", "2× Agent (a, b) → 1 ok, 1 without result"]


def test_in_a_session_that_waits_only_what_the_person_is_asked_is_under_way() -> None:
    """Any other open call may be the one that waits."""
    asked = call("AskUserQuestion", "which?", None)._replace(what="question")
    is_open = under_way([asked], "waiting")
    assert is_open(asked)
    assert not is_open(asked._replace(what="shell"))


def test_texts_are_cut_between_words() -> None:
    """And say how much is left."""
    assert shortened("one two three four", 10) == "one two … [11 characters more]"
    assert shortened("short", 10) == "short"
    assert shortened("one two three four", 0) == "one two three four"


@given(st.lists(st.text(max_size=60), max_size=40), st.integers(200, 2000))
@settings(deadline=None, max_examples=150)
def test_a_bounded_text_stays_within_its_bound(pieces: list[str], most: int) -> None:
    """It is whole where it fits, and valid UTF-8 always."""
    data, cut = within(pieces, most, "left out")
    whole = "".join(pieces).encode("utf-8", "replace")
    data.decode("utf-8")
    assert len(data) <= most
    assert cut == (len(whole) > most)
    if not cut:
        assert data == whole


def test_a_bounded_text_keeps_its_beginning_and_its_end() -> None:
    """With a line between them that says so."""
    data, cut = within((f"line {number}\n" for number in range(1000)), 500, "the rest")
    assert cut and data.startswith(b"line 0\n") and data.endswith(b"line 999\n") and b"[\xe2\x80\xa6 the rest \xe2\x80\xa6]" in data


@given(st.text(max_size=200))
@settings(deadline=None, max_examples=200)
def test_a_name_holds_on_every_platform(title: str) -> None:
    """No separators, nothing reserved, not too long, whatever the title."""
    name = stem(Session("../../etc/passwd\n", "claude", "/x", title=title, created=1.0))
    assert not set(name) & set('<>:"/\\|?*\n\t\0. ')
    assert len(name.encode()) < 240
    assert slug(title) not in ("con", "nul", "aux")


def bone(time: float | None, text: str) -> Bone:
    return Bone("text", 1, time, text, (call("x", text),))


def test_two_that_ran_at_other_times_begin_together() -> None:
    """Each by the time since its beginning; what is near stands side by side."""
    found = list(pairs([bone(100, "a"), bone(110, "b")], [bone(9000, "c"), bone(9010.5, "d"), bone(9020, "e")], absolute=False))
    assert [(pair.time, [x.text for x in pair.left], [x.text for x in pair.right]) for pair in found] == [
        (0, ["a"], ["c"]), (10, ["b"], ["d"]), (20, [], ["e"]),
    ]  # fmt: skip


def test_two_that_ran_together_go_by_the_clock() -> None:
    """Something without a time stays by what was before it."""
    found = list(pairs([bone(100, "a"), bone(None, "b")], [bone(105, "c")], absolute=True))
    assert [(pair.time, [x.text for x in pair.left], [x.text for x in pair.right]) for pair in found] == [(100, ["a", "b"], []), (105, [], ["c"])]


@pytest.mark.parametrize(("first", "intent"), [
    (("/context", "slash"), "mend the parser"), (("ls", "bash"), "mend the parser"), (("/review the parser", "slash"), "/review the parser"),
])  # fmt: skip
def test_the_intent_is_what_somebody_wanted(first: tuple[str, str], intent: str) -> None:
    """No bare command; one with words says it too."""
    blocks = [Block("prompt", Place(at), at, title, what, size=9) for at, (title, what) in enumerate([first, ("mend the parser", "typed")], 1)]
    facts = dict(brief(Session("a", "claude", "/x"), blocks, lambda block: Body(block.title)))
    assert facts["intent"] == intent
    assert dict(brief(Session("a", "claude", "/x"), blocks[:1], lambda block: Body(block.title)))["intent"] == first[0]


def test_columns_of_the_view_of_files_stay_apart() -> None:
    """However many lines there are."""
    rows = files_rows([Changed("a.md", 0, 2, 1, 1338, 1230), Changed("b.md", 12, 1, 0, 2, 0)], Look(80, UNICODE))
    assert [row.text for row in rows] == [
        "  read  edit  new        lines  path",
        "           2    1  +1338 −1230  a.md",
        "    12     1                +2  b.md",
    ]


def test_the_prompts_are_what_a_person_entered() -> None:
    """A task given to a subagent is none; folded in, on request, it is told of that subagent."""
    typed = Block("prompt", Place(0), 1, "do it", "typed")
    task = Block("prompt", Place(9), 1, "look", "subagent")
    handle = Handle("claude", Root("claude", "/r"), "/a", "", "a", 0, 0, 0)
    theirs = task._replace(place=elsewhere(Place(9), handle, Agent("a", "subagent")))
    assert keep("prompts", [typed, task, theirs]) == [typed, theirs]


def test_hooks_skills_and_plugins_say_how_often() -> None:
    """Whichever record told it; a skill that a call tells, too, is counted once."""
    facts = {"hooks": {"preToolUse": 2}, "invoked_skills": {"five-whys": 1, "review": 3}, "call_plugins": {"notes@ada": 1}, "modes": ["auto", "plan"]}
    calls = (Block("tool", Place(1), 1, "review src", "skill"), Block("tool", Place(2), 1, "review docs", "skill"))
    told = {fact.name: fact.values for fact in surroundings(Session("a", "copilot", "/x"), Transcript(calls, facts=facts), None)}
    assert told["hooks"] == ("preToolUse: 2 runs",)
    assert told["skills"] == ("review (2 calls)", "five-whys (1 call)")
    assert told["plugins proved"] == ("notes@ada (1 call)",)
    assert told["permission modes"] == ("auto", "plan")
