"""`sb pick` without a screen: what matches, what is printed, where defaults come from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionbrowser.commands import pick_ids
from sessionbrowser.commands.pick_ids import batches, name_in
from sessionbrowser.paths import Environment

from .conftest import FIRST, SECOND, Sb, Write

THIRD = "33333333-3333-4333-8333-333333333333"


@pytest.fixture(autouse=True)
def _sessions(write: Write, home: Path) -> Iterator[None]:
    write(FIRST, prompt="mend the login test", cwd=str(home), time="2026-05-03T10:00")
    write(SECOND, prompt="bump the compiler", cwd=str(home), branch="deps", time="2026-05-02T10:00")
    write(THIRD, prompt="mend the build", cwd=str(home / "gone"), time="2026-05-01T10:00")
    yield


def ids(out: str) -> list[str]:
    return out.split()


def test_filter_prints_what_matches_best_first(sb: Sb) -> None:
    """In the language of the box."""
    assert ids(sb("pick", "-f", "mend", "--print", "id").out) == [FIRST, THIRD]
    assert ids(sb("pick", "-f", "branch:deps", "--print", "id").out) == [SECOND]


def test_filter_without_words_prints_everything_newest_first(sb: Sb) -> None:
    """And the other way round with --tac."""
    assert ids(sb("pick", "-f", "", "--print", "id").out) == [FIRST, SECOND, THIRD]
    assert ids(sb("pick", "-f", "", "--tac", "--print", "id").out) == [THIRD, SECOND, FIRST]


def test_no_match_is_one(sb: Sb) -> None:
    """With the query alone when it is asked for, as fzf has it."""
    assert sb("pick", "-f", "zzzz")[:2] == (1, "")
    assert sb("pick", "-f", "zzzz", "--print-query")[:2] == (1, "zzzz\n")


def test_a_query_that_can_not_be_read_is_wrong_use(sb: Sb) -> None:
    """One line that says where."""
    ran = sb("pick", "-f", "/(/")
    assert ran.code == 2
    assert ran.err.count("\n") == 1


def test_saved_queries_are_written_out(sb: Sb, home: Path) -> None:
    """As in the box; what is wrong in one is wrong where its name stands."""
    file = home / "config.toml"
    file.write_text('[queries]\ndeps = "branch:deps"\nwrong = "turns:lots"\n')
    assert ids(sb("pick", "-f", "@deps compiler", "--print", "id", "--config", str(file)).out) == [SECOND]
    ran = sb("pick", "-f", "mend @wrong", "--config", str(file))
    assert (ran.code, "(character 6 of the query)" in ran.err) == (2, True)


def test_the_default_is_the_line_that_resumes(sb: Sb, home: Path) -> None:
    """In its directory; that this is gone is said on stderr."""
    ran = sb("pick", "-f", "login", "--config", "/dev/null")
    assert ran.out == f"cd {home} && claude --resume {FIRST}\n"
    assert "is gone" in sb("pick", "-f", THIRD).err


@pytest.mark.parametrize(
    ("what", "printed"),
    [("id", FIRST), ("cwd", "{home}"), ("title", "mend the login test"), ("{id}\\t{project}", f"{FIRST}\thome"), ("path", "{file}")],
)
def test_what_is_printed_can_be_chosen(sb: Sb, home: Path, what: str, printed: str) -> None:
    """A field or a template."""
    file = home / ".claude" / "projects" / "-home-ada-src-api" / f"{FIRST}.jsonl"
    assert sb("pick", "-f", "login", "--print", what).out == printed.replace("{home}", str(home)).replace("{file}", str(file)) + "\n"


def test_json_is_an_object_a_line(sb: Sb) -> None:
    """As in `sb list --jsonl`."""
    rows = [json.loads(line) for line in sb("pick", "-f", "mend", "--print", "json").out.splitlines()]
    assert [row["id"] for row in rows] == [FIRST, THIRD]


@pytest.mark.parametrize("what", ["nonsense", "{nonsense}"])
def test_a_form_there_is_not_is_refused_before_anything_is_drawn(sb: Sb, what: str) -> None:
    """In one line."""
    ran = sb("pick", "--print", what)
    assert ran.code == 2
    assert ran.err.startswith("sb: ")
    assert ran.err.count("\n") == 1


def test_ends_are_nul_when_asked_for(sb: Sb) -> None:
    """The query's too."""
    assert sb("pick", "-f", "mend", "--print", "id", "--print0", "--print-query").out == f"mend\0{FIRST}\0{THIRD}\0"


