"""The main screen, driven by keys."""

from __future__ import annotations

import pytest
from fakelibrary import NOW, FakeLibrary, many, session, seven
from screenlines import app_of, lines, settled, text

from sessionbrowser.library import Changed, Complete, Found, Gone, Trouble
from sessionbrowser.model import Agent, Handle, Root, Unreadable, Usage
from sessionbrowser.paths import Environment
from sessionbrowser.render.glyphs import ASCII
from sessionbrowser.sources import REGISTRY
from sessionbrowser.tui.app import SessionBrowserApp
from sessionbrowser.tui.browser import Browser
from sessionbrowser.tui.dialogs.card import Card
from sessionbrowser.tui.dialogs.menu import Menu
from sessionbrowser.tui.feed import News
from sessionbrowser.tui.notes import no_match
from sessionbrowser.tui.scope import scopes

WIDE, NARROW = (140, 40), (80, 24)


def browser(app: SessionBrowserApp) -> Browser:
    screen = app.screen_stack[0]
    assert isinstance(screen, Browser)
    return screen


async def test_first_rows_are_newest_first_with_their_columns() -> None:
    """The screen of the first moment."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        shown = lines(app)
    assert shown[0].startswith(" sb  ❯")
    assert shown[0].endswith(" 7")
    assert shown[2] == " ● cc api   feat/login Make the login test deterministic             182k  now"
    assert shown[4].startswith(" ✓ cc api   main")


async def test_wide_screen_shows_three_panes_side_by_side() -> None:
    """From ninety columns on list, agents and transcript share the space."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        shown = lines(app)
    assert shown[1].startswith("╭─ sessions ─")
    assert "╭─ Make the login test deterministic ─" in shown[1]
    assert any(line.startswith("╭─ agents ─") for line in shown)


async def test_narrow_screen_shows_one_pane_at_a_time() -> None:
    """Enter goes to the transcript, backspace comes back."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("enter")
        await pilot.pause(0.05)  # panes change places with the next frame
        assert lines(app)[1].startswith(" Make the login test deterministic")
        await pilot.press("backspace")
        await pilot.pause(0.05)
        assert "feat/login" in lines(app)[2]


async def test_tab_goes_round_the_panes() -> None:
    """Three panes, one key."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        seen = []
        for _ in range(4):
            seen.append(browser(app).focused_pane)
            await pilot.press("tab")
    assert seen == ["sessions", "agents", "reading", "sessions"]


async def test_typing_in_the_box_narrows_the_list_and_counts() -> None:
    """Echo, rows and count are one frame."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"node")
        shown = lines(app)
    assert shown[0].startswith(" sb  ❯ node")
    assert shown[0].endswith("1 of 7")
    assert "Bump Node" in shown[2]


async def test_letters_are_text_in_the_box() -> None:
    """Keys that are commands elsewhere do nothing there but type."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"qcx")
        assert browser(app).box.value == "qcx"
        assert app.is_running


async def test_escape_clears_the_box_and_then_leaves_it() -> None:
    """Two steps back."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("slash", "n", "escape")
        assert browser(app).box.value == ""
        assert browser(app).focused_pane == "box"
        await pilot.press("escape")
        assert browser(app).focused_pane == "sessions"


async def test_a_field_that_there_is_not_keeps_the_rows_while_it_is_typed() -> None:
    """The last good answer is that of the word before its colon."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"main")
        rows = browser(app).list.count
        assert 0 < rows < 7
        await pilot.press("colon")
        assert browser(app).list.count == rows
        await pilot.press("x")
        assert browser(app).list.count == rows
        assert "there is no field main:" in lines(app)[1]


async def test_a_query_that_cannot_be_read_says_why_and_keeps_the_rows() -> None:
    """Half-typed fields do not empty the list."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"node turns:x")
        await pilot.pause(0.05)
        shown = lines(app)
        assert "↑" in shown[1]
        assert "x" in shown[1]
        assert browser(app).list.count == 1


async def test_tab_completes_in_the_box() -> None:
    """The field, then its value."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"bran", "tab")
        assert browser(app).box.value == "branch:"
        await pilot.press(*"tf", "tab")
        assert browser(app).box.value.startswith("branch:tf-upgrade")


