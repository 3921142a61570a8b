"""Skill records: `[skill]_[YYYYMMDDTHHMMSSZ]_[topic].jsonl` in a store, with copies in a mirror.

Both folders are configured (`[records] store`, `mirror`, or SB_RECORDS_STORE and SB_RECORDS_MIRROR; else the store is
`records` in CLAUDE_PLUGIN_DATA); the mirror serves what the store lacks. A record is no conversation but is shown as one: see `records_playback.py`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sessionbrowser.model import Agent, Handle, Root, Session, SetAside, Transcript, Unreadable
from sessionbrowser.paths import shown
from sessionbrowser.sources import jsonl, logs
from sessionbrowser.sources.base import SourceError
from sessionbrowser.sources.documents import DocumentSource, Placed
from sessionbrowser.sources.lazy import lazily
from sessionbrowser.sources.pieces import Assembly, string
from sessionbrowser.text import one_line, parse_time, plural

if TYPE_CHECKING:
    from sessionbrowser.sources import records_playback as playback
else:
    (playback,) = lazily("sessionbrowser.sources", "records_playback")

NAME = re.compile(r"([^_.][^_]*)_(\d{8}T\d{6}Z)_([^_]+)\.jsonl")
LIMIT = 64 << 20  # bytes; records are written by hand, so to speak
MIRROR = "mirror"


class Records(DocumentSource):
    name, tag, label, program = "records", "sk", "Skill records", ""

    # ── where ──

    def roots(self) -> list[Root]:
        store, mirror = places(self)
        found = [Root(self.name, store)] if store and os.path.isdir(store) else []
        if mirror and os.path.isdir(mirror) and not (found and os.path.samefile(mirror, store)):
            found.append(Root(self.name, mirror, MIRROR, live=False))
        return found

    def root_at(self, path: str, label: str) -> Root | None:
        found = logs.store_at(path, ("records",), _is_store)
        return Root(self.name, found, label, live=False) if found else None

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        trouble: list[Unreadable] = []
        stored: set[str] = set()
        if root.label == MIRROR:
            store, _ = places(self)
            if store and not (os.path.isdir(store) and os.path.isdir(root.path) and os.path.samefile(store, root.path)):
                stored = {entry.name for entry in logs.entries(store, [], self.name)}
        for entry in logs.entries(root.path, trouble, self.name):
            if not logs.is_file(entry) or not entry.name.endswith(".jsonl"):
                continue
            if not NAME.fullmatch(entry.name):
                yield SetAside(self.name, entry.path, "not named like a record")
            elif entry.name in stored:
                yield SetAside(self.name, entry.path, "copy of a record in the store")
            else:
                yield logs.handle_at(self.name, root, entry, entry.name[:-6])
        yield from trouble

    # ── reading ──

    def placed(self, handle: Handle) -> Iterator[Placed]:
        return playback.told(self._record(handle))

    def _record(self, handle: Handle) -> playback.Record:
        if handle.size > LIMIT:
            raise SourceError("the record is larger than 64 MB")
        return playback.fold(jsonl.lines(handle.path))

    def summarise(self, handle: Handle, previous: Session | None = None) -> Session:
        record = self._record(handle)
        made = self._assembly(handle)
        named = NAME.fullmatch(os.path.basename(handle.path))
        first = record.runs[0].fields if record.runs else {}
        last = record.runs[-1].fields if record.runs else {}
        skill = string(first.get("skill")) or (named[1] if named else "")
        topic = string(first.get("topic")) or (named[3] if named else "")
        subject = string(last.get("subject")).strip()
        begun = parse_time(first.get("at")) or (_stamp(named[2]) if named else None)
        waiting = record.open_questions()
        tail, why = ("asking", f"{plural(len(waiting), 'question')} open") if waiting else ("finished", "nothing is open")
        facts: dict[str, object] = {"skill": one_line(skill, 80), "topic": one_line(topic, 80), "continue": shown(handle.path, self.environment.home)}
        if handle.root.label == MIRROR:
            facts["copy"] = "only the mirror has it"
        about = " · ".join(filter(None, (skill, topic)))
        return Session(
            id=handle.id, source=self.name, path=handle.path, root=handle.root.label,
            title=one_line(f"{about}: {subject}" if subject and about else subject or about or handle.id, 300), title_from="subject",
            project=one_line(string(last.get("project")), 80), created=begun, updated=record.updated or begun or handle.mtime_ns / 1e9,
            tail=tail, tail_why=why, origin="record", counts=made.builder.counts(), size=handle.size,
            damaged_lines=len(record.damaged), first_prompt=made.first, last_prompt=made.last, facts=facts,
            hidden="" if made.builder.blocks else "empty",
        )  # fmt: skip

    def _assembly(self, handle: Handle) -> Assembly:
        made = super()._assembly(handle)
        for offset, reason in self._record(handle).damaged:
            made.builder.damaged(offset, reason)
        return made

    def agents(self, handle: Handle, outline: Transcript | None = None) -> Agent:
        row = self.summarise(handle)
        return Agent(handle.id, "session", "", row.title, started=row.created, ended=row.updated, path=handle.path, handle=handle)


def places(source: Records) -> tuple[str, str]:
    """The store and the mirror (raw), "" for one that is not configured or whose path is not absolute."""
    env = source.environment
    store, mirror = env.get("SB_RECORDS_STORE"), env.get("SB_RECORDS_MIRROR")
    if not (store and mirror):
        from sessionbrowser import config

        settled = config.load(env)
        store, mirror = store or settled.records_store, mirror or settled.records_mirror
    plugin = env.get("CLAUDE_PLUGIN_DATA")
    if not store and os.path.isabs(plugin):
        store = os.path.join(plugin, "records")
    return _absolute(store, env.home), _absolute(mirror, env.home)


def _absolute(path: str, home: str) -> str:
    if path.startswith("~/"):
        path = os.path.join(home, path[2:])
    return os.path.normpath(path) if os.path.isabs(path) else ""


def is_record(path: str) -> bool:
    """Whether a file's first line begins a record, whatever its name."""
    return logs.first_record(path).get("kind") == "run"


def _is_store(folder: str) -> bool:
    found = (entry for entry in logs.entries(folder, [], "records") if NAME.fullmatch(entry.name))
    return any(is_record(entry.path) for entry, _ in zip(found, range(5), strict=False))


def _stamp(text: str) -> float | None:
    return parse_time(f"{text[:4]}-{text[4:6]}-{text[6:11]}:{text[11:13]}:{text[13:15]}Z")


SOURCE = Records
