"""What the browser's keys and its parts' messages lead to: one line each, the work is in the parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sessionbrowser.tui.agent_tree import AgentTree
from sessionbrowser.tui.conversations import HitsCame, IndexGrew, SearchedOn, SumsCame
from sessionbrowser.tui.exactly import RowsRead
from sessionbrowser.tui.feed import Broken, Cached, News
from sessionbrowser.tui.keys import help_of
from sessionbrowser.tui.look import look_of
from sessionbrowser.tui.query_bar import QueryInput
from sessionbrowser.tui.transcript import TranscriptView

if TYPE_CHECKING:
    from sessionbrowser.tui.browser import Browser


class Actions:
    """Mixed into the browser."""

    # ── keys ──

    def action_copy(self) -> None:
        _browser(self).leaving.copy_command()

    def action_copy_menu(self) -> None:
        _browser(self).leaving.copy_menu()

    def action_export(self) -> None:
        _browser(self).exporting.ask()

    def action_statistics(self) -> None:
        """Of the sessions in the list, whatever the box left of them."""
        from sessionbrowser.tui.dialogs.statistics import StatisticsCard  # not for the first screen

        browser = _browser(self)
        browser.app.push_screen(StatisticsCard(browser.library, browser.list.everything()))

    def action_resume(self) -> None:
        _browser(self).leaving.resume(fork=False)

    def action_fork(self) -> None:
        _browser(self).leaving.resume(fork=True)

    def action_hidden(self) -> None:
        _browser(self).listing.toggle_hidden()

    def action_scope(self) -> None:
        _browser(self).listing.next_scope()

    def action_sort(self) -> None:
        _browser(self).listing.next_sort()

    def action_group(self) -> None:
        _browser(self).listing.next_grouping()

    def action_reload(self) -> None:
        _browser(self).listing.reload()

    def action_next_waiting(self) -> None:
        _browser(self).listing.walk.next_waiting()

    def action_back(self) -> None:
        """From a subagent to the session, from there to the list."""
        browser = _browser(self)
        if not browser.reading.back() and browser.active != "sessions":
            browser.show_pane("sessions")

    def action_details(self) -> None:
        from sessionbrowser.tui.dialogs.details import details_card

        browser = _browser(self)
        session = browser.reading.session
        if session is None:
            browser.say("no session is chosen")
        else:
            browser.app.push_screen(details_card(session, browser.reading.outline, browser.environment))

    def action_help(self) -> None:
        """The keys that work where the focus is."""
        from sessionbrowser.tui.dialogs.help import STATUS_HELP, help_card

        browser = _browser(self)
        _, glyphs = look_of(browser)
        ascii = glyphs.rule == "-"
        focused = browser.focused
        here = help_of(browser, focused, ascii=ascii) if focused is not None else []
        everywhere = help_of(browser, browser, ascii=ascii) + help_of(browser, browser.app, ascii=ascii)
        if browser.focused is browser.box:  # a letter is text there
            everywhere = [item for item in everywhere if not all(len(key) == 1 for key in item.keys)]
        statuses = [(glyphs.status(name), words, f"status.{name}") for name, words in STATUS_HELP]
        about = getattr(type(focused), "HELP", None) or ""
        browser.app.push_screen(help_card(browser.focused_pane, about, here, everywhere, statuses))

    # ── messages ──

    def on_cached(self, event: Cached) -> None:
        _browser(self).listing.cached(event)

    def on_news(self, event: News) -> None:
        _browser(self).listing.news(event)

    def on_hits_came(self, event: HitsCame) -> None:
        _browser(self).listing.hits(event)

    def on_searched_on(self, event: SearchedOn) -> None:
        _browser(self).listing.searched_on(event)

    def on_rows_read(self, event: RowsRead) -> None:
        _browser(self).listing.rows_read(event)

    def on_index_grew(self, event: IndexGrew) -> None:
        _browser(self).listing.index_grew(event)

    def on_sums_came(self, event: SumsCame) -> None:
        _browser(self).listing.sums_came(event)

    def on_query_input_next_hit(self, event: QueryInput.NextHit) -> None:
        _browser(self).listing.walk.next_hit(event.by)

    def on_broken(self, event: Broken) -> None:
        _browser(self).listing.broken(event)

    def on_agent_tree_opened(self, event: AgentTree.Opened) -> None:
        _browser(self).reading.open_agent(event.agent)

    def on_transcript_view_agent_opened(self, event: TranscriptView.AgentOpened) -> None:
        _browser(self).reading.open_agent_id(event.agent, event.call)

    def on_transcript_view_copy_asked(self, event: TranscriptView.CopyAsked) -> None:
        _browser(self).leaving.copy_text(event.text, event.what)

    def on_transcript_view_loaded(self, event: TranscriptView.Loaded) -> None:
        _browser(self).reading.loaded(event.outline, event.partial)

    def on_transcript_view_passed(self, event: TranscriptView.Passed) -> None:
        _browser(self).listing.walk.past_hits(event.step)

    def on_surface_labelled(self, event: TranscriptView.Labelled) -> None:
        _browser(self).reading.labelled(event.title, event.right)


def _browser(mixed: Actions) -> Browser:
    return cast("Browser", mixed)
