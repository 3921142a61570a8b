"""`sb list`: the rows that scripts, fzf and people get."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sessionbrowser.commands import output
from sessionbrowser.paths import Environment

from .conftest import FIRST, SECOND, Sb, Write

THIRD = "33333333-3333-4333-8333-333333333333"

FIELDS = {
    "id", "source", "path", "title", "title_from", "cwd", "project", "branch", "created", "updated", "status", "status_from",
    "origin", "model", "version", "prompts", "answers", "tool_calls", "tool_results", "tool_errors", "compactions", "interrupts",
    "tokens", "subagents", "parent", "forked_from", "size", "damaged_lines", "archived", "expires", "specstory", "resume",
}  # fmt: skip


def test_json_has_every_field_of_the_contract(sb: Sb, write: Write) -> None:
    """And no session lacks one."""
    write(FIRST, prompt="Fix the login test")
    found = sb("list", "--json").json()
    assert set(found) == {"schema", "sessions", "total", "hidden", "unreadable"}
    (session,) = found["sessions"]
    assert set(session) >= FIELDS
    assert (session["id"], session["source"], session["title"]) == (FIRST, "claude", "Fix the login test")
    assert (session["created"], session["updated"]) == ("2026-05-01T10:00:00Z", "2026-05-01T10:00:05Z")
    assert session["resume"]["argv"] == ["claude", "--resume", FIRST]
    assert session["resume"]["command"] == f"cd /home/ada/src/api && claude --resume {FIRST}"


def test_exact_counts_the_whole_file(sb: Sb, write: Write) -> None:
    """Without it, counts may be null."""
    write(FIRST)
    (session,) = sb("list", "--json", "--exact").json()["sessions"]
    assert (session["prompts"], session["answers"], session["tool_calls"]) == (1, 1, 0)
    assert session["tokens"] == {"input": 10, "output": 5, "cache_read": 0, "cache_write": 0}


def test_tokens_nobody_wrote_down_are_null(sb: Sb, write: Write) -> None:
    """Not 0, which would be a number."""
    path = write(FIRST)
    path.write_text(path.read_text().replace('"usage": {"input_tokens": 10, "output_tokens": 5}', '"usage": null'))
    (session,) = sb("list", "--json", "--exact").json()["sessions"]
    assert (session["answers"], session["tokens"]) == (1, None)
    assert sb("list", "--exact", "--format", "<{tokens_total}>").out == "<>\n"
    assert sb("tree", FIRST, "--json").json()["root"]["tokens"] is None


def test_the_last_line_offers_hidden_sessions_only_where_they_are_not_shown(sb: Sb, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal."""
    monkeypatch.setattr(output, "on_terminal", lambda: True)
    write(FIRST)
    write(SECOND).write_text("")
    assert sb("list").out.splitlines()[-1].endswith("1 session, 1 hidden (--all shows them)\x1b[0m")
    assert sb("list", "--all").out.splitlines()[-1].endswith("2 sessions\x1b[0m")


def test_the_second_run_says_the_same(sb: Sb, write: Write) -> None:
    """From the cache."""
    write(FIRST)
    write(SECOND, time="2026-05-02T10:00")
    first = sb("list", "--json").out
    assert sb("list", "--json").out == first
    assert [session["id"] for session in json.loads(first)["sessions"]] == [SECOND, FIRST]


def test_without_a_cache_it_says_the_same(sb: Sb, write: Write, env: Environment) -> None:
    """And leaves no cache behind."""
    write(FIRST)
    with_cache = sb("list", "--json", "--no-cache").out
    assert not os.path.exists(env.variables["XDG_CACHE_HOME"])
    assert sb("list", "--json").out == with_cache


def test_jsonl_ends_with_a_line_about_the_rest(sb: Sb, write: Write) -> None:
    """One session a line before it."""
    write(FIRST)
    *sessions, meta = map(json.loads, sb("list", "--jsonl").out.splitlines())
    assert [session["id"] for session in sessions] == [FIRST]
    assert meta == {"_meta": True, "files_processed": 1, "parse_errors": 0, "matched": 1, "hidden": {}}


