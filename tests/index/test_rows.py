"""Rows of the catalogue: what comes back is what was kept, and what many rows say is there once."""

from __future__ import annotations

import sqlite3

import pytest

from sessionbrowser.index.catalogue import Catalogue
from sessionbrowser.index.rows import pack, unpack
from sessionbrowser.model import Counts, Handle, Root, Session, Usage

ROOT = Root("claude", "/home/ada/.claude/projects", "", True)


def row(number: int, hidden: str = "") -> tuple[Handle, Session]:
    path = f"{ROOT.path}/-home-ada-src-api/{number}.jsonl"
    session = Session(
        f"id-{number}", "claude", path, title="Mend it", cwd="/home/ada/src/api", project="api", branch="main", updated=1000.0 + number,
        counts=Counts(prompts=2), tokens=Usage(1, 2, 3, 4), hidden=hidden, facts={"folders_raw": ["/home/ada/src/api"], "cost_usd": 0.5},
    )  # fmt: skip
    return Handle("claude", ROOT, path, "", session.id, 10, 20, 30 + number), session


def test_a_row_comes_back_as_it_was() -> None:
    """Records, facts and empty values too."""
    for session in (row(1)[1], Session("bare", "codex", "/x")):
        assert unpack(pack(session)) == session


def test_what_many_rows_say_is_one_text() -> None:
    """Ten thousand rows of one project hold its name once."""
    one, other = (unpack(pack(row(number)[1])) for number in (1, 2))
    for name in ("source", "cwd", "project", "branch"):
        assert getattr(one, name) is getattr(other, name)
    assert one.facts["folders_raw"] == ["/home/ada/src/api"]


def test_rows_that_cannot_be_kept_are_given_back_and_the_others_stay() -> None:
    """A name that is no Unicode costs its own row only."""
    catalogue = Catalogue.in_memory()
    handle, session = row(2)
    odd = (handle._replace(path="/\udce9"), session._replace(path="/\udce9"))
    assert catalogue.put([row(1), odd, row(3)]) == [odd]
    assert [kept.session.id for kept in catalogue.rows([ROOT])] == ["id-3", "id-1"]


def test_the_newest_shown_rows_come_without_looking_at_all_others() -> None:
    """The first screen does not wait for ten thousand rows to be sorted."""
    catalogue = Catalogue.in_memory()
    catalogue.put([row(1), row(2, "empty"), row(3), row(4)])
    assert [kept.session.id for kept in catalogue.rows([ROOT], limit=2, visible=True)] == ["id-4", "id-3"]
    plan = catalogue.connection.execute(
        "explain query plan select id from session join packed using (number)"
        " where (+source = 'claude' and +root = '/x') and hidden = '' order by updated desc limit 2"
    ).fetchall()
    assert not any("TEMP B-TREE" in step[3] for step in plan)


def test_a_catalogue_in_memory_is_closed_with_its_owner() -> None:
    """Nobody closes it: a database that is left open is a warning from Python 3.13 on."""
    catalogue = Catalogue.in_memory()
    connection = catalogue.connection
    del catalogue
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("select 1")
