"""The columns of the session list: which fit, how wide, and what stands in them.

Plain text and style names only: the list widget and the early paint draw the same rows from here, so that
the first picture stays still when Textual takes over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sessionbrowser.model import Session
from sessionbrowser.render.glyphs import Glyphs
from sessionbrowser.sources import REGISTRY
from sessionbrowser.text import age, amount, cells, fit, weight

TAGS = {entry.name: entry.tag for entry in REGISTRY}
DAY = 86400.0
LEAST_TITLE, LEAST_NAME = 20, 5  # cells that a title keeps; those with which a longer project or branch still says something
HEADS = {"turns": "turns", "tokens": "tok", "size": "size", "expires": "kept", "begun": "begun"}  # numbers do not explain themselves


class Column(NamedTuple):
    """One column: what it shows, its cells, whether it aligns right, and the blanks before it."""

    name: str
    width: int
    right: bool = False
    gap: int = 1


class Cell(NamedTuple):
    """One piece of a row, as wide as it has to be: its text for eyes, a style name, the field it shows."""

    text: str
    style: str
    field: str = ""


class Widths(NamedTuple):
    """The longest content of the columns that grow with it, whether optional ones hold anything, and what the rows are in the order of."""

    project: int = 0
    branch: int = 0
    model: int = 0
    tokens: bool = False
    turns: bool = False
    expires: bool = False
    order: str = ""  # one of store.SORTS; "": best first

    def wider(self, other: Widths) -> Widths:
        """What both need."""
        return Widths(
            max(self.project, other.project),
            max(self.branch, other.branch),
            max(self.model, other.model),
            self.tokens or other.tokens,
            self.turns or other.turns,
            self.expires or other.expires,
            self.order,
        )


def measure(sessions: Sequence[Session]) -> Widths:
    """How wide the columns of these sessions would like to be."""
    projects = {session.project for session in sessions}
    branches = {session.branch or "" for session in sessions}
    models = {session.model or "" for session in sessions}
    return Widths(
        max(map(cells, projects), default=0),
        max(map(cells, branches), default=0),
        max((cells(short_model(model)) for model in models), default=0),
        any(session.tokens is not None and session.tokens.total for session in sessions),
        any(session.counts is not None for session in sessions),
        any(session.expires is not None for session in sessions),
    )


def plan(width: int, widths: Widths) -> tuple[Column, ...]:
    """The columns that fit into `width` cells; the title takes what the others leave. What the rows are ordered by comes first."""
    before = [Column("mark", 1, gap=0), Column("status", 1, gap=0)]
    if width >= 34:
        before.append(Column("source", 2))
    behind = _numbers(width, widths)
    taken = sum(column.width + column.gap for column in (*before, *behind)) + 2  # a blank before the title, one at the right edge
    project, branch = _names(width, widths, width - taken - LEAST_TITLE)
    names = [Column(name, cells) for name, cells in (("project", project), ("branch", branch)) if cells]
    taken += sum(column.width + column.gap for column in names)
    return (*before, *names, Column("title", max(4, width - taken)), *behind)


def _numbers(width: int, widths: Widths) -> list[Column]:
    """The columns behind the title."""
    order = widths.order if width >= 40 else ""
    columns: list[Column] = []
    if width >= 120 and widths.model:
        columns.append(Column("model", min(14, max(widths.model, 5)), gap=2))
    if width >= 90 and widths.turns:
        columns.append(Column("turns", 5, right=True))
    if (width >= 62 or order == "tokens") and widths.tokens:
        columns.append(Column("tokens", 5, right=True))
    if width >= 110 or (width >= 64 and not widths.tokens) or order == "size":
        columns.append(Column("size", 5, right=True))
    if width >= 110 and widths.expires:
        columns.append(Column("expires", 4, right=True, gap=2))
    return [*columns, Column("begun", 5, right=True) if order == "created" else Column("age", 4, right=True)]


def _names(width: int, widths: Widths, room: int) -> tuple[int, int]:
    """Cells of the project and of the branch in `room`, a blank before each; the branch gives way first, 0 is no column."""
    project = min(_cap(width, 7, 14), max(widths.project, 4)) if widths.project else 0
    branch = min(_cap(width, 10, 22), max(widths.branch, 4)) if widths.branch else 0
    least = min(project, LEAST_NAME), min(branch, LEAST_NAME)
    if branch and room >= sum(least) + 1 + bool(project):
        project = min(project, room - 2 - least[1])
        return project, min(branch, room - 1 - project - bool(project))
    project = min(_cap(width, 13, 20), max(widths.project, 4), room - 1) if project else 0
    return (project if project >= least[0] else 0), 0


def heads(columns: Sequence[Column]) -> list[Cell]:
    """A line over the rows that says what the columns are; [] where there are no numbers to be explained."""
    if not any(column.name in HEADS for column in columns):
        return []
    named = HEADS | {"age": "age"}
    return [Cell(" " * column.gap + fit(named.get(column.name, ""), column.width, right=column.right), "faint", column.name) for column in columns]


def _cap(width: int, least: int, most: int) -> int:
    """A limit that grows with the pane: `least` at 62 cells, `most` at 140."""
    share = (width - 62) / (140 - 62)
    return max(least, min(most, round(least + share * (most - least))))


def row(
    session: Session, columns: Sequence[Column], now: float, glyphs: Glyphs, *, marked: bool = False
) -> list[Cell]:
    """One row of the list, cell by cell, exactly as wide as `columns` say."""
    made: list[Cell] = []
    for column in columns:
        text, style = _content(column.name, session, now, glyphs, marked)
        width = column.width
        if column.gap:
            made.append(Cell(" " * column.gap, ""))
        if session.hidden and column.name == "title":
            reason = fit(session.hidden, min(cells(session.hidden), width // 2), ellipsis=glyphs.ellipsis)
            made += [Cell(reason, "faint", "hidden"), Cell("  ", "")]
            width -= cells(reason) + 2
        made.append(Cell(fit(text, width, right=column.right, ellipsis=glyphs.ellipsis), style, column.name))
    return made


def _content(name: str, session: Session, now: float, glyphs: Glyphs, marked: bool) -> tuple[str, str]:
    """The text of one column and its style name."""
    if name == "title":
        return session.title or session.id, "faint" if session.unreadable else "dim" if session.hidden else "title"
    if name == "status":
        return glyphs.status(session.status), f"status.{session.status}"
    if name == "mark":
        return (glyphs.bar, "accent") if marked else (" ", "")
    if name == "source":
        return TAGS.get(session.source, session.source[:2]), "tag"
    if name == "project":
        return session.project or glyphs.dash, "project" if session.project else "faint"
    if name == "branch":
        return session.branch or glyphs.dash, "branch" if session.branch else "faint"
    if name in ("age", "begun"):
        moment = session.updated if name == "age" else session.created or session.updated
        return age(max(0.0, now - moment)) if moment else glyphs.dash, "age"
    return _number(name, session, now), "count"  # blank where it is not known: a column of dashes is only noise


def _number(name: str, session: Session, now: float) -> str:
    """The optional columns; "" when nothing is known."""
    if name == "tokens" and session.tokens is not None and session.tokens.total:
        return amount(session.tokens.total)
    if name == "turns" and session.counts is not None:
        return str(session.counts.prompts)
    if name == "size" and (session.size or not session.key):  # of a session inside a database nobody knows
        return weight(session.size)
    if name == "model":
        return short_model(session.model or "")
    if name == "expires" and session.expires is not None:
        return f"{max(0, int((session.expires - now) // DAY))}d"
    return ""


def short_model(model: str) -> str:
    """A model's name without its maker and its date: claude-sonnet-4-5-20250929 becomes sonnet-4-5."""
    name = model.rsplit("/", 1)[-1].removeprefix("claude-")
    head, _, tail = name.rpartition("-")
    return head if head and tail.isdigit() and len(tail) == 8 else name
