"""The source: what `base.py` asks for, handed to the modules that know."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sessionbrowser.model import (
    Agent,
    Block,
    Body,
    Handle,
    Live,
    Passage,
    Resume,
    ResumeOptions,
    Root,
    Session,
    SetAside,
    Transcript,
    Unreadable,
)
from sessionbrowser.paths import Environment
from sessionbrowser.sources.base import Source
from sessionbrowser.sources.claude import store
from sessionbrowser.sources.texts import Texts

if TYPE_CHECKING:
    from sessionbrowser.sources.claude.agents import Node
    from sessionbrowser.sources.claude.lineage import Firsts
    from sessionbrowser.sources.claude.oldindex import Known
    from sessionbrowser.sources.claude.reader import Reader


class ClaudeSource(Source):
    """Claude Code's sessions."""

    name = "claude"
    tag = "cc"
    label = "Claude Code"
    program = "claude"
    tells = ("models", "permission modes", "effort", "hooks", "skills", "plugins proved")
    prefix = store.AGENT

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._legacy_titles: dict[str, dict[str, str]] = {}
        self._old_index: Known = {}
        self._firsts: Firsts = {}
        self.nodes: dict[str, Node] = {}  # subagents' transcripts read so far

    def roots(self) -> list[Root]:
        return store.roots(self.environment)

    def root_at(self, path: str, label: str) -> Root | None:
        return store.root_at(path, label)

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        return store.discover(root, deep=deep)

    def summarise(self, handle: Handle, previous: Session | None = None) -> Session:
        from sessionbrowser.sources.claude import oldindex
        from sessionbrowser.sources.claude.summary import summarise

        return oldindex.titled(summarise(handle, previous, self._legacy_titles), self._old_index)

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        from sessionbrowser.sources.claude.reader import Reader

        reader = since.state if since is not None and isinstance(since.state, Reader) else None
        restarted = reader is not None and not _goes_on(handle.path, reader)
        if reader is None or restarted:
            reader = self._reader(handle)
        return reader.transcript(reader.read(handle.path), restarted=restarted)

    def outline_with_texts(self, handle: Handle) -> tuple[Transcript, Texts]:
        from sessionbrowser.sources.claude import halves

        reader, texts = self._reader(handle), Texts()
        reader.builder.texts = texts
        unfinished = halves.read(handle.path, reader)
        reader.builder.texts = None  # whoever keeps the outline need not keep them
        return reader.transcript(unfinished, restarted=False), texts

    def _reader(self, handle: Handle) -> Reader:
        """A reader at the beginning of a session."""
        from sessionbrowser.sources.claude.lineage import shared_rows  # not for those who only list
        from sessionbrowser.sources.claude.reader import Reader

        inode = os.stat(handle.path).st_ino
        subagent = handle.hidden == "subagent"
        shared = frozenset() if subagent else shared_rows(handle.path, self._firsts)
        reader = Reader(subagent=subagent, chain=handle.key, shared=shared)
        reader.inode = inode
        return reader

    def folders(self, handle: Handle) -> tuple[str, ...]:
        return store.folders(handle)

    def opening(self, handle: Handle) -> Transcript | None:
        from sessionbrowser.sources.claude.reader import opening

        return opening(handle)

    def body(self, handle: Handle, block: Block) -> Body:
        from sessionbrowser.sources.claude.bodies import body_of

        return body_of(handle.path, block)

    def agents(self, handle: Handle, outline: Transcript | None = None) -> Agent:
        from sessionbrowser.sources.claude.agents import tree

        return tree(self, handle, outline)

    def passages(self, handle: Handle, offset: int = 0, *, tools: bool = False) -> Iterator[Passage]:
        from sessionbrowser.sources.claude.passages import passages

        return passages(handle.path, offset, tools=tools)

    def live(self, root: Root) -> list[Live]:
        from sessionbrowser.sources.claude.live import running

        return running(root)

    def retention(self, root: Root) -> tuple[int | None, str]:
        return store.retention(root)

    def plugins(self, root: Root) -> list[str]:
        from sessionbrowser.sources.claude.plugins import listed

        return listed(root.path)

    def resume(self, session: Session, options: ResumeOptions) -> Resume | None:
        from sessionbrowser.sources.claude.resume import resume

        own, aside = store.places(self.environment)
        return resume(session, options, aside if aside != own else "")


def _goes_on(path: str, reader: Reader) -> bool:
    """Whether `reader` can read on: `path` is still the file that was read (same inode, not shorter, its last line unchanged)."""
    from sessionbrowser.sources import jsonl

    state = os.stat(path)
    if reader.joined or state.st_ino != reader.inode or state.st_size < reader.offset:
        return False
    if not reader.mark:
        return True
    tail = jsonl.read_at(path, max(0, reader.offset - len(reader.mark) - 1), len(reader.mark) + 1)
    return reader.mark in tail
