"""`sb show`: a part of a session, its subagents, into a file, safely; what does not go together is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessionbrowser.export.views import VIEWS, before_compaction
from sessionbrowser.model import Block, Place

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "home"

LOGIN = "e2e674a8"
RETRIES = "f584bf9b"  # was compacted
FORMATS = ("text", "markdown", "json", "html")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cache of the invented sessions, filled once."""
    return str(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def demo(sb, env, cache: str):
    """Run `sb` in the invented home as it lies there: nothing here writes to it."""
    there = env._replace(home=str(FIXTURES), variables={"XDG_CACHE_HOME": cache})
    return lambda *arguments: sb(*arguments, env=there)


def blocks(ran) -> list[dict]:
    """All blocks of a document, prompts included."""
    return [item for turn in ran.json()["turns"] for item in [turn["prompt"], *turn["blocks"]] if item]


# ── parts ──


def test_a_window_is_half_open(demo) -> None:
    """What happened at its beginning is in it, what happened at its end is not."""
    prompts = blocks(demo("show", LOGIN, "--view", "prompts", "--format", "json"))
    first, second, _ = (prompt["time"] for prompt in prompts)
    found = blocks(demo("show", LOGIN, "--view", "prompts", "--format", "json", "--since", first, "--until", second))
    assert [prompt["time"] for prompt in found] == [first]


def test_only_what_one_role_said(demo) -> None:
    """Several may be named."""
    kinds = {block["kind"] for block in blocks(demo("show", LOGIN, "--format", "json", "--role", "assistant", "--role", "tool"))}
    assert kinds == {"text", "tool"}


def test_only_calls_of_one_tool(demo) -> None:
    """By the agent's name for it or by what it does."""
    by_name = blocks(demo("show", LOGIN, "--format", "json", "--tool", "bash"))
    by_kind = blocks(demo("show", LOGIN, "--format", "json", "--tool", "shell"))
    assert [block["name"] for block in by_name] == ["Bash"] and by_name == by_kind


def test_calls_are_asked_for_by_the_name_shown(demo) -> None:
    """Where that is another than the agent's own."""
    shown = blocks(demo("show", "019e25f0", "--format", "json", "--tool", "Bash"))
    assert {block["name"] for block in shown} == {"exec_command"}


def test_subagents_are_folded_in_behind_their_calls(demo) -> None:
    """With the id of whose they are; what they say is not in the view without them."""
    own = blocks(demo("show", LOGIN, "--format", "json"))
    every = blocks(demo("show", LOGIN, "--format", "json", "--agents"))
    theirs = [block for block in every if "agent" in block]
    assert [block for block in every if "agent" not in block] == own
    assert len({block["agent"] for block in theirs}) == 3
    call = next(index for index, block in enumerate(every) if block.get("subagent"))
    assert every[call + 1]["agent"] == every[call]["subagent"]


def test_files_count_those_of_subagents_when_they_are_folded_in(demo) -> None:
    """The fix was written by one of them."""
    own = {item["path"] for item in demo("show", LOGIN, "--view", "files", "--format", "json").json()["files"]}
    every = {item["path"] for item in demo("show", LOGIN, "--view", "files", "--agents", "--format", "json").json()["files"]}
    assert "api/login.py" in every - own and own < every


def test_the_exchanges_before_a_compaction(demo) -> None:
    """As many as are asked for, and nothing behind it."""
    two = blocks(demo("show", RETRIES, "--view", "before-compaction", "--last", "2", "--format", "json"))
    assert sum(block["kind"] == "typed" for block in two) == 2
    whole = blocks(demo("show", RETRIES, "--format", "json"))
    compaction = next(index for index, block in enumerate(whole) if block.get("what") == "compaction")
    assert all(block in whole[:compaction] for block in two)


def test_the_final_diff_of_a_file(demo) -> None:
    """As a unified diff, of one file or of all that were changed."""
    (file,) = demo("show", LOGIN, "--view", "files", "--file", "test_login.py", "--format", "json").json()["files"]
    assert "-    sleep(2)\n+    await clock.tick(TOKEN_LIFE + 1)" in file["diff"] and file["unplaced"] == 0
    assert "await clock.tick" in demo("show", LOGIN, "--view", "files", "--diff").out
    assert demo("show", LOGIN, "--view", "files", "--file", "nothing.py").code == 1


def test_a_skeleton_joins_runs_of_a_tool_and_cuts_texts(demo) -> None:
    """At a bound that can be set."""
    out = demo("show", LOGIN, "--view", "skeleton", "--bound", "20").out
    assert "make the login test … [14 characters more]" in out
    assert "exit 1" in out


def test_a_compaction_that_was_rewound_has_its_exchanges() -> None:
    """Those that led to it, other branches left out; one on the way to the newest turn comes first."""

    def block(kind: str, start: int, branch: int, what: str = "") -> Block:
        return Block(kind, Place(start), start, f"{kind} {start}", what, branch=branch)

    rewound = [block("prompt", 1, 0), block("prompt", 2, 1), block("prompt", 3, 2), block("note", 4, 2, "compaction"), block("prompt", 5, 0)]
    assert [(b.place.start, b.branch) for b in before_compaction(rewound) or ()] == [(1, 0), (3, 2)]
    assert [b.place.start for b in before_compaction(rewound, 1) or ()] == [3]
    kept = [rewound[0], block("note", 6, 0, "compaction"), *rewound[1:]]
    assert [b.place.start for b in before_compaction(kept) or ()] == [1]
    assert before_compaction(rewound[:3]) is None


# ── files and formats ──


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("view", [view for view in VIEWS if view not in ("advisor", "special", "before-compaction")])
def test_a_view_goes_into_a_file(demo, tmp_path: Path, view: str, form: str) -> None:
    """Then one line of JSON is all that is printed, and an existing file is left alone."""
    path = tmp_path / "out"
    ran = demo("show", LOGIN, "--view", view, "--format", form, "--output", str(path))
    assert ran.code == 0 and ran.out.count("\n") == 1
    status = json.loads(ran.out)
    assert status["written"] == str(path) and status["bytes"] == path.stat().st_size > 0
    again = demo("show", LOGIN, "--view", view, "--format", form, "--output", str(path))
    assert (again.code, again.out) == (2, "")
    assert list(tmp_path.glob("out*")) == [path]


# ── refusals ──


@pytest.mark.parametrize("arguments", [
    ("--view", "environment", "--last", "2"), ("--view", "environment", "--agents"), ("--view", "brief", "--role", "user"),
    ("--view", "brief", "--tool", "Bash"), ("--view", "files", "--role", "tool"), ("--view", "prompts", "--tool", "Bash"),
    ("--view", "final", "--role", "tool"), ("--view", "conversation", "--tool", "Bash"), ("--view", "tools", "--role", "user"),
    ("--view", "before-compaction", "--turns", "1"), ("--bound", "5"), ("--diff",), ("--file", "x"), ("--view", "skeleton", "--diff"),
    ("--view", "files", "--diff", "--safe"), ("--format", "json", "--width", "80"), ("--format", "html", "--color", "always"),
    ("--preview", "--since", "2h"), ("--preview", "--agents"), ("--since", "nonsense"), ("--since", "2026-05-02", "--until", "2026-05-01"),
    ("--turns", "x"), ("--last", "-1"), ("--width", "-5"), ("--output", "/nowhere/at/all.txt"), ("--view", "skeleton", "--bound", "-1"),
])  # fmt: skip
def test_what_does_not_go_together_is_refused(demo, arguments: tuple[str, ...]) -> None:
    """In one line, exit status 2, nothing printed."""
    ran = demo("show", LOGIN, *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1), ran.err


OPTIONS = {
    "--turns": ("1",), "--last": ("1",), "--since": ("2026-05-14T14:03Z",), "--until": ("2026-05-14T14:03Z",), "--role": ("tool",),
    "--tool": ("Grep",), "--agents": (), "--bound": ("10",), "--diff": (), "--file": ("tests/test_login.py",), "--safe": (),
}  # fmt: skip


@pytest.mark.parametrize("view", [view for view in VIEWS if view not in ("advisor", "special")])
@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_changes_every_view_or_is_refused(demo, view: str, option: str) -> None:
    """None is passed over in silence."""
    name = RETRIES if view == "before-compaction" else LOGIN
    values: dict[object, tuple[str, ...]] = {"--since": ("2026-05-14T12:20:30Z",), "--until": ("2026-05-14T12:20:30Z",), "--tool": ("Edit",)} if name == RETRIES else {}
    values |= {("files", "--turns"): ("2",), ("files", "--until"): ("2026-05-14T14:02:10Z",), ("errors", "--role"): ("note",)}
    plain = demo("show", name, "--view", view, "--format", "json")
    ran = demo("show", name, "--view", view, "--format", "json", option, *values.get((view, option), values.get(option, OPTIONS[option])))
    if ran.code == 2:
        assert ran.err.count("\n") == 1
        return
    same_by_nature = {("--safe", view) for view in ("environment", "brief", "files", "prompts", "final", "conversation", "skeleton", "before-compaction")}
    same_by_nature |= {("--last", "final"), ("--agents", "before-compaction"), ("--agents", "errors"), ("--file", "files"), ("--since", "files"), ("--until", "errors"),
                       ("--since", "final"), ("--bound", "skeleton"), ("--turns", "errors")}  # fmt: skip
    assert ran.out != plain.out or (option, view) in same_by_nature


# ── safely ──

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
ID = "44444444-4444-4444-8444-444444444444"


@pytest.fixture
def leaky(home: Path) -> str:
    """A session with a secret in its title, a prompt, an answer, thinking, tool input, output and an error."""
    folder = home / ".claude" / "projects" / "-home-ada-src-api"
    folder.mkdir(parents=True, exist_ok=True)
    common = {"sessionId": ID, "cwd": "/home/ada/src/api", "gitBranch": "main", "version": "2.1.300", "isSidechain": False, "userType": "external"}
    def row(number: int, kind: str, content: object, **more: object) -> dict[str, object]:
        return {"type": kind, "uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None, "timestamp": f"2026-05-01T10:00:0{number}.000Z",
                "message": {"role": kind, "content": content, **more}, **common}  # fmt: skip
    answer = {"id": "msg_1", "model": "claude-sonnet-4-5", "usage": {"input_tokens": 1, "output_tokens": 1}}
    rows = [
        row(0, "user", f"push with {SECRET} please, and tell bob@analytical-engine.org"),
        row(1, "assistant", [{"type": "thinking", "thinking": f"I must keep {SECRET} in mind", "signature": ""}], **answer),
        row(2, "assistant", [{"type": "text", "text": f"Pushing with `{SECRET}` now."}], **answer),
        row(3, "assistant", [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": f"git push https://ada:{SECRET}@github.com/ada/api"}}], **answer),
        row(4, "user", [{"type": "tool_result", "tool_use_id": "t1", "content": f"remote: bad token {SECRET}", "is_error": True}]),
        row(5, "assistant", [{"type": "tool_use", "id": "t2", "name": "Write", "input": {"file_path": "/home/ada/src/api/.env", "content": f"TOKEN={SECRET}\n"}}], **answer),
        row(6, "user", [{"type": "tool_result", "tool_use_id": "t2", "content": "File created successfully"}]),
        {"type": "custom-title", "sessionId": ID, "customTitle": f"Push with {SECRET}"},
    ]  # fmt: skip
    (folder / f"{ID}.jsonl").write_text("".join(json.dumps(item) + "\n" for item in rows))
    return ID


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("view", VIEWS)
def test_no_secret_comes_out_safely(sb, leaky: str, view: str, form: str) -> None:
    """From any view in any form; and all that is there says so."""
    ran = sb("show", leaky, "--view", view, "--format", form, "--safe")
    assert ran.code in (0, 1)
    for secret in (SECRET, SECRET[4:20], "bob@analytical-engine.org", "I must keep", "bad token"):
        assert secret not in ran.out + ran.err


@pytest.mark.parametrize("command", [
    ("list", "--json"), ("list", "--jsonl"), ("list", "--tsv"), ("search", "push", "--json"), ("search", "push"), ("tree", ID, "--json", "--finals", "--files", "--tools"),
    ("tree", ID, "--finals"), ("stats", "--json"), ("stats", "--by", "file"), ("timeline", "--json"), ("timeline", "--kind", "tools"), ("report", "--json"), ("report",),
    ("diff", ID, ID), ("diff", ID, ID, "--json"), ("list", "--keywords", "push", "--json"),
])  # fmt: skip
def test_no_secret_comes_out_of_any_command(sb, leaky: str, command: tuple[str, ...]) -> None:
    """With --safe."""
    ran = sb(*command, "--safe")
    assert ran.code == 0 and ran.out.strip()
    for secret in (SECRET, SECRET[4:20], "bob@analytical-engine.org"):
        assert secret not in ran.out + ran.err


def test_no_secret_comes_out_of_a_digest(sb, leaky: str, tmp_path: Path) -> None:
    """Neither in its files nor in their names nor in the inventory."""
    ran = sb("digest", "push", "--to", str(tmp_path / "d"), "--min-size", "0", "--errors", "--safe")
    assert ran.code == 0
    texts = [ran.out, *(path.name + path.read_text() for path in (tmp_path / "d").iterdir())]
    assert len(texts) >= 3
    assert all(secret.lower() not in text.lower() for text in texts for secret in (SECRET, SECRET[4:20], "bob@analytical-engine.org"))


def test_safely_there_is_no_thinking_and_nothing_raw(demo) -> None:
    """Calls keep their name, target and outcome."""
    ran = demo("show", LOGIN, "--format", "json", "--safe")
    found = blocks(ran)
    assert not any(block["kind"] == "thinking" for block in found)
    calls = [block for block in found if block["kind"] == "tool"]
    assert calls and all(not block["input"] and not block["output"] for block in calls)
    assert any(block["target"] for block in calls) and any(block["ok"] is False for block in calls)


# ── surroundings ──


def test_the_surroundings_of_a_session(demo) -> None:
    """Facts by name; what there is none of is empty in JSON and said in text."""
    facts = demo("show", LOGIN, "--view", "environment", "--format", "json").json()["environment"]
    assert facts["agent"] == ["Claude Code 2.1.332"]
    assert facts["plugins proved"] == []
    out = demo("show", "019e25f0", "--view", "environment").out
    assert "gpt-5.5-codex" in out and "this agent keeps no registry of plugins" in out and "not recorded by this agent" in out
    asked = {line[:18].strip(): line[18:] for line in demo("show", "session_9a1e5c37", "--view", "environment").out.splitlines()}
    assert (asked["hooks"], asked["skills"], asked["permission modes"]) == ("not recorded by this agent", "none", "not told in this session")


def test_an_advisor_has_a_view_of_its_own(sb, home: Path) -> None:
    """With what it said."""
    name = "55555555-5555-4555-8555-555555555555"
    common = {"sessionId": name, "cwd": "/home/ada/src/api", "version": "2.1.300", "isSidechain": False, "userType": "external"}
    rows = [
        {"type": "user", "uuid": "a", "parentUuid": None, "timestamp": "2026-05-01T10:00:00.000Z", "message": {"role": "user", "content": "ask first"}, **common},
        {"type": "assistant", "uuid": "b", "parentUuid": "a", "timestamp": "2026-05-01T10:00:02.000Z", **common, "message": {"id": "m", "role": "assistant", "model": "claude-sonnet-4-5", "usage": {}, "content": [
            {"type": "server_tool_use", "id": "s1", "name": "advisor", "input": {}},
            {"type": "advisor_tool_result", "tool_use_id": "s1", "content": {"type": "advisor_result", "text": "Write the test before the fix."}},
            {"type": "text", "text": "I will."}]}},
    ]  # fmt: skip
    folder = home / ".claude" / "projects" / "-home-ada-src-api"
    folder.mkdir(parents=True)
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(item) + "\n" for item in rows))
    (found,) = blocks(sb("show", name, "--view", "advisor", "--format", "json"))
    assert (found["name"], found["output"]) == ("advisor", "Write the test before the fix.")
    assert "Write the test before the fix." in sb("show", name, "--view", "advisor").out
