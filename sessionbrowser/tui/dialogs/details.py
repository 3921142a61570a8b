"""The details card: every fact of a session."""

from __future__ import annotations

from sessionbrowser.model import Session, Transcript
from sessionbrowser.paths import Environment
from sessionbrowser.tui.dialogs.card import Card, Fact
from sessionbrowser.tui.facts import card


def details_card(session: Session, outline: Transcript | None, environment: Environment) -> Card:
    """Everything known of a session, the transcript's totals included when it was read."""
    facts: list[Fact] = []
    for section in card(session, outline, environment):
        if facts:
            facts.append(Fact(""))
        if section.title:
            facts.append(Fact(section.title))
        facts += [Fact(*fact) for fact in section.facts]
    return Card("details", facts, least=60)
