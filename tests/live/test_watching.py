"""What is said while files change: only what is different, and nothing while nothing is."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from library.plain import PlainShelf

from sessionbrowser.library import Changed, Found, Gone, Library
from sessionbrowser.model import Live
from sessionbrowser.paths import Environment

from .conftest import Watched, grow, replace, said

Start = Callable[[], Watched]
Write = Callable[..., Path]


def test_nothing_is_said_while_nothing_changes(write: Write, watched: Start) -> None:
    """A round without news is silent."""
    write("one", updated=5)
    live = watched()
    assert live.after(1.0) == []


def test_nothing_is_read_while_nothing_changes(write: Write, watched: Start) -> None:
    """At rest no file is opened and no folder listed."""
    write("one", updated=5)
    live = watched()
    live.plain.summarised.clear()
    live.plain.entered.clear()
    for _ in range(20):
        live.after(1.0)
    assert (live.plain.summarised, live.plain.entered) == ([], [])


def test_a_time_that_is_not_the_files_own_is_no_change(shelf: PlainShelf, write: Write, watched: Start) -> None:
    """A source may put more into it: the session is not read again, and its counts stay known. A change is seen as ever."""
    shelf.plain.added_ns = 700
    path = write("one", updated=5)
    live = watched()
    assert [event for _ in range(20) for event in live.after(1.0)] == []
    assert live.plain.summarised == ["one"]
    grow(path, title="after")
    assert list(said(live.after(1.0), Changed)) == ["one"]


def test_a_session_that_grows_is_said_to_have_changed(write: Write, watched: Start) -> None:
    """The new title stands in the next round."""
    path = write("one", updated=5, title="before")
    live = watched()
    grow(path, title="after")
    (changed,) = live.after(0.3)
    assert isinstance(changed, Changed)
    assert [session.title for session in changed.sessions] == ["after"]


def test_only_the_session_that_grew_is_read(write: Write, watched: Start) -> None:
    """Ten thousand others cost nothing."""
    path = write("one", updated=5)
    write("two", updated=6)
    live = watched()
    live.plain.summarised.clear()
    grow(path, title="after")
    live.after(0.3)
    assert live.plain.summarised == ["one"]


def test_while_many_are_written_to_changes_are_gathered(write: Write, watched: Start) -> None:
    """The first at once, those right behind it together."""
    path = write("one", updated=5)
    live = watched()
    heard = []
    for number in range(6):
        grow(path, title=f"title {number}")
        heard.append(len(list(said(live.after(0.25), Changed))))
    assert heard == [1, 0, 0, 0, 1, 0]


def test_what_is_looked_at_does_not_wait_for_others(write: Write, watched: Start) -> None:
    """The transcript on screen grows as its file does."""
    path = write("one", updated=5)
    live = watched()
    live.looked_at = str(path)
    heard = []
    for number in range(3):
        grow(path, title=f"title {number}")
        heard.append(len(list(said(live.after(0.25), Changed))))
    assert heard == [1, 1, 1]


def test_a_session_that_rested_for_long_is_seen_within_a_round(write: Write, watched: Start) -> None:
    """Cold files are looked at in slices."""
    paths = [write(f"s{number}", updated=number + 1) for number in range(60)]
    live = watched()
    grow(paths[0], title="after")
    heard = [name for _ in range(14) for name in said(live.after(1.0), Changed)]
    assert heard == ["s0"]


def test_a_new_session_is_found(write: Write, watched: Start) -> None:
    """Its folder changed."""
    write("one", updated=5)
    live = watched()
    write("two", updated=6)
    live.after(1.1)
    assert list(said(live.after(1.0), Found)) == ["two"]


def test_a_session_that_was_deleted_is_gone(write: Write, watched: Start) -> None:
    """By its identity."""
    path = write("one", updated=5)
    write("two", updated=6)
    live = watched()
    path.unlink()
    assert live.after(1.1) + live.after(1.0) == [Gone((("plain", str(path), ""),))]


def test_a_session_that_moved_is_found_where_it_is(home: Path, write: Write, watched: Start) -> None:
    """Gone in one place, found in the other."""
    path = write("one", updated=5)
    write("two", updated=6)
    live = watched()
    os.rename(path, path.with_name("moved.txt"))
    events = live.after(1.1) + live.after(1.0)
    assert list(said(events, Found)) == ["moved"]
    assert [event.identities for event in events if isinstance(event, Gone)] == [(("plain", str(path), ""),)]


def test_a_file_written_anew_in_place_is_read_from_its_start(write: Write, watched: Start) -> None:
    """Another inode: nothing of the old row holds."""
    path = write("one", updated=5, title="before")
    live = watched()
    replace(path, updated=7, title="after")
    events = live.after(1.1) + live.after(1.0)
    assert list(said(events, Changed)) == ["one"]
    assert live.plain.previous[-1] is None


def test_the_first_subagent_of_a_session_is_found(write: Write, watched: Start) -> None:
    """A folder that was not there before is entered once its session grew."""
    path = write("one", updated=5)
    live = watched()
    write("agent", below="one", updated=6)
    grow(path, title="after")
    events = live.after(1.1) + live.after(1.0)
    assert list(said(events, Found)) == ["agent"]


def test_what_a_registry_says_becomes_the_status_at_once(write: Write, watched: Start) -> None:
    """The file itself did not change."""
    write("one", updated=5)
    live = watched()
    live.plain.running.append(Live("one", "waiting", "permission prompt"))
    (changed,) = live.after(1.0)
    assert isinstance(changed, Changed)
    assert [(row.status, row.status_from) for row in changed.sessions] == [("waiting", "registry")]


def test_a_process_that_died_leaves_an_interrupted_session(write: Write, watched: Start, env: Environment) -> None:
    """Although its last line is of this minute."""
    write("one", updated=env.now() - 5, tail="calling")
    live = watched()
    live.plain.running[:] = [Live("one", "gone", "its process is no longer there")]
    (changed,) = live.after(1.0)
    assert isinstance(changed, Changed)
    assert [(row.status, row.status_why) for row in changed.sessions] == [("interrupted", "its process is no longer there")]


def test_a_store_that_was_not_there_before_is_found(home: Path, write: Write, watched: Start) -> None:
    """The first session ever begins while the screen is open."""
    live = watched()
    write("one", updated=5)
    live.after(61.0)
    assert list(said(live.after(1.0), Found)) == ["one"]


def test_a_session_in_a_folder_that_came_just_before_it_is_found(home: Path, write: Write, watched: Start) -> None:
    """Claude Code makes the folder of a project first, and its first session a moment later."""
    (home / ".plain").mkdir()
    live = watched()
    live.plain.nested = True
    (home / ".plain" / "project").mkdir()
    live.after(1.1), live.after(1.1)
    write("project/one", updated=5)
    live.after(1.1)
    assert list(said(live.after(1.0), Found)) == ["one"]


def test_the_real_clock_and_the_systems_notices_tell_the_same(write: Write, env: Environment, shelf: PlainShelf) -> None:
    """The whole loop, in a thread, as the screen runs it."""
    path = write("one", updated=5, title="before")
    library = Library(env, shelf=shelf)
    for _ in library.load():
        pass
    stop, heard = threading.Event(), threading.Event()

    def follow() -> None:
        for events in library.watch(lambda seconds: not stop.wait(seconds)):
            if "one" in said(events, Changed):
                heard.set()

    thread = threading.Thread(target=follow)
    thread.start()
    time.sleep(0.2)
    grow(path, title="after")
    assert heard.wait(5)
    stop.set()
    thread.join(5)
