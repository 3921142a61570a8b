"""`sb search` and `sb index` as scripts and people use them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sessionbrowser.cli import run
from sessionbrowser.index.store import store_path
from sessionbrowser.paths import Environment

from .conftest import NOW, Desk


class Answer:
    """What a command printed and how it ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def sb(desk: Desk, capfd: pytest.CaptureFixture[str]) -> Any:
    def call(*arguments: str) -> Answer:
        code = run(arguments, desk.env)
        out, err = capfd.readouterr()
        return Answer(code, out, err)

    desk.write("one", {"kind": "prompt", "text": "mend the auth test", "title": "Auth"}, {"kind": "text", "text": "a\nit was flaky\nb"},
               {"kind": "tool", "name": "Bash", "input": "pytest -q", "output": "3 failed"})  # fmt: skip
    desk.write("two", {"kind": "prompt", "text": "bump node", "title": "Node", "time": NOW - 9e5})
    return call


def test_json_has_the_fields_of_the_contract(sb: Any, desk: Desk) -> None:
    answer = sb("search", "flaky", "--json").json
    assert {name: answer[name] for name in ("schema", "total", "complete")} == {"schema": 1, "total": 1, "complete": True}
    (hit,) = answer["hits"]
    assert {name: hit[name] for name in ("session", "subagent", "source", "title", "turn", "kind", "time", "snippet", "path", "line")} == {
        "session": "one", "subagent": None, "source": "fake", "title": "Auth", "turn": 1, "kind": "text", "time": "2026-05-14T14:00:01Z",
        "snippet": "…it was flaky b", "path": str(desk.folder / "one.jsonl"), "line": 2,
    }  # fmt: skip


def test_what_was_written_a_moment_ago_is_found(sb: Any, desk: Desk) -> None:
    sb("search", "flaky")
    desk.say("three", "brandnew")
    assert sb("search", "brandnew", "--json").json["total"] == 1


def test_not_waiting_is_said(sb: Any, desk: Desk) -> None:
    sb("search", "flaky")
    desk.say("three", "brandnew")
    answer = sb("search", "brandnew", "--json", "--no-wait").json
    assert (answer["total"], answer["complete"]) == (0, False)


def test_without_the_index_no_file_of_it_is_made(sb: Any, desk: Desk) -> None:
    answer = sb("search", "flaky", "--json", "--no-cache")
    assert answer.json["total"] == 1
    assert not Path(store_path(desk.env)).exists()


def test_nothing_found_is_exit_status_1(sb: Any) -> None:
    assert sb("search", "zzz").code == 1
    assert sb("search", "zzz", "--json").json["hits"] == []


def test_count_prints_a_number(sb: Any) -> None:
    assert sb("search", "--count", "flaky").out == "1\n"


def test_a_limit_leaves_the_total(sb: Any, desk: Desk) -> None:
    desk.write("many", *({"kind": "text", "text": f"flaky {n}"} for n in range(5)))
    answer = sb("search", "flaky", "--json", "--limit", "2").json
    assert (len(answer["hits"]), answer["total"]) == (2, 6)


def test_lines_for_people_name_session_turn_and_line(sb: Any) -> None:
    out = sb("search", "flaky").out
    assert "fk  one  Auth" in out
    assert "it was flaky b  turn 1  answer" in out
    assert "line 2" in out


def test_context_shows_lines_around(sb: Any) -> None:
    assert "    a\n  > it was flaky\n    b\n" in sb("search", "flaky", "--context", "1").out


def test_a_row_a_session_counts_its_hits(sb: Any) -> None:
    assert sb("search", "flaky", "--view", "row").out == "1\tfk  one  Auth\n"


def test_tools_are_searched_on_request(sb: Any) -> None:
    assert sb("search", "pytest").code == 1
    assert sb("search", "tool:Bash pytest", "--json").json["hits"][0]["kind"] == "tool"


def test_fields_alone_find_sessions(sb: Any) -> None:
    answer = sb("search", "project:api", "--json").json
    assert [(hit["session"], hit["kind"]) for hit in answer["hits"]] == [("one", "session"), ("two", "session")]


def test_an_id_finds_its_session_first(sb: Any, desk: Desk) -> None:
    desk.write("5f3a9c11-0000", {"kind": "text", "text": "x"})
    desk.write("other", {"kind": "text", "text": "see session 5f3a9c"})
    answer = sb("search", "5f3a9c", "--json").json
    assert [(hit["session"], hit["kind"]) for hit in answer["hits"]] == [("5f3a9c11-0000", "session"), ("other", "text")]


def test_a_query_that_cannot_be_read_says_where(sb: Any) -> None:
    answer = sb("search", "turns:many")
    assert answer.code == 2
    assert answer.err.startswith("sb: ")
    assert "character 1" in answer.err


def test_a_query_of_nothing_is_refused(sb: Any) -> None:
    assert sb("search", '"').code == 2


def test_a_query_that_begins_with_a_minus_goes_behind_two(sb: Any) -> None:
    answer = sb("search", "--json", "--", "-flaky", "bump")
    assert [hit["session"] for hit in answer.json["hits"]] == ["two"]


def test_the_help_has_the_whole_language(sb: Any) -> None:
    out = sb("search", "--help").out
    assert "after:7d" in out
    assert "in:prompts" in out


def test_index_says_what_it_holds(sb: Any) -> None:
    out = sb("index").out
    assert "2 sessions and subagents, 3 passages" in out
    assert sb("index", "--status", "--json").json["sessions"] == 2


def test_purge_deletes_it(sb: Any, desk: Desk) -> None:
    sb("index")
    assert sb("index", "--purge").out == "the index was deleted\n"
    assert not Path(store_path(desk.env)).exists()
    assert sb("index", "--purge").out == "there was no index\n"


def test_rebuild_starts_anew(sb: Any, desk: Desk) -> None:
    sb("index")
    (desk.folder / "two.jsonl").unlink()
    out = sb("index", "--rebuild").out
    assert "1 session or subagent, 2 passages" in out
    assert "went away" not in out


def test_excluded_projects_are_read_from_the_files_only(desk: Desk, sb: Any, tmp_path: Path, env: Environment) -> None:
    desk.write("three", {"kind": "text", "text": "classified", "project": "secret"})
    config = tmp_path / "config.toml"
    config.write_text('[privacy]\nexclude = ["secret"]\n')
    answer = sb("search", "classified", "--json", "--config", str(config))
    assert answer.json["total"] == 1
    assert b"classified" not in Path(store_path(desk.env)).read_bytes()
