"""The loader: roots in, a stream of events out; and everything one asks of a single session.

A plain generator inside (`load`), an async face for the screen (`stream`), a short way for lists (`lines`), so that no
command pays for what it does not use. The cache is a help and never a condition: what can't be kept on disk is kept in
memory.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence

from sessionbrowser.config import Config
from sessionbrowser.index.catalogue import Catalogue
from sessionbrowser.index.rows import Identity, Row
from sessionbrowser.index.sums import KeptSums, Sums, filled
from sessionbrowser.library import names, places, survey
from sessionbrowser.library.events import Aside, Changed, Complete, Event, Found, Gone, Progress, Trouble
from sessionbrowser.library.places import Shelf, UnknownSource
from sessionbrowser.library.reading import FIRST, Reading
from sessionbrowser.library.status import is_settled
from sessionbrowser.library.summing import Summing
from sessionbrowser.library.watching import MANY, Watching, newest
from sessionbrowser.model import (
    Agent,
    Block,
    Body,
    Handle,
    Resume,
    ResumeOptions,
    Session,
    Transcript,
    Unreadable,
)
from sessionbrowser.paths import Environment, is_possible
from sessionbrowser.sources.base import Source
from sessionbrowser.sources.texts import Texts

__all__ = [
    "Aside", "Changed", "Complete", "Event", "Found", "Gone", "Library", "Progress", "Trouble", "UnknownSource",
]  # fmt: skip

_AS_IT_WAS = ResumeOptions()


class Library(Watching):
    """All sessions of some roots. One may be used from several threads; a load runs in one at a time.

    `roots` (paths or names) are looked in instead of the live stores, `sources` are the only ones looked for. Raises
    UnknownSource when it first looks for a source nobody knows.
    """

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
        super().__init__(environment, config=config, roots=roots, sources=sources, cache=cache, shelf=shelf)
        self._said: dict[Identity, Session] = {}

    # ── the whole list ──

    def cached(self, limit: int | None = None) -> list[Session]:
        """Rows of the last load that were not hidden, newest first, without a look at the disk; [] without a cache."""
        try:
            catalogue = self._open()
            try:
                roots = self._remember(catalogue)
                rows = list(catalogue.rows(roots, limit=-1 if limit is None else limit, visible=True))
            finally:
                self._close(catalogue)
        except (sqlite3.Error, TypeError, ValueError):
            return []
        return [self._dressed(row) for row in rows]

    def load(self, *, deep: bool = False, pause: Callable[[], None] = lambda: None) -> Iterator[Event]:
        """Scan, compare, summarise what changed, newest first. Called again, it says only what is different.

        With `deep`, subagents' files are looked at even where nothing near them changed.
        """
        try:
            yield from self._load(deep, pause)
        except sqlite3.Error as error:
            if self._memory is not None:
                raise
            self._do_without(error)
            yield from self._load(deep, pause)

    async def stream(self, *, deep: bool = False) -> AsyncIterator[Event]:
        """`load` in a thread, its events handed over one by one; the thread rests every few milliseconds."""
        from contextlib import aclosing

        from sessionbrowser.library.stream import streamed

        async with aclosing(streamed(lambda pause: self.load(deep=deep, pause=pause))) as events:
            async for event in events:
                yield event

    def sessions(self, *, deep: bool = True) -> list[Session]:
        """Every row, hidden ones included, newest first."""
        for _ in self.load(deep=deep):
            pass
        return sorted(self._said.values(), key=newest)

    def document(
        self, render: Callable[[Session], bytes], frame: Callable[[list[bytes]], bytes], version: str, *,
        form: str = "", order: str = "activity", every: bool = False,
    ) -> Iterator[bytes]:  # fmt: skip
        """`frame` over what `render` makes of each row shown (of `every` row), in `order`; in pieces.

        Lines are kept, so that each is made once; and the whole is, once a look found nothing changed. `version`
        names everything but the session that a line depends on, `form` what the frame depends on besides.
        """
        given = False
        try:
            for piece in self._document(render, frame, version, form, order, every):
                given = True
                yield piece
        except sqlite3.Error as error:
            if given or self._memory is not None:
                raise
            self._do_without(error)
            yield from self._document(render, frame, version, form, order, every)

    def hidden(self) -> Mapping[str, int]:
        """How many sessions of the last load are hidden, by reason."""
        catalogue = self._open()
        try:
            return self._hidden(catalogue)
        finally:
            self._close(catalogue)

    def damaged(self) -> int:
        """How many lines or whole files of the last load could not be read, as far as they were."""
        catalogue = self._open()
        try:
            return catalogue.damaged(self.roots())
        finally:
            self._close(catalogue)

    def unreadable(self) -> list[Unreadable]:
        """The places and the sessions of the last load that could not be read."""
        catalogue = self._open()
        try:
            rows = [*catalogue.unreadable(self.roots()), *(row.session for row in self._outside.values() if row.session.unreadable)]
        finally:
            self._close(catalogue)
        return list(dict.fromkeys([*self.trouble, *(Unreadable(row.source, row.path, row.unreadable) for row in rows)]))

    def total(self) -> int:
        """How many sessions the last load found, hidden ones included."""
        return self._survey.total if self._survey else 0

    # ── one session ──

    def find(self, name: str) -> list[Session]:
        """The sessions a person may mean by `name`: [] none, several when it is ambiguous."""
        if name.startswith("@"):
            return self._find_special(name)
        if not name:
            return []
        for spelling in self._spellings(name):
            if found := self._tried(self._find, spelling):
                return names.chosen(found, spelling)
        return names.chosen(self._tried(self._find_after_reading, name), name)

    def _spellings(self, name: str) -> Iterator[str]:
        """`name`, and as ids begin whose beginning an agent itself leaves out."""
        yield name
        for each in self.shelf.present():
            if prefix := self.shelf.get(each).prefix:
                yield prefix + name

    def _tried(self, attempt: Callable[[str], list[Session]], name: str) -> list[Session]:
        try:
            return attempt(name)
        except sqlite3.Error as error:
            if self._memory is not None:
                raise
            self._do_without(error)
            return attempt(name)

    def handle(self, session: Session) -> Handle:
        """The file of a session as it was last seen. Raises KeyError for a session this library never saw."""
        catalogue = self._open()
        try:
            return self._row(catalogue, session).handle
        finally:
            self._close(catalogue)

    def source(self, name: str) -> Source:
        """The source called `name`. Raises UnknownSource."""
        return self.shelf.get(name)

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        """See Source.outline. Raises OSError, SourceError."""
        return self.source(handle.source).outline(handle, since)

    def outline_with_texts(self, handle: Handle) -> tuple[Transcript, Texts]:
        """See Source.outline_with_texts. Raises OSError, SourceError."""
        return self.source(handle.source).outline_with_texts(handle)

    def body(self, handle: Handle, block: Block) -> Body:
        """See Source.body. Raises OSError, SourceError."""
        return self.source(handle.source).body(handle, block)

    def agents(self, handle: Handle, outline: Transcript | None = None) -> Agent:
        """See Source.agents. Raises OSError, SourceError."""
        return self.source(handle.source).agents(handle, outline)

    def resume(self, session: Session, options: ResumeOptions = _AS_IT_WAS) -> Resume | None:
        """See Source.resume; None for a session of a copy, which the agent would not find, or of an impossible directory."""
        if session.root or not is_possible(session.resume_cwd or session.cwd or ""):
            return None
        return self.source(session.source).resume(session, options)

    def sums(self, sessions: Iterable[Session]) -> Iterator[tuple[Session, Sums | str]]:
        """Each session with what it adds up to, or with one line about why it can't be read. Files are read once."""
        catalogue = self._open()
        try:
            summing = Summing(catalogue, self.outline)
            for session in sessions:
                try:
                    yield session, summing.of(self._row(catalogue, session))
                except (KeyError, *survey.FAILURES) as error:
                    yield session, places.why(error)
        finally:
            self._close(catalogue)

    def exact(self, sessions: Iterable[Session], *, facts: bool = False) -> Iterator[Session]:
        """The same sessions with counts, tokens and subagents filled, from the whole file where they were not known. Kept.

        With `facts` they know besides whether they hold pictures and plans; what can't be read holds none.
        """
        for session in sessions:
            known = session.counts is not None and session.tokens is not None and session.subagents is not None
            if known and not (facts and "images" not in session.facts):
                yield session
                continue
            ((_, found),) = self.sums([session])
            if isinstance(found, Sums):
                yield filled(session, found)
            else:
                none = {"images": False, "plan": False} if facts else {}
                yield session._replace(unreadable=session.unreadable or found, facts={**session.facts, **none})

    def summed_since(self, moment: float) -> list[Session]:
        """Rows that were filled by their sums after `moment` (epoch seconds), by this process or another one."""
        catalogue = self._open()
        try:
            found = map(catalogue.row, KeptSums(catalogue).since(moment))
            return [self._dressed(row) for row in found if row is not None]
        except sqlite3.Error:
            return []
        finally:
            self._close(catalogue)

    # ── inside ──

    def _load(self, deep: bool, pause: Callable[[], None]) -> Iterator[Event]:
        self.loaded_ns = time.time_ns()
        catalogue = self._open()
        try:
            found = self._look(catalogue, deep)
            if found.trouble:
                yield Trouble(tuple(found.trouble))
            if found.aside:
                yield Aside(tuple(found.aside))
            yield from self._unchanged(catalogue, found)
            lost: list[Identity] = list(found.gone)
            for reading, batch in self._bring(catalogue, found, pause):
                yield from self._say(batch)
                if reading.survey.changed:
                    yield Progress(reading.done, len(reading.survey.changed), "reading")
                lost += reading.vanished
            gone = tuple(name for name in dict.fromkeys(lost) if self._said.pop(name, None) is not None)
            if gone:
                yield Gone(gone)
            aside: dict[str, int] = {}
            for item in self.aside:
                aside[item.reason] = aside.get(item.reason, 0) + 1
            hidden = self._hidden(catalogue)
            yield Complete(sum(not session.hidden for session in self._said.values()), hidden, aside)
        finally:
            self._close(catalogue)

    def _unchanged(self, catalogue: Catalogue, found: survey.Survey) -> Iterator[Event]:
        """What the catalogue knows of everything that is still as it was."""
        if len(found.changed) >= found.total:
            return
        stale = {(handle.source, handle.path, handle.key) for handle in found.changed}
        stale.update(found.gone)
        batch: list[Row] = []
        size = FIRST
        for row in catalogue.rows(found.roots):
            if row.session.identity in stale:
                continue
            batch.append(row)
            if len(batch) >= size:
                yield from self._say(batch)
                batch, size = [], MANY
        yield from self._say(batch)

    def _document(
        self, render: Callable[[Session], bytes], frame: Callable[[list[bytes]], bytes], version: str, form: str, order: str,
        every: bool,
    ) -> Iterator[bytes]:  # fmt: skip
        catalogue = self._open()
        try:
            name = f"{self._scope()} {form} {order} {every} {version}"
            scans = {root: survey.scan(self.source(root.source), root, deep=every) for root in self._all_roots(catalogue)}
            mark = None if self.places().trouble else survey.fingerprint(self.shelf, scans, catalogue)
            if mark is not None and (kept := catalogue.answer(name, mark)) is not None:
                yield from kept
                return
            found = self._look(catalogue, every, scans)
            for _ in self._bring(catalogue, found, lambda: None):
                pass
            generation = catalogue.generation()
            lines, lasting = self._lines(catalogue, render, version, order, every)
            body = frame(lines)
            if lasting and not found.changed and not self.trouble and self.roots() == tuple(scans):
                mark = survey.fingerprint(self.shelf, scans, catalogue)  # folders may have become known
                if mark is not None:
                    catalogue.keep_answer(name, mark, generation, body)
            yield body
        finally:
            self._close(catalogue)

    def _lines(
        self, catalogue: Catalogue, render: Callable[[Session], bytes], version: str, order: str, every: bool
    ) -> tuple[list[bytes], bool]:
        """What was made of each row, and whether it will be the same as long as no row changes."""
        now, live = self.environment.now(), self._open_ids()
        version = f"{version} {sorted((*name, days) for name, days in self._retention.items())}"
        rows = catalogue.lines(self.roots(), version, order, every=every)
        stale = [number for number, name, line in rows if line is None or name in live]
        made: dict[int, bytes] = {}
        keep = []
        for number, row in catalogue.numbered(stale):
            made[number] = line = render(self._dressed(row))
            if is_settled(row.session, now) and row.session.id not in live:
                keep.append((number, version, line))
        if keep:
            catalogue.keep_lines(keep)
        lines = [made.get(number) or line or b"" for number, _, line in rows]
        lines += [render(self._dressed(row)) for row in self._outside.values()]
        return lines, len(keep) == len(made) and not self._outside

    def _open_ids(self) -> set[str]:
        """Ids of sessions whose status a living process decides."""
        live = self._survey.live if self._survey else {}
        return {name for (_, name), item in live.items() if item.status != "gone"}

    def _hidden(self, catalogue: Catalogue) -> dict[str, int]:
        counts = catalogue.hidden(self.roots())
        for row in self._outside.values():
            counts[row.session.hidden] = counts.get(row.session.hidden, 0) + 1
        counts.pop("", None)
        return counts

    def _row(self, catalogue: Catalogue, session: Session) -> Row:
        """A session as it was last seen. Raises KeyError for one this library never saw."""
        found = self._outside.get(session.identity) or catalogue.row(session.identity)
        if found is None:
            raise KeyError(session.identity)
        return found

    def _find(self, name: str) -> list[Session]:
        """By the names of files and what is known of them; only candidates that changed are read."""
        catalogue = self._open()
        try:
            if standing := self._standing(catalogue, name):
                return standing
            found = self._look(catalogue, deep=True)
            fresh = [handle for handle in found.changed if handle.id.startswith(name)]
            part = found._replace(changed=fresh, gone=[], seen=())  # the rest is still to be read
            for _ in Reading(self.shelf, catalogue, part, self._outside, lambda: None).batches():
                pass
            gone = set(found.gone)
            known = [row for row in catalogue.named(found.roots, name) if row.session.identity not in gone]
        finally:
            self._close(catalogue)
        known += [row for row in self._outside.values() if row.session.id.startswith(name)]
        return [self._dressed(row) for row in known]

    def _standing(self, catalogue: Catalogue, name: str) -> list[Session]:
        """Sessions whose whole id is `name` and whose files are as they were read: no scan could tell more of them."""
        roots = self._all_roots(catalogue)
        self._remember(catalogue)
        rows = [row for row in catalogue.named(roots, name) if row.session.id == name]
        if not all(survey.is_standing(row.handle) for row in rows):
            return []
        live = survey.live_in(self.shelf, dict.fromkeys(row.handle.root for row in rows))
        return [self._dressed(row, live) for row in rows]

    def _find_after_reading(self, name: str) -> list[Session]:
        return [session for session in self.sessions() if session.id.startswith(name)]

    def _find_special(self, name: str) -> list[Session]:
        rows = names.recent(self.sessions(deep=False), self.environment)
        found = names.special(name, rows, self.environment)
        return [found] if found is not None else []

