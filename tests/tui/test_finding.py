"""The box and the conversations: lines under rows, going through them, what is read while one waits."""

from __future__ import annotations

import threading

from fakelibrary import FakeLibrary, seven
from screenlines import app_of, lines, settled, text
from talking import TalkingLibrary, browser, until
from textual.pilot import Pilot

from sessionbrowser.config import Config
from sessionbrowser.index.search import Hit
from sessionbrowser.tui.app import SessionBrowserApp
from sessionbrowser.tui.conversations import HitsCame, IndexGrew, SearchedOn

WIDE = (140, 40)
SAID = {
    "first": [("prompt", "make it faster"), ("text", "The zebrafish cache was cold."), ("thinking", "zebrafish again")],
    "second": [("prompt", "hello"), ("tool", "cat zebrafish.log"), ("text", "nothing here")],
    "third": [("prompt", "about a zebrafish"), ("text", "yes")],
    "helper": [("prompt", "look for the axolotl"), ("text", "The axolotl is in the pond.")],
}


def talking(**more: object) -> TalkingLibrary:
    return TalkingLibrary(SAID, below={"helper": "second"}, **more)  # type: ignore[arg-type]


def find_in(library: FakeLibrary) -> SessionBrowserApp:
    return app_of(library, full_text=True, indexed=False)


async def typed(pilot: Pilot[object], words: str) -> list[str]:
    """The screen once the conversations were searched for `words`."""
    await settled(pilot)
    browser(pilot).ask(words)
    await until(pilot, lambda: not browser(pilot).listing.finder.searching)
    await pilot.pause(0.02)
    return lines(pilot.app)  # type: ignore[arg-type]


async def test_lines_stand_under_the_sessions_that_hold_the_words() -> None:
    """With what they are."""
    async with find_in(talking()).run_test(size=WIDE) as pilot:
        shown = "\n".join(await typed(pilot, "zebrafish"))
    assert "answer  The zebrafish cache was cold." in shown
    assert "thinking  zebrafish again" in shown
    assert "prompt  about a zebrafish" in shown
    assert "2 of 3" in shown


async def test_conversations_with_the_words_stand_before_titles_with_their_letters() -> None:
    """And a row of which both is true stands where its conversation puts it, once."""
    said = {"third": [("text", "go on")], "first": [("text", "the sth of it")], "thing": [("text", "a sth, too")]}
    async with find_in(TalkingLibrary(said)).run_test(size=WIDE) as pilot:
        shown = await typed(pilot, "sth")
        finder = browser(pilot).listing.finder
        rows, matches, _ = finder.find()
        assert matches is not None and len(matches) == 3
        assert [rows[match.index].id for match in matches] == [rows[index].id for index in matches.indexes]  # type: ignore[attr-defined]
    order = [title for line in shown for title in ("third", "first", "thing") if f"Session {title}" in line[:60]]
    assert sorted(order[:2]) == ["first", "thing"] and order[2:3] == ["third"]


async def test_a_line_of_a_subagent_stands_under_its_session_by_its_type() -> None:
    """The agent's name in place of the kind."""
    async with find_in(talking()).run_test(size=WIDE) as pilot:
        shown = await typed(pilot, "axolotl pond")
    place = next(at for at, line in enumerate(shown) if "Session second" in line[:60])
    assert "Explore  The axolotl is in the pond." in shown[place + 1]


async def test_opening_a_line_of_a_subagent_shows_the_subagent_there() -> None:
    """Not the session that started it."""
    async with find_in(talking()).run_test(size=WIDE) as pilot:
        await typed(pilot, "axolotl pond")
        await pilot.press("enter")
        await until(pilot, lambda: "axolotl is in the pond" in "\n".join(browser(pilot).transcript.render_line(y).text for y in range(20)))
        assert browser(pilot).reading.path.endswith("/helper")
        assert browser(pilot).focused_pane == "reading"


async def test_tools_are_looked_through_on_request() -> None:
    """They are in no index."""
    async with find_in(talking()).run_test(size=WIDE) as pilot:
        shown = "\n".join(await typed(pilot, "zebrafish in:tools"))
    assert "tool  cat zebrafish.log" in shown
    assert "1 of 3" in shown


async def test_an_expression_is_looked_for_in_the_conversations() -> None:
    """And marked where it was found."""
    async with find_in(talking()).run_test(size=WIDE) as pilot:
        shown = "\n".join(await typed(pilot, "/zebra.*cold/"))
    assert "answer  The zebrafish cache was cold." in shown


