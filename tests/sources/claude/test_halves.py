"""A file read in two halves says what it says when it is read from its first line to its last."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessionbrowser.model import Transcript
from sessionbrowser.sources.claude.halves import cut_near, finish, like, read_from
from sessionbrowser.sources.claude.reader import Reader
from sessionbrowser.sources.texts import Texts

from .log import Log, source
from .test_corpus import KINDS, truth


def reader() -> Reader:
    made = Reader()
    made.builder.texts = Texts()
    return made


def outcome(made: Reader, unfinished: object) -> tuple[Transcript, object]:
    assert made.builder.texts is not None
    return made.transcript(unfinished, restarted=False)._replace(state=None), vars(made.builder.texts)["_kept"]  # type: ignore[arg-type]


def whole(path: Path) -> tuple[Transcript, object]:
    made = reader()
    return outcome(made, made.read(str(path)))


def halved(path: Path, cut: int) -> tuple[tuple[Transcript, object], bool]:
    """What the file says cut at byte `cut`, and whether the second half could be taken in."""
    first = both(path, cut)
    return outcome(*first), first[0].joined


def both(path: Path, cut: int) -> tuple[Reader, object]:
    """The first reader, with what the second one handed over, and what an unfinished last line said."""
    first = reader()
    half = read_from(str(path), like(first), cut)
    first.read(str(path), cut)
    return first, finish(str(path), first, half)


def cuts(path: Path) -> list[int]:
    """Where the lines of a file end, but for the last one."""
    found, at = [], 0
    for line in path.read_bytes().split(b"\n")[:-2]:
        at += len(line) + 1
        found.append(at)
    return found


def differing(path: Path, step: int = 1) -> list[int]:
    expected = whole(path)
    return [cut for cut in cuts(path)[::step] if halved(path, cut)[0] != expected]


def fitting(log: Log) -> list[bool]:
    """After each row but the last: whether what comes behind it can be read apart."""
    path = log.write()
    return [halved(path, cut)[1] for cut in cuts(path)]


# ── everything there is ──


def test_every_invented_session_may_be_cut_anywhere(demo_home: Path) -> None:
    files = sorted(demo_home.glob(".claude/projects/**/*.jsonl"))
    assert files
    assert {path.name: wrong for path in files if (wrong := differing(path))} == {}


@pytest.mark.corpus
def test_real_sessions_may_be_cut_anywhere(corpus_home: Path) -> None:
    files = [corpus_home / row["laid"] for row in truth(corpus_home, (*KINDS, "edge"))]
    small = [path for path in files if path.stat().st_size < 400_000]
    assert {path.name: wrong for path in small if (wrong := differing(path, step=1 + len(cuts(path)) // 8))} == {}


CALLS = st.sampled_from(["c1", "c2", "c3"])
WORDS = st.sampled_from(["one", "two", "<task-notification><task-id>a1</task-id><tool-use-id>c1</tool-use-id><status>failed</status>"])
EVENTS = st.one_of(
    st.tuples(st.just("user"), WORDS), st.tuples(st.just("rewound"), WORDS), st.tuples(st.just("say"), WORDS),
    st.tuples(st.just("call"), CALLS), st.tuples(st.just("edit"), CALLS), st.tuples(st.just("agent"), CALLS),
    st.tuples(st.just("result"), CALLS), st.tuples(st.just("error"), CALLS), st.tuples(st.just("progress"), CALLS),
    st.tuples(st.just("enqueue"), WORDS), st.tuples(st.just("remove"), WORDS), st.tuples(st.just("dequeue"), st.just("")),
    st.tuples(st.just("mode"), st.sampled_from(["plan", "default"])), st.tuples(st.just("model"), st.sampled_from(["opus", "haiku"])),
    st.tuples(st.just("effort"), st.sampled_from(["low", "high"])), st.tuples(st.just("hook"), st.sampled_from(["0", "2"])),
    st.tuples(st.just("checkpoint"), st.sampled_from(["u1", "u2", "u5"])), st.tuples(st.just("link"), st.just("https://x.test/pull/1")),
    st.tuples(st.just("boundary"), st.sampled_from(["u1", "u3", "nowhere"])), st.tuples(st.just("again"), st.sampled_from(["u2", "u4"])),
    st.tuples(st.just("aside"), WORDS), st.tuples(st.just("damage"), st.just('{"type":"user",')), st.tuples(st.just("cost"), st.just("2.5")),
    st.tuples(st.just("continued"), st.sampled_from(["a", "b"])), st.tuples(st.just("nothing"), st.just("")),
)  # fmt: skip


def played(home: Path, events: list[tuple[str, str]]) -> Path:
    log = Log(home)
    for what, value in events:
        write(log, what, value)
    return log.write()


def write(log: Log, what: str, value: str) -> None:
    files = {"file_path": "/home/ada/src/api/app.py", "old_string": "a", "new_string": "b"}
    if what == "user":
        log.user(value)
    elif what == "rewound":
        log.user(value, parent="u1")
    elif what == "say":
        log.say(value)
    elif what == "call":
        log.call("Bash", value, {"command": "make"})
    elif what == "edit":
        log.call("Edit", value, files)
    elif what == "agent":
        log.call("Task", value, {"description": "look", "prompt": "look"})
    elif what == "result":
        log.result(value, "done", {"structuredPatch": [{"oldStart": 1, "newStart": 1, "lines": ["-a", "+b"]}]})
    elif what == "error":
        log.result(value, "Exit code 3\nno", error=True)
    elif what == "progress":
        log.row("progress", data={"type": "agent_progress", "agentId": "a9"}, parentToolUseID=value)  # type: ignore[arg-type]
    elif what in ("enqueue", "remove", "dequeue"):
        log.meta("queue-operation", operation=what, content=value)
    elif what == "mode":
        log.meta("permission-mode", permissionMode=value)
    elif what == "model":
        log.say("so", model=value)
    elif what == "effort":
        log.say("so", effort=value)
    elif what == "hook":
        log.attachment("hook_success", hookName="Stop:lint", exitCode=int(value), durationMs=3)
    elif what == "checkpoint":
        log.meta("last-prompt", leafUuid=value, explicit=True)
    elif what == "link":
        log.meta("pr-link", prUrl=value)
    elif what == "boundary":
        log.system("compact_boundary", parent=None, logicalParentUuid=value)
    elif what == "again":
        log.say("once more", key=value)
    elif what == "aside":
        log.row("user", None, message={"role": "user", "content": value}, isSidechain=True)  # type: ignore[arg-type]
    elif what == "damage":
        log.raw(value.encode())
    elif what == "cost":
        log.meta("cost-state", totalCostUSD=float(value))
    elif what == "continued":
        log.meta("continued-in", continuedInSessionId=value)
    else:
        log.user([])


def test_results_without_their_calls_may_be_cut_anywhere(home: Path) -> None:
    """More of them than are kept waiting, some said twice."""
    log = Log(home)
    for number in range(45):
        log.result(f"c{number % 38}", f"came {number}", error=not number % 5)
        if not number % 9:
            log.say("so")
    log.call("Bash", "c6", {"command": "make"})
    assert differing(log.write()) == []


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(EVENTS, min_size=2, max_size=14))
def test_any_session_may_be_cut_anywhere(home: Path, events: list[tuple[str, str]]) -> None:
    assert differing(played(home, events)) == []


# ── what is told of the other half ──


def test_a_result_behind_the_cut_closes_its_call_before_it(home: Path) -> None:
    log = Log(home)
    log.call("Bash", "c1", {"command": "make"})
    log.result("c1", "Exit code 2\nno rule", error=True)
    path = log.write()
    (outline, _), fits = halved(path, cuts(path)[0])
    assert fits
    assert [(block.ok, block.exit_code) for block in outline.blocks] == [(False, 2)]
    assert (outline.counts.tool_calls, outline.counts.tool_results, outline.counts.tool_errors) == (1, 1, 1)


def test_a_prompt_behind_the_cut_can_take_back_one_before_it(home: Path) -> None:
    log = Log(home)
    first = log.user("begin")
    answer = log.say("begun")
    log.user("the wrong way")
    log.say("gone wrong")
    log.user("the right way", parent=answer)
    log.say("gone right")
    path = log.write()
    (outline, _), fits = halved(path, cuts(path)[2])
    assert fits and first
    assert [block.title for block in outline.blocks if block.branch] == ["the wrong way", "gone wrong"]


def test_prompts_of_the_second_half_are_counted_on(home: Path) -> None:
    log = Log(home)
    for number in range(4):
        log.user(f"prompt {number}")
        log.say("yes")
    path = log.write()
    (outline, _), fits = halved(path, cuts(path)[3])
    assert fits
    assert [block.turn for block in outline.blocks if block.kind == "prompt"] == [1, 2, 3, 4]


@pytest.mark.parametrize("what", [("model", "opus"), ("mode", "plan"), ("link", "https://x.test/pull/1"), ("continued", "a")])
def test_news_that_only_the_first_half_can_judge_is_left_to_it(home: Path, what: tuple[str, str]) -> None:
    """A model is new when the one before was another; a link is when it was not told before."""
    log = Log(home)
    write(log, *what)
    log.user("so")
    write(log, *what)
    log.user("so")
    write(log, what[0], {"opus": "haiku", "plan": "default"}.get(what[1], what[1]))
    path = log.write()
    before_the_same, before_another = halved(path, cuts(path)[1]), halved(path, cuts(path)[3])
    assert before_the_same[0] == before_another[0] == whole(path)
    assert not before_another[1]


def test_a_response_on_both_sides_is_left_to_the_first_half(home: Path) -> None:
    log = Log(home)
    log.say("first", message="m1")
    log.say("second", message="m1")
    log.say("other", message="m2")
    assert fitting(log) == [False, True]


def test_a_compaction_that_was_announced_is_left_to_the_first_half(home: Path) -> None:
    log = Log(home)
    log.user("begin")
    log.system("compact_boundary", parent=None)
    log.user("This session is being continued from a previous conversation", isCompactSummary=True)
    log.say("on")
    assert fitting(log) == [True, False, True]


def test_side_chains_of_both_halves_are_known(home: Path) -> None:
    log = Log(home)
    for number in range(3):
        log.say("main")
        log.row("user", None, f"side{number}", message={"role": "user", "content": "look"}, isSidechain=True)  # type: ignore[arg-type]
    path = log.write()
    first, _ = both(path, cuts(path)[2])
    assert first.joined
    assert first.chains == ["side0", "side1", "side2"]


def test_who_reads_on_from_both_halves_begins_anew(home: Path) -> None:
    """The open calls and what waits in the queue are known to none of them."""
    log = Log(home)
    log.user("begin")
    log.call("Bash", "c1", {"command": "make"})
    handle = log.handle()
    first, _ = both(log.path, cuts(log.path)[0])
    first.inode = handle.inode
    assert first.joined
    log.result("c1", "made")
    made = source(home).outline(log.handle(), first.transcript(None, restarted=False))
    assert made.restarted
    assert [block.ok for block in made.blocks if block.kind == "tool"] == [True]


# ── where it is cut, and in two processes ──


def test_it_is_cut_where_a_response_begins(home: Path) -> None:
    log = Log(home)
    for number in range(6):
        log.say("one", message=f"m{number}")
        log.say("two", message=f"m{number}")
        log.user("on")
    path = log.write()
    cut = cut_near(str(path), len(log.data()) // 2)
    assert cut is not None
    behind = path.read_bytes()[cut:]
    assert b'"text":"one"' in behind.split(b"\n")[0]
    assert halved(path, cut)[1]


def test_there_is_no_place_to_cut_in_the_middle_of_one_response(home: Path) -> None:
    log = Log(home)
    for _ in range(9):
        log.say("more", message="m1")
    assert cut_near(str(log.write()), 100) is None


IN_TWO = """
import os, sys
from sessionbrowser import beside
from sessionbrowser.sources.claude import halves
from sessionbrowser.sources.claude.reader import Reader

