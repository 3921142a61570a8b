"""Fields that rows cannot answer are answered by reading the files."""

from __future__ import annotations

import pytest

from sessionbrowser.index.settle import settle
from sessionbrowser.model import Block, Counts, Handle, Place, Root, Session, Transcript, Usage
from sessionbrowser.query import parse

ROWS = [Session("a", "fake", "/a"), Session("b", "fake", "/b", counts=Counts(), tokens=Usage())]


class Library:
    """Reads rows: the first has an image and a plan, the other nothing."""

    def __init__(self) -> None:
        self.outlined: list[str] = []

    def exact(self, sessions):  # type: ignore[no-untyped-def]
        for row in sessions:
            yield row._replace(counts=Counts(prompts=3), tokens=Usage(5))

    def handle(self, session: Session) -> Handle:
        return Handle("fake", Root("fake", "/"), session.path, "", session.id, 0, 0, 0)

    def outline(self, handle: Handle) -> Transcript:
        self.outlined.append(handle.id)
        if handle.id == "b":
            return Transcript(())
        return Transcript((Block("image", Place(0), 1), Block("tool", Place(1), 1, what="plan"), Block("tool", Place(2), 1, subagent="x")))


@pytest.mark.parametrize(("text", "found"), [("has:images", ["a"]), ("has:plan", ["a"]), ("has:subagents", ["a"]), ("-has:images", ["b"])])
def test_what_a_file_holds_is_looked_up(text: str, found: list[str]) -> None:
    query = parse(text)
    assert [row.id for row in settle(query, Library(), ROWS) if query.admits(row)] == found


def test_counts_alone_need_no_outline() -> None:
    library = Library()
    assert [row.id for row in settle(parse("turns:3"), library, ROWS)] == ["a"]
    assert library.outlined == []


def test_rows_that_can_answer_are_not_read() -> None:
    assert list(settle(parse("branch:main"), Library(), ROWS)) == []