async def test_a_search_through_files_says_how_far_it_is() -> None:
    """While hits come."""
    gate = threading.Event()
    library = talking(gate=gate)
    async with find_in(library).run_test(size=WIDE) as pilot:
        await settled(pilot)
        browser(pilot).ask("zebrafish")
        await pilot.pause(0.01)
        assert "Looking into the conversations" in text(pilot.app)  # type: ignore[arg-type]
        await until(pilot, lambda: bool(library.talk.read))
        browser(pilot).listing.searched_on(SearchedOn("zebrafish", 2, 4))
        await pilot.pause()
        said = lines(pilot.app)[-1]  # type: ignore[arg-type]
        gate.set()
    assert "searching 2 of 4" in said


async def test_the_next_key_ends_a_search_that_waits_for_a_file() -> None:
    """Its answer is not waited for."""
    gate = threading.Event()
    library = talking(gate=gate)
    async with find_in(library).run_test(size=WIDE) as pilot:
        await settled(pilot)
        browser(pilot).ask("zebrafish")
        await until(pilot, lambda: bool(library.talk.read))
        library.talk.gate = None
        browser(pilot).ask("axolotl")
        await until(pilot, lambda: not browser(pilot).listing.finder.searching)
        found = [row.id for row in browser(pilot).list.everything()]
        gate.set()
    assert found == ["second"]


async def test_rows_that_do_not_know_their_turns_are_read() -> None:
    """And come into the list as they are known."""
    said = {name: [("prompt", f"question {number}") for number in range(turns)] for name, turns in (("few", 1), ("many", 5))}
    async with app_of(TalkingLibrary(said, counted=False)).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"turns:>3")
        await until(pilot, lambda: [row.id for row in browser(pilot).list.everything()] == ["many"])
        assert [row.id for row in browser(pilot).list.everything()] == ["many"]


async def test_alt_n_goes_through_the_lines_and_into_the_next_session() -> None:
    """The cursor stays in the box."""
    async with find_in(talking()).run_test(size=WIDE) as pilot:
        await typed(pilot, "zebrafish")
        seen = []
        for _ in range(3):
            seen.append((browser(pilot).list.current.id, browser(pilot).listing.walk.at))  # type: ignore[union-attr]
            await pilot.press("alt+n")
            await pilot.pause(0.02)
        assert browser(pilot).focused_pane == "box"
    assert seen == [("first", 0), ("first", 1), ("third", 0)]


async def test_alt_p_comes_back_to_the_last_line_of_the_session_before() -> None:
    """As going back should."""
    async with find_in(talking()).run_test(size=WIDE) as pilot:
        await typed(pilot, "zebrafish")
        await pilot.press("alt+n", "alt+n")
        await pilot.pause(0.02)
        await pilot.press("alt+p")
        await pilot.pause(0.02)
        assert (browser(pilot).list.current.id, browser(pilot).listing.walk.at) == ("first", 1)  # type: ignore[union-attr]


async def test_n_in_the_transcript_goes_on_into_the_next_session() -> None:
    """Behind the last hit of this one."""
    async with find_in(talking()).run_test(size=WIDE) as pilot:
        await typed(pilot, "zebrafish")
        await pilot.press("enter")
        await until(pilot, lambda: browser(pilot).transcript.hits.complete)
        for _ in range(4):
            await pilot.press("n")
            await pilot.pause(0.05)
            if browser(pilot).list.current.id != "first":  # type: ignore[union-attr]
                break
        assert browser(pilot).list.current.id == "third"  # type: ignore[union-attr]
        assert browser(pilot).focused_pane == "reading"


async def test_the_frame_says_which_hit_one_is_at() -> None:
    """Of how many in this transcript."""
    async with find_in(talking()).run_test(size=WIDE) as pilot:
        await typed(pilot, "zebrafish")
        await until(pilot, lambda: "hit 1 of 2" in text(pilot.app))  # type: ignore[arg-type]
        assert "hit 1 of 2" in text(pilot.app)  # type: ignore[arg-type]


def hit_of(app: SessionBrowserApp, row: int, snippet: str, also: tuple[str, ...] = ()) -> Hit:
    found = app.library.rows[row]  # type: ignore[attr-defined]
    return Hit(found.id, found.identity, None, found.source, found.title, 12, "prompt", None, snippet, ((0, 4),), found.path, 3, None, also)


