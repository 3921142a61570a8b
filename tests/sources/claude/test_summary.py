"""Rows of the list from head and tail: titles, dates, directories, what is hidden, and where to resume."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessionbrowser.model import Session
from sessionbrowser.text import parse_time

from .log import CWD, FOLDER, SESSION, Log, handle_of, source

FILLER = "lorem ipsum dolor sit amet " * 60


def title(log: Log) -> tuple[str, str]:
    row = log.row_of()
    return row.title, row.title_from


def long(log: Log, turns: int = 120) -> None:
    """Grow the file far beyond what head and tail read."""
    for number in range(turns):
        log.user(f"prompt {number}")
        log.say(f"answer {number} {FILLER}")


# ── titles ──


def test_the_name_a_person_gave_is_the_title(home: Path) -> None:
    log = Log(home)
    log.meta("ai-title", aiTitle="By a model")
    log.user("first prompt")
    log.meta("custom-title", customTitle="By ada")
    assert title(log) == ("By ada", "name")


def test_a_later_name_replaces_an_earlier_one_and_the_agents_name_leads(home: Path) -> None:
    log = Log(home)
    log.meta("custom-title", customTitle="old")
    log.user("x")
    log.meta("custom-title", customTitle="new")
    assert title(log) == ("new", "name")
    log.meta("agent-name", agentName="agent's")
    assert title(log) == ("agent's", "name")


def test_without_a_name_the_models_title_then_the_last_prompt(home: Path) -> None:
    log = Log(home)
    log.user("first thing to do")
    log.say("done")
    log.meta("last-prompt", lastPrompt="last thing to do")
    assert title(log) == ("last thing to do", "last")
    log.meta("ai-title", aiTitle="Two things")
    assert title(log) == ("Two things", "ai")


def test_an_old_session_shows_its_first_prompt(home: Path) -> None:
    log = Log(home)
    log.user("<command-name>/clear</command-name>")
    log.user("look at\nthe parser")
    log.user("and the lexer")
    assert title(log) == ("look at the parser", "prompt")


@pytest.mark.parametrize("nothing", ["/compact", "yes", "continue", "src/api/login.py", "[Image #1]", "<bash-stdout>x</bash-stdout>"])
def test_a_last_prompt_that_says_nothing_gives_way_to_the_first(home: Path, nothing: str) -> None:
    log = Log(home)
    log.user("look at the parser")
    log.say("fine")
    log.meta("last-prompt", lastPrompt=nothing)
    assert title(log) == ("look at the parser", "prompt")


def test_a_session_of_commands_only_is_titled_by_the_command(home: Path) -> None:
    log = Log(home)
    log.user("<command-name>/review</command-name><command-args>src</command-args>")
    log.say("reviewed")
    assert title(log) == ("/review src", "prompt") or title(log) == ("/review src", "command")


def test_a_session_that_says_nothing_is_titled_by_its_id(home: Path) -> None:
    log = Log(home)
    log.meta("mode", mode="normal")
    assert title(log) == (SESSION, "id")


def test_a_transcript_without_a_prompt_is_titled_by_its_first_answer(home: Path) -> None:
    """Old warm-ups and resumed subagents begin with one."""
    log = Log(home)
    log.say("I'm ready to help.")
    assert title(log) == ("I'm ready to help.", "answer")


def test_a_file_of_side_chain_rows_only_is_a_subagents(home: Path) -> None:
    log = Log(home, sidechain=True)
    log.say("found it")
    assert log.row_of().hidden == "subagent"


def test_a_name_in_the_middle_of_a_long_file_is_found(home: Path) -> None:
    """It stands in neither head nor tail, where the program's own lister misses it."""
    log = Log(home)
    long(log)
    log.meta("custom-title", customTitle="in the middle")
    long(log)
    assert title(log) == ("in the middle", "name")


def test_a_summary_in_the_middle_of_a_long_file_is_its_title(home: Path) -> None:
    """Builds of 2 wrote it behind what it sums up; one before all rows is another session's."""
    log = Log(home)
    log.meta("summary", summary="Of another session", leafUuid="elsewhere")
    long(log)
    log.meta("summary", summary="A hundred prompts", leafUuid=log.last)
    long(log)
    assert title(log) == ("A hundred prompts", "summary")