def test_one_match_needs_no_screen(sb: Sb) -> None:
    """-1 chooses it, with the forms of fzf."""
    ran = sb("pick", "-1", "-q", "compiler", "--print-query", "--expect", "ctrl-v", "--print", "id")
    assert ran[:2] == (0, f"compiler\n\n{SECOND}\n")


def test_no_match_needs_no_screen(sb: Sb) -> None:
    """-0 ends it, with the forms of fzf."""
    assert sb("pick", "-0", "-q", "zzzz")[:2] == (1, "")
    assert sb("pick", "-0", "-q", "zzzz", "--print-query", "--expect", "ctrl-v")[:2] == (1, "zzzz\n\n")


def test_defaults_come_from_a_variable_and_the_configuration(sb: Sb, env: Environment, home: Path) -> None:
    """The command line has the last word, the variable the one before."""
    file = home / "config.toml"
    file.write_text('[pick]\noptions = "--tac --print path"\n')
    there = env._replace(variables={**env.variables, "SB_CONFIG": str(file), "SB_PICK_OPTS": "--print 'id' --print0"})
    assert sb("pick", "-f", "mend", env=there).out == f"{FIRST}\0{THIRD}\0"
    assert sb("pick", "-f", "", "--print", "title", env=there).out == "mend the build\0bump the compiler\0mend the login test\0"


@pytest.mark.parametrize("said", ["--nonsense", "--print", "'open"])
def test_defaults_that_can_not_be_read_are_named(sb: Sb, env: Environment, said: str) -> None:
    """With the place they come from."""
    ran = sb("pick", "-f", "", env=env._replace(variables={**env.variables, "SB_PICK_OPTS": said}))
    assert ran.code == 2
    assert ran.err.startswith("sb: SB_PICK_OPTS: ")


def test_a_word_behind_multi_is_a_query(sb: Sb) -> None:
    """A number is the limit."""
    assert sb("pick", "-m", "compiler", "-1", "--print", "id").out == f"{SECOND}\n"
    assert sb("pick", "-m2", "compiler", "-1", "--print", "id").out == f"{SECOND}\n"


def test_a_choice_whose_directory_is_gone_is_no_line_to_run(sb: Sb, home: Path) -> None:
    """As `sb resume --print` has it: what can be done instead is said, on standard error."""
    ran = sb("pick", "-1", "-q", "build")
    assert ran[:2] == (2, "")
    assert ran.err.startswith("sb: its directory is gone: ~/gone (sb resume ") and f"{THIRD} --in DIR" in ran.err
    assert f"cd {home} && claude --resume {THIRD}\n" in ran.err
    assert sb("pick", "-1", "-q", "build", "--print", "id")[:2] == (0, f"{THIRD}\n")
    assert sb("pick", "-1", "-q", "build", "--print", "way")[:2] == (0, f"cd {home} && claude --resume {THIRD}\n")


def test_many_gone_directories_are_one_line(sb: Sb, write: Write, home: Path) -> None:
    """A common word finds dozens of them."""
    for number in range(5):
        write(f"{number}4444444-4444-4444-8444-444444444444", prompt="mend the rest", cwd=str(home / "gone"))
    ran = sb("pick", "-f", "mend")
    assert (ran.code, ran.out.count("\n")) == (0, 7)
    assert ran.err == "sb: 6 of their directories are gone: sb resume --demo ID says what can be done\n"


def test_matches_without_what_is_asked_for_are_no_success(sb: Sb) -> None:
    """With -f as with -1; each is named."""
    ran = sb("pick", "-f", "login", "--print", "specstory")
    assert ran == (2, "", "sb: mend the login test: this session has no SpecStory file\n")
    assert sb("pick", "-1", "-q", "login", "--print", "specstory") == ran


def test_why_nothing_resumes_a_choice_is_said(sb: Sb, tmp_path: Path, write: Write) -> None:
    """In the words of `sb resume`, with -f as with -1."""
    copy = str(tmp_path / "copy")
    write(FIRST, base=tmp_path / "copy", prompt="mend the login test")
    why = "this session is read from a copy (copy): its agent would not find it"
    said = (2, "", f"sb: mend the login test: {why}\n")
    assert sb("pick", "-f", "", "--root", copy) == said
    assert sb("pick", "-1", "--root", copy) == said
    assert sb("resume", FIRST, "--root", copy, "--print") == (2, "", f"sb: {why}\n")


