"""Everything that is known of a session, as a card."""

from __future__ import annotations

from sessionbrowser.model import Session
from sessionbrowser.paths import Environment
from sessionbrowser.tui.facts import card


def test_no_row_is_called_as_its_heading(env: Environment) -> None:
    """The status is one of the facts about what was going on."""
    sections = {part.title: [name for name, _, _ in part.facts] for part in card(Session("a", "claude", "/a", updated=5.0), None, env)}
    assert "status" in sections["activity"]
    assert not [heading for heading, names in sections.items() if heading in names]
