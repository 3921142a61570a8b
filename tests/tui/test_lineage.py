"""Where a session came from and what went on from it."""

from __future__ import annotations

from fakelibrary import FakeLibrary, session
from screenlines import app_of, settled, shown

from sessionbrowser.model import Agent, Session
from sessionbrowser.tui.lineage import family
from sessionbrowser.tui.store import Store


def row(number: int, title: str, **changes: object) -> Session:
    return session(number, id=f"id{number}", title=title, **changes)


def tree(agent: Agent | None) -> object:
    """Kinds and titles, nested."""
    return None if agent is None else (agent.kind, agent.description, [tree(child) for child in agent.children])


def store(*rows: Session) -> Store:
    made = Store()
    made.fold(rows)
    return made


def test_a_session_alone_has_no_tree() -> None:
    """Nothing is drawn above its agents."""
    one = row(1, "alone")
    assert family(one, store(one, row(2, "another"))) is None


def test_from_every_member_the_same_tree() -> None:
    """From the oldest down, the one looked at marked."""
    first, fork = row(1, "first"), row(2, "fork", forked_from="id1")
    again = row(3, "again", forked_from="id2")
    known = store(first, fork, again)
    assert tree(family(fork, known)) == ("origin", "first", [("here", "fork", [("fork", "again", [])])])
    assert tree(family(first, known)) == ("here", "first", [("fork", "fork", [("fork", "again", [])])])


def test_what_went_on_in_another_session() -> None:
    """After a clear or a compaction into a new file."""
    old, new = row(1, "old", hidden="superseded", facts={"continued_in_raw": "id2"}), row(2, "new")
    assert tree(family(new, store(old, new))) == ("origin", "old", [("here", "new", [])])
    assert tree(family(old, store(old, new))) == ("here", "old", [("continuation", "new", [])])


def test_a_circle_ends() -> None:
    """Files may say anything."""
    one, two = row(1, "one", forked_from="id2"), row(2, "two", forked_from="id1")
    assert family(one, store(one, two)) is not None


def test_copies_without_a_prompt_of_their_own_are_left_out() -> None:
    """Hidden as duplicates, they are no branch of the story."""
    first = row(1, "first")
    assert family(first, store(first, row(2, "copy", forked_from="id1", hidden="duplicate"))) is None


async def test_the_tree_stands_above_the_agents_and_leads_to_its_sessions() -> None:
    """Enter on a relative goes to it in the list."""
    rows = [row(1, "The first way"), row(2, "Another way", forked_from="id1")]
    library = FakeLibrary(rows)
    library.trees = {"id2": Agent("id2", "session", children=(Agent("a1", "subagent", "Explore", "look around"),))}
    async with (app := app_of(library)).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        browser = app.screen_stack[0]
        browser.list.go_to_session(rows[1].identity)  # type: ignore[attr-defined]
        await pilot.pause(0.2)
        lines = shown(browser.tree_pane)  # type: ignore[attr-defined]
        assert [line.split("  ")[0].strip(" │├└─●?○!✗✓·") for line in lines[:4]] == ["began as", "this session", "Another way", "Explore"]
        await pilot.press("tab", "up", "up", "enter")
        await pilot.pause(0.2)
        assert browser.list.current == rows[0]  # type: ignore[attr-defined]


async def test_an_age_says_that_it_is_one() -> None:
    """Below it stands how long an agent took."""
    rows = [row(1, "The first way"), row(2, "Another way", forked_from="id1")]
    library = FakeLibrary(rows)
    library.trees = {"id2": Agent("id2", "session", children=(Agent("a1", "subagent", "Explore", started=1.0, ended=421.0),))}
    async with (app := app_of(library)).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        browser = app.screen_stack[0]
        browser.list.go_to_session(rows[1].identity)  # type: ignore[attr-defined]
        await pilot.pause(0.2)
        lines = [line.rstrip() for line in shown(browser.tree_pane)]  # type: ignore[attr-defined]
        assert lines[0].endswith(" ago") and lines[1].endswith(" ago")
        assert lines[3].endswith("  7m")
        assert len(lines[0]) == len(lines[3])
