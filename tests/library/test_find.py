"""Which session a name means."""

from __future__ import annotations

from pathlib import Path

from sessionbrowser.library import Library
from sessionbrowser.library.names import is_within, repository
from sessionbrowser.model import Live
from sessionbrowser.paths import Environment

from .conftest import Write
from .plain import PlainShelf


def found(library: Library, name: str) -> list[str]:
    return [session.id for session in library.find(name)]


def test_an_exact_id_goes_before_a_prefix(library: Library, write: Write) -> None:
    """"ab" is not ambiguous where "abc" is another one."""
    write("ab", updated=1)
    write("abc", updated=2)
    assert found(library, "ab") == ["ab"]
    assert found(library, "abc") == ["abc"]
    assert sorted(found(library, "a")) == ["ab", "abc"]


def test_only_candidates_are_read(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """A cold cache does not make one session slow to find."""
    for number in range(20):
        write(f"s{number:02}", updated=number + 1)
    assert found(Library(env, shelf=shelf), "s07") == ["s07"]
    assert shelf.plain.summarised == ["s07"]


def test_a_session_whose_file_is_named_otherwise(library: Library, write: Write) -> None:
    """Is found by the id inside, too."""
    write("file", updated=1, id="inside")
    assert found(library, "inside") == ["inside"]


def test_a_session_before_a_subagent(library: Library, write: Write) -> None:
    """Where both begin alike."""
    write("ab1", updated=1)
    write("ab2", below="ab1", updated=1)
    assert found(library, "ab") == ["ab1"]
    assert found(library, "ab2") == ["ab2"]


def test_an_id_as_its_agent_tells_it(library: Library, shelf: PlainShelf, write: Write) -> None:
    """Without the beginning that all ids of its kind have; what is called so in full goes before."""
    shelf.plain.prefix = "agent-"
    write("ab1", updated=1)
    write("agent-ab1", below="ab1", updated=1)
    write("agent-c8d9", below="ab1", updated=1)
    assert found(library, "c8") == ["agent-c8d9"]
    assert found(library, "ab1") == ["ab1"]


def test_nobody_is_called_nothing(library: Library, write: Write) -> None:
    """And unknown @names mean nobody."""
    write("a", updated=1)
    assert library.find("") == [] and library.find("@nonsense") == []


def test_wild_cards_are_no_wild_cards(library: Library, write: Write) -> None:
    """In names."""
    write("a", updated=1)
    assert library.find("%") == [] and library.find("_") == []


def test_a_handle_leads_to_the_file(library: Library, write: Write) -> None:
    """With its size as last seen."""
    path = write("a", updated=1)
    (session,) = library.find("a")
    assert library.handle(session).size == path.stat().st_size


def test_the_repository_of_a_linked_worktree(env: Environment, tmp_path: Path) -> None:
    """Is its main one as well."""
    main, linked = tmp_path / "api", tmp_path / "api-login"
    (main / ".git" / "worktrees" / "api-login").mkdir(parents=True)
    (linked / "src").mkdir(parents=True)
    (linked / ".git").write_text(f"gitdir: {main}/.git/worktrees/api-login\n")
    assert repository(env._replace(cwd=str(linked / "src"))) == (str(linked), str(main))
    assert repository(env._replace(cwd=str(main))) == (str(main),)


def test_a_folder_is_within_itself_and_not_within_its_namesakes() -> None:
    """By whole names."""
    assert is_within("/w/api", ["/w/api"]) and is_within("/w/api/src", ["/w/api"])
    assert not is_within("/w/api-two", ["/w/api"]) and not is_within(None, ["/w"])


def test_what_was_looked_for_first_hides_no_subagents(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """Only one session was read: the folders of subagents are still to be entered."""
    write("one", updated=5)
    write("sub", below="one", updated=6)
    assert found(Library(env, shelf=shelf), "one") == ["one"]
    assert [(session.id, session.subagents) for session in Library(env, shelf=shelf).sessions(deep=False) if not session.hidden] == [("one", 1)]


def test_a_session_that_is_found_keeps_what_the_whole_list_shows_of_it(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """Although it was read again by itself."""
    write("one", updated=5)
    write("sub", below="one", updated=6)
    Library(env, shelf=shelf).sessions()
    write("one", updated=5, title="grown")
    (session,) = Library(env, shelf=shelf).find("one")
    assert (session.title, session.subagents) == ("grown", 1)
    assert [session.subagents for session in Library(env, shelf=shelf).sessions(deep=False) if session.id == "one"] == [1]


def test_a_whole_id_is_found_without_a_scan(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """While its file is as it was read; the beginning of an id may have become another one's, too."""
    write("one", updated=5)
    Library(env, shelf=shelf).sessions()
    shelf.plain.entered.clear()
    assert found(Library(env, shelf=shelf), "one") == ["one"]
    assert shelf.plain.entered == []
    assert found(Library(env, shelf=shelf), "on") == ["one"]
    assert shelf.plain.entered == [True]


def test_a_whole_id_whose_file_is_gone_is_nobodys(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """However well it is remembered."""
    path = write("one", updated=5)
    Library(env, shelf=shelf).sessions()
    path.unlink()
    assert found(Library(env, shelf=shelf), "one") == []


def test_a_session_found_without_a_scan_is_as_its_registry_says(env: Environment, shelf: PlainShelf, write: Write) -> None:
    """Its file says nothing of the process that has it open."""
    write("one", updated=5)
    Library(env, shelf=shelf).sessions()
    shelf.plain.running = [Live("one", "running")]
    (session,) = Library(env, shelf=shelf).find("one")
    assert (session.status, session.status_from) == ("running", "registry")
