"""A tiny source for tests of the library: a session is a text file of `name: value` lines."""

from __future__ import annotations

import os
from collections.abc import Iterator

from sessionbrowser.library.places import Shelf, UnknownSource
from sessionbrowser.model import (
    Block,
    Counts,
    Handle,
    Live,
    Place,
    Resume,
    ResumeOptions,
    Root,
    Session,
    SetAside,
    Transcript,
    Unreadable,
    Usage,
)
from sessionbrowser.paths import Environment
from sessionbrowser.sources.base import Source, SourceError


class Plain(Source):
    """Sessions in `~/.plain/*.txt`, their subagents in `~/.plain/ID/agents/*.txt`."""

    name, tag, label, program = "plain", "pl", "Plain", "plain"

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self.summarised: list[str] = []
        self.previous: list[Session | None] = []
        self.entered: list[bool] = []
        self.running: list[Live] = []
        self.days: int | None = None
        self.nested = False  # whether sessions lie in folders of their projects too
        self.added_ns = 0  # what the time of a session holds besides its file's, as where names stand in a file beside it
        self.blind = False  # whether discover reports that a part could not be read

    def roots(self) -> list[Root]:
        path = self.environment.under_home(".plain")
        return [Root(self.name, path)] if os.path.isdir(path) else []

    def root_at(self, path: str, label: str) -> Root | None:
        return Root(self.name, path, label, live=False) if any(n.endswith(".txt") for n in os.listdir(path)) else None

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        self.entered.append(deep)
        if self.blind:
            yield Unreadable(self.name, os.path.join(root.path, "closed"), "permission denied")
        for entry in sorted(os.scandir(root.path), key=lambda entry: entry.name):
            if entry.name.endswith(".txt"):
                yield self._handle(root, entry.path)
            elif self.nested and entry.is_dir():
                yield from (self._handle(root, file.path) for file in os.scandir(entry.path) if file.name.endswith(".txt"))
            elif entry.name.endswith(".bak"):
                yield SetAside(self.name, entry.path, "backup")
            elif deep and entry.is_dir() and os.path.isdir(agents := os.path.join(entry.path, "agents")):
                for name in sorted(os.listdir(agents)):
                    yield self._handle(root, os.path.join(agents, name), entry.name)

    def _handle(self, root: Root, path: str, parent: str = "") -> Handle:
        stat = os.stat(path)
        stem = os.path.basename(path).removesuffix(".txt")
        hidden = "subagent" if parent else ""
        return Handle(self.name, root, path, "", stem, stat.st_size, stat.st_mtime_ns + self.added_ns, stat.st_ino, hidden, parent)

    def folders(self, handle: Handle) -> tuple[str, ...]:
        return (os.path.join(handle.path.removesuffix(".txt"), "agents"),)

    def summarise(self, handle: Handle, previous: Session | None = None) -> Session:
        self.summarised.append(handle.id)
        self.previous.append(previous)
        values = self._values(handle)
        if "broken" in values:
            raise SourceError(values["broken"])
        if "absurd" in values:
            raise IndexError("tuple index out of range")
        facts = {name: values[name] for name in ("first_raw", "last_prompt_raw", "mirrors_raw") if name in values}
        if "own_prompt" in values:
            facts["own_prompt"] = values["own_prompt"] == "yes"
        return Session(
            values.get("id", handle.id), self.name, handle.path,
            title=values.get("title", handle.id), title_from="name", cwd=values.get("cwd"), branch=values.get("branch"),
            project=values.get("project", ""), created=float(values.get("updated", 0)) or None,
            updated=float(values.get("updated", 0)) or None, tail=values.get("tail", "finished"), size=handle.size,
            hidden=values.get("hidden", ""), forked_from=values.get("forked_from"), model=values.get("model"),
            first_prompt=values.get("prompt", ""), facts=facts,
        )  # fmt: skip

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        values = self._values(handle)
        blocks = (Block("prompt", Place(0), 1, values.get("prompt", ""), "typed"),)
        return Transcript(blocks, Counts(prompts=1, answers=2), Usage(10, 5), offset=handle.size)

    def _values(self, handle: Handle) -> dict[str, str]:
        with open(handle.path, encoding="utf-8") as file:
            return dict(line.rstrip("\n").split(": ", 1) for line in file if ": " in line)

    def live(self, root: Root) -> list[Live]:
        return self.running

    def retention(self, root: Root) -> tuple[int | None, str]:
        return self.days, "days"

    def resume(self, session: Session, options: ResumeOptions) -> Resume | None:
        fork = ("--fork",) if options.fork else ()
        return Resume(("plain", "--resume", session.id, *fork), session.cwd)


class PlainShelf(Shelf):
    """A shelf with nothing but the plain source on it."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self.plain = Plain(environment)

    def names(self) -> list[str]:
        return ["plain"]

    def present(self) -> list[str]:
        return ["plain"]

    def followers(self) -> list[str]:
        return []

    def get(self, name: str) -> Source:
        if name not in ("plain", "pl"):
            raise UnknownSource(f"no source is called {name}")
        return self.plain
