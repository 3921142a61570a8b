"""The screen while agents work: news come in, nothing jumps, and what needs its person is found."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue

import pytest
from fakelibrary import NOW, FakeLibrary, session, seven
from screenlines import app_of, lines, settled, text

from sessionbrowser.config import Config
from sessionbrowser.library import Changed, Event, Found, Gone, failure
from sessionbrowser.model import Handle, Session
from sessionbrowser.paths import Environment
from sessionbrowser.tui.app import SessionBrowserApp
from sessionbrowser.tui.browser import Browser
from sessionbrowser.tui.feed import News
from sessionbrowser.tui.live import change, notification

WIDE, NARROW = (140, 40), (80, 24)


def browser(app: SessionBrowserApp) -> Browser:
    screen = app.screen_stack[0]
    assert isinstance(screen, Browser)
    return screen


class LiveLibrary(FakeLibrary):
    """Says what a test puts into its queue, as a watched library would."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.environment = Environment("/home/ada", {}, "/home/ada/src/api", "linux")  # its clock goes
        self.queue: SimpleQueue[list[Event]] = SimpleQueue()

    def watch(self, wait: Callable[[float], bool], **_: object) -> Iterator[list[Event]]:
        while wait(0.002):
            try:
                yield self.queue.get_nowait()
            except Empty:
                continue


class Failing(FakeLibrary):
    """A library with a mistake in it."""

    def load(self, **_: object) -> Iterator[Event]:
        raise RuntimeError("tuple index out of range")


async def until(pilot: object, happened: Callable[[], bool]) -> None:
    """Wait until something is so; fails after five seconds."""
    end = time.monotonic() + 5
    while not happened():
        assert time.monotonic() < end
        await pilot.pause(0.01)  # type: ignore[attr-defined]


async def test_what_a_watched_library_says_comes_on_screen() -> None:
    """From its thread to the row."""
    library = LiveLibrary(seven())
    async with (app := app_of(library)).run_test(size=NARROW) as pilot:
        await settled(pilot)
        library.queue.put([Found((session(0, id="new", path="/new", title="Just begun", updated=time.time()),))])
        await until(pilot, lambda: "Just begun" in text(app))


async def test_reloading_goes_on_watching() -> None:
    """R looks at everything again; what changes afterwards still comes."""
    library = LiveLibrary(seven())
    async with (app := app_of(library)).run_test(size=NARROW) as pilot:
        await settled(pilot)
        library.rows.append(session(0, id="new", path="/new", title="Found again", updated=time.time()))
        await pilot.press("R")
        await until(pilot, lambda: "Found again" in text(app))
        library.queue.put([Found((session(0, id="newer", path="/newer", title="Just begun", updated=time.time()),))])
        await until(pilot, lambda: "Just begun" in text(app))


async def test_a_new_row_above_does_not_move_the_cursor_from_its_session() -> None:
    """The cursor belongs to a session, not to a line."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("down", "down")
        before = browser(app).list.current
        browser(app).post_message(News([Found((session(0, id="new", path="/new", title="Just begun", updated=NOW + 5),))]))
        await settled(pilot)
        assert browser(app).list.current == before
        assert browser(app).list.cursor == 3


async def test_a_load_that_fails_says_what_failed_instead_of_waiting_for_ever() -> None:
    """One line where the rows would be."""
    async with (app := app_of(Failing())).run_test(size=NARROW) as pilot:
        await until(pilot, lambda: "Looking for sessions failed" in text(app))
        assert "RuntimeError: tuple index out of range" in text(app)


async def test_a_load_that_fails_leaves_a_report(tmp_path: Path) -> None:
    """For sb doctor: when, what, and where in the program."""
    env = Environment("/home/ada", {"SB_CACHE_DIR": str(tmp_path)}, "/home/ada", "linux", NOW)
    async with app_of(Failing(environment=env)).run_test(size=NARROW) as pilot:
        await until(pilot, lambda: failure.last(env) is not None)
    kept = failure.last(env)
    assert kept is not None
    assert kept.said.endswith("looking for sessions: RuntimeError: tuple index out of range")
    assert "in load" in Path(kept.path).read_text()


async def test_w_goes_to_the_next_session_that_needs_its_person() -> None:
    """And round again when there is no other."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("w")
        assert browser(app).list.current == seven()[1]
        await pilot.press("w")
        assert browser(app).list.current == seven()[1]


