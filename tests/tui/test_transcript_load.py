"""Big sessions: their newest turns at once, all of them a moment later."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import ClassVar

import pytest
from fakesession import HANDLE, FakeLibrary, Session, TranscriptApp, long_session

from sessionbrowser.model import Handle, Transcript
from sessionbrowser.tui import transcript_load
from sessionbrowser.tui.transcript_load import growth, is_recent, read

SIZE = (80, 24)
BIG = HANDLE._replace(size=200_000_000)


class BigLibrary(FakeLibrary):
    """The end of the session can be had alone; the whole of it when the test allows."""

    NEWEST: ClassVar[int] = 12

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.fake.opening = lambda handle: Transcript(tuple(session.blocks[-self.NEWEST :]))  # type: ignore[method-assign]
        self.allowed = threading.Event()

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        self.allowed.wait(5)
        return super().outline(handle, since)


class BigApp(TranscriptApp):
    handle = BIG

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.library = BigLibrary(session)


@pytest.fixture
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(transcript_load, "PAUSE", 0.0)
    yield


async def settled(app: BigApp, pilot, partial: bool) -> None:
    for _ in range(200):
        await pilot.pause(0.005)
        if app.view.outline is not None and app.view.partial is partial:
            break
    await pilot.pause(0.02)


@pytest.mark.usefixtures("_no_pause")
async def test_the_newest_turns_are_there_before_all_is_read() -> None:
    """And the frame says that there is more."""
    app = BigApp(long_session(40))
    async with app.run_test(size=SIZE) as pilot:
        await settled(app, pilot, True)
        assert "src/file39.py" in app.shown() and "reading on" in app.view.describe()[1]
        assert len(app.view.page) == 12
        app.library.allowed.set()
        await settled(app, pilot, False)
        assert len(app.view.page) == 160 and "turn 40 of 40" in app.view.describe()[1]


@pytest.mark.usefixtures("_no_pause")
async def test_what_one_reads_stays_when_the_rest_arrives() -> None:
    """Although thousands of lines came above it."""
    app = BigApp(long_session(40))
    async with app.run_test(size=SIZE) as pilot:
        await settled(app, pilot, True)
        await pilot.press("g")
        before = app.lines()
        app.library.allowed.set()
        await settled(app, pilot, False)
        assert [line for line in app.lines() if "answer" in line][:3] == [line for line in before if "answer" in line][:3]


@pytest.mark.usefixtures("_no_pause")
async def test_a_place_further_up_waits_for_the_rest() -> None:
    """A search hit in the first turn of a big session."""
    app = BigApp(long_session(40))
    async with app.run_test(size=SIZE) as pilot:
        await settled(app, pilot, True)
        app.view.goto(1, "text")
        app.library.allowed.set()
        await settled(app, pilot, False)
        assert "of answer 0" in app.shown()


def test_a_big_session_that_was_left_is_not_read_to_its_end() -> None:
    """Only its newest turns were."""
    library = BigLibrary(long_session(5))
    assert [arrival.partial for arrival in read(library, BIG, lambda: True)] == [True]


def test_growth_tells_what_was_closed_and_what_came() -> None:
    """Blocks that were changed in place by their number."""
    session = Session()
    session.add("prompt", "x")
    session.tool("make", ok=None)
    old = tuple(session.blocks)
    session.blocks[1] = session.blocks[1]._replace(ok=True)
    session.add("text", "done")
    assert growth(old, Transcript(tuple(session.blocks))) == ((1,), 1, False)


def test_a_replaced_file_is_another_session() -> None:
    """Fewer blocks than before, or the source says so."""
    session = long_session(2)
    old = tuple(session.blocks)
    assert growth(old, Transcript(old[:3])).other
    assert growth(old, Transcript(old, restarted=True)).other


def test_a_rewind_changes_the_order() -> None:
    """Blocks that were on the way are on a branch now."""
    session = long_session(1)
    old = tuple(session.blocks)
    assert growth(old, Transcript((old[0], old[1]._replace(branch=1), *old[2:]))).other


def test_only_a_fresh_session_can_be_running() -> None:
    """By the time of its last record."""
    session = long_session(1)
    assert is_recent(session.blocks, session.time + 60)
    assert not is_recent(session.blocks, session.time + 3600)
    assert not is_recent((), session.time)


def test_why_a_file_can_not_be_read_is_said_in_words() -> None:
    """Without a number, and without the path, which stands above."""

    class Shut(FakeLibrary):
        def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
            raise PermissionError(13, "Permission denied", handle.path)

    assert transcript_load.read_on(Shut(long_session(1)), BIG, Transcript(())).problem == "permission denied"
