"""What only the whole list shows: forks, copies, renderings."""

from __future__ import annotations

import os
from pathlib import Path

from sessionbrowser.config import Config, NamedRoot
from sessionbrowser.library import Changed, Library
from sessionbrowser.paths import Environment

from .conftest import Write
from .plain import PlainShelf


def hidden(library: Library) -> dict[str, str]:
    return {session.id: session.hidden for session in library.sessions()}


def with_copy(env: Environment, shelf: PlainShelf, home: Path) -> Library:
    return Library(env, shelf=shelf, config=Config(roots=(NamedRoot("copy", str(home / "copy"), True),)))


def test_a_fork_with_a_prompt_of_its_own_is_a_row_with_its_lineage(library: Library, write: Write) -> None:
    """It begins with the same record and ends with another prompt."""
    write("a", updated=10, first_raw="r1", last_prompt_raw="p1")
    write("b", updated=20, first_raw="r1", last_prompt_raw="p2")
    found = {session.id: session for session in library.sessions()}
    assert (found["a"].hidden, found["b"].hidden) == ("", "")
    assert (found["a"].forked_from, found["b"].forked_from) == (None, "a")


def test_a_copy_without_a_prompt_of_its_own_is_hidden(library: Library, write: Write) -> None:
    """History shared by forks is shown once."""
    write("a", updated=10, first_raw="r1", last_prompt_raw="p1")
    write("b", updated=9, first_raw="r1", last_prompt_raw="p1")
    assert hidden(library) == {"a": "", "b": "duplicate"}


def test_a_fork_that_its_source_knows_to_be_empty_is_hidden(library: Library, write: Write) -> None:
    """As long as the session it was forked from is listed."""
    write("a", updated=10)
    write("b", updated=20, forked_from="a", own_prompt="no")
    write("c", updated=30, forked_from="gone", own_prompt="no")
    assert hidden(library) == {"a": "", "b": "duplicate", "c": ""}


def test_a_copy_is_hidden_behind_the_live_session(env: Environment, shelf: PlainShelf, write: Write, home: Path) -> None:
    """Unless it holds more."""
    write("a", updated=10)
    write("a", folder="copy", updated=9)
    write("b", updated=10)
    write("b", folder="copy", updated=11)
    found = {(session.id, session.root): session.hidden for session in with_copy(env, shelf, home).sessions()}
    assert found == {("a", ""): "", ("a", "copy"): "duplicate", ("b", ""): "", ("b", "copy"): ""}


def test_one_file_in_two_places_is_listed_once(env: Environment, shelf: PlainShelf, write: Write, home: Path) -> None:
    """By its inode, whatever it is called."""
    path = write("a", updated=10)
    (home / "copy").mkdir()
    os.link(path, home / "copy" / "other.txt")
    found = {session.id: session.hidden for session in with_copy(env, shelf, home).sessions()}
    assert found == {"a": "", "other": "duplicate"}


def test_a_rendering_is_hidden_and_linked(library: Library, write: Write) -> None:
    """As long as the session it renders is listed."""
    write("a", updated=10)
    path = write("notes", updated=11, mirrors_raw="a")
    write("lonely", updated=12, mirrors_raw="gone")
    found = {session.id: session for session in library.sessions()}
    assert found["notes"].hidden == "mirrored"
    assert found["lonely"].hidden == ""
    assert found["a"].specstory == str(path)


def test_lineage_follows_when_the_original_goes_away(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """What was hidden behind it comes back."""
    path = write("a", updated=10)
    write("b", updated=9, mirrors_raw="a")
    library = Library(env, shelf=shelf)
    list(library.load())
    path.unlink()
    events = list(library.load())
    assert [session.hidden for event in events if isinstance(event, Changed) for session in event.sessions] == [""]


def test_a_late_fork_is_noticed_from_a_few_rows(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """Only its relatives are looked at again, and the result is the same."""
    write("a", updated=10, first_raw="r1", last_prompt_raw="p1")
    for number in range(5):
        write(f"x{number}", updated=number + 1)
    list(Library(env, shelf=shelf).load())
    write("b", updated=20, first_raw="r1", last_prompt_raw="p1")
    library = Library(env, shelf=shelf)
    assert hidden(library)["a"] == "duplicate"
    assert sum(1 for reason in hidden(library).values() if reason) == 1


def test_what_is_derived_is_not_fed_back_to_the_source(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """A duplicate that grows is judged anew."""
    write("a", updated=10, first_raw="r1", last_prompt_raw="p1")
    path = write("b", updated=9, first_raw="r1", last_prompt_raw="p1")
    assert hidden(Library(env, shelf=shelf))["b"] == "duplicate"
    path.write_text(path.read_text().replace("last_prompt_raw: p1", "last_prompt_raw: p2 of its own"))
    assert hidden(Library(env, shelf=shelf))["b"] == ""
    assert shelf.plain.previous[-1] is not None and shelf.plain.previous[-1].hidden == ""
