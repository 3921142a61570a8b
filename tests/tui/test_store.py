"""The sessions behind the list: folding, order, scope, what is hidden."""

from __future__ import annotations

from fakelibrary import NOW, session, seven

from sessionbrowser.model import Counts
from sessionbrowser.tui.store import Scope, Store


def titles(store: Store) -> list[str]:
    return [one.title for one in store.pool()]


def test_newest_first() -> None:
    """Without a wish the list is ordered by activity."""
    store = Store()
    store.fold(reversed(seven()))
    assert [one.id for one in store.pool()] == [one.id for one in seven()]


def test_same_rows_change_nothing() -> None:
    """A second load of an unchanged history draws nothing again."""
    store = Store()
    store.fold(seven())
    assert store.fold(seven()) is False


def test_a_grown_session_replaces_its_row() -> None:
    """A session is one row, however often it is said."""
    store = Store()
    store.fold(seven())
    store.fold([session(3, updated=NOW + 5)])
    assert store.pool()[0].id == session(3).id
    assert len(store) == 7


def test_counts_learned_from_the_transcript_stay() -> None:
    """A row said again without counts, its file unchanged, keeps those it had."""
    store = Store()
    store.fold([session(0, counts=Counts(prompts=4))])
    store.fold([session(0, counts=None, tokens=None)])
    assert store.pool()[0].counts == Counts(prompts=4)


def test_rows_are_filled_only_as_long_as_they_are_the_same() -> None:
    """What an older state of the file added up to is dropped, as is a session nobody shows."""
    store = Store()
    store.fold([session(0, counts=None), session(1, counts=None, updated=NOW - 5)])
    old = session(1, counts=Counts(prompts=2), updated=NOW - 9)
    assert store.fill([session(0, counts=Counts(prompts=4)), old, session(2, counts=Counts(prompts=1))]) is True
    assert {one.id: one.counts for one in store.pool()} == {session(0).id: Counts(prompts=4), session(1).id: None}


def test_gone_sessions_leave() -> None:
    """What its agent deleted is not shown."""
    store = Store()
    store.fold(seven())
    assert store.drop([session(0).identity]) is True
    assert len(store) == 6


def test_hidden_sessions_are_counted_by_reason() -> None:
    """What is hidden is never just gone."""
    store = Store()
    store.fold([session(0), session(1, hidden="headless"), session(2, hidden="headless"), session(3, hidden="empty")])
    assert dict(store.hidden()) == {"headless": 2, "empty": 1}
    assert len(store.pool()) == 1


def test_hidden_sessions_can_be_shown() -> None:
    """One key shows them."""
    store = Store()
    store.fold([session(0), session(1, hidden="headless")])
    store.set_show_hidden(True)
    assert len(store.pool()) == 2


def test_scope_is_a_folder_and_what_is_below() -> None:
    """A folder whose name merely begins alike is another one."""
    scope = Scope("here", ("/home/ada/src/api",))
    inside = session(0, cwd="/home/ada/src/api/tests")
    alike = session(1, cwd="/home/ada/src/api2")
    nowhere = session(2, cwd=None)
    assert [scope.holds(one) for one in (inside, alike, nowhere)] == [True, False, False]


def test_order_by_size() -> None:
    """Big sessions first."""
    store = Store()
    store.fold(seven())
    store.set_sort("size")
    assert [one.size for one in store.pool()] == sorted((one.size for one in seven()), reverse=True)


def test_unknown_tokens_stand_last() -> None:
    """What has not been counted does not stand before what has."""
    store = Store()
    store.fold([session(0, tokens=None), session(1)])
    store.set_sort("tokens")
    assert [one.id for one in store.pool()] == [session(1).id, session(0).id]


def test_forks_are_found_from_their_parent() -> None:
    """Lineage leads forward as well as back."""
    store = Store()
    store.fold([session(0), session(1, forked_from=session(0).id)])
    assert [one.id for one in store.forks_of(session(0).id)] == [session(1).id]


def test_a_session_of_which_more_is_known_stays_where_it_is() -> None:
    """Only its own row is another; a list that somebody holds does not change."""
    store = Store()
    store.fold(seven())
    before = store.pool()
    store.fold([session(2, counts=Counts(prompts=9))])
    assert [one.id for one in store.pool()] == [one.id for one in seven()]
    assert store.pool()[2].counts == Counts(prompts=9) != before[2].counts


def test_a_session_that_becomes_hidden_leaves_the_list() -> None:
    """Also when nothing else of it changed."""
    store = Store()
    store.fold(seven())
    store.pool()
    store.fold([session(2, hidden="empty")])
    assert session(2).id not in [one.id for one in store.pool()]


def test_who_calls_is_counted_again_when_one_changes() -> None:
    """What was counted before is not kept."""
    store = Store()
    store.fold([session(0, status="running"), session(1, status="finished")])
    assert store.calling(NOW) == 0
    store.fold([session(0, status="waiting")])
    assert store.calling(NOW) == 1


def test_columns_are_those_of_the_sessions_that_are_listed() -> None:
    """A branch that only a hidden session has, or one elsewhere, needs no column; one that had it keeps it."""
    store = Store()
    bare = [one._replace(branch=None) for one in seven()]
    store.fold([*bare[:-1], bare[-1]._replace(branch="main", hidden="scripted")])
    assert store.widths.branch == 0
    store.set_show_hidden(True)
    assert store.widths.branch == 4
    store.set_show_hidden(False)
    assert store.widths.branch == 0
    store.fold([bare[0]._replace(branch="feature")])
    store.set_scope(Scope("here", (bare[0].cwd or "",)))
    assert store.widths.branch == 7
    store.fold([bare[0]])
    assert store.widths.branch == 7
    store.set_scope(Scope("there", ("/nowhere",)))
    assert store.widths.branch == 0
