"""The copy menu: everything of a session that one may want on the clipboard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sessionbrowser.model import Session
from sessionbrowser.paths import Environment, shown
from sessionbrowser.text import one_line
from sessionbrowser.tui.dialogs.menu import Choice, Menu


class Offer(NamedTuple):
    """Something to copy: its name and letter, what people call it, and its raw text."""

    name: str
    key: str
    label: str
    text: str


def copies(session: Session, line: str, environment: Environment) -> list[Offer]:
    """What there is to copy of a session; `line` is its resume command, "" for none."""
    offers = [
        Offer("command", "r", "resume command", line),
        Offer("id", "s", "session id", session.id),
        Offer("file", "f", "file", session.path),
        Offer("directory", "d", "directory", session.cwd or ""),
        Offer("title", "t", "title", session.title),
        Offer("prompt", "p", "first prompt", session.first_prompt),
        Offer("branch", "b", "branch", session.branch or ""),
        Offer("specstory", "m", "SpecStory file", session.specstory or ""),
    ]
    return [offer for offer in offers if offer.text]


def copy_menu(offers: Sequence[Offer], *, block: bool) -> Menu:
    """The menu for these offers and the transcript; with `block` also for the block under the cursor."""
    choices = [
        Choice(offer.name, offer.key, offer.label, one_line(shown(offer.text), 200), command=offer.name == "command") for offer in offers
    ]
    if block:
        choices.append(Choice("block", "y", "block under the cursor"))
    choices.append(Choice("markdown", "M", "transcript as Markdown", "what is open here" if block else "the whole session"))
    return Menu("copy", choices)