async def test_arrows_in_the_box_move_the_list() -> None:
    """One types and chooses without leaving the box."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("slash", "down", "down")
        assert browser(app).list.cursor == 2
        assert browser(app).focused_pane == "box"


async def test_news_do_not_move_the_cursor() -> None:
    """The cursor belongs to a session, not to a line."""
    async with (app := app_of(FakeLibrary(many(50)))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("down", "down", "down")
        held = browser(app).list.current
        app.screen.post_message(News([Changed((session(99, title="brand new", updated=NOW + 60),))]))
        await pilot.pause()
        assert "brand new" in lines(app)[2]
        assert browser(app).list.current == held
        assert browser(app).list.cursor == 4


async def test_a_session_that_is_gone_leaves_the_cursor_in_its_place() -> None:
    """The next one moves up under it."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("down")
        app.screen.post_message(News([Gone((session(1).identity,))]))
        await pilot.pause()
        assert browser(app).list.cursor == 1
        assert browser(app).list.current == session(2)


async def test_hidden_sessions_are_counted_and_shown_by_one_key() -> None:
    """x, and the message says what they are."""
    rows = [session(0), session(1, hidden="headless"), session(2, hidden="empty")]
    async with (app := app_of(FakeLibrary(rows))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert "1 · 2 hidden (x)" in lines(app)[0]
        await pilot.press("x")
        assert browser(app).list.count == 3
        assert "1 headless, 1 empty" in lines(app)[-1]
        assert lines(app)[0].endswith("3 · 2 hidden ones shown (x)")
        assert "headless  Bump Node" in lines(app)[3] and "empty  Add retries" in lines(app)[4]
        await pilot.press("x")
        assert "1 · 2 hidden (x)" in lines(app)[0]


async def test_columns_of_numbers_have_heads() -> None:
    """Right above them, wherever there are any; of a narrow screen they take no line."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(200, 40)) as pilot:
        await settled(pilot)
        head, first = (line.split("│")[1] for line in lines(app)[2:4])
        assert head.split() == ["turns", "tok", "age"]
        assert [head.index(word) + len(word) for word in ("tok", "age")] == [first.index(word) + len(word) for word in ("182k", "now")]
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert lines(app)[1].split() == ["tok", "age"]
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(110, 30)) as pilot:
        await settled(pilot)
        assert "Make the login" in lines(app)[2]  # no numbers, no heads


async def test_what_the_rows_are_in_the_order_of_is_shown() -> None:
    """Also where there is no room for that column otherwise."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(110, 30)) as pilot:
        await settled(pilot)
        await pilot.press("s", "s")
        head, first = (line.split("│")[1] for line in lines(app)[2:4])
        assert head.split() == ["size", "age"]
        assert first.split()[-2:] == ["14kB", "11d"]


async def test_how_many_need_their_person_does_not_change_with_the_cursor() -> None:
    """The one under the cursor is among them."""
    rows = [session(0), session(1), session(8)]
    async with (app := app_of(FakeLibrary(rows))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        said = []
        for _ in range(2):
            said.append(lines(app)[-1].split("enter")[0].strip())
            await pilot.press("down")
        assert said == ["● running   2 need you", "? needs you   2 need you"]


async def test_sort_goes_round() -> None:
    """The order is named over the list."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        seen = []
        for _ in range(4):
            seen.append(lines(app)[1].split("─╮")[0].rsplit("─", 1)[-1].strip())
            await pilot.press("s")
    assert seen == ["newest first", "last begun first", "biggest first", "most tokens first"]


async def test_words_put_the_best_first() -> None:
    """And the frame says so."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"login")
        assert "best first" in lines(app)[1]


async def test_scope_narrows_to_this_folder_and_back() -> None:
    """The working directory of the invented person is ~/src/api."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("a")
        assert {one.project for one in browser(app).listing.store.pool()} == {"api"}
        await pilot.press("a")
        assert len(browser(app).listing.store.pool()) == 7


@pytest.mark.parametrize(("width", "words"), [(120, "3"), (80, "3 in this folder"), (60, "3 in this folder"), (45, "3 here")])
async def test_the_scope_is_named_for_as_long_as_it_holds(width: int, words: str) -> None:
    """Where no pane has a title, beside the count; on a wide screen in the title of the list."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(width, 24)) as pilot:
        await settled(pilot)
        await pilot.press("a")
        await pilot.pause()
        assert lines(app)[0].endswith(f"  {words}")
        assert ("sessions in this folder" in lines(app)[1]) == (width == 120)
        await pilot.press("a")
        assert lines(app)[0].endswith("  7")


def test_in_the_demo_this_folder_is_the_one_that_its_sessions_recorded() -> None:
    """They ran in the home of somebody who is invented; SpecStory's files know only where they lie."""
    (everywhere, folder) = scopes(Environment("/opt/sb/home", {}, "/opt/sb/home/src/api", "linux", NOW))
    assert not everywhere.folders
    assert folder.folders == ("/home/ada/src/api", "/opt/sb/home/src/api")


async def test_footer_names_the_keys_that_matter_here() -> None:
    """Five of them, for the pane that has the focus."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert lines(app)[-1].endswith("enter open   / find   c copy   r resume   ? help")
        await pilot.press("slash")
        assert lines(app)[-1].endswith("enter open   esc leave   tab complete   f1 help")


async def test_help_lists_the_keys_of_the_focused_pane() -> None:
    """From the live bindings, so it cannot be wrong."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(120, 60)) as pilot:
        await settled(pilot)
        await pilot.press("question_mark")
        assert isinstance(app.screen, Card)
        assert app.screen.title_words == "help · sessions"
        assert "Copy the resume command" in text(app)
        await pilot.press("escape")
        assert isinstance(app.screen, Browser)


async def test_help_shows_remapped_keys() -> None:
    """A key from the configuration stands in the help and in the footer."""
    app = app_of(FakeLibrary(seven()), keys={"session.copy": "f5"})
    async with app.run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert "f5 copy" in lines(app)[-1]


async def test_unknown_key_of_the_configuration_is_reported() -> None:
    """And nothing fails."""
    app = app_of(FakeLibrary(seven()), keys={"session.fly": "f5"})
    async with app.run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert "there is no action 'session.fly'" in lines(app)[-1]


async def test_details_card_has_the_facts() -> None:
    """Id, file, status and where it is known from."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(120, 50)) as pilot:
        await settled(pilot)
        await pilot.press("i")
        shown = text(app)
    assert session(0).id in shown
    assert "~/.claude/0.jsonl" in shown
    assert "inferred from the end of the file" in shown


async def test_copy_menu_offers_what_there_is() -> None:
    """No branch, no line for it."""
    async with (app := app_of(FakeLibrary([session(4)]))).run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("Y")
        assert isinstance(app.screen, Menu)
        names = [choice.result for choice in app.screen.choices]
    assert "id" in names
    assert "branch" not in names


async def test_theme_goes_round() -> None:
    """Dark, light, the terminal's own."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        seen = []
        for _ in range(3):
            seen.append(app.palette.name)
            await pilot.press("T")
    assert seen == ["dark", "light", "ansi"]


async def test_ascii_screen_is_ascii() -> None:
    """Frames, signs and dots too."""
    rows = [session(number, title=f"session {number}") for number in range(5)]
    async with (app := app_of(FakeLibrary(rows), glyphs=ASCII, look="none")).run_test(size=WIDE) as pilot:
        await settled(pilot)
        shown = text(app)
    assert [char for char in shown if not char.isascii()] == []


@pytest.mark.parametrize("size", [(20, 5), (40, 10), (60, 20), (91, 13), (250, 70)])
async def test_every_size_draws(size: tuple[int, int]) -> None:
    """From twenty by five on there are rows to see."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=size) as pilot:
        await settled(pilot)
        assert "● Make the" in text(app) or "● cc" in text(app)


async def test_sizes_of_panes_can_be_changed() -> None:
    """And the transcript gets what the list gives up."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        before = browser(app).pane("sessions").size.width
        await pilot.press("less_than_sign")
        await pilot.pause(0.05)
        assert browser(app).pane("sessions").size.width == before - 4


async def test_no_sessions_at_all_is_a_helpful_screen() -> None:
    """What was looked for, and what else can be done."""
    async with (app := app_of(FakeLibrary([]))).run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        shown = text(app)
    assert "No sessions on this machine yet." in shown
    assert "sb --demo" in shown
    assert "~/.claude" in shown


async def test_unreadable_folders_are_named() -> None:
    """When nothing could be read, why."""
    library = FakeLibrary([])
    library.events = [Trouble((Unreadable("claude", "/home/ada/.claude/projects", "permission denied"),))]
    async with (app := app_of(library)).run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        shown = text(app)
    assert "~/.claude/projects" in shown
    assert "permission denied" in shown


async def test_an_unreadable_folder_is_named_beside_the_others() -> None:
    """The list is not all there is, and does not look as if it were."""
    library = FakeLibrary(seven())
    library.events = [Trouble((Unreadable("claude", "/home/ada/.claude/projects/x", "permission denied"), Unreadable("codex", "/c", "no")))]
    async with (app := app_of(library)).run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert "~/.claude/projects/x could not be read: permission denied  (and 1 more" in text(app)


async def test_no_match_says_where_there_would_be_one() -> None:
    """Hidden sessions that match are one key away."""
    async with (app := app_of(FakeLibrary([session(0), session(1, hidden="headless")]))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"node")
        shown = text(app)
    assert "Nothing matches" in shown
    assert "1 match among the hidden" in shown


async def test_only_hidden_sessions_say_so() -> None:
    """The list is empty, the home is not."""
    async with (app := app_of(FakeLibrary([session(1, hidden="headless")]))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        shown = text(app)
    assert "1 session, hidden by default." in shown
    assert "It is a run of a script" in shown and "x    shows it" in shown


async def test_several_hidden_sessions_are_they() -> None:
    """One is it."""
    async with (app := app_of(FakeLibrary([session(1, hidden="headless"), session(2, hidden="headless")]))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        shown = text(app)
    assert "2 sessions, hidden by default." in shown
    assert "They are runs of scripts" in shown and "x    shows them" in shown


async def test_beginning_of_an_id_finds_a_hidden_session() -> None:
    """An id always wins."""
    async with (app := app_of(FakeLibrary([session(0), session(1, hidden="headless")]))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash", *session(1).id[:9])
        assert browser(app).list.current.id == session(1).id  # type: ignore[union-attr]


def tree(parent: str) -> Agent:
    """A session with two subagents, one below the other."""
    handle = Handle("claude", Root("claude", "/"), "/x", "", "x", 0, 0, 0)
    inner = Agent("inner", "subagent", "reviewer", "check the patch", "waiting", started=NOW - 60, handle=handle)
    outer = Agent(
        "outer", "subagent", "general", "write the fix", "finished", tokens=Usage(output=31_000), started=NOW - 240,
        ended=NOW - 60, handle=handle, call="call-1", children=(inner,),
    )  # fmt: skip
    return Agent(parent, "session", children=(outer, Agent("lost", "subagent", "Explore", "who calls login()")))


async def opened_tree() -> FakeLibrary:
    library = FakeLibrary(seven())
    library.trees[session(0).id] = tree(session(0).id)
    return library


async def until(pilot: object, condition: object) -> None:
    """Wait for what a thread brings."""
    for _ in range(200):
        if condition():  # type: ignore[operator]
            return
        await pilot.pause(0.01)  # type: ignore[attr-defined]
    raise AssertionError("it never came")


async def test_agents_pane_shows_the_tree_with_tokens_and_times() -> None:
    """Right-aligned, in the order they began."""
    async with (app := app_of(await opened_tree())).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await until(pilot, lambda: browser(app).tree_pane.root is not None)
        await pilot.pause()
        at = next(number for number, line in enumerate(lines(app)) if line.startswith("╭─ agents"))
        shown = [line[:66] for line in lines(app)[at : at + 5]]
    assert shown[0].endswith("3 ─╮")
    assert shown[2] == "│ ├─ ✓ general  write the fix                          31k    3m │"
    assert shown[3].startswith("│ │  └─ ? reviewer  check the patch")
    assert shown[4].startswith("│ └─ · Explore  who calls login()")


async def test_enter_on_an_agent_opens_it_and_backspace_returns() -> None:
    """The transcript changes in place."""
    async with (app := app_of(await opened_tree())).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await until(pilot, lambda: browser(app).tree_pane.root is not None)
        await pilot.press("tab", "down", "enter")
        assert browser(app).pane("reading").words[0] == "general  write the fix"
        await pilot.press("backspace")
        assert browser(app).pane("reading").words[0] == "Make the login test deterministic"


async def test_an_agent_without_a_transcript_says_so() -> None:
    """Nothing opens, and the reason is said."""
    async with (app := app_of(await opened_tree())).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await until(pilot, lambda: browser(app).tree_pane.root is not None)
        await pilot.press("tab", "end", "enter")
        assert "no transcript of this agent was kept" in lines(app)[-1]


async def test_an_agent_whose_transcript_lies_with_another_session_opens() -> None:
    """Of a history that was copied, the agents are found by their ids."""
    library = await opened_tree()
    library.rows.append(session(8, id="lost", title="Explore", hidden="subagent", path="/home/ada/.claude/other/subagents/lost.jsonl"))
    async with (app := app_of(library)).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await until(pilot, lambda: browser(app).tree_pane.root is not None)
        await pilot.press("tab", "end", "enter")
        assert browser(app).pane("reading").words[0] == "Explore  who calls login()"
        assert browser(app).transcript.handle.id == "lost"  # type: ignore[union-attr]


async def test_query_from_the_command_line_stands_in_the_box() -> None:
    """`sb browse node` opens with its result."""
    async with (app := app_of(FakeLibrary(seven()), query="node")).run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert browser(app).list.count == 1
        assert lines(app)[0].startswith(" sb  ❯ node")


async def test_q_leaves_with_nothing_to_do() -> None:
    """Exit status 0."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("q")
    assert app.return_value is None
    assert app.return_code == 0


async def test_a_click_moves_the_cursor() -> None:
    """The third row is three lines below the box."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.click("#list", offset=(20, 2))
        assert browser(app).list.cursor == 2


async def test_transcript_can_be_copied_as_markdown(monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy menu offers what is open, whole."""
    copied: list[str] = []
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        monkeypatch.setattr(browser(app).leaving, "copy_text", lambda text, what: copied.append(text))
        await pilot.press("enter")
        await until(pilot, lambda: browser(app).transcript.outline is not None)
        await pilot.press("Y", "M")
        await until(pilot, lambda: copied)
    assert copied[0].startswith("# Make the login test deterministic")


async def test_the_cursor_stays_on_the_newest_session_while_sessions_come() -> None:
    """Rows read first are not the newest ones; nobody chose them."""
    async with (app := app_of(FakeLibrary())).run_test(size=NARROW) as pilot:
        screen = browser(app)
        await settled(pilot)  # the load begins when there is a first picture
        screen.listing.is_complete = False
        for number in (5, 3, 0):
            app.screen.post_message(News([Found((session(number),))]))
            await pilot.pause()
        assert screen.list.cursor == 0
        assert screen.list.current == session(0)
        app.screen.post_message(News([Found((session(9, title="newest", updated=NOW + 9),)), Complete(4, {}, {})]))
        await pilot.pause()
        assert screen.list.current is not None and screen.list.current.title == "newest"


async def test_a_row_gone_to_while_sessions_come_is_kept() -> None:
    """The person's choice counts from the first moment on."""
    async with (app := app_of(FakeLibrary())).run_test(size=NARROW) as pilot:
        screen = browser(app)
        await settled(pilot)  # the load begins when there is a first picture
        screen.listing.is_complete = False
        app.screen.post_message(News([Found((session(3), session(5)))]))
        await pilot.pause()
        await pilot.press("down")
        app.screen.post_message(News([Found((session(0),)), Complete(3, {}, {})]))
        await pilot.pause()
        assert screen.list.current == session(5)


async def test_another_order_begins_at_the_top_unless_a_row_was_gone_to() -> None:
    """Who never moved wants to see what comes first in the new order."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("s", "s")
        assert browser(app).list.cursor == 0
        assert browser(app).list.current == session(6)
        await pilot.press("down", "s")
        assert browser(app).list.current == session(5)


async def test_rows_are_laid_out_anew_for_a_wider_pane() -> None:
    """No columns stay empty at the right."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await pilot.resize_terminal(84, 24)
        await pilot.pause(0.05)
        resized = lines(app)[2:8]
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(84, 24)) as pilot:
        await settled(pilot)
        assert resized == lines(app)[2:8]


async def test_what_is_wrong_with_a_query_has_a_line_of_its_own() -> None:
    """Frames and titles stay whole, and stay where they are until the box is empty."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"turns:x")
        await pilot.pause(0.05)
        shown = lines(app)
        assert "↑" in shown[1] and "╭" not in shown[1]
        assert shown[2].startswith("╭─ sessions ─")
        await pilot.press("backspace", *">2")
        await pilot.pause(0.05)
        assert lines(app)[1] == "" and lines(app)[2].startswith("╭─ sessions ─")
        await pilot.press("escape")
        await pilot.pause(0.05)
        assert lines(app)[1].startswith("╭─ sessions ─")


async def test_completions_leave_the_frames_whole() -> None:
    """They stand between the box and the panes, and go with the focus."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"is:", "tab")
        await pilot.pause(0.05)
        assert "running" in lines(app)[1] and lines(app)[2].startswith("╭─ sessions ─")
        browser(app).show_pane("sessions")
        await pilot.pause(0.05)
        assert lines(app)[1].startswith("╭─ sessions ─")


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (90, 24), (40, 30)])
async def test_a_first_run_in_a_small_window_says_how_many_agents_it_leaves_out(size: tuple[int, int]) -> None:
    """Nothing is cut without a word, also where lines are folded."""
    async with (app := app_of(FakeLibrary())).run_test(size=size) as pilot:
        await settled(pilot)
        await pilot.pause(0.05)
        shown = lines(app)[:-1]
        named = sum("~/" in line for line in shown)
        more = next((int(line.split("and ")[1].split()[0]) for line in shown if "  and " in line), 0)
        assert named + more == sum(any(place.startswith(("~", "{data}", "{support}")) for place in entry.places) for entry in REGISTRY)


async def test_an_empty_store_that_was_asked_for_is_named() -> None:
    """Nothing is said of this machine, which was not looked at."""
    library = FakeLibrary()
    library.asked = ("/home/ada/copy",)
    async with (app := app_of(library)).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.pause(0.05)
        assert "No sessions there:" in "\n".join(lines(app)) and "~/copy" in "\n".join(lines(app))
        assert "on this machine" not in "\n".join(lines(app))


async def test_a_list_that_was_empty_has_the_focus_again_when_there_are_rows() -> None:
    """A scope without sessions, and back: the keys of the list work as before."""
    elsewhere = Environment("/home/ada", {}, "/somewhere/else", "linux", NOW)
    async with (app := app_of(FakeLibrary(seven(), elsewhere))).run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        await pilot.press("a")
        await settled(pilot)
        assert browser(app).list.count == 0
        while browser(app).list.count == 0:
            await pilot.press("a")
            await settled(pilot)
        await pilot.press("j")
        assert browser(app).focused is browser(app).list
        assert browser(app).list.cursor == 1


async def test_matches_out_of_scope_are_told_in_plain_words() -> None:
    """With the key that looks everywhere."""
    assert ("a    looks everywhere: 1 match outside this folder", "text") in no_match("x", 0, 1, "in this folder")


async def test_the_agents_pane_takes_only_what_it_needs_without_agents() -> None:
    """And its share where there are some."""
    async with (app := app_of(await opened_tree())).run_test(size=WIDE) as pilot:
        await settled(pilot)
        pane = browser(app).pane("agents")
        await until(pilot, lambda: browser(app).tree_pane.root is not None and pane.size.height > 3)
        assert pane.outer_size.height == 14
        await pilot.press("down")
        await until(pilot, lambda: pane.outer_size.height == 5)
        shown = lines(app)[-6:]
    assert shown[0].startswith("╭─ agents ") and "none" in shown[0]
    assert "Bump Node to 24" in shown[1]
    assert "~/src/web" in shown[3]


@pytest.mark.parametrize("keys", [(), ("question_mark",), ("ctrl+p",), ("i",)])
async def test_with_ascii_signs_nothing_else_is_drawn(keys: tuple[str, ...]) -> None:
    """Frames, scrollbars, help and the palette of commands included."""
    rows = [row._replace(title=f"title {at}") for at, row in enumerate(many(60))]
    async with (app := app_of(FakeLibrary(rows), look="none", glyphs=ASCII)).run_test(size=(100, 20)) as pilot:
        await settled(pilot)
        await pilot.press(*keys)
        await pilot.pause(0.05)
        assert [line for line in lines(app) if not line.isascii()] == []
