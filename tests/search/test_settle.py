"""Fields that rows cannot answer are answered by reading the files."""

from __future__ import annotations

import pytest

from sessionbrowser.index.settle import settle
from sessionbrowser.model import Counts, Session, Usage
from sessionbrowser.query import parse

ROWS = [Session("a", "fake", "/a"), Session("b", "fake", "/b", counts=Counts(), tokens=Usage())]


class Library:
    """Reads rows: the first has an image, a plan and a subagent, the other nothing."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, bool]] = []

    def exact(self, sessions, *, facts=False):  # type: ignore[no-untyped-def]
        for row in sessions:
            self.asked.append((row.id, facts))
            holds = row.id == "a"
            more = {"images": holds, "plan": holds} if facts else {}
            yield row._replace(counts=Counts(prompts=3), tokens=Usage(5), facts=more, subagents=int(holds) if facts else None)


@pytest.mark.parametrize(("text", "found"), [("has:images", ["a"]), ("has:plan", ["a"]), ("has:subagents", ["a"]), ("-has:images", ["b"])])
def test_what_a_file_holds_is_looked_up(text: str, found: list[str]) -> None:
    query = parse(text)
    assert [row.id for row in settle(query, Library(), ROWS) if query.admits(row)] == found


def test_counts_alone_need_no_outline() -> None:
    library = Library()
    assert [row.id for row in settle(parse("turns:3"), library, ROWS)] == ["a"]
    assert not any(facts for _, facts in library.asked)


def test_rows_that_can_answer_are_not_read() -> None:
    assert list(settle(parse("branch:main"), Library(), ROWS)) == []