def test_the_first_prompt_is_the_title_where_the_last_was_not_noted(home: Path) -> None:
    """However long the file is."""
    log = Log(home)
    log.meta("permission-mode", permissionMode="default")
    log.user("mend the parser")
    log.user("and the lexer")
    assert title(log) == ("mend the parser", "prompt")
    long(log)
    assert title(log) == ("mend the parser", "prompt")


def test_the_model_is_known_though_head_and_tail_hold_no_answer(home: Path) -> None:
    log = Log(home)
    log.user("mend the parser")
    log.attachment("skill_listing", content=FILLER * 10)
    log.say("done")
    log.system("away_summary", content=FILLER * 10)
    log.user("one more thing")
    assert log.row_of().model == "claude-sonnet-4-5"


@pytest.mark.parametrize("grown", [False, True])
def test_what_a_running_call_reports_is_activity(home: Path, grown: bool) -> None:
    log = Log(home)
    log.user("build it")
    log.call("Bash", "t1", {"command": "make"})
    for _ in range(30 if grown else 1):
        log.row("progress", data={"type": "bash_progress", "output": FILLER}, parentToolUseID="t1")
    assert log.row_of().updated == parse_time(json.loads(log.rows[-1])["timestamp"])


def test_a_title_inside_a_text_is_not_one(home: Path) -> None:
    log = Log(home)
    log.user('\n{"type":"custom-title","customTitle":"fooled"}')
    long(log)
    assert title(log)[0] != "fooled"


def test_an_old_summary_is_the_title_of_the_session_it_points_into(home: Path) -> None:
    """Builds before 2 wrote the titles of other sessions at the head of a new file."""
    old = Log(home)
    old.more = {"version": "1.0.43"}
    old.user("do the thing")
    leaf = old.say("done")
    old.write()
    new = Log(home, "22222222-0000-4000-8000-000000000002")
    new.more = {"version": "1.0.43"}
    new.raw(json.dumps({"type": "summary", "summary": "The thing was done", "leafUuid": leaf}, separators=(",", ":")).encode())
    new.user("something else", key="other1", parent=None)
    new.write()
    assert title(old) == ("The thing was done", "summary")
    assert title(new) == ("something else", "prompt")


# ── everything else of a row ──


def test_directory_branch_model_and_version_are_those_last_seen(home: Path) -> None:
    log = Log(home)
    log.user("a")
    log.say("b")
    log.more = {"cwd": CWD + "/docs", "gitBranch": "feat/x", "version": "2.2.0"}
    log.say("c", model="claude-opus-4-5")
    row = log.row_of()
    assert (row.cwd, row.project, row.branch, row.model, row.version) == (CWD + "/docs", "docs", "feat/x", "claude-opus-4-5", "2.2.0")


@pytest.mark.parametrize("branch", ["", "HEAD"])
def test_no_branch_is_none(home: Path, branch: str) -> None:
    log = Log(home)
    log.more = {"gitBranch": branch}
    log.user("a")
    assert log.row_of().branch is None


def test_created_and_updated_come_from_the_records(home: Path) -> None:
    """Not from the file's time, nor from a note that was carried over from an older session."""
    log = Log(home)
    log.more = {"timestamp": "2026-04-01T00:00:00.000Z"}
    log.user("Caveat: The messages below were generated by the user", isMeta=True)
    log.more = {}
    log.user("hello")
    log.say("hi")
    row = log.row_of()
    assert (row.created, row.updated) == (parse_time("2026-05-01T10:00:02.000Z"), parse_time("2026-05-01T10:00:03.000Z"))


def test_a_long_file_gives_the_same_row_from_its_ends(home: Path) -> None:
    log = Log(home)
    long(log)
    row = log.row_of()
    assert (row.first_prompt, row.last_prompt) == ("prompt 0", "prompt 119")
    assert row.created == parse_time("2026-05-01T10:00:01.000Z")
    assert (row.tail, row.counts) == ("finished", None)


def test_a_row_goes_on_from_an_earlier_one_when_the_file_grew(home: Path) -> None:
    log = Log(home)
    log.meta("custom-title", customTitle="mine")
    long(log)
    earlier = log.row_of()
    log.user("one more")
    log.say("answer")
    handle = log.handle()
    assert source(home).summarise(handle, earlier) == source(home).summarise(handle)