async def test_a_line_has_the_number_of_its_turn() -> None:
    """As far as the index can tell."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"login")
        browser(pilot).listing.hits(HitsCame("login", [hit_of(app, 0, "login fails")], frozenset(), True, first=True))
        assert "       prompt 12  login fails" in text(app)


async def test_history_shared_by_sessions_names_the_others() -> None:
    """One line, not one each."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"login")
        shared = hit_of(app, 0, "login fails", (seven()[2].id, seven()[3].id))
        browser(pilot).listing.hits(HitsCame("login", [shared], frozenset(), True, first=True))
        assert "also in Add retries" in text(app)


async def test_lines_of_a_word_stay_until_those_of_the_longer_word_come() -> None:
    """They do not come and go with every key."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"log")
        listing = browser(pilot).listing
        listing.hits(HitsCame("log", [hit_of(app, 0, "login fails")], frozenset(), True, first=True))
        await pilot.press("i")
        assert "login fails" in text(app)
        listing.hits(HitsCame("logi", [], frozenset(), True, first=True))
        assert "login fails" not in text(app)


async def test_the_first_index_shows_its_progress_at_the_top() -> None:
    """Until it is complete."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        browser(pilot).listing.index_grew(IndexGrew(1240, 9800, True))
        await pilot.pause()
        building = lines(app)[0]
        browser(pilot).listing.index_grew(IndexGrew(0, 0))
        await pilot.pause()
        done = lines(app)[0]
    assert building.endswith("indexing 1,240 of 9,800 · 7")
    assert done.endswith("  7")


async def test_a_later_look_of_the_indexer_is_not_worth_the_top() -> None:
    """It takes a moment and changes little."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        browser(pilot).listing.index_grew(IndexGrew(1, 2, False))
        await pilot.pause()
        assert "indexing" not in lines(app)[0]


async def test_up_in_the_empty_box_brings_earlier_queries_and_down_goes_back() -> None:
    """Any other key ends the walk."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        box = browser(pilot).box
        box.history[:] = ["newer", "older"]
        await pilot.press("slash")
        seen = []
        for key in ("up", "up", "down", "down"):
            await pilot.press(key)
            seen.append(box.value)
        assert seen == ["newer", "older", "newer", ""]
        assert browser(pilot).list.cursor == 0
        await pilot.press("down")
        assert browser(pilot).list.cursor == 1
        assert app.is_running


async def test_up_moves_in_the_list_while_something_is_typed() -> None:
    """The box keeps its text."""
    async with app_of(FakeLibrary(seven())).run_test(size=WIDE) as pilot:
        await settled(pilot)
        browser(pilot).box.history[:] = ["older"]
        await pilot.press("slash", *"e", "down", "down", "up")
        assert (browser(pilot).box.value, browser(pilot).list.cursor) == ("e", 1)


def saving() -> FakeLibrary:
    library = FakeLibrary(seven())
    library.config = Config(queries={"broken": "is:failed", "wrong": "turns:lots"})
    return library


async def test_a_saved_query_stands_for_its_text() -> None:
    """`@name` in the box."""
    async with app_of(saving()).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"@broken")
        assert [row.status for row in browser(pilot).list.everything()] == ["failed"]


async def test_a_saved_query_is_completed() -> None:
    """From its first letters."""
    async with app_of(saving()).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"@br", "tab")
        assert browser(pilot).box.value == "@broken"


async def test_a_mistake_in_a_saved_query_is_shown_at_its_name() -> None:
    """And the list stays."""
    async with (app := app_of(saving())).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"@broken", "space", *"@wrong")
        await until(pilot, lambda: any(sign in lines(app)[1] for sign in "↑^▲"))
        assert browser(pilot).list.count == 1


async def test_saved_queries_are_in_the_palette_of_commands() -> None:
    """Chosen there, they go into the box."""
    async with app_of(saving()).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("ctrl+p", *"find @bro", "enter")
        await pilot.pause()
        assert browser(pilot).box.value == "@broken"
        assert browser(pilot).focused_pane == "box"
        assert browser(pilot).list.count == 1


async def test_where_nothing_was_said_of_it_a_key_looks_into_tools() -> None:
    """And takes it back."""
    async with find_in(talking()).run_test(size=WIDE) as pilot:
        shown = "\n".join(await typed(pilot, "zebrafish.log"))
        assert "ctrl+t  looks into what tools were given and said, too" in shown
        await pilot.press("ctrl+t")
        assert browser(pilot).box.value == "zebrafish.log in:all"
        await until(pilot, lambda: browser(pilot).list.count == 1)
        assert [row.id for row in browser(pilot).list.everything()] == ["second"]
        await pilot.press("ctrl+t")
        assert browser(pilot).box.value == "zebrafish.log"
