"""Counting over many sessions: prompts, tokens, cost, tools, errors, models, by source, project, branch, day, file.

A session counts as a whole: its day is the local day of its last activity, its project and branch are those last
seen. Counts are the ones of the list (`counts`, `tokens`), so that both always agree; what a file adds up
to is kept, and read again only when the file changed.
"""

from __future__ import annotations

import time as _time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from sessionbrowser.config import Config, Price
from sessionbrowser.export import folding
from sessionbrowser.export.files import changed
from sessionbrowser.index.sums import Sums, filled
from sessionbrowser.library.places import why
from sessionbrowser.model import Counts, Session, Usage
from sessionbrowser.sources.base import SourceError

if TYPE_CHECKING:
    from sessionbrowser.library import Library

TABLES = ("source", "project", "branch", "model", "tool", "day", "file")
USUAL = ("source", "project", "model", "tool", "day")  # what is counted unless something else is asked for

Progress = Callable[[int, int], None]


class Figures:
    """What was counted for one row."""

    def __init__(self) -> None:
        self.sessions = 0
        self.counts = Counts()
        self.tokens = Usage()
        self.cost: float | None = None  # None: no price is known for any of it

    def add(self, counts: Counts, tokens: Usage, cost: float | None) -> None:
        self.sessions += 1
        self.counts = Counts(*(a + b for a, b in zip(self.counts, counts, strict=True)))
        self.spend(tokens, cost)

    def spend(self, tokens: Usage, cost: float | None) -> None:
        self.tokens = self.tokens.plus(tokens)
        if cost is not None:
            self.cost = (self.cost or 0.0) + cost

    def json(self) -> dict[str, object]:
        return {"sessions": self.sessions, **self.counts._asdict(), "tokens": self.tokens._asdict(), "cost": rounded(self.cost)}


class ToolFigures:
    """Calls of one tool."""

    def __init__(self) -> None:
        self.sessions = self.calls = self.errors = 0

    def json(self) -> dict[str, object]:
        return {"sessions": self.sessions, "calls": self.calls, "errors": self.errors}


class FileFigures:
    """What was done to one file."""

    def __init__(self) -> None:
        self.sessions = self.read = self.edited = self.created = self.added = self.removed = 0
        self.ids: list[str] = []

    def json(self) -> dict[str, object]:
        return {"sessions": self.sessions, "read": self.read, "edited": self.edited, "created": self.created, "added": self.added,
                "removed": self.removed, "ids": self.ids}  # fmt: skip


def rounded(cost: float | None) -> float | None:
    return None if cost is None else round(cost, 4)


