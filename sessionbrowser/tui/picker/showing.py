"""What the next frame of the picker shows, from what it knows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sessionbrowser.model import Session
from sessionbrowser.render.rows import Row
from sessionbrowser.tui.picker import panels
from sessionbrowser.tui.picker.actions import FOOTER
from sessionbrowser.tui.picker.draw import Picture
from sessionbrowser.tui.picker.pen import Piece

if TYPE_CHECKING:
    from sessionbrowser.tui.picker.app import Picker


def picture_of(picker: Picker) -> Picture:
    """All that the next frame shows."""
    layout, choice = picker.layout, picker.choice
    session = choice.current
    identity = session.identity if session is not None else None
    if identity != picker.shown:
        picker.shown, picker.scrolled = identity, 0
    picker.first = choice.first_for(picker.first, layout.list_height)
    covered = None
    if picker.help is not None:
        rows = panels.help_rows(picker.keymap, picker.glyphs, layout.width)
        picker.help = min(picker.help, max(0, len(rows) - layout.body))
        covered = rows[picker.help :]
    return Picture(
        layout, choice, picker.box, picker.first, choice.widths(), _counts(picker), _empty(picker) if not choice.rows else (),
        session.title if session is not None else "", _preview_rows(picker, session), covered, _said_now(picker), _keys(picker),
    )  # fmt: skip


def _preview_rows(picker: Picker, session: Session | None) -> Sequence[Row]:
    layout = picker.layout
    if session is None or not layout.preview:
        return ()
    asked = picker.facts if picker.details else picker.previews
    rows = asked.get(session, layout.preview_width, layout.preview_height)
    if rows is None:
        return ()
    picker.scrolled = min(picker.scrolled, max(0, len(rows) - layout.preview_height))
    return rows[picker.scrolled :]


def _counts(picker: Picker) -> list[Piece]:
    choice, dot = picker.choice, picker.glyphs.dot
    matched, total = len(choice.rows), len(choice.pool())
    hidden = sum(choice.store.hidden().values()) if choice.wanted is None else 0
    words = f"{total:,}" if matched == total else f"{matched:,} of {total:,}"
    if choice.source:
        words += f" {dot} {choice.source}"
    if choice.store.scope.folders:
        words += f" {dot} {choice.store.scope.name.removeprefix('in ')}"
    if hidden and picker.layout.width >= 50:
        words += f" {dot} {hidden:,} hidden" + (" ones shown" if choice.store.show_hidden else "")
    pieces: list[Piece] = [(f"{words} ", "dim")]
    if choice.marked:
        pieces.insert(0, (f"{len(choice.marked):,} marked {dot} ", "accent bold"))
    return pieces


def _empty(picker: Picker) -> list[list[Piece]]:
    store = picker.choice.store
    return panels.nothing(
        picker.choice.query.text, complete=picker.is_complete, searching=picker.conversations.is_searching,
        known=len(picker.choice.pool()), hidden=sum(store.hidden().values()), waiting=picker.ids_pending,
        environment=picker.library.environment, glyphs=picker.glyphs,
    )  # fmt: skip


def _said_now(picker: Picker) -> list[Piece]:
    message, style, until = picker.said
    if message and time.monotonic() < until:
        return [(message, style)]
    if picker.offered is not None:
        return [(picker.offered[0][picker.offered[1]].help, "dim")]
    if picker.choice.problem is not None:
        return [(picker.choice.problem.message, "warn")]
    done, total = picker.progress
    if total and not picker.is_complete:
        return [(f"reading {done:,} of {total:,}", "dim")]
    return [(picker.settings.header, "dim")] if picker.settings.header else []


def _keys(picker: Picker) -> list[tuple[str, str]]:
    if picker.help is not None:
        return [("esc", "close")]
    ascii = picker.glyphs.rule == "-"
    wanted = [(name, does) for name, does in FOOTER if name != "mark_down" or picker.choice.order.limit is not None]
    made = [(picker.keymap.key_of(name), does) for name, does in wanted]
    return [(panels.shown_key(key, ascii=ascii), does) for key, does in made if key]
