"""What a library stands on: its cache or the memory in place of it, its roots, and one way to bring both up to date."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence

from sessionbrowser.config import Config
from sessionbrowser.index.catalogue import Catalogue
from sessionbrowser.index.rows import Identity, Row
from sessionbrowser.index.store import NoCache, discard, reason
from sessionbrowser.library import places, survey
from sessionbrowser.library.places import Shelf
from sessionbrowser.library.reading import Reading
from sessionbrowser.library.status import with_status
from sessionbrowser.model import Live, Root, Session, SetAside, Unreadable
from sessionbrowser.paths import Environment, is_possible

Pause = Callable[[], None]


class Ground:
    """The base of Library."""

    def __init__(
        self,
        environment: Environment,
        *,
        config: Config | None = None,
        roots: Sequence[str] = (),
        sources: Sequence[str] = (),
        cache: bool = True,
        shelf: Shelf | None = None,
    ) -> None:
        self.environment = environment
        self.config = config or Config()
        self.shelf = shelf or Shelf(environment)
        self.trouble: list[Unreadable] = []
        self.aside: list[SetAside] = []
        self.without_cache = "" if cache else "not asked for"  # why the cache is not used, for eyes
        self._asked = (tuple(roots), tuple(sources))
        self._places: places.Places | None = None
        self._memory: Catalogue | None = None if cache else Catalogue.in_memory()
        self._outside: dict[Identity, Row] = {}  # rows that can't be kept on disk
        self._survey: survey.Survey | None = None
        self._retention: dict[tuple[str, str], int] = {}  # days, by source and root

    @property
    def asked(self) -> tuple[str, ...]:
        """The roots that are looked in instead of the live stores, as they were named."""
        return self._asked[0]

    def wanted(self) -> list[str]:
        """Names of the sources that are looked for. Raises UnknownSource."""
        only = self._asked[1] or self.config.sources
        return [self.shelf.get(name).name for name in only] if only else self.shelf.names()

    def places(self) -> places.Places:
        """Where this library looks, and what was asked for that is not there. Raises UnknownSource."""
        if self._places is None:
            self._places = places.find(self.shelf, self.config, *self._asked)
        return self._places

    def roots(self) -> tuple[Root, ...]:
        """The roots of the last load; before one, those known without it."""
        return self._survey.roots if self._survey else self.places().roots

    # ── the cache ──

    def _open(self) -> Catalogue:
        """The catalogue for this thread; to be given back to `_close`."""
        if self._memory is None:
            try:
                return Catalogue.open(self.environment)
            except (NoCache, sqlite3.Error) as error:
                self._do_without(error)
        assert self._memory is not None
        return self._memory

    def _close(self, catalogue: Catalogue) -> None:
        if catalogue is not self._memory:
            catalogue.close()

    def _do_without(self, error: Exception) -> None:
        """Go on in memory; a damaged file is thrown away, one that only can't be written to is copied."""
        self.without_cache = reason(error)
        copy = None
        if isinstance(error, sqlite3.OperationalError):
            try:
                copy = Catalogue.open(self.environment)
            except (NoCache, sqlite3.Error):
                copy = None
        elif isinstance(error, sqlite3.DatabaseError):
            try:
                discard(self.environment)
            except OSError:
                pass
        self._memory = Catalogue.in_memory(copy)
        if copy is not None:
            copy.close()

    # ── up to date ──

    def _look(self, catalogue: Catalogue, deep: bool, scans: Mapping[Root, survey.Scan] | None = None) -> survey.Survey:
        """Scan and compare, and remember where `cached` may look the next time."""
        found = survey.take(self.shelf, self._all_roots(catalogue), catalogue, deep=deep, scans=scans)
        found.trouble[:0] = self.places().trouble
        self._settle(catalogue, found)
        return found

    def _all_roots(self, catalogue: Catalogue) -> list[Root]:
        roots = self.places().roots
        return [*roots, *(root for root in self._followed(catalogue) if root not in roots)]

    def _bring(self, catalogue: Catalogue, found: survey.Survey, pause: Pause) -> Iterator[tuple[Reading, list[Row]]]:
        """Read what a survey found changed, and then what lies where those sessions ran."""
        reading = Reading(self.shelf, catalogue, found, self._outside, pause)
        for batch in reading.batches():
            yield reading, batch
        fresh = [root for root in self._near(reading.directories) if root not in found.roots]
        if not fresh:
            return
        more = survey.take(self.shelf, fresh, catalogue, deep=True)
        found.trouble.extend(more.trouble)
        found.aside.extend(more.aside)
        found = found._replace(roots=(*found.roots, *fresh), total=found.total + more.total)
        self._settle(catalogue, found)
        reading = Reading(self.shelf, catalogue, more._replace(roots=found.roots), self._outside, pause)
        for batch in reading.batches():
            yield reading, batch

    def _settle(self, catalogue: Catalogue, found: survey.Survey) -> None:
        self.trouble, self.aside, self._survey = found.trouble, found.aside, found
        self._retention = {name: days for name, days in found.retention.items() if days}
        scope, roots = self._scope(), [list(root) for root in found.roots]
        retention = [[*name, days] for name, days in self._retention.items()]
        try:
            if catalogue.note(scope) != roots:
                catalogue.keep_note(scope, roots)
            if catalogue.note(f"retention of {scope}") != retention:  # roots of another scope are deleted by other rules
                catalogue.keep_note(f"retention of {scope}", retention)
        except (TypeError, UnicodeEncodeError):  # a root whose name is no Unicode
            return

    def _remember(self, catalogue: Catalogue) -> list[Root]:
        """The roots of the last load, without a look at the disk; and the days after which agents delete."""
        days = catalogue.note(f"retention of {self._scope()}")
        if isinstance(days, list):
            self._retention = {(name, path): number for name, path, number in days}
        roots = catalogue.note(self._scope())
        return [Root(*values) for values in roots] if isinstance(roots, list) else []

    # ── roots that are found through sessions ──

    def _followed(self, catalogue: Catalogue) -> list[Root]:
        """Roots of earlier loads that lie where sessions ran; they are found through sessions alone."""
        followers = self._followers()
        if not followers:
            return []
        known = [root for root in self._remember(catalogue) if root.source in followers]
        return [root for root in known if os.path.exists(root.path)]

    def _near(self, directories: set[str]) -> list[Root]:
        found = []
        for name in self._followers() if directories else ():
            try:
                found += self.shelf.get(name).roots_for(sorted(filter(is_possible, directories)))
            except OSError:
                continue
        return found

    def _followers(self) -> list[str]:
        if self._asked[0]:
            return []
        wanted = self.wanted()
        return [name for name in self.shelf.followers() if name in wanted]

    def _scope(self) -> str:
        """The name under which the roots of this library are remembered."""
        from sessionbrowser.sources import REGISTRY

        env = self.environment
        moved = [(name, env.get(name)) for item in REGISTRY for name in item.variables if env.get(name)]
        extra = [root.path for root in self.config.roots if root.always]
        scope = f"roots {env.home!r} {self._asked!r} {self.config.sources!r} {extra!r} {moved!r}"
        return scope.encode("utf-8", "backslashreplace").decode()

    # ── rows ──

    def _dressed(self, row: Row, live: Mapping[tuple[str, str], Live] | None = None) -> Session:
        """The session of a row as it is shown: with its status, and when its agent will delete it.

        `live` is what the registries say, as the last load found it where nothing is given.
        """
        handle, session = row
        if live is None:
            live = self._survey.live if self._survey else {}
        registered = live.get((session.source, session.id)) if handle.root.live else None
        session = with_status(session, registered, self.environment.now())
        if session.expires is None and handle.root.live and handle.mtime_ns > 0 and not session.archived:
            days = self._retention.get((handle.root.source, handle.root.path))
            written = session.updated if self.environment.clock else handle.mtime_ns / 1e9  # invented files are as old as they say
            if days and written:
                return session._replace(expires=written + days * 86400.0)
        return session