class Statistics:
    """The sums so far. `tables` says which tables are wanted, `config` what models cost."""

    def __init__(self, tables: Sequence[str] = USUAL, config: Config | None = None) -> None:
        self.wanted = tuple(tables)
        self.config = config or Config()
        self.total = Figures()
        self.rows: dict[str, dict[str, Figures]] = {name: {} for name in ("source", "project", "branch", "model", "day") if name in tables}
        self.tools: dict[str, ToolFigures] = {}
        self.files: dict[str, FileFigures] = {}
        self.priced = Usage()  # tokens whose price is known
        self.subagents = 0
        self.unreadable: list[tuple[str, str]] = []  # path (raw), why

    def add(self, session: Session, sums: Sums) -> None:
        """A session with what it adds up to."""
        costs = {model: cost_of(usage, model, self.config.prices) for model, usage in sums.models.items()}
        known = [cost for cost in costs.values() if cost is not None]
        cost = sum(known) if known else None
        self.total.add(sums.counts, sums.tokens, cost)
        self.subagents += filled(session, sums).subagents or 0
        for model, usage in sums.models.items():
            if costs[model] is not None:
                self.priced = self.priced.plus(usage)
        for name, key in (("source", session.source), ("project", session.project or "–"), ("branch", session.branch or "–"), ("day", day_of(session))):
            if name in self.rows:
                self.rows[name].setdefault(key, Figures()).add(sums.counts, sums.tokens, cost)
        if "model" in self.rows:
            self._models(session, sums, costs)
        if "tool" in self.wanted:
            self._tools(sums)

    def _models(self, session: Session, sums: Sums, costs: Mapping[str, float | None]) -> None:
        """Tokens by model. A session is one of every model it used; what it counts is told of the one that answered last."""
        last = session.model or next(reversed(list(sums.models)), "") or "–"
        rows = self.rows["model"]
        rows.setdefault(last, Figures()).add(sums.counts, Usage(), None)
        for model, usage in sums.models.items():
            figures = rows.setdefault(model or "–", Figures())
            figures.spend(usage, costs[model])
            figures.sessions += (model or "–") != last

    def _tools(self, sums: Sums) -> None:
        for name, (calls, errors) in sums.tools.items():
            figures = self.tools.setdefault(name, ToolFigures())
            figures.sessions += 1
            figures.calls += calls
            figures.errors += errors

    def add_files(self, library: Library, session: Session) -> None:
        """The files of a session: takes a look at every edit."""
        handle = library.handle(session)
        read = folding.reader(library, handle)
        folder = (session.cwd or "").rstrip("/") + "/"
        for item in changed(library.outline(handle).blocks, read, session.cwd or ""):
            path = item.path if item.path.startswith(("/", "~")) or not session.cwd else folder + item.path
            figures = self.files.setdefault(path, FileFigures())
            figures.sessions += 1
            figures.read += item.read
            figures.edited += item.edited
            figures.created += item.created
            figures.added += item.added
            figures.removed += item.removed
            if item.edited or item.created:
                figures.ids.append(session.id)

    def table(self, name: str) -> list[tuple[str, Figures]]:
        """A table of sums: days in order, everything else with most tokens first."""
        rows = self.rows.get(name, {}).items()
        if name == "day":
            return sorted(rows)
        return sorted(rows, key=lambda row: (-row[1].tokens.total, -row[1].counts.prompts, -row[1].sessions, row[0]))

    def tool_table(self) -> list[tuple[str, ToolFigures]]:
        """Tools, most calls first."""
        return sorted(self.tools.items(), key=lambda row: (-row[1].calls, row[0]))

    def file_table(self) -> list[tuple[str, FileFigures]]:
        """Files, those changed most first."""
        return sorted(self.files.items(), key=lambda row: (-(row[1].edited + row[1].created), -row[1].read, row[0]))

    def json(self) -> dict[str, object]:
        """All of it."""
        made: dict[str, object] = {
            "totals": {**self.total.json(), "subagents": self.subagents}, "currency": self.config.currency, "priced_tokens": self.priced._asdict(),
        }  # fmt: skip
        for name in self.wanted:
            rows: Iterable[tuple[str, Figures | ToolFigures | FileFigures]]
            rows = self.tool_table() if name == "tool" else self.file_table() if name == "file" else self.table(name)
            made[f"by_{name}"] = [{name: key, **figures.json()} for key, figures in rows]
        return made


def day_of(session: Session) -> str:
    """The local day of a session's last activity."""
    moment = session.updated if session.updated is not None else session.created
    return _time.strftime("%Y-%m-%d", _time.localtime(moment)) if moment is not None else "undated"


def cost_of(usage: Usage, model: str, prices: Sequence[Price]) -> float | None:
    """What tokens cost, None where the model has no price. The longest name that fits counts."""
    low = model.lower()
    fitting = [price for price in prices if low.startswith(price.model.lower()) or low.rsplit("/", 1)[-1].startswith(price.model.lower())]
    if not fitting or not usage.total:
        return None if not fitting else 0.0
    price = max(fitting, key=lambda item: len(item.model))
    return (usage.input * price.input + usage.output * price.output + usage.cache_read * price.cache_read + usage.cache_write * price.cache_write) / 1e6


def gather(library: Library, sessions: Sequence[Session], tables: Sequence[str] = USUAL, *, progress: Progress | None = None,
           stopped: Callable[[], bool] = lambda: False) -> Statistics:  # fmt: skip
    """Count over `sessions`; what can't be read is told in `unreadable`. `stopped` ends it early."""
    found = Statistics(tables, library.config)
    for done, (session, sums) in enumerate(library.sums(sessions), 1):
        if isinstance(sums, str):
            found.unreadable.append((session.path, sums))
            continue
        found.add(session, sums)
        if "file" in tables:
            try:
                found.add_files(library, session)
            except (OSError, SourceError, KeyError) as error:
                found.unreadable.append((session.path, why(error)))
        if progress is not None:
            progress(done, len(sessions))
        if stopped():
            break
    return found
