"""What commands say: helps that can be read, mistakes named for what they are."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from sessionbrowser.commands import browse
from sessionbrowser.paths import Environment
from tests.commands.conftest import FIRST, SECOND, Sb, Write


@pytest.mark.parametrize(("command", "line"), [
    ("show", "  conversation      prompts and answers"), ("init", '  bash         in ~/.bashrc:                  eval "$(sb init bash)"'),
    ("pick", "  json      one JSON object a line, as in sb list --jsonl"), ("search", "-docs"),
])  # fmt: skip
def test_help_keeps_its_lines(sb: Sb, command: str, line: str) -> None:
    """Tables of views, fields and examples are no paragraph."""
    lines = sb(command, "--help").out.splitlines()
    assert any(found.startswith(line) for found in lines)


def test_help_is_a_word_too(sb: Sb) -> None:
    """By itself, and before a command."""
    assert sb("help") == sb("--help")
    assert sb("help", "tree") == sb("tree", "--help")


@pytest.mark.parametrize("root", ["/nonexistent", "/etc"])
def test_the_screen_does_not_open_on_a_root_that_is_none(env: Environment, root: str, sb: Sb, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says so and leaves with 2, as `sb list` does."""
    monkeypatch.setattr(browse, "_show", lambda *rest: pytest.fail("the screen was opened"))
    windows = env._replace(platform="win32")  # the only way in without a terminal
    ran = sb("--root", root, env=windows)
    assert ran.code == 2
    assert ran.err.startswith(f"sb: {root}: ")


def test_the_screen_does_not_open_on_a_configuration_that_is_none(env: Environment, tmp_path: Path, sb: Sb, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was settled there is not passed over in silence."""
    monkeypatch.setattr(browse, "_show", lambda *rest: pytest.fail("the screen was opened"))
    ran = sb("--config", f"{tmp_path}/none", env=env._replace(platform="win32"))
    assert (ran.code, ran.err) == (2, f"sb: {tmp_path}/none: no such file\n")


def test_a_copy_of_a_whole_home_is_all_of_its_stores(write: Write, sb: Sb, demo_home: Path, tmp_path: Path, env: Environment) -> None:
    """Every source that `sb list` finds in that home is found in its copy."""
    elsewhere = tmp_path / "empty"
    elsewhere.mkdir()
    here = {row["source"] for row in sb("list", "--json", "--all").json()["sessions"]} - {"specstory", "records"}
    there = sb("list", "--json", "--all", "--root", str(demo_home), env=env._replace(home=str(elsewhere), cwd=str(elsewhere)))
    assert {row["source"] for row in there.json()["sessions"]} >= here
    assert "claude" in here


def test_a_table_says_of_how_many_it_is_a_part(write: Write, sb: Sb, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--limit` cuts it."""
    write(FIRST, prompt="one")
    write(SECOND, prompt="two")
    monkeypatch.setattr("sessionbrowser.commands.output.on_terminal", lambda: True)
    assert sb("list", "--limit", "1").out.splitlines()[-1].endswith("1 of 2 sessions\x1b[0m")
    assert sb("list").out.splitlines()[-1].endswith("m2 sessions\x1b[0m")


def test_every_line_about_an_ambiguous_name_begins_alike(write: Write, sb: Sb) -> None:
    """So that none of them is taken for data."""
    write("abcdef00-1111-4111-8111-111111111111")
    write("abcdef01-1111-4111-8111-111111111111")
    ran = sb("show", "abcdef")
    assert (ran.code, ran.out) == (2, "")
    lines = ran.err.splitlines()
    assert len(lines) == 3 and all(line.startswith("sb: ") for line in lines)
    assert lines[-1] == 'sb: "abcdef" is the beginning of 2 sessions'


def test_only_some_of_very_many_are_named(write: Write, sb: Sb) -> None:
    """A list of hundreds helps nobody."""
    for number in range(25):
        write(f"abcdef{number:02}-1111-4111-8111-111111111111")
    lines = sb("show", "abcdef").err.splitlines()
    assert len(lines) == 21
    assert lines[-1] == 'sb: "abcdef" is the beginning of 25 sessions (and 5 more)'


def test_a_wrong_list_in_the_configuration_is_named(sb: Sb, tmp_path: Path) -> None:
    """With the key inside its table."""
    file = tmp_path / "c.toml"
    file.write_text('[privacy]\nexclude = "x"\n')
    assert sb("list", "--config", str(file)).err.endswith("privacy: exclude must be a list of strings\n")


@pytest.mark.parametrize("words", [(), ("cmd.exe",)])
def test_init_says_what_it_takes(sb: Sb, words: tuple[str, ...]) -> None:
    """Nothing of how it works inside."""
    ran = sb("init", *words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "sb: sb init takes one of bash, zsh, fish, fzf, television, rows (sb init --help says what each is for)\n"


def test_export_makes_no_path_of_folders(write: Write, sb: Sb, tmp_path: Path) -> None:
    """Only one new folder, in one that is there."""
    write(FIRST)
    ran = sb("export", FIRST, "--to", str(tmp_path / "no" / "such"))
    assert (ran.code, ran.err) == (2, f"sb: {tmp_path / 'no'} is no folder: --to makes one new folder, not those above it\n")
    assert not (tmp_path / "no").exists()
    assert sb("export", FIRST, "--to", str(tmp_path / "new")).code == 0
    assert len(list((tmp_path / "new").iterdir())) == 1


def test_an_exported_file_is_called_by_its_title(write: Write, sb: Sb, tmp_path: Path) -> None:
    """Whatever the first prompt was."""
    write(FIRST, prompt="/clear", title="Mend the login")
    sb("export", FIRST, "--to", str(tmp_path))
    assert [path.name for path in tmp_path.glob("*.md")] == ["2026-05-01_10-00-00Z-mend-the-login.md"]


def test_what_was_pasted_has_no_path(sb: Sb, monkeypatch: pytest.MonkeyPatch) -> None:
    """A temporary file means nothing to whoever pasted."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x\n")))
    ran = sb("show", "-")
    assert (ran.code, ran.err) == (2, "sb: what came on standard input holds no session that is known here\n")


def test_what_was_pasted_belongs_to_no_project(sb: Sb, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder it was put in to be read is none."""
    history = Path(__file__).resolve().parents[2] / "fixtures" / "home" / "src" / "api" / ".specstory" / "history"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(next(history.glob("*.md")).read_bytes())))
    session = sb("show", "-", "--format", "json").json()["session"]
    assert (session["source"], session["project"], session["cwd"]) == ("specstory", "", None)


