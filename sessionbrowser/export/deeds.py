"""What each subagent of a session did: its last answer, its tools, its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.export import folding, safely, views
from sessionbrowser.export.files import Changed, changed
from sessionbrowser.library.places import why
from sessionbrowser.model import Agent, Block, Handle, Session, is_call
from sessionbrowser.safe import mask
from sessionbrowser.sources.base import SourceError
from sessionbrowser.text import change, one_line, plural

if TYPE_CHECKING:
    from sessionbrowser.library import Library

LINES = 8  # of a last answer in a drawn tree


class Tool(NamedTuple):
    """How often a tool was called, and how many calls failed."""

    name: str
    calls: int
    errors: int


class Deed(NamedTuple):
    """What one of them did; None: not asked for."""

    final: str | None = None
    tools: tuple[Tool, ...] | None = None
    files: tuple[Changed, ...] | None = None
    problem: str = ""  # why nothing is known

    def json(self) -> dict[str, object]:
        made: dict[str, object] = {}
        if self.problem:
            made["unreadable"] = self.problem
        if self.final is not None:
            made["final"] = self.final
        if self.tools is not None:
            made["tools"] = [tool._asdict() for tool in self.tools]
        if self.files is not None:
            made["files"] = [item.json() for item in self.files]
        return made

    def lines(self) -> Iterator[str]:
        """The same for eyes."""
        if self.problem:
            yield f"could not be read: {self.problem}"
        if self.tools is not None:
            yield ", ".join(f"{tool.name} {tool.calls}" + (f" ({plural(tool.errors, 'error')})" if tool.errors else "") for tool in self.tools) or "no tool called"
        if self.files is not None:
            for item in self.files:
                counts = [f"{word} {count}×" for word, count in (("read", item.read), ("edited", item.edited), ("created", item.created)) if count]
                yield f"{one_line(item.path, 400)}  {', '.join(counts)}  {change(item.added, item.removed)}".rstrip()
            if not self.files:
                yield "no file touched"
        if self.final is not None:
            said = self.final.strip().split("\n") if self.final.strip() else ["no answer"]
            yield from said[:LINES]
            if len(said) > LINES:
                yield f"… {plural(len(said) - LINES, 'line')} more"


class Deeds:
    """Reads what is asked for, one transcript at a time."""

    def __init__(self, library: Library, session: Session, *, finals: bool, tools: bool, files: bool, safe: bool) -> None:
        self.library, self.session = library, session
        self.finals, self.tools, self.files, self.safe = finals, tools, files, safe
        self.root: Handle | None = None  # the session's own transcript
        self._known: dict[str, Deed] = {}

    def of(self, agent: Agent) -> Deed:
        """What `agent` did. Its own work only, not that of its subagents."""
        if agent.id not in self._known:
            self._known[agent.id] = self._read(agent)
        return self._known[agent.id]

    def _read(self, agent: Agent) -> Deed:
        handle = agent.handle or (self.root if agent.kind == "session" else None)
        if handle is None:
            return Deed(problem="its transcript is not there") if agent.kind == "subagent" else Deed()
        try:
            blocks = self.library.outline(handle).blocks
        except (OSError, SourceError) as error:
            return Deed(problem=why(error))
        read = folding.reader(self.library, handle)
        last = views.keep("final", blocks)
        final = read(last[0]).text if last else ""
        return Deed(
            (mask(final) if self.safe else final) if self.finals else None,
            tools_of(blocks) if self.tools else None,
            tuple(self._files(changed(blocks, read if not self.safe else safely.safe_reader(read, tools=True), self.session.cwd or "")))
            if self.files else None,
        )  # fmt: skip

    def _files(self, found: list[Changed]) -> Iterator[Changed]:
        return (item._replace(path=mask(item.path)) if self.safe else item for item in found)


def tools_of(blocks: Iterable[Block]) -> tuple[Tool, ...]:
    """The tools that were called, most often first."""
    calls: dict[str, list[int]] = {}
    for block in blocks:
        if is_call(block):
            seen = calls.setdefault(block.name or block.what, [0, 0])
            seen[0] += 1
            seen[1] += block.ok is False
    return tuple(Tool(name, *counts) for name, counts in sorted(calls.items(), key=lambda item: (-item[1][0], item[0])))