@pytest.mark.parametrize("arguments", [["-mq", "compiler", "-1"], ["-mabc"], ["--multi=abc"], ["-m2x"], ["-f", "x", "--expect", "foo"]])
def test_what_fzf_refuses_is_refused_without_a_screen_too(sb: Sb, arguments: list[str]) -> None:
    """In one line."""
    ran = sb("pick", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "terminal" not in ran.err


def test_a_height_may_be_said_from_the_end(sb: Sb) -> None:
    """As fzf takes it, in two words too."""
    assert sb("pick", "--height", "-5", "-f", "compiler", "--print", "id").out == f"{SECOND}\n"


@pytest.mark.parametrize("option", ["-f", "--filter"])
def test_a_query_that_begins_with_a_minus_is_one_behind_its_option(sb: Sb, option: str) -> None:
    """As fzf takes it."""
    assert ids(sb("pick", "--print", "id", option, "-compiler").out) == [FIRST, THIRD]


@pytest.mark.parametrize("arguments", [["--height", "much"], ["--height", "0"], ["--height", "120%"], ["--expect", "hyper-x"], ["--preview", "left"]])
def test_wrong_use_is_one_line(sb: Sb, env: Environment, arguments: list[str]) -> None:
    """And exit status 2."""
    ran = sb("pick", *arguments, env=env._replace(variables={**env.variables, "TERM": "xterm"}))
    assert ran.code == 2
    assert ran.err.count("\n") == 1


def test_here_is_this_repository(sb: Sb, env: Environment, home: Path) -> None:
    """Sessions of other places are left out."""
    (home / "gone").mkdir()
    there = env._replace(cwd=str(home / "gone"))
    assert ids(sb("pick", "-f", "", "--here", "--print", "id", env=there).out) == [THIRD]


def test_hidden_sessions_on_request(sb: Sb, write: Write) -> None:
    """As everywhere."""
    path = write("44444444-4444-4444-8444-444444444444")
    path.write_text("")
    assert len(ids(sb("pick", "-f", "", "--print", "id").out)) == 3
    assert len(ids(sb("pick", "-f", "", "--all", "--print", "id").out)) == 4


def test_sessions_of_one_agent(sb: Sb) -> None:
    """An agent nobody knows is wrong use."""
    assert sb("pick", "-f", "", "--source", "codex", "--print", "id").code == 1
    assert sb("pick", "-f", "", "--source", "nobody").code == 2


# ── names on standard input ──


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (FIRST.encode(), FIRST),
        (b"cc\t2026-05-01 10:00\tabc\t~/src\ttitle\t", "abc"),
        (b"abc  a title", "abc"),
        (b'{"id": "abc", "title": "x"}', "abc"),
        (b'{"_meta": true}', ""),
        (b"tag\ttime\tid\tdirectory", ""),
        (b"  @last ", "@last"),
        (b"", ""),
    ],
)
def test_a_name_is_found_in_its_line(line: bytes, name: str) -> None:
    """An id, a row of `sb list`, an object of `sb list --jsonl`."""
    assert name_in(line) == name


@pytest.mark.parametrize(("given", "said"), [
    (b"nope\nneither\n", "standard input names no session that is here (2 lines)"), (b'{"schema":1,"sessions":[\n', "standard input names no session"),
])  # fmt: skip
def test_names_of_nobody_are_told_when_nothing_is_left(sb: Sb, monkeypatch: pytest.MonkeyPatch, given: bytes, said: str) -> None:
    """Else they are passed over, as fzf passes over what it can't match."""
    assert from_stdin(sb, monkeypatch, given) == (1, "", f"sb: {said}\n")
    assert from_stdin(sb, monkeypatch, given + FIRST.encode()) == (0, f"{FIRST}\n", "")


def from_stdin(sb: Sb, monkeypatch: pytest.MonkeyPatch, given: bytes) -> object:
    """What `sb pick` prints of names that come from a pipe."""
    monkeypatch.setattr(pick_ids, "_read", lambda descriptor: iter([given]))
    return sb("pick", "-f", "", "--stdin", "--print", "id")


@given(st.lists(st.from_regex(r"[a-z0-9-]{1,12}", fullmatch=True).filter(lambda name: name != "id"), max_size=12), st.integers(1, 9),
       st.sampled_from([b"\n", b"\0"]))  # fmt: skip
@settings(deadline=None, max_examples=60)
def test_names_come_whole_however_they_are_cut(names: list[str], size: int, end: bytes) -> None:
    """A pipe gives what it has."""
    data = end.join(name.encode() for name in names)
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert [name for batch in batches(pieces) for name in batch] == names


@given(st.binary(max_size=80))
@settings(deadline=None, max_examples=60)
def test_any_bytes_hold_names_or_none(data: bytes) -> None:
    """Nothing that comes in is an error."""
    assert all(name for batch in batches([data]) for name in batch)