def test_piped_rows_are_tab_separated(sb: Sb, write: Write, home: Path) -> None:
    """Tag, local time, id, directory with ~, title, SpecStory path."""
    write(FIRST, prompt="Fix it", cwd=f"{home}/src/api")
    assert sb("list", "--header").out.splitlines() == [
        "tag\ttime\tid\tdirectory\ttitle\tspecstory",
        f"cc\t2026-05-01 10:00\t{FIRST}\t~/src/api\tFix it\t",
    ]


def test_a_format_of_ones_own(sb: Sb, write: Write) -> None:
    r"""Fields in braces, \t and \n as one means them, doubled braces as themselves."""
    write(FIRST, prompt="Fix it")
    assert sb("list", "--exact", "--format", r"{id}\t{title} {{x}} {prompts}").out == f"{FIRST}\tFix it {{x}} 1\n"


def test_a_format_knows_the_words_of_the_query_language(sb: Sb, write: Write) -> None:
    """`turns:` counts what the JSON calls prompts."""
    write(FIRST)
    assert sb("list", "--exact", "--format", "{turns} {prompts} {tokens_total}").out == "1 1 15\n"


@pytest.mark.parametrize("there", [True, False])
def test_a_format_with_a_field_there_is_not(sb: Sb, write: Write, there: bool) -> None:
    """Wrong use, with sessions or without."""
    if there:
        write(FIRST)
    ran = sb("list", "--format", "{nonsense}")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("sb: ") and "nonsense" in ran.err


def test_rows_end_with_nul_on_request(sb: Sb, write: Write) -> None:
    """For xargs -0."""
    write(FIRST)
    assert sb("list", "-z", "--format", "{id}").out == f"{FIRST}\0"


def test_limit_cuts_and_total_does_not(sb: Sb, write: Write) -> None:
    """Total says how many there are."""
    write(FIRST)
    write(SECOND, time="2026-05-02T10:00")
    found = sb("list", "--json", "--limit", "1").json()
    assert ([session["id"] for session in found["sessions"]], found["total"]) == ([SECOND], 2)


def test_sort_by_size(sb: Sb, write: Write) -> None:
    """The greatest first, in JSON and in rows."""
    write(FIRST, prompt="long " * 100)
    write(SECOND, time="2026-05-02T10:00")
    assert [session["id"] for session in sb("list", "--json", "--sort", "size").json()["sessions"]] == [FIRST, SECOND]
    assert sb("list", "--sort", "size", "--format", "{id}").out.split() == [FIRST, SECOND]


def test_a_query_leaves_what_matches(sb: Sb, write: Write) -> None:
    """Exit status 0 with a match, 1 without."""
    write(FIRST, prompt="Fix the login test")
    write(SECOND, prompt="Bump node")
    ran = sb("list", "--format", "{id}", "login")
    assert (ran.code, ran.out.split()) == (0, [FIRST])
    assert sb("list", "zzzzqqq").code == 1


def test_a_query_that_cannot_be_read(sb: Sb, write: Write) -> None:
    """Says why, in one line."""
    write(FIRST)
    ran = sb("list", "/(unclosed/")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("sb: ") and ran.err.count("\n") == 1


def test_here_keeps_the_repository(sb: Sb, write: Write, env: Environment, tmp_path: Path) -> None:
    """The one that the working directory belongs to."""
    repository = tmp_path / "api"
    (repository / ".git").mkdir(parents=True)
    (repository / "deep").mkdir()
    write(FIRST, cwd=str(repository))
    write(SECOND, cwd=str(tmp_path / "api-two"), project="-two")
    ran = sb("list", "--here", "--format", "{id}", env=env._replace(cwd=str(repository / "deep")))
    assert ran.out.split() == [FIRST]


def test_hidden_sessions_are_counted_and_listed_on_request(sb: Sb, write: Write) -> None:
    """With the reason."""
    path = write(FIRST)
    below = path.with_suffix("") / "subagents"
    below.mkdir(parents=True)
    task = {"type": "user", "uuid": "t1", "parentUuid": None, "isSidechain": True, "agentId": "abc123", "sessionId": FIRST,
            "timestamp": "2026-05-01T10:00:02.000Z", "message": {"role": "user", "content": "look around"}}  # fmt: skip
    (below / "agent-abc123.jsonl").write_text(json.dumps(task) + "\n")
    found = sb("list", "--json").json()
    assert (len(found["sessions"]), found["total"], found["hidden"]) == (1, 1, {"subagent": 1})
    every = sb("list", "--json", "--all").json()["sessions"]
    assert sorted(session["hidden"] or "" for session in every) == ["", "subagent"]


