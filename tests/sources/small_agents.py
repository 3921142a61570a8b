"""Helpers for the tests of the smaller agents: one source, its sessions by id, and trees of files made on the spot."""

from __future__ import annotations

import json
import os
from pathlib import Path

from sessionbrowser.model import Block, Handle, Root, Session, Transcript
from sessionbrowser.paths import Environment
from sessionbrowser.sources import load
from sessionbrowser.sources.base import Source


class Store:
    """One agent's sessions in a home directory."""

    def __init__(self, name: str, env: Environment) -> None:
        self.source: Source = load(name, env)
        self.found = [item for root in self.source.roots() for item in self.source.discover(root)]
        self.handles = {item.id: item for item in self.found if isinstance(item, Handle)}

    def handle(self, start: str) -> Handle:
        return next(handle for name, handle in self.handles.items() if name.startswith(start))

    def row(self, start: str) -> Session:
        return self.source.summarise(self.handle(start))

    def outline(self, start: str) -> Transcript:
        return self.source.outline(self.handle(start))

    def blocks(self, start: str, kind: str) -> list[Block]:
        return [block for block in self.outline(start).blocks if block.kind == kind]

    def text(self, start: str, block: Block) -> str:
        return self.source.body(self.handle(start), block).text


def in_home(home: Path, **variables: str) -> Environment:
    """Surroundings with that home, standing in its project."""
    return Environment(str(home), variables, str(home / "src" / "api"), "linux", 1778770800.0)


def handle_of(name: str, path: Path, **more: str) -> Handle:
    """A handle for a file that lies in no store."""
    found = os.stat(path)
    return Handle(name, Root(name, str(path.parent)), str(path), "", path.stem, found.st_size, found.st_mtime_ns, found.st_ino, **more)


def write_lines(path: Path, *records: object) -> Path:
    """A file of JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path
