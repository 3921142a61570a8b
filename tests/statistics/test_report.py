"""Wall time, working time, attention: from times alone."""

from __future__ import annotations

import pytest

from sessionbrowser.commands.timeline import _safely
from sessionbrowser.library import Library
from sessionbrowser.model import Block, Place, Session, Transcript
from sessionbrowser.paths import Environment
from sessionbrowser.report import Activity, activity, attention, report, together, union
from sessionbrowser.text import cut_before
from sessionbrowser.timeline import Happening, Window, gather, happenings, outlines, stretches

API = Session("a", "claude", "/a", title="api")
WEB = Session("b", "claude", "/b", title="web")


def prompt(time: float | None, turn: int = 1, what: str = "typed", **more: object) -> Block:
    return Block("prompt", Place(0), turn, "do it", what, time, **more)  # type: ignore[arg-type]


def text(time: float, turn: int = 1) -> Block:
    return Block("text", Place(0), turn, "done", time=time)


def tool(time: float, ended: float | None, turn: int = 1, ok: bool | None = True) -> Block:
    return Block("tool", Place(0), turn, "pytest", "shell", time, name="Bash", ok=ok, ended=ended)


def working(*blocks: Block, window: Window = Window()) -> float:  # noqa: B008  # a value
    return sum(end - start for start, end in activity(API, blocks, window, 600).working)


def test_the_agent_works_from_a_prompt_to_the_last_thing_in_its_turn() -> None:
    """Not while it waits for the next prompt."""
    assert working(prompt(0), text(30), prompt(500, 2), text(520, 2)) == 50


def test_a_pause_in_which_nothing_ran_is_no_work() -> None:
    """A long call is."""
    assert working(prompt(0), text(30), text(3000)) == 30
    assert working(prompt(0), tool(10, 3000), text(3010)) == 3010


def test_a_window_cuts_work_at_its_ends() -> None:
    """And leaves out prompts at its very end."""
    blocks = [prompt(0), text(100)]
    assert working(*blocks, window=Window(40, 70)) == 30
    assert activity(API, blocks, Window(100, None), 600).prompts == ()
    assert activity(API, blocks, Window(0, 0.1), 600).prompts == (0,)


def test_tasks_of_subagents_and_shared_history_are_no_prompts_of_a_person() -> None:
    """Neither counts as attention."""
    found = activity(API, [prompt(0, what="subagent"), prompt(1, copied=True), prompt(2)], Window(), 600)
    assert found.prompts == (2,)


def test_prompts_without_a_time_are_told() -> None:
    """They can be in no row."""
    assert activity(API, [prompt(None), prompt(2)], Window(), 600).untimed == 1


def test_attention_goes_to_the_session_of_the_later_prompt() -> None:
    """Every second once, though two sessions went on side by side; a long pause counts nothing."""
    api = Activity(API, (0, 100, 5000), (), ())
    web = Activity(WEB, (40, 5060), (), ())
    spent = list(attention([api, web], 600))
    assert sum(took for took, _, item in spent if item is api) == 60
    assert sum(took for took, _, item in spent if item is web) == 40 + 60
    assert sum(took for took, _, _ in spent) == 160


def test_the_wall_time_of_several_sessions_holds_the_attention_between_them() -> None:
    """A session of ten seconds, a prompt to another five minutes later: twenty seconds more, not thirty in all."""
    both = [Activity(API, (0,), (0, 10), ()), Activity(WEB, (300,), (300, 320), ())]
    found = together(both, list(attention(both, 600)))
    assert (found.first, found.last, found.wall, found.attention) == (0, 320, 320, 300)
    assert together(both, list(attention(both, 100))).wall == 30


def test_a_turn_that_goes_on_past_the_last_prompt_of_a_day_is_part_of_the_wall_time() -> None:
    """Work is never longer than the time it took."""
    line = together([Activity(API, (100,), (100,), ((100, 160),))], [])
    assert (line.working, line.wall) == (60, 60)