def test_an_empty_home_is_an_empty_list(sb: Sb) -> None:
    """And no error."""
    ran = sb("list", "--json")
    assert (ran.code, ran.json()["sessions"], ran.err) == (0, [], "")


def test_a_root_that_does_not_exist(sb: Sb) -> None:
    """One line, exit status 2, and still valid JSON."""
    ran = sb("list", "--json", "--root", "/nowhere")
    assert (ran.code, ran.err) == (2, "sb: /nowhere: no such file or folder\n")
    assert ran.json()["unreadable"] == [{"path": "/nowhere", "reason": "no such file or folder"}]


def test_one_root_of_two_is_enough(sb: Sb, write: Write, tmp_path: Path) -> None:
    """A root that can't be read is a warning as long as another one can."""
    write(FIRST, base=tmp_path / "copy")
    ran = sb("list", "--format", "{id}", "--root", "/nowhere", "--root", str(tmp_path / "copy"))
    assert (ran.code, ran.out.split()) == (0, [FIRST])
    assert ran.err == "sb: /nowhere: no such file or folder\n"


def test_sessions_of_a_copy_offer_no_resume(sb: Sb, write: Write, tmp_path: Path) -> None:
    """Their agent would not find them."""
    write(FIRST, base=tmp_path / "copy")
    (session,) = sb("list", "--json", "--root", str(tmp_path / "copy")).json()["sessions"]
    assert (session["root"], session["resume"]) == ("copy", None)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_without_permission(sb: Sb, write: Write, home: Path) -> None:
    """A line on stderr, a row of unreadable, and the rest is listed."""
    write(FIRST)
    closed = write(SECOND, project="-closed").parent
    closed.chmod(0)
    ran = sb("list", "--json")
    closed.chmod(0o700)
    assert ran.code == 0 and len(ran.json()["sessions"]) == 1
    assert ran.json()["unreadable"][0]["reason"] == "permission denied"
    assert ran.err.count("\n") == 1


def test_a_source_nobody_knows(sb: Sb) -> None:
    """Wrong use, with the names there are."""
    ran = sb("list", "--source", "nonsense")
    assert ran.code == 2
    assert ran.err.startswith("sb: no source is called nonsense") and "claude" in ran.err


def test_no_character_acts_on_a_terminal(sb: Sb, write: Write) -> None:
    """Neither in JSON nor in rows, whatever is in titles, branches and directories."""
    nasty = "\x1b]0;evil\x07\x9b31m\u202eabc\x7f"
    write(FIRST, prompt=f"hello {nasty}", branch=f"main{nasty}", cwd=f"/tmp/{nasty}")
    for form in (("--json",), ("--jsonl",), ("--tsv",), ("--format", "{title} {cwd} {branch}")):
        out = sb("list", *form).out
        assert not any(char in out for char in "\x1b\x07\x9b\u202e\x7f")


def test_a_directory_in_json_is_the_recorded_one(sb: Sb, write: Write) -> None:
    """Escaped, but exact."""
    write(FIRST, cwd="/tmp/\x85odd\x7f")
    ran = sb("list", "--json")
    assert ran.json()["sessions"][0]["cwd"] == "/tmp/\x85odd\x7f"
    assert "\\u0085odd\\u007f" in ran.out


def test_the_configuration_adds_roots_and_is_never_fatal(sb: Sb, write: Write, home: Path, tmp_path: Path) -> None:
    """What it does not know is one line."""
    write(FIRST)
    write(SECOND, base=tmp_path / "copy")
    folder = home / ".config" / "sessionbrowser"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(f'roots = ["{tmp_path}/copy"]\nnonsense = 1\n')
    ran = sb("list", "--format", "{id} {root}")
    assert sorted(ran.out.splitlines()) == [f"{FIRST} ", f"{SECOND} copy"]
    assert ran.err == "sb: ~/.config/sessionbrowser/config.toml: unknown key 'nonsense'\n"


