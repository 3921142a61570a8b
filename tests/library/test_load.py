"""The loader: every session once, what changed read again, nothing lost that could not be seen."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from sessionbrowser.index.store import store_path
from sessionbrowser.library import Changed, Complete, Found, Gone, Library, Trouble
from sessionbrowser.paths import Environment

from .conftest import Write
from .plain import PlainShelf


def titles(library: Library) -> list[str]:
    return [session.title for session in library.sessions()]


def test_sessions_come_newest_first(library: Library, write: Write) -> None:
    """By the records' own times."""
    write("a", updated=10, title="old")
    write("b", updated=30, title="new")
    write("c", updated=20, title="middle")
    assert titles(library) == ["new", "middle", "old"]


def test_an_unchanged_session_is_not_read_again(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """A second program costs a scan and a compare."""
    write("a", updated=10)
    Library(env, shelf=shelf).sessions()
    shelf.plain.summarised.clear()
    assert len(Library(env, shelf=shelf).sessions()) == 1
    assert shelf.plain.summarised == []


def test_a_grown_session_is_read_on_from_its_row(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """The source gets what was known of the same file."""
    path = write("a", updated=10, title="first")
    Library(env, shelf=shelf).sessions()
    with path.open("a") as file:
        file.write("branch: main\n")
    (session,) = Library(env, shelf=shelf).sessions()
    assert session.branch == "main"
    previous = shelf.plain.previous[-1]
    assert previous is not None and previous.title == "first"


def test_a_session_replaced_by_a_shorter_one_is_read_anew(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """What was known of the longer file does not hold."""
    write("a", updated=10, title="a long first title")
    Library(env, shelf=shelf).sessions()
    write("a", updated=11, title="b")
    assert titles(Library(env, shelf=shelf)) == ["b"]
    assert shelf.plain.previous[-1] is None


def test_a_deleted_session_goes_away(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """Its row leaves the catalogue."""
    path = write("a", updated=10)
    write("b", updated=11)
    Library(env, shelf=shelf).sessions()
    path.unlink()
    assert [session.id for session in Library(env, shelf=shelf).sessions()] == ["b"]
    assert [session.id for session in Library(env, shelf=shelf).cached()] == ["b"]


def test_an_incomplete_scan_removes_nothing(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """What could not be seen may still be there."""
    path = write("a", updated=10)
    write("b", updated=11)
    Library(env, shelf=shelf).sessions()
    path.unlink()
    shelf.plain.blind = True
    library = Library(env, shelf=shelf)
    assert [session.id for session in library.sessions()] == ["b", "a"]
    assert [item.reason for item in library.trouble] == ["permission denied"]


def test_a_file_that_stops_parsing_keeps_its_last_good_row(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """The row stays, and says why."""
    write("a", updated=10, title="good")
    Library(env, shelf=shelf).sessions()
    write("a", updated=12, title="good", broken="no header")
    (session,) = Library(env, shelf=shelf).sessions()
    assert session.title == "good"
    assert "no header" in session.unreadable


def test_a_file_that_never_parsed_is_a_row_with_the_reason(library: Library, write: Write) -> None:
    """A damaged session is still a session."""
    write("a", updated=10, broken="no header")
    (session,) = library.sessions()
    assert (session.id, session.unreadable) == ("a", "could not be read: no header")


def test_an_unreadable_file_is_tried_again(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """Whatever was wrong may be mended without the file changing."""
    write("a", updated=10, broken="x")
    Library(env, shelf=shelf).sessions()
    shelf.plain.summarised.clear()
    Library(env, shelf=shelf).sessions()
    assert shelf.plain.summarised == ["a"]


def test_a_failure_nobody_foresaw_costs_one_session(library: Library, write: Write) -> None:
    """The others are still listed."""
    write("a", updated=10, absurd="yes")
    write("b", updated=9, title="fine")
    second, first = library.sessions()
    assert first.unreadable and second.title == "fine"


def test_a_file_that_vanishes_while_it_is_read_is_no_row(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """Nor an error."""
    path = write("a", updated=10)
    write("b", updated=11)
    library = Library(env, shelf=shelf)
    events = library.load()
    real = shelf.plain.summarise
    shelf.plain.summarise = lambda handle, previous=None: (path.unlink(missing_ok=True), real(handle, previous))[1]  # type: ignore[method-assign]
    assert [event.total for event in events if isinstance(event, Complete)] == [1]


def test_the_second_load_says_only_what_is_different(library: Library, write: Write) -> None:
    """Found, changed, gone; not the rest again."""
    write("a", updated=10)
    path = write("b", updated=11)
    list(library.load())
    path.unlink()
    write("a", updated=12, title="renamed")
    write("c", updated=13)
    events = list(library.load())
    assert [[s.id for s in e.sessions] for e in events if isinstance(e, Found)] == [["c"]]
    assert [[s.title for s in e.sessions] for e in events if isinstance(e, Changed)] == [["renamed"]]
    assert [[name[1].endswith("b.txt") for name in e.identities] for e in events if isinstance(e, Gone)] == [[True]]


def test_the_first_batch_is_a_screenful_of_the_newest(library: Library, write: Write) -> None:
    """The rest follows in batches."""
    for number in range(120):
        write(f"s{number:03}", updated=1000 + number)
    found = [event for event in library.load() if isinstance(event, Found)]
    assert found[0].sessions[0].id == "s119"
    assert len(found[0].sessions) <= 48
    assert sum(len(event.sessions) for event in found) == 120


def test_subagents_are_hidden_counted_and_belong_to_their_session(library: Library, write: Write) -> None:
    """Their files are sessions of the whole list only."""
    write("a", updated=10)
    write("x1", below="a", updated=9)
    write("x2", below="a", updated=9)
    sessions = library.sessions()
    assert {session.id: session.hidden for session in sessions} == {"a": "", "x1": "subagent", "x2": "subagent"}
    assert sessions[0].subagents == 2
    assert library.hidden() == {"subagent": 2}


def test_folders_of_subagents_are_not_entered_when_nothing_changed(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """Half of a scan is spared."""
    write("a", updated=10)
    write("x", below="a", updated=9)
    list(Library(env, shelf=shelf).load())
    shelf.plain.entered.clear()
    library = Library(env, shelf=shelf)
    complete = next(event for event in library.load() if isinstance(event, Complete))
    assert shelf.plain.entered == [False]
    assert complete.hidden == {"subagent": 1}


def test_a_new_subagent_of_a_known_session_is_found(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """Its folder changed."""
    write("a", updated=10)
    write("x", below="a", updated=9)
    list(Library(env, shelf=shelf).load())
    write("y", below="a", updated=9)
    os.utime(env.under_home(".plain", "a", "agents"))
    library = Library(env, shelf=shelf)
    list(library.load())
    assert library.hidden() == {"subagent": 2}


def test_the_first_subagent_of_a_session_is_found(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """Its folder was not there before; the session itself grew."""
    write("a", updated=10)
    list(Library(env, shelf=shelf).load())
    write("a", updated=11, title="it called an agent")
    write("x", below="a", updated=9)
    library = Library(env, shelf=shelf)
    list(library.load())
    assert library.hidden() == {"subagent": 1}


def test_a_deleted_subagent_goes_away(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """Its folder changed."""
    write("a", updated=10)
    path = write("x", below="a", updated=9)
    list(Library(env, shelf=shelf).load())
    path.unlink()
    library = Library(env, shelf=shelf)
    list(library.load())
    assert library.hidden() == {}


def test_cached_rows_need_no_scan(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """The screen has rows before anything was looked at."""
    write("a", updated=10)
    write("b", updated=20)
    write("h", updated=30, hidden="headless")
    list(Library(env, shelf=shelf).load())
    shelf.plain.entered.clear()
    assert [session.id for session in Library(env, shelf=shelf).cached(1)] == ["b"]
    assert shelf.plain.entered == []


def test_a_root_that_does_not_exist_is_trouble(env: Environment, shelf: PlainShelf) -> None:
    """And no error."""
    library = Library(env, shelf=shelf, roots=["/nowhere/at/all"])
    troubles = [event for event in library.load() if isinstance(event, Trouble)]
    assert troubles[0].items[0].reason == "no such file or folder"


@pytest.mark.parametrize("name", ["nope", "snapshot"])
def test_a_name_of_no_root_is_told_from_a_path(env: Environment, shelf: PlainShelf, name: str) -> None:
    """It may have been meant as the name of one."""
    library = Library(env, shelf=shelf, roots=[name])
    list(library.load())
    assert [item.reason for item in library.trouble] == ["no such file or folder, and no root of the configuration is called that"]


@pytest.mark.parametrize("name", ["./nope", "~/nope", "some/where", "snapshot-1w"])
def test_a_root_that_is_a_path_or_has_a_name_is_only_not_there(env: Environment, shelf: PlainShelf, name: str) -> None:
    """Nothing else was meant."""
    library = Library(env, shelf=shelf, roots=[name])
    list(library.load())
    assert [item.reason for item in library.trouble] == ["no such file or folder"]


def test_a_copy_of_a_store_opens_by_its_path(env: Environment, shelf: PlainShelf, write: Write, home: Path) -> None:
    """Its sessions say where they come from; the live ones are not listed."""
    write("live", updated=10)
    write("old", folder="backup", updated=5)
    (session,) = Library(env, shelf=shelf, roots=[str(home / "backup")]).sessions()
    assert (session.id, session.root) == ("old", "backup")


def test_a_snapshot_opens_by_its_name(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """`mirror` and `snapshot-…` stand for folders of ~/.claude-backups."""
    write("old", folder=".claude-backups/snapshot-1w/projects", updated=5)
    (session,) = Library(env, shelf=shelf, roots=["snapshot-1w"]).sessions()
    assert session.root == "snapshot-1w"


def test_a_damaged_cache_is_rebuilt(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """Whatever is wrong with the file, the list is whole."""
    write("a", updated=10)
    Library(env, shelf=shelf).sessions()
    path = Path(store_path(env))
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(bytes(data))
    assert len(Library(env, shelf=shelf).sessions()) == 1
    assert len(Library(env, shelf=shelf).sessions()) == 1


def test_a_locked_cache_is_done_without(env: Environment, shelf: PlainShelf, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program that holds it does not hold us up for good."""
    monkeypatch.setattr("sessionbrowser.index.store.WAIT", 0.01)
    write("a", updated=10)
    Library(env, shelf=shelf).sessions()
    write("b", updated=11)
    holder = sqlite3.connect(store_path(env), isolation_level=None)
    holder.execute("begin exclusive")
    library = Library(env, shelf=shelf)
    assert len(library.sessions()) == 2
    assert "locked" in library.without_cache
    holder.close()


def test_a_cache_that_cannot_be_written_is_done_without(env: Environment, shelf: PlainShelf, write: Write, tmp_path: Path) -> None:
    """A full disk or a folder without permission costs speed, nothing else."""
    (tmp_path / "cache").write_text("in the way")
    write("a", updated=10)
    library = Library(env, shelf=shelf)
    assert len(library.sessions()) == 1
    assert library.without_cache


def test_without_a_cache_nothing_is_left_behind(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """`--no-cache` writes nowhere."""
    write("a", updated=10)
    library = Library(env, shelf=shelf, cache=False)
    assert len(library.sessions()) == 1
    assert library.find("a")[0].id == "a"
    assert not os.path.exists(store_path(env))


def test_a_name_that_is_no_unicode_is_listed(library: Library, write: Write, home: Path) -> None:
    """Though it can't be kept in the cache."""
    write("a", updated=10)
    os.rename(home / ".plain" / "a.txt", os.fsencode(str(home / ".plain")) + b"/\xff.txt")
    (session,) = library.sessions()
    assert session.path.endswith("\udcff.txt")
    assert library.handle(session).path == session.path


async def test_the_stream_says_what_a_load_says(library: Library, write: Write) -> None:
    """Off the event loop."""
    write("a", updated=10)
    events = [event async for event in library.stream()]
    assert [type(event).__name__ for event in events if type(event).__name__ != "Progress"] == ["Found", "Complete"]


async def test_a_stream_that_is_left_stops_reading(library: Library, shelf: PlainShelf, write: Write) -> None:
    """Quitting does not wait for the rest."""
    for number in range(300):
        write(f"s{number}", updated=number + 1)
    stream = library.stream()
    async for _ in stream:
        break
    await stream.aclose()  # type: ignore[attr-defined]
    assert len(shelf.plain.summarised) < 300


def test_counts_become_known_and_stay_known(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """`exact` reads the whole file once."""
    write("a", updated=10)
    library = Library(env, shelf=shelf)
    (session,) = library.exact(library.sessions())
    assert session.counts is not None and session.counts.answers == 2
    (again,) = Library(env, shelf=shelf).sessions()
    assert again.counts == session.counts
    assert again.tokens == session.tokens


def test_days_until_deletion_come_from_the_agents_own_setting(library: Library, shelf: PlainShelf, write: Write) -> None:
    """By the age of the file."""
    write("a", updated=1000)
    shelf.plain.days = 30
    (session,) = library.sessions()
    assert session.expires == 1000 + 30 * 86400


def test_lines_are_made_once(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """Unchanged rows are written out without being unpacked."""
    write("a", updated=10, title="one")
    write("b", updated=20, title="two")
    made = []

    def render(session):  # type: ignore[no-untyped-def]
        made.append(session.id)
        return session.title.encode()

    assert b"".join(Library(env, shelf=shelf).document(render, b" ".join, "v")) == b"two one"
    assert b"".join(Library(env, shelf=shelf).document(render, b" ".join, "v")) == b"two one"
    assert sorted(made) == ["a", "b"]
    write("a", updated=30, title="more")
    assert b"".join(Library(env, shelf=shelf).document(render, b" ".join, "v")) == b"more two"
    assert b"".join(Library(env, shelf=shelf).document(render, b" ".join, "other")) == b"more two"
    assert len(made) == 5


def test_a_whole_answer_is_kept_until_something_changes(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """A file, a subagent's folder, a count that became known: each makes it anew."""
    write("a", updated=10, title="one")
    write("x", below="a", updated=9)
    framed: list[int] = []

    def frame(lines: list[bytes]) -> bytes:
        framed.append(len(lines))
        return b" ".join(lines)

    def render(session):  # type: ignore[no-untyped-def]
        return f"{session.title} {session.subagents} {session.counts is not None}".encode()

    def answer() -> bytes:
        return b"".join(Library(env, shelf=shelf).document(render, frame, "v"))

    assert (answer(), answer(), answer(), len(framed)) == (b"one 1 False", b"one 1 False", b"one 1 False", 2)
    write("y", below="a", updated=9)
    os.utime(env.under_home(".plain", "a", "agents"))
    assert answer() == b"one 2 False"
    library = Library(env, shelf=shelf)
    list(library.exact(library.sessions()))
    assert answer() == b"one 2 True"


def test_an_answer_is_not_kept_while_a_session_is_open(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """What the registry says may change without a file."""
    from sessionbrowser.model import Live

    write("a", updated=10, title="one")
    shelf.plain.running = [Live("a", "running")]

    def answer() -> bytes:
        return b"".join(Library(env, shelf=shelf).document(lambda session: session.status.encode(), b" ".join, "v"))

    assert answer() == b"running"
    shelf.plain.running = []
    assert answer() == b"finished"
    shelf.plain.running = [Live("a", "waiting")]
    assert answer() == b"waiting"


def test_an_answer_tells_of_trouble_each_time(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """Places that can't be read are not forgotten with it."""
    write("a", updated=10)
    shelf.plain.blind = True
    for _ in range(2):
        library = Library(env, shelf=shelf)
        list(library.document(lambda session: b"x", b" ".join, "v"))
        assert len(library.trouble) == 1


def test_what_is_set_aside_is_remembered_and_noticed(env: Environment, shelf: PlainShelf, write: Write, home: Path) -> None:
    """Counted with its reason, in every load."""
    path = write("a", updated=10)
    path.with_name("one.bak").write_text("x")
    for _ in range(2):
        complete = next(event for event in Library(env, shelf=shelf).load() if isinstance(event, Complete))
        assert complete.aside == {"backup": 1}
    path.with_name("two.bak").write_text("x")
    complete = next(event for event in Library(env, shelf=shelf).load() if isinstance(event, Complete))
    assert complete.aside == {"backup": 2}


def test_a_load_that_was_left_hides_no_subagents(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """A first screen that is closed at once has read the newest rows; the next one finds the rest."""
    for number in range(60):
        write(f"s{number}", updated=100 + number)
    write("sub", below="s0", updated=6)
    events = Library(env, shelf=shelf).load()
    next(events)
    events.close()
    counts = {session.id: session.subagents for session in Library(env, shelf=shelf).sessions(deep=False)}
    assert counts["s0"] == 1