def test_the_last_day_there_is_has_no_next_one(env: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """One broken clock must not keep everybody from the report."""
    late = 253402300799.0 - 86400
    monkeypatch.setattr(Library, "outline", lambda library, handle: Transcript((prompt(late),)))
    monkeypatch.setattr(Library, "handle", lambda library, session: None)
    assert [line.prompts for line in report(Library(env), [API._replace(updated=late)], Window(), by="day").lines] == [1]


def test_times_that_overlap_count_once() -> None:
    """However they are given."""
    assert union([(5, 9), (0, 3), (2, 4), (4, 5)]) == [(0, 9)]


def test_of_a_turn_its_prompt_and_its_last_answer_are_told() -> None:
    """With what failed in it."""
    blocks = [prompt(0), text(1), tool(2, 3, ok=False), text(4), prompt(10, 2), text(11, 2)]
    assert [(item.kind, item.time) for item in happenings(API, blocks)] == [("prompt", 0), ("error", 2), ("answer", 4), ("prompt", 10), ("answer", 11)]


def test_calls_are_told_in_runs_when_they_are_asked_for() -> None:
    """Between the rest."""
    found = list(happenings(API, [prompt(0), tool(1, 2), tool(2, 3), text(4)], ("tools",)))
    assert [item.text for item in found] == ["2× Bash (pytest) → 2 ok"]


def test_what_has_no_time_is_counted(env: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the kinds that were asked for."""
    lost = Block("note", Place(0), 1, "Conversation compacted", "compaction")
    monkeypatch.setattr(Library, "outline", lambda library, handle: Transcript((prompt(1), lost, lost)))
    monkeypatch.setattr(Library, "handle", lambda library, session: None)
    sessions = [API._replace(updated=1.0)]
    assert gather(Library(env), sessions, Window(), ("compaction",))[1:] == ([], 2)
    assert gather(Library(env), sessions, Window(), ("prompt",)).untimed == 0


def test_how_a_call_went_is_masked_where_its_line_is_cut_too() -> None:
    """An answer of the person's is the outcome of a question."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (item,) = happenings(API, [prompt(0), tool(1, 2)._replace(title="which token? " * 9, outcome=secret)], ("tools",))
    safe = _safely(item)
    assert secret in cut_before(item.text, item.came, 100)
    assert secret[:20] not in cut_before(safe.text, safe.came, 100)


def test_a_long_pause_ends_a_stretch() -> None:
    """One as long as the gap does not."""
    found = [Happening(time, API, "prompt", 1, "x") for time in (0, 100, 201, 202)]
    assert [(part.start, part.end) for part in stretches(found, 100)] == [(0, 100), (201, 202)]
    assert list(stretches([], 100)) == []


def test_why_a_session_could_not_be_read_is_said_in_words(env: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not as a number of the system's."""
    gone = FileNotFoundError(2, "No such file or directory", "/a")
    monkeypatch.setattr(Library, "handle", lambda library, session: (_ for _ in ()).throw(gone))
    unreadable: list[tuple[str, str]] = []
    assert list(outlines(Library(env), [API._replace(updated=5.0)], Window(), unreadable)) == []
    assert unreadable == [("/a", "no such file or folder")]


def test_a_failure_whose_call_is_gone_is_an_error_of_the_timeline() -> None:
    """Results that went well are not told."""
    gone = [Block("note", Place(at), 1, "Output of a call that is not here: no", "result", time=float(at), ok=ok) for at, ok in ((1, False), (2, None))]
    assert [(item.kind, item.time) for item in happenings(API, gone)] == [("error", 1)]


def test_a_subagents_task_is_no_prompt_of_the_timeline() -> None:
    """No person entered it."""
    found = happenings(API, [prompt(0), prompt(1, what="subagent")], ("prompt",))
    assert [item.time for item in found] == [0]