def test_wrong_use_is_one_line(sb: Sb) -> None:
    """And exit status 2."""
    ran = sb("list", "--nonsense")
    assert ran.code == 2
    assert ran.err == "sb: unrecognized arguments: --nonsense (sb list --help says more)\n"


def test_a_command_there_is_not(sb: Sb) -> None:
    """Says where to look."""
    ran = sb("nonsense")
    assert ran.code == 2 and ran.err.startswith('sb: there is no command "nonsense"')


def test_common_options_may_stand_before_the_command(sb: Sb, write: Write, tmp_path: Path) -> None:
    """As in `sb --root X list`."""
    write(FIRST, base=tmp_path / "copy")
    assert sb("--root", str(tmp_path / "copy"), "list", "--format", "{id}").out.split() == [FIRST]


def test_the_demo_has_sessions_and_a_cache_of_its_own(sb: Sb, env: Environment) -> None:
    """Its clock stands still."""
    ran = sb("list", "--demo", "--json")
    assert ran.code == 0 and ran.json()["total"] > 5
    assert os.listdir(os.path.join(env.variables["XDG_CACHE_HOME"], "sessionbrowser")) == ["demo"]


def test_version_and_help(sb: Sb) -> None:
    """Both on standard output."""
    assert sb("--version").out.startswith("sb 0.")
    ran = sb("--help")
    assert ran.code == 0 and "sb COMMAND" in ran.out and "  list  " in ran.out


def test_what_holds_the_word_comes_before_what_holds_its_letters(sb: Sb, write: Write) -> None:
    """A title with it, a conversation with it, a title with its letters here and there."""
    write(FIRST, prompt="various new integrations", time="2026-05-03T10:00")
    write(SECOND, prompt="speed it up", answer="the vite build is slow", time="2026-05-02T10:00")
    write(THIRD, prompt="move to vite", time="2026-05-01T10:00")
    for command in (("list", "vite", "--format", "{id}"), ("pick", "-f", "vite", "--print", "id")):
        assert sb(*command).out.split() == [THIRD, SECOND, FIRST]


def test_a_query_finds_in_conversations_too(sb: Sb, write: Write) -> None:
    """What an answer said, with the cache and without it."""
    write(FIRST, answer="The token expires after the crocodile sleeps.")
    write(SECOND, answer="Nothing of it.")
    assert sb("list", "--format", "{id}", "crocodile").out.split() == [FIRST]
    assert sb("list", "--format", "{id}", "--no-cache", "crocodile").out.split() == [FIRST]
    assert sb("list", "--json", "--", "-crocodile").json()["sessions"][0]["id"] == SECOND


@pytest.mark.parametrize("arguments", [
    ("--json", "--header"), ("--jsonl", "-z"), ("--format", "{id}", "--header"), ("--watch", "--tsv"), ("--watch", "--header"),
    ("--watch", "--exact"), ("--watch", "--limit", "3"), ("--watch", "--panes"), ("--watch", "--sort", "size"), ("--watch", "--keywords", "a"),
    ("--panes", "--exact"), ("--panes", "--jsonl"), ("--panes", "-z"),
], ids=" ".join)  # fmt: skip
def test_an_option_that_would_say_nothing_is_refused(sb: Sb, write: Write, arguments: tuple[str, ...]) -> None:
    """In one line that names it."""
    write(FIRST)
    ran = sb("list", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.endswith("has no meaning there\n")


def test_nothing_that_runs_is_said(sb: Sb, write: Write) -> None:
    """With the status of nothing found; a program gets the empty list alone."""
    write(FIRST)
    assert sb("list", "--panes") == (1, "", "sb: no session runs\n")
    assert sb("list", "--panes", "login") == (1, "", "sb: no such session runs\n")
    assert sb("list", "--panes", "--json")[1:] == ('{"schema":1,"panes":[]}\n', "")


def test_a_configuration_that_was_named_has_to_be_there(sb: Sb, write: Write, tmp_path: Path) -> None:
    """As a root that was named has; one that can't be read is not passed over either."""
    write(FIRST)
    assert sb("list", "--config", f"{tmp_path}/none")[:2] == (2, "")
    torn = tmp_path / "torn.toml"
    torn.write_text("theme = [")
    assert sb("pick", "-f", "", "--config", str(torn))[:2] == (2, "")