@pytest.mark.parametrize("template", ["{id", "{}", "id}", "{ id }"])
@pytest.mark.parametrize("command", [("list", "--format"), ("pick", "-f", "", "--print")], ids=lambda command: command[0])
def test_a_brace_that_is_no_field_is_refused(write: Write, sb: Sb, command: tuple[str, ...], template: str) -> None:
    """It was a slip; one that is meant is written twice."""
    write(FIRST)
    if command[0] == "pick" and "{" not in template:
        pytest.skip("no template at all: refused for that")
    ran = sb(*command, template)
    assert (ran.code, ran.out) == (2, "")
    assert "one that is meant itself is written twice" in ran.err
    assert sb("list", "--format", "{{{id}}}").out == "{" + FIRST + "}\n"


def test_a_count_as_json_is_only_the_count(write: Write, sb: Sb) -> None:
    """With the schema, and whether it is complete."""
    write(FIRST)
    assert sb("search", "do it", "--json", "--count").json() == {"schema": 1, "total": 1, "complete": True}


def test_a_link_to_nothing_is_set_aside(write: Write, sb: Sb) -> None:
    """No warning with every command; doctor counts it."""
    path = write(FIRST)
    (path.parent / f"{SECOND}.jsonl").symlink_to("/nowhere")
    assert sb("list", "--json").json()["unreadable"] == []
    claude = next(source for source in sb("doctor", "--json").json()["sources"] if source["name"] == "claude")
    assert claude["roots"][0]["set_aside"] == {"link to nothing": 1}


@pytest.mark.parametrize(("word", "said"), [
    ("@last", '"@last" is no command: sb show @last prints that session, sb resume @last resumes it, sb browse @last looks for it on the screen'),
    ("e2e674a8", '"e2e674a8" is no command: sb show e2e674a8 prints that session, sb resume e2e674a8 resumes it, sb browse e2e674a8 looks for it on the screen'),
    ("serach", 'there is no command "serach", did you mean sb search? (sb --help lists them, sb list serach and sb browse serach look for sessions)'),
    ("flaky", 'there is no command "flaky" (sb --help lists them, sb list flaky and sb browse flaky look for sessions)'),
])  # fmt: skip
def test_a_word_that_is_no_command_is_met_with_what_was_meant(sb: Sb, word: str, said: str) -> None:
    """A session, a slip, or something to look for."""
    ran = sb(word)
    assert (ran.code, ran.err) == (2, f"sb: {said}\n")


def test_the_file_of_a_listed_session_is_that_session(write: Write, sb: Sb) -> None:
    """By its path it is what it is by its id."""
    path = write(FIRST)
    by_path, by_id = (sb("show", name, "--format", "json").json()["session"] for name in (str(path), FIRST))
    assert by_path == by_id
    assert by_path["status"] == "finished"


def test_resume_with_its_directory_gone_is_an_error_in_json_too(write: Write, sb: Sb) -> None:
    """The document says what could be done."""
    write(FIRST, cwd="/home/ada/gone")
    ran = sb("resume", FIRST, "--print", "--json")
    assert ran.code == 2
    assert ran.json()["gone"] is True
