"""Sessions whose files can't be read at all: named by every answer that says what could not be read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sessionbrowser.paths import Environment

from .conftest import FIRST, Sb, Write

DARK = "019dddd4-bd00-7abc-8def-001122334455"


@pytest.fixture(autouse=True)
def dark(write: Write, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A session that can be read, and a compressed one of Codex without what takes it apart."""
    for name in ("zstandard", "compression", "compression.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    write(FIRST, prompt="mend the login test")
    path = home / ".codex" / "sessions" / "2026" / "04" / "30" / f"rollout-2026-04-30T10-00-00-{DARK}.jsonl.zst"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no zstd")
    return path


def reasons(unreadable: list[dict[str, str]], path: Path) -> list[str]:
    assert [item["path"] for item in unreadable] == [str(path)]
    return [item["reason"] for item in unreadable]


@pytest.mark.parametrize("arguments", [(), (), ("--exact",), ("--source", "codex"), ("--safe",), ("--all",), ("mend",)], ids=" ".join)
def test_a_list_names_them(sb: Sb, dark: Path, arguments: tuple[str, ...]) -> None:
    """From the cache too; with the reason that the row has."""
    sb("list", "--json")
    found = sb("list", "--json", *arguments).json()
    (reason,) = reasons(found["unreadable"], dark)
    rows = [row for row in found["sessions"] if row["unreadable"]]
    assert all(row["unreadable"] == reason for row in rows)
    assert len(rows) == ("mend" not in arguments)


def test_columns_are_printed_with_a_word_about_them(sb: Sb) -> None:
    """Beside the data."""
    assert sb("list", "--tsv").err == "sb: 1 session could not be read: sb doctor says why\n"
    assert sb("list", "--tsv", "mend").err == ""


def test_each_root_of_the_doctor_names_its_own(sb: Sb, dark: Path) -> None:
    """The place itself is in order."""
    roots = {source["name"]: source["roots"][0] for source in sb("doctor", "--json").json()["sources"] if source["roots"]}
    assert len(reasons(roots["codex"]["unreadable"], dark)) == 1
    assert (roots["codex"]["state"], roots["claude"]["unreadable"]) == ("ok", [])


def test_a_digest_did_not_search_them(sb: Sb, dark: Path, tmp_path: Path) -> None:
    """They are named and not counted."""
    found = sb("digest", "login", "--to", str(tmp_path / "d"), "--min-size", "0").json()
    assert (found["searched"]["sessions"], found["searched"]["by_source"]) == (1, {"claude": 1})
    assert len(reasons(found["searched"]["unreadable"], dark)) == 1


def test_nothing_is_named_where_all_can_be_read(sb: Sb, dark: Path) -> None:
    """Once the file is gone."""
    assert sb("list", "--json").json()["unreadable"] != []
    dark.unlink()
    assert sb("list", "--json").json()["unreadable"] == []


def test_exact_tells_the_number_of_subagents(sb: Sb, env: Environment) -> None:
    """None is 0, of every agent; a session nobody can read has no number."""
    numbers = {row["id"]: row["subagents"] for row in sb("list", "--json", "--exact").json()["sessions"]}
    assert numbers == {FIRST: 0, DARK: None}
    sessions = sb("list", "--json", "--exact", "--demo").json()["sessions"]
    assert {row["source"] for row in sessions if row["subagents"] is None} == set()
    assert sum(row["subagents"] for row in sessions) > 3


@pytest.mark.parametrize("command", ["stats", "report", "timeline"])
def test_many_of_one_reason_are_one_line(sb: Sb, dark: Path, command: str) -> None:
    """One alone is named."""
    reason = sb("list", "--json").json()["unreadable"][0]["reason"]
    assert sb(command).err == f"sb: ~/.codex/sessions/2026/04/30/{dark.name}: {reason}\n"
    for number in "3", "4":
        (dark.parent / dark.name.replace("334455", f"33445{number}")).write_bytes(b"no zstd")
    assert sb(command).err == f"sb: 3 sessions could not be read (sb doctor names them): {reason}\n"
    assert len(sb(command, "--json").json()["unreadable"]) == 3