halves.LARGE = 0
spoil, path = sys.argv[1:]
first = Reader()
if spoil == "refused":
    def fork():
        raise BlockingIOError
    os.fork = fork
if spoil:
    halves.like = lambda first: os.kill(os.getpid(), 9) if spoil == "killed" else 1 / 0
halves.read(path, first)
whole = Reader()
whole.read(path)
same = first.transcript(None, restarted=False)._replace(state=None) == whole.transcript(None, restarted=False)._replace(state=None)
print("same" if same else "other", "joined" if first.joined else "alone", "possible" if beside.possible() else "impossible")
"""


@pytest.mark.parametrize(("spoil", "how"), [("", "joined"), ("killed", "alone"), ("failed", "alone"), ("refused", "alone")])
def test_two_processes_read_it_and_one_does_when_the_other_is_gone(home: Path, spoil: str, how: str) -> None:
    log = Log(home)
    for number in range(40):
        log.user(f"prompt {number}")
        log.call("Bash", f"c{number}", {"command": "make"})
        log.result(f"c{number}", "made")
    done = subprocess.run([sys.executable, "-c", IN_TWO, spoil, str(log.write())], capture_output=True, text=True, check=True)
    same, found, possible = done.stdout.split()
    assert same == "same"
    assert found == (how if possible == "possible" else "alone")
