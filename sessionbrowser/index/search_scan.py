"""One search through the files themselves: for tools, expressions, and sessions that are not in the index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

from sessionbrowser.index import deep
from sessionbrowser.index.fulltext import Identity
from sessionbrowser.index.search_hit import Hit, Options, Sessions, hit
from sessionbrowser.index.search_shelf import Owner
from sessionbrowser.model import Handle
from sessionbrowser.query.tree import Field, Leaf

_TOOLS = frozenset({"tool"})


class Asked(Protocol):
    """What a search looks for: a query, or a part of one."""

    @property
    def wanted(self) -> tuple[Leaf, ...]: ...
    @property
    def deep_fields(self) -> tuple[tuple[Field, bool], ...]: ...


class Alone(NamedTuple):
    """One part of a query by itself."""

    wanted: tuple[Leaf, ...]
    deep_fields: tuple[tuple[Field, bool], ...] = ()


def scan(library: Sessions, owners: Iterable[Owner], query: Asked, kinds: tuple[frozenset[str], frozenset[str]],
         options: Options, cancelled: Callable[[], bool]) -> Iterator[Hit]:  # fmt: skip
    """Hits read from the files of `owners`, in their order. `kinds`: of a session's own text, and of subagents'.

    All words have to stand in one passage here (in one call, for tools).
    """
    fields = tuple(field for field, yes in query.deep_fields if yes)
    unwanted = tuple(field for field, yes in query.deep_fields if not yes)
    main, below = (_TOOLS, _TOOLS) if fields else kinds
    handles: list[Handle] = []
    belongs: dict[Identity, Owner] = {}
    for owner in owners:
        for handle in _handles(library, owner):
            handles.append(handle)
            belongs[_identity(handle)] = owner
    given: dict[Identity, int] = {}
    refused: dict[Identity, bool] = {}
    for handle in deep.candidates(handles, deep.Wanted(query.wanted, main | below, fields), cancelled, options.report):
        owner = belongs[_identity(handle)]
        identity = owner.session.identity
        wanted = deep.Wanted(query.wanted, main if _identity(handle) == identity else below, fields)
        if refused.get(identity) or given.get(identity) == options.per_session is not None:
            continue
        for passage in deep.search(library.source(handle.source), handle, wanted, cancelled):
            if unwanted and identity not in refused:
                refused[identity] = _has_call(library, owner, unwanted, cancelled)
            if refused.get(identity):
                break
            yield hit(owner, handle, passage, query.wanted, options)
            given[identity] = given.get(identity, 0) + 1
            if given[identity] == options.per_session:
                break


def callers(library: Sessions, owners: Iterable[Owner], fields: tuple[Field, ...], cancelled: Callable[[], bool]) -> set[Identity]:
    """The sessions that called one of these tools, or touched one of these files."""
    return {owner.session.identity for owner in owners if not cancelled() and _has_call(library, owner, fields, cancelled)}


def _handles(library: Sessions, owner: Owner) -> list[Handle]:
    """The files of a session and its subagents that are still there."""
    handles = [entry.handle for entry in owner.entries]
    for row in owner.unread:
        try:
            handles.append(library.handle(row))
        except LookupError:  # it went away since it was listed
            continue
    return handles


def _has_call(library: Sessions, owner: Owner, unwanted: tuple[Field, ...], cancelled: Callable[[], bool]) -> bool:
    """Whether a session called a tool it must not have called, or touched such a file."""
    for handle in _handles(library, owner):
        source = library.source(handle.source)
        for field in unwanted:
            if next(deep.search(source, handle, deep.Wanted((), _TOOLS, (field,)), cancelled), None) is not None:
                return True
    return False


def _identity(handle: Handle) -> Identity:
    return (handle.source, handle.path, handle.key)
