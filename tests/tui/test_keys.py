"""Which keys do what where."""

from __future__ import annotations

from textual.binding import Binding

from sessionbrowser.tui.agent_tree import AgentTree
from sessionbrowser.tui.app import SessionBrowserApp
from sessionbrowser.tui.browser import Browser
from sessionbrowser.tui.grouped_list import GroupedList
from sessionbrowser.tui.keys import shown_key
from sessionbrowser.tui.transcript import TranscriptView


def signs(*owners: type) -> set[str]:
    """Keys that are one character, of these classes' own bindings."""
    keys = {shown_key(key.strip()) for owner in owners for item in owner.BINDINGS if isinstance(item, Binding) for key in item.key.split(",")}  # type: ignore[attr-defined]
    return {key for key in keys if len(key) == 1 and key not in "↑↓←→"}


def test_no_pane_gives_another_meaning_to_a_key_that_works_everywhere() -> None:
    """Only / does: it finds what the pane shows."""
    everywhere = signs(Browser, SessionBrowserApp)
    assert {pane: signs(pane) & everywhere for pane in (GroupedList, AgentTree, TranscriptView)} == {
        GroupedList: set(), AgentTree: set(), TranscriptView: {"/"},
    }  # fmt: skip