async def test_w_says_so_when_nothing_needs_its_person() -> None:
    """The cursor stays."""
    rows = [row for row in seven() if row.status != "waiting"]
    async with (app := app_of(FakeLibrary(rows))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("w")
        assert "nothing needs you" in lines(app)[-1]


async def test_a_session_deleted_while_it_is_read_stays_on_screen() -> None:
    """Said, and readable until its reader goes back to the list."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        browser(app).post_message(News([Gone((seven()[0].identity,))]))
        await settled(pilot)
        assert browser(app).pane("reading").words[0] == "Make the login test deterministic"
        assert "was deleted" in text(app)


async def test_a_session_that_moved_is_followed() -> None:
    """The cursor goes to where its file is now."""
    moved = seven()[2]._replace(path="/home/ada/.claude/elsewhere/2.jsonl")
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("down", "down")
        await settled(pilot)
        browser(app).post_message(News([Found((moved,)), Gone((seven()[2].identity,))]))
        await settled(pilot)
        assert browser(app).list.current == moved
        assert "moved to" in text(app)


@pytest.mark.parametrize(("bell", "rung"), [(True, 1), (False, 0)])
async def test_the_bell_rings_only_when_it_was_asked_for(monkeypatch: pytest.MonkeyPatch, bell: bool, rung: int) -> None:
    """Off unless the configuration says otherwise."""
    library = FakeLibrary(seven())
    library.config = Config(bell=bell)
    rings: list[None] = []
    monkeypatch.setattr(SessionBrowserApp, "bell", lambda self: rings.append(None))
    async with (app := app_of(library)).run_test(size=NARROW) as pilot:
        await settled(pilot)
        browser(app).post_message(News([Changed((seven()[0]._replace(status="waiting"),))]))
        await settled(pilot)
    assert len(rings) == rung


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        ("running", "waiting", "needs you: Make the login test deterministic"),
        ("running", "finished", "done: Make the login test deterministic"),
        ("running", "open", "done: Make the login test deterministic"),
        ("running", "failed", "failed: Make the login test deterministic"),
        ("waiting", "running", ""),
        ("finished", "open", ""),
        ("running", "running", ""),
    ],
)
def test_which_changes_are_worth_a_word(before: str, now: str, words: str) -> None:
    """Beginning to wait, and the end of work."""
    one = session(0)
    assert change(one._replace(status=before), one._replace(status=now)) == words


def test_a_session_never_seen_before_is_no_change() -> None:
    """Else the first load would ring for everything."""
    assert change(None, session(0, status="waiting")) == ""


def test_a_title_can_not_end_the_notification_early() -> None:
    """Whatever it holds, one sequence goes out."""
    made = notification("needs you: \x1b\\\x07rm -rf", inside_tmux=False)
    assert made.startswith("\x1b]9;")
    assert made.endswith("\x1b\\")
    assert made.count("\x1b") == 2


def test_inside_tmux_the_notification_is_handed_through() -> None:
    """With every escape doubled."""
    assert notification("x", inside_tmux=True) == "\x1bPtmux;\x1b\x1b]9;x\x1b\x1b\\\x1b\\"


async def test_a_row_that_comes_again_without_counts_takes_none_from_the_facts() -> None:
    """What was read of the transcript holds while its file is the same."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        screen = app.screen
        before = screen.reading.session  # type: ignore[attr-defined]
        assert before.counts is not None
        screen.post_message(News([Changed((before._replace(counts=None, tokens=None, expires=before.updated + 86400.0),))]))
        await pilot.pause(0.05)
        after = screen.reading.session  # type: ignore[attr-defined]
        assert (after.counts, after.tokens) == (before.counts, before.tokens)
        assert after.expires is not None


class Emptied(LiveLibrary):
    """A library whose cache somebody empties: until the next load it knows no session's file."""

    emptied = False

    def load(self, **_: object) -> Iterator[Event]:
        self.emptied = False
        yield from super().load()

    def handle(self, session: Session) -> Handle:
        if self.emptied:
            raise KeyError(session.identity)
        return super().handle(session)


async def test_sessions_open_though_the_cache_was_emptied_meanwhile() -> None:
    """`sb index --purge` in another shell: everything is looked for again, by itself."""
    library = Emptied(seven())
    async with (app := app_of(library)).run_test(size=WIDE) as pilot:
        await settled(pilot)
        library.emptied = True
        await pilot.press("j")
        await until(pilot, lambda: browser(app).transcript.handle is not None and browser(app).transcript.handle.id == seven()[1].id)
        assert browser(app).pane("reading").words[0] == seven()[1].title


async def test_a_look_for_changes_says_what_it_brought() -> None:
    """What is new, what is gone; or that nothing is."""
    library = LiveLibrary(seven())
    async with (app := app_of(library)).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("R")
        await until(pilot, lambda: "nothing has changed" in lines(app)[-1])
        library.rows = [*seven()[:3], session(0, id="new", path="/new", title="Found again", updated=time.time())]
        library.events = [Gone(tuple(row.identity for row in seven()[3:5]))]
        await pilot.press("R")
        await until(pilot, lambda: "1 new, 2 gone" in lines(app)[-1])