def test_a_big_file_is_not_read_whole(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sessionbrowser.sources import jsonl

    log = Log(home)
    log.meta("ai-title", aiTitle="Long")
    long(log, 600)
    handle = log.handle()
    seen: list[int] = []
    monkeypatch.setattr(jsonl, "read", lambda data, real=jsonl.read: (seen.append(len(data)), real(data))[1])
    source(home).summarise(handle)
    assert handle.size > 900_000
    assert sum(seen) < 200_000


@pytest.mark.parametrize(
    ("entrypoint", "origin", "hidden"),
    [("cli", "interactive", ""), ("sdk-cli", "headless", "headless"), ("sdk-ts", "sdk", "headless"), ("claude-vscode", "vscode", ""), ("claude-desktop", "desktop", "")],
)
def test_where_a_session_was_run_from(home: Path, entrypoint: str, origin: str, hidden: str) -> None:
    log = Log(home)
    log.more = {"entrypoint": entrypoint}
    log.user("a")
    row = log.row_of()
    assert (row.origin, row.hidden) == (origin, hidden)


def test_a_file_of_bookkeeping_only_is_empty(home: Path) -> None:
    log = Log(home)
    log.meta("mode", mode="normal")
    log.meta("permission-mode", permissionMode="default")
    assert log.row_of().hidden == "empty"


@pytest.mark.parametrize("data", [b"", b"\n\n\n", b"\x00" * 4096, b"not json\n"])
def test_a_file_without_a_record_is_empty(home: Path, data: bytes) -> None:
    log = Log(home)
    log.write(data)
    assert source(home).summarise(handle_of(log.path, home)).hidden == "empty"


def test_only_local_commands_are_nothing_said(home: Path) -> None:
    log = Log(home)
    log.user("<command-name>/exit</command-name>")
    log.user("<local-command-stdout>Bye</local-command-stdout>")
    assert log.row_of().hidden == "empty"


def test_team_background_and_continued_sessions_are_told_apart(home: Path) -> None:
    team = Log(home)
    team.more = {"teamName": "builders"}
    team.user("a")
    background = Log(home)
    background.more = {"sessionKind": "bg"}
    background.user("a")
    continued = Log(home)
    continued.user("a")
    continued.meta("continued-in", continuedInSessionId="other")
    daemon = Log(home)
    daemon.more = {"sessionKind": "daemon"}
    daemon.user("a")
    rows = [log.row_of() for log in (team, background, continued, daemon)]
    assert [(row.hidden, row.origin) for row in rows] == [
        ("team", "interactive"), ("", "background"), ("superseded", "interactive"), ("internal", "interactive"),
    ]  # fmt: skip


def test_a_warm_up_is_internal_and_a_subagent_is_titled_by_its_description(home: Path) -> None:
    warm = Log(home, "agent-3f9a10cc", sidechain=True)
    warm.user("Warmup")
    assert source(home).summarise(warm.handle("subagent")).hidden == "internal"
    agent = Log(home, "agent-a1", sidechain=True)
    agent.user("Find every caller of refresh().")
    agent.write()
    agent.path.with_suffix(".meta.json").write_text('{"description":"find the callers"}')
    row = source(home).summarise(agent.handle("subagent"))
    assert (row.title, row.hidden, row.parent, row.origin) == ("find the callers", "subagent", SESSION, "subagent")


def test_a_fork_says_what_it_was_forked_from(home: Path) -> None:
    log = Log(home)
    old, new = "5f57f36d-0981-47c6-abfd-b4d96ae0528f", "b9a5736d-a866-445d-aa78-9f6d48589160"
    log.more = {"forkedFrom": {"sessionId": "origin-1", "messageUuid": "x"}}
    log.user("old", key=old)
    log.more = {}
    log.user("new", key=new)
    row = log.row_of()
    assert (row.forked_from, row.facts["first_raw"], row.facts["last_prompt_raw"]) == ("origin-1", old, new)


def test_a_note_carried_over_from_another_session_makes_no_fork(home: Path) -> None:
    """Builds of 1.0.5x begin with a caveat row that has the id it had in an older session."""
    log = Log(home)
    log.user("Caveat: The messages below were generated by the user", isMeta=True, key="5f57f36d-0981-47c6-abfd-b4d96ae0528f")
    log.user("hello", key="b9a5736d-a866-445d-aa78-9f6d48589160")
    assert log.row_of().facts["first_raw"] == "b9a5736d-a866-445d-aa78-9f6d48589160"


def test_ids_that_were_counted_up_say_nothing_of_lineage(home: Path) -> None:
    log = Log(home)
    log.user("a", key="00000001-0000-4000-8000-000000000000")
    assert "first_raw" not in log.row_of().facts


def test_a_fork_without_a_prompt_of_its_own_says_so(home: Path) -> None:
    log = Log(home)
    log.more = {"forkedFrom": {"sessionId": "origin-1", "messageUuid": "x"}}
    log.user("old")
    log.say("a")
    log.more = {}
    log.meta("custom-title", customTitle="fork")
    assert log.row_of().facts["own_prompt"] is False


def test_damaged_lines_are_counted(home: Path) -> None:
    log = Log(home)
    log.user("a")
    log.raw(b'{"type":"user","message":{"content":"cut')
    log.say("b")
    assert log.row_of().damaged_lines == 1


def test_hostile_values_are_fit_for_eyes(home: Path) -> None:
    evil = "\x1b]0;x\x07\u202ename"
    log = Log(home)
    log.more = {"gitBranch": evil, "version": evil, "entrypoint": evil, "cwd": "/w/" + evil}
    log.user(evil)
    log.say(evil, model=evil)
    log.meta("custom-title", customTitle=evil)
    row = log.row_of()
    raw = {"id", "path", "cwd", "resume_cwd", "facts", "parent", "forked_from"}
    drawn = repr([value for name, value in row._asdict().items() if name not in raw]) + repr({k: v for k, v in row.facts.items() if not k.endswith("_raw")})
    assert not any(mark in drawn for mark in ("\\x1b", "\\u202e", "\\x07"))


# ── where to resume ──


def resume_folder(log: Log) -> str | None:
    return log.row_of().resume_cwd


def test_resume_where_the_files_folder_says_not_where_it_ended(home: Path) -> None:
    log = Log(home)
    log.user("a")
    log.more = {"cwd": "/somewhere/else"}
    log.user("b")
    assert resume_folder(log) == CWD


def test_a_relocated_session_is_resumed_where_it_was_moved_to(home: Path) -> None:
    log = Log(home)
    log.more = {"cwd": CWD + "/.claude/worktrees/x"}
    log.user("a")
    log.meta("relocated", relocatedCwd=CWD)
    row = log.row_of()
    assert (row.resume_cwd, row.cwd, row.project) == (CWD, CWD, "api")


def test_a_session_that_went_into_a_worktree_again_is_resumed_where_its_file_is(home: Path) -> None:
    worktree = CWD + "/.claude/worktrees/x"
    log = Log(home, folder=f"{FOLDER}--claude-worktrees-x")
    log.more = {"cwd": worktree}
    log.user("a")
    log.meta("relocated", relocatedCwd=CWD)
    log.user("b")
    assert log.row_of().resume_cwd == worktree


def test_a_worktree_session_knows_the_directory_it_came_from(home: Path) -> None:
    log = Log(home)
    log.meta("worktree-state", worktreeSession={"originalCwd": CWD, "worktreeName": "x"})
    log.more = {"cwd": "/tmp/worktree"}
    log.user("a")
    assert resume_folder(log) == CWD


def test_without_a_match_the_first_directory_is_taken(home: Path) -> None:
    log = Log(home, folder="-no-match")
    log.user("a")
    row: Session = log.row_of()
    assert row.resume_cwd == CWD


# ── the old index ──


def index_of(home: Path, **entry: object) -> None:
    """The index that builds around 2.1.0 kept, with one entry."""
    folder = home / ".claude" / "projects" / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sessions-index.json").write_text(json.dumps({"version": 1, "entries": [{"sessionId": SESSION, **entry}]}))


@pytest.mark.parametrize(
    ("entry", "want"),
    [
        ({"summary": "Bump node", "firstPrompt": "bump it"}, ("Bump node", "summary")),
        ({"firstPrompt": "bump node to 24"}, ("bump node to 24", "prompt")),
        ({"firstPrompt": "No prompt"}, (SESSION, "id")),
        ({"sessionId": 7}, (SESSION, "id")),
    ],
)
def test_the_old_index_is_asked_for_a_title_last(home: Path, entry: dict[str, object], want: tuple[str, str]) -> None:
    log = Log(home)
    log.meta("mode", mode="normal")
    index_of(home, **entry)
    assert title(log) == want


def test_the_old_index_is_not_believed_against_the_file(home: Path) -> None:
    log = Log(home)
    log.user("what the file says")
    index_of(home, summary="what the index says")
    assert title(log) == ("what the file says", "prompt")
