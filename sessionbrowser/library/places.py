"""Which roots a library looks in: the live stores, the copies a person named, and what of that is not there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from sessionbrowser import sources
from sessionbrowser.config import Config
from sessionbrowser.index.catalogue import is_text
from sessionbrowser.model import Root, Unreadable
from sessionbrowser.paths import Environment
from sessionbrowser.sources.base import Source
from sessionbrowser.sources.locked import locked
from sessionbrowser.text import one_line

BACKUPS = ("mirror", "snapshot-24h", "snapshot-1w", "snapshot-1mo")


class UnknownSource(ValueError):
    """A source nobody registered; the message is for eyes."""


class Shelf:
    """The sources, each loaded when it is first needed. Tests put their own on it."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self._loaded: dict[str, Source] = {}

    def names(self) -> list[str]:
        """Every source there is."""
        return [item.name for item in sources.REGISTRY]

    def present(self) -> list[str]:
        """The sources whose files may be on this machine."""
        return [item.name for item in sources.present(self.environment)]

    def followers(self) -> list[str]:
        """The sources whose files lie in the directories of other sources' sessions."""
        return [item.name for item in sources.REGISTRY if item.follows]

    def get(self, name: str) -> Source:
        """The source called `name`, or by its tag. Raises UnknownSource."""
        if name not in self._loaded:
            try:
                self._loaded[name] = sources.load(name, self.environment)
            except KeyError:
                raise UnknownSource(f"no source is called {one_line(name, 40)} (there are {', '.join(self.names())})") from None
        return self._loaded[name]


class Places(NamedTuple):
    """Where to look, each root once, and what was asked for that is not there."""

    roots: tuple[Root, ...]
    trouble: tuple[Unreadable, ...] = ()


class _Copy(NamedTuple):
    """A copy of a store to look in, and what is said where there is none."""

    label: str
    path: str
    missing: str = "no such file or folder"


def find(shelf: Shelf, config: Config, asked: Sequence[str], only: Sequence[str]) -> Places:
    """The roots of a library: those `asked` for by name or path, else the live ones and what the configuration adds.

    `only` keeps some sources. Raises UnknownSource.
    """
    names = [shelf.get(name).name for name in only or config.sources]
    roots: list[Root] = []
    trouble: list[Unreadable] = []
    if not asked:
        for name in names or shelf.present():
            _live(shelf.get(name), roots, trouble)
        seen = {root.source for root in roots} | {item.source for item in trouble}
        trouble += locked(shelf.environment, [name for name in names or shelf.names() if name not in seen])
    copies = [_copy(name, config, shelf.environment) for name in asked]
    if not asked:
        copies = [_Copy(extra.name, extra.path) for extra in config.roots if extra.always]
    for copy in copies:
        _at(shelf, names or shelf.names(), copy, roots, trouble)
    odd = [root for root in roots if not is_text((root.source, root.path, ""))]
    trouble += [Unreadable(root.source, root.path, "its path is no Unicode") for root in odd]
    return Places(tuple(_once([root for root in roots if root not in odd])), tuple(trouble))


def _live(source: Source, roots: list[Root], trouble: list[Unreadable]) -> None:
    try:
        roots.extend(source.roots())
    except OSError as error:
        trouble.append(Unreadable(source.name, error.filename or "", why(error)))


def _copy(name: str, config: Config, env: Environment) -> _Copy:
    """The root asked for by name or path."""
    for extra in config.roots:
        if extra.name == name:
            return _Copy(name, extra.path)
    if name in BACKUPS:
        folder = env.under_home(".claude-backups", name)
        inside = os.path.join(folder, "projects")
        return _Copy(name, inside if os.path.isdir(inside) else folder)
    path = env.expand(name)
    found = _Copy(one_line(os.path.basename(path) or path, 40), path)
    may_be_a_name = os.sep not in name and not name.startswith(("~", "."))
    return found._replace(missing=f"{found.missing}, and no root of the configuration is called that") if may_be_a_name else found


def _at(shelf: Shelf, names: Sequence[str], copy: _Copy, roots: list[Root], trouble: list[Unreadable]) -> None:
    path, label = copy.path, copy.label
    try:
        os.stat(path)
        if os.path.isdir(path):
            os.scandir(path).close()
    except OSError as error:
        trouble.append(Unreadable("", path, copy.missing if isinstance(error, FileNotFoundError) else why(error)))
        return
    found = []
    for name in names:
        try:
            root = shelf.get(name).root_at(path, label)
        except OSError as error:
            trouble.append(Unreadable(name, error.filename or path, why(error)))
            continue
        here = [root] if root is not None else _below(shelf.get(name), path)
        found += [root._replace(label=label, live=False) for root in here]
    if not found:
        trouble.append(Unreadable("", path, "no agent's sessions are there"))
    roots.extend(found)


def _below(source: Source, home: str) -> list[Root]:
    """The stores of a source in a folder that is a copy of somebody's whole home."""
    there = source.environment._replace(home=home, variables={}, cwd=home)
    try:
        roots = type(source)(there).roots()
    except OSError:
        return []
    inside = os.path.join(os.path.realpath(home), "")
    return [root for root in roots if os.path.realpath(root.path).startswith(inside)]


def _once(roots: Sequence[Root]) -> list[Root]:
    seen: set[tuple[str, str]] = set()
    kept = []
    for root in roots:
        name = (root.source, os.path.realpath(root.path))
        if name not in seen:
            seen.add(name)
            kept.append(root)
    return kept


def why(error: Exception) -> str:
    """The reason of an error, on one line for eyes."""
    if isinstance(error, FileNotFoundError):
        return "no such file or folder"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return one_line(str(error)) or type(error).__name__
