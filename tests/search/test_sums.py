"""What sessions add up to: read once, kept with the state of the file, filled into the rows in the background."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from sessionbrowser.index import summing, worker
from sessionbrowser.index.catalogue import Catalogue
from sessionbrowser.index.sums import KeptSums, filled, sums_of
from sessionbrowser.library import Library
from sessionbrowser.model import Block, Counts, Handle, Place, Session, Transcript, Usage
from sessionbrowser.sources.base import SourceError
from sessionbrowser.statistics import gather

from .conftest import NOW, Desk, FakeSource


def call(name: str, ok: bool | None = True, **more: object) -> Block:
    return Block("tool", Place(0), 1, name=name, what="other", ok=ok, **more)  # type: ignore[arg-type]


def test_calls_are_summed_by_tool_and_copied_ones_are_another_sessions() -> None:
    """As is what fields ask for: pictures, plans, subagents that were started."""
    outline = Transcript((call("Bash"), call("Bash", False), call("Read", copied=True), call("Task", subagent="x"), Block("image", Place(9), 1)),
                         Counts(1, 2), Usage(3), {"m": Usage(3)})  # fmt: skip
    sums = sums_of(outline)
    assert sums.tools == {"Bash": (2, 1), "Task": (1, 0)}
    assert (sums.images, sums.plan, sums.subagents) == (True, False, 1)
    row = filled(Session("a", "fake", "/a", facts={"cwd": "x"}), sums)
    assert (row.counts, row.tokens, row.subagents, row.facts) == (Counts(1, 2), Usage(3), 1, {"cwd": "x", "images": True, "plan": False})


def prompt(title: str, what: str = "typed") -> Block:
    return Block("prompt", Place(0), 1, title, what)


def test_the_last_prompt_is_the_last_that_was_typed_or_queued() -> None:
    """A command that only the program answered is none, nor a subagent's task."""
    outline = Transcript((prompt("one"), prompt("two", "queued"), prompt("/compact", "slash"), prompt("look", "subagent")), Counts(), Usage(), {})
    assert filled(Session("a", "fake", "/a", first_prompt="one", last_prompt="one"), sums_of(outline)).last_prompt == "two"
    assert filled(Session("a", "fake", "/a", last_prompt="said"), sums_of(Transcript((), Counts(), Usage(), {}))).last_prompt == "said"


def test_a_row_that_knows_more_of_the_last_prompt_keeps_it() -> None:
    """The title of a block is cut sooner."""
    sums = sums_of(Transcript((prompt("look at the par…"),), Counts(), Usage(), {}))
    assert filled(Session("a", "fake", "/a", last_prompt="look at the parser"), sums).last_prompt == "look at the parser"
    assert filled(Session("a", "fake", "/a", last_prompt="look away"), sums).last_prompt == "look at the par…"


@pytest.fixture
def outlined(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which sessions were read whole."""
    read: list[str] = []
    outline = FakeSource.outline

    def counted(self: FakeSource, handle: Handle, since: Transcript | None = None) -> Transcript:
        read.append(handle.id)
        return outline(self, handle, since)

    monkeypatch.setattr(FakeSource, "outline", counted)
    return read


def age(path: Path, seconds: float) -> None:
    os.utime(path, (NOW - seconds,) * 2)


def test_statistics_read_a_file_once(desk: Desk, outlined: list[str]) -> None:
    """And again when it grew."""
    desk.say("one", "hello", "prompt")
    path = desk.say("two", "good day", "prompt")
    for _ in range(2):
        library = Library(desk.env)
        assert gather(library, library.sessions()).total.counts.prompts == 2
    assert sorted(outlined) == ["one", "two"]
    desk.say("two", "and more", "prompt")
    os.utime(path, (NOW, NOW))
    library = Library(desk.env)
    assert gather(library, library.sessions()).total.counts.prompts == 3
    assert sorted(outlined) == ["one", "two", "two"]


def test_rows_are_filled_in_the_background(desk: Desk, outlined: list[str]) -> None:
    """Whoever shows them is told which; the rows know it from then on."""
    age(desk.say("one", "hello", "prompt"), 600)
    library = Library(desk.env)
    (row,) = library.sessions()
    assert row.counts is None
    before = time.time()
    worker.add_up(desk.env)
    worker.add_up(desk.env)
    assert outlined == ["one"]
    (told,) = library.summed_since(before)
    assert told.counts == Counts(prompts=1)
    assert library.summed_since(time.time()) == []
    (again,) = Library(desk.env).sessions()
    assert again.counts == Counts(prompts=1)


def test_a_big_file_that_is_written_to_is_left_until_it_rests(desk: Desk, outlined: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It would have to be read whole again and again; a small one is read at once."""
    age(desk.say("big", "hello " * 100, "prompt"), 5)
    age(desk.say("small", "hello", "prompt"), 5)
    Library(desk.env).sessions()
    monkeypatch.setattr(summing, "SMALL", 300)
    worker.add_up(desk.env)
    assert outlined == ["small"]
    age(desk.folder / "big.jsonl", 100)
    Library(desk.env).sessions()
    worker.add_up(desk.env)
    assert outlined == ["small", "big"]


def test_a_session_that_can_not_be_read_does_not_hold_up_the_others(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sums stay unknown, and statistics say why."""
    age(desk.say("bad", "hello", "prompt"), 300)
    age(desk.say("good", "hello", "prompt"), 600)
    outline = FakeSource.outline

    def reads(self: FakeSource, handle: Handle, since: Transcript | None = None) -> Transcript:
        if handle.id == "bad":
            raise SourceError("no such column")
        return outline(self, handle, since)

    monkeypatch.setattr(FakeSource, "outline", reads)
    library = Library(desk.env)
    rows = library.sessions()
    worker.add_up(desk.env)
    assert {row.id: row.counts is not None for row in Library(desk.env).sessions()} == {"bad": False, "good": True}
    assert [(session.id, why) for session, why in library.sums(rows) if isinstance(why, str)] == [("bad", "no such column")]
    (bad,) = library.exact([row for row in rows if row.id == "bad"], facts=True)
    assert (bad.unreadable, bad.facts["images"]) == ("no such column", False)


def test_sums_of_sessions_that_went_away_go_too(desk: Desk) -> None:
    """The cache does not grow for ever."""
    path = desk.say("one", "hello", "prompt")
    age(path, 600)
    Library(desk.env).sessions()
    worker.add_up(desk.env)
    path.unlink()
    Library(desk.env).sessions()
    worker.add_up(desk.env)
    catalogue = Catalogue.open(desk.env)
    KeptSums(catalogue)
    assert catalogue.connection.execute("select count(*) from sums").fetchone() == (0,)
    catalogue.close()


def test_rows_that_were_made_anew_are_filled_without_reading(desk: Desk, outlined: list[str]) -> None:
    """The sums have a table of their own."""
    age(desk.say("one", "hello", "prompt"), 600)
    Library(desk.env).sessions()
    worker.add_up(desk.env)
    catalogue = Catalogue.open(desk.env)
    catalogue.connection.execute("delete from session")
    catalogue.close()
    Library(desk.env).sessions()
    worker.add_up(desk.env)
    assert outlined == ["one"]
    assert [row.counts for row in Library(desk.env).sessions()] == [Counts(prompts=1)]
