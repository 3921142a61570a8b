"""`sb path`, `tree`, `resume`, `doctor`: one session by its name."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sessionbrowser.paths import Environment
from sessionbrowser.sources.claude import store

from .conftest import FIRST, SECOND, Sb, Write


@pytest.fixture
def subagent(write: Write) -> Path:
    """A session that called one subagent."""
    path = write(FIRST)
    call = {"type": "assistant", "uuid": "c1", "parentUuid": f"{FIRST[:8]}-b", "sessionId": FIRST, "timestamp": "2026-05-01T10:01:00.000Z",
            "message": {"id": "m2", "role": "assistant", "model": "claude-sonnet-4-5", "content": [
                {"type": "tool_use", "id": "toolu_1", "name": "Task", "input": {"description": "look \x1b[31maround", "subagent_type": "Explore", "prompt": "look"}}]}}  # fmt: skip
    result = {"type": "user", "uuid": "c2", "parentUuid": "c1", "sessionId": FIRST, "timestamp": "2026-05-01T10:02:00.000Z",
              "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "found it"}]},
              "toolUseResult": {"agentId": "abc123", "status": "completed", "content": [], "totalTokens": 5, "totalToolUseCount": 0}}  # fmt: skip
    with path.open("a") as file:
        file.write(json.dumps(call) + "\n" + json.dumps(result) + "\n")
    below = path.with_suffix("") / "subagents"
    below.mkdir(parents=True)
    task = {"type": "user", "uuid": "t1", "parentUuid": None, "isSidechain": True, "agentId": "abc123", "sessionId": FIRST,
            "timestamp": "2026-05-01T10:01:01.000Z", "message": {"role": "user", "content": "look"}}  # fmt: skip
    (below / "agent-abc123.jsonl").write_text(json.dumps(task) + "\n")
    return path


def test_path_by_id_and_by_unique_prefix(sb: Sb, write: Write) -> None:
    """Prints the file."""
    path = write(FIRST)
    assert sb("path", FIRST) == (0, f"{path}\n", "")
    assert sb("path", "1111") == (0, f"{path}\n", "")


def test_path_of_a_name_nobody_has(sb: Sb, write: Write) -> None:
    """Exit status 1, one line."""
    write(FIRST)
    assert sb("path", "9999") == (1, "", 'sb: no session is called "9999"\n')


def test_path_of_an_ambiguous_prefix_lists_all(sb: Sb, write: Write) -> None:
    """Exit status 2."""
    other = "11112222-2222-4222-8222-222222222222"
    one, two = write(FIRST), write(other)
    ran = sb("path", "1111")
    assert (ran.code, sorted(ran.out.split())) == (2, sorted([str(one), str(two)]))


def test_the_live_session_before_its_copy(sb: Sb, write: Write, home: Path) -> None:
    """A copy that the configuration adds does not make an id ambiguous."""
    live = write(FIRST)
    write(FIRST, base=home / "copy")
    folder = home / ".config" / "sessionbrowser"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('roots = ["~/copy"]\n')
    assert sb("path", FIRST) == (0, f"{live}\n", "")


def test_last_prev_and_here(sb: Sb, write: Write, env: Environment) -> None:
    """Stand for ids; the session that asks is not meant."""
    first, second = write(FIRST, cwd="/w/one"), write(SECOND, time="2026-05-02T10:00", cwd="/w/two")
    assert sb("path", "@last").out == f"{second}\n"
    assert sb("path", "@prev").out == f"{first}\n"
    asking = env._replace(variables={**env.variables, "CLAUDE_CODE_SESSION_ID": SECOND}, cwd="/w/two")
    assert sb("path", "@last", env=asking).out == f"{first}\n"
    assert sb("path", "@here", env=env._replace(cwd="/w/one")).out == f"{first}\n"


def test_tree_as_json(sb: Sb, subagent: Path) -> None:
    """Every field of the contract, for the session and below."""
    root = sb("tree", FIRST, "--json").json()["root"]
    assert set(root) == {"id", "kind", "type", "description", "status", "model", "tokens", "tool_calls", "started", "ended", "path", "children"}
    assert (root["id"], root["kind"]) == (FIRST, "session")
    (child,) = root["children"]
    assert (child["kind"], child["type"], child["path"].endswith("agent-abc123.jsonl")) == ("subagent", "Explore", True)


def test_a_subagent_is_called_the_same_everywhere(sb: Sb, subagent: Path) -> None:
    """In the tree, in the list and in the call that started it; and show takes the id as the agent tells it, too."""
    (child,) = sb("tree", FIRST, "--json").json()["root"]["children"]
    listed = [session["id"] for session in sb("list", "--all", "--json").json()["sessions"] if session["hidden"] == "subagent"]
    called = [block["subagent"] for turn in sb("show", FIRST, "--format", "json").json()["turns"] for block in turn["blocks"] if block.get("subagent")]
    assert (listed, called) == ([child["id"]], [child["id"]]) == (["agent-abc123"], ["agent-abc123"])
    for name in ("agent-abc123", "abc1"):
        assert sb("path", name).out.strip() == child["path"]


def test_tree_for_people_holds_no_escape_sequence(sb: Sb, subagent: Path) -> None:
    """Not even one from a description."""
    out = sb("tree", FIRST).out
    assert "Explore look around" in out and "\x1b" not in out


def test_resume_prints_the_line(sb: Sb, write: Write, tmp_path: Path) -> None:
    """For the person's shell, in the session's directory."""
    folder = tmp_path / "it's here"
    folder.mkdir()
    write(FIRST, cwd=str(folder))
    ran = sb("resume", FIRST, "--print")
    assert ran.code == 0
    assert ran.out == f"cd '{tmp_path}/it'\"'\"'s here' && claude --resume {FIRST}\n"


def test_resume_can_fork(sb: Sb, write: Write, tmp_path: Path) -> None:
    """The session stays as it is."""
    write(FIRST, cwd=str(tmp_path))
    assert "--fork-session" in sb("resume", FIRST, "--print", "--fork").out


def test_approvals_are_skipped_only_on_request(sb: Sb, write: Write, tmp_path: Path) -> None:
    """Never by default."""
    write(FIRST, cwd=str(tmp_path))
    assert "dangerously" not in sb("resume", FIRST, "--print").out
    assert "dangerously" in sb("resume", FIRST, "--print", "--skip-approvals").out


def test_resume_where_the_directory_is_gone(sb: Sb, write: Write, tmp_path: Path) -> None:
    """Says so and what else there is; nothing is run."""
    write(FIRST, cwd=str(tmp_path / "gone" / "deeper"))
    ran = sb("resume", FIRST)
    assert (ran.code, ran.out) == (2, "")
    assert "is gone" in ran.err and f"cd {tmp_path} && claude --resume {FIRST}" in ran.err


def test_resume_in_another_directory(sb: Sb, write: Write, tmp_path: Path) -> None:
    """As the person says."""
    write(FIRST, cwd=str(tmp_path / "gone"))
    assert sb("resume", FIRST, "--print", "--in", str(tmp_path)).out == f"cd {tmp_path} && claude --resume {FIRST}\n"


def test_resume_without_the_program(sb: Sb, write: Write, tmp_path: Path, env: Environment) -> None:
    """One line."""
    write(FIRST, cwd=str(tmp_path))
    ran = sb("resume", FIRST, env=env._replace(variables={**env.variables, "PATH": str(tmp_path)}))
    assert ran.code == 2
    assert ran.err.endswith("sb: claude is not installed (it is not on PATH)\n")


def test_resume_as_json_tells_the_ways_around_a_gone_directory(sb: Sb, write: Write, tmp_path: Path) -> None:
    """For programs that ask the person themselves."""
    (tmp_path / "api" / ".git").mkdir(parents=True)
    gone = tmp_path / "api" / ".claude" / "worktrees" / "login"
    write(FIRST, cwd=str(gone), branch="login")
    found = sb("resume", FIRST, "--json").json()
    assert found["gone"] is True
    assert [way["cwd"] for way in found["ways"]] == [str(gone), str(tmp_path / "api")]
    assert found["ways"][0]["command"].startswith(f"git -C {tmp_path}/api worktree add -b login -- {gone} && cd ")


def test_tmux_alone_leaves_the_name_to_the_session(sb: Sb, write: Write, tmp_path: Path) -> None:
    """And takes window or pane where one of them stands behind it."""
    write(FIRST, cwd=str(tmp_path))
    for arguments in (["--tmux", FIRST], ["--tmux", "pane", FIRST], ["--tmux=window", FIRST], [FIRST, "--tmux"]):
        ran = sb("resume", *arguments)
        assert ran[:2] == (2, "") and ran.err.endswith("sb: --tmux opens a window of the tmux it is run in, and this is none\n")
    assert sb("resume", "--tmux=attic", FIRST).code == 2


@pytest.mark.parametrize(("arguments", "reason"), [
    (["wrong-001"], 'Claude Code takes no session whose id is "wrong-001": its own ids are UUIDs'),
    (["agent-abc123"], f"this is a subagent: sb resume {FIRST} resumes the session it belongs to"),
    (["--demo", "five-whys_2026"], "sessions of Skill records can't be resumed from a command line"),
])  # fmt: skip
def test_why_nothing_resumes_a_session(sb: Sb, write: Write, subagent: Path, arguments: list[str], reason: str) -> None:
    """That very session, not all of its agent."""
    write("wrong-001")
    assert sb("resume", *arguments, "--print") == (2, "", f"sb: {reason}\n")


def test_demo_sessions_are_not_resumed(sb: Sb) -> None:
    """They are invented."""
    ran = sb("resume", "--demo", "--in", "/", "@last")
    assert ran.code == 2 and "invented" in ran.err


def test_doctor_as_json(sb: Sb, subagent: Path, home: Path) -> None:
    """As the contract says."""
    report = sb("doctor", "--json").json()
    claude = next(source for source in report["sources"] if source["name"] == "claude")
    (root,) = claude["roots"]
    assert (root["path"], root["state"], root["sessions"]) == (str(home / ".claude"), "ok", 2)
    assert claude["retention"]["days"] == 30
    assert set(report) >= {"schema", "sources", "index", "terminal", "clipboard"}
    assert report["index"]["state"] == "ok" and report["index"]["bytes"] > 0


def test_doctor_for_people(sb: Sb, subagent: Path) -> None:
    """Says what was hidden."""
    out = sb("doctor").out
    assert "Claude Code" in out and "hidden: 1 subagent" in out


def test_doctor_of_one_file(sb: Sb, write: Write) -> None:
    """Record types and block types with counts and bytes, damaged lines, and what was taken for what."""
    path = write(FIRST)
    with path.open("a") as file:
        file.write('{"type": "user", "half\n')
    found = sb("doctor", FIRST, "--json").json()
    records = {row["type"]: row["count"] for row in found["records"]}
    assert (records["user"], records["assistant"]) == (1, 1)
    assert {"record": "user", "as": "prompt typed", "count": 1} in found["taken"]
    assert found["damaged_lines"] == 1
    assert sum(row["bytes"] for row in found["records"]) == path.stat().st_size - 3
    assert "\n1 turn: 1 prompt, 1 answer, 0 tool calls, 0 tool results, 0 tool errors, 0 compactions, 0 interrupts; 1 damaged line; " in sb("doctor", FIRST).out


def test_doctor_of_an_empty_home(sb: Sb) -> None:
    """Says that there is nothing, kindly."""
    ran = sb("doctor")
    assert ran.code == 0 and "no sessions of any agent were found" in ran.out


def test_doctor_tells_what_failed_in_the_background(sb: Sb, env: Environment) -> None:
    """The last time something did."""
    from sessionbrowser.library import failure

    failure.keep(env, ValueError("no such thing"), "looking for sessions")
    assert "ValueError: no such thing" in sb("doctor").out


def test_doctor_tells_where_it_looked_in_vain(sb: Sb, write: Write, home: Path) -> None:
    """Sources without sessions are named with the places where theirs would be."""
    write(FIRST)
    out = sb("doctor").out
    assert "looked for and not found:" in out
    assert "  Codex: ~/.codex, $CODEX_HOME" in out
    codex = next(source for source in sb("doctor", "--json").json()["sources"] if source["name"] == "codex")
    assert codex["looked"] == [str(home / ".codex")]


@pytest.mark.parametrize(("name", "said"), [
    ("@here", "there is no session of this repository"), ("@prev", "there is no session before the last one"),
    ("@nope", 'there is no "@nope", only @last, @prev, @here'),
])  # fmt: skip
def test_a_sign_that_stands_for_nothing_says_so(sb: Sb, write: Write, name: str, said: str) -> None:
    """It is no id."""
    write(FIRST, cwd="/elsewhere")
    assert sb("show", name) == sb("path", name) == (1, "", f"sb: {said}\n")


def test_doctor_tells_of_the_sources_it_was_asked_about(sb: Sb, write: Write) -> None:
    """Others were not looked for."""
    write(FIRST)
    assert "not found" not in sb("doctor", "--source", "claude").out
    assert [source["name"] for source in sb("doctor", "--source", "claude", "--json").json()["sources"]] == ["claude"]


def test_a_folder_that_can_not_be_entered_is_not_ok(sb: Sb, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """The doctor says so of its root, a list in one line."""
    write(FIRST)
    shut = write(SECOND, project="-home-ada-src-web").parent
    enter = store._entries

    def entries(path: str) -> list[os.DirEntry[str]]:
        if path == str(shut):
            raise PermissionError(13, "Permission denied", path)
        return enter(path)

    monkeypatch.setattr(store, "_entries", entries)
    root = sb("doctor", "--json").json()["sources"][0]["roots"][0]
    assert (root["state"], root["sessions"], [item["path"] for item in root["unreadable"]]) == ("unreadable", 1, [str(shut)])
    assert "  ~/.claude: unreadable in part, 1 session\n" in sb("doctor").out
    assert sb("list", "--tsv").err == "sb: ~/.claude/projects/-home-ada-src-web: permission denied\n"


def test_doctor_names_damaged_sessions(sb: Sb, write: Write) -> None:
    """So that a person can look into them."""
    with write(FIRST).open("a") as file:
        file.write('{"type": "user", "half\n')
    assert f"damaged lines passed over: 1; sb doctor ID tells of each: {FIRST}" in sb("doctor").out


def test_the_demo_has_a_session_of_every_agent_but_those_with_no_fixture(sb: Sb) -> None:
    """Skill records included, which lie where a variable says."""
    found = {row["source"] for row in sb("list", "--demo", "--json", "--all").json()["sessions"]}
    assert {"claude", "codex", "opencode", "gemini", "cursor", "droid", "specstory", "records", "amp"} <= found
