"""Which directory a chat belongs to: by the registry, by a marker file, or by finding the path a hash was made of."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from sessionbrowser.sources import jsonl
from sessionbrowser.sources.numbered import load_or_none
from sessionbrowser.sources.pieces import items, mapping, string, text_of

Data = Mapping[str, object]

MARKER = ".project_root"
_HASH = re.compile(r"[0-9a-f]{64}")
_PATH = re.compile(r"(?<![\w./])/[^\s'\"`:,;()<>|*?]{2,300}")
_WORKSPACE = re.compile(r"Workspace Directories:\*{0,2}\s*\n\s*-\s+(\S[^\n]*)|current working directory: (\S[^\n]*)|working in the directory: (\S[^\n]*)")


def directory_of(project: str, home: str, meta: Data, messages: Iterable[Data], nearby: Iterable[str] = ()) -> str | None:
    """The absolute path of a chat's project, or None.

    `project` is the folder the chat lies in, `home` the `.gemini` folder; `nearby` are directories worth trying
    against a hash. All raw.
    """
    if marked := _marked(os.path.join(project, MARKER)):
        return marked
    name = os.path.basename(project)
    known = _registry(home)
    for path, slug in known.items():
        if slug == name:
            return path
    wanted = string(meta.get("projectHash")) or name
    messages = list(messages)
    said = list(_said(meta, messages))
    if _HASH.fullmatch(wanted):
        touched = _touched(messages)
        for path in _with_parents([*known, *_trusted(home), *_markers(os.path.dirname(project)), *said, *touched, *nearby]):
            if hash_of(path) == wanted:
                return path
    return said[0] if said else None


@lru_cache(maxsize=4096)
def hash_of(path: str) -> str:
    """The name Gemini CLI gave the folder of a project before it gave it a short one."""
    import hashlib

    return hashlib.sha256(os.fsencode(path)).hexdigest()


def _marked(path: str) -> str | None:
    try:
        found = os.fsdecode(jsonl.read_at(path, 0, 4096)).strip("\r\n")
    except OSError:
        return None
    return found if os.path.isabs(found) and "\n" not in found else None


def _registry(home: str) -> Mapping[str, str]:
    """Directories of the projects Gemini CLI knows, with the short name of each."""
    try:
        changed = os.stat(os.path.join(home, "projects.json")).st_mtime_ns
    except OSError:
        return {}
    return _read_registry(home, changed)


@lru_cache(maxsize=8)
def _read_registry(home: str, _changed: int) -> Mapping[str, str]:
    projects = mapping((load_or_none(os.path.join(home, "projects.json")) or {}).get("projects"))
    return {path: string(slug) for path, slug in projects.items() if os.path.isabs(path)}


def _trusted(home: str) -> list[str]:
    """The directories a person said may be trusted."""
    found = load_or_none(os.path.join(home, "trustedFolders.json")) or {}
    return [path for path in found if os.path.isabs(path)]


def _markers(folder: str) -> list[str]:
    """The directories that the markers of all projects name."""
    try:
        return list(_read_markers(folder, os.stat(folder).st_mtime_ns))
    except OSError:
        return []


@lru_cache(maxsize=8)
def _read_markers(folder: str, _changed: int) -> tuple[str, ...]:
    with os.scandir(folder) as entries:
        found = [_marked(os.path.join(entry.path, MARKER)) for entry in entries if entry.is_dir(follow_symlinks=False)]
    return tuple(path for path in found if path)


def _said(meta: Data, messages: Iterable[Data]) -> Iterator[str]:
    """Directories the chat itself names: added ones, and the one in the context it began with."""
    directories = meta.get("directories")
    yield from (path for path in (directories if isinstance(directories, list) else ()) if isinstance(path, str) and os.path.isabs(path))
    for message in messages:
        if string(message.get("type")) != "user":
            continue
        if found := _WORKSPACE.search(text_of(message.get("content"))[:4000]):
            path = next(group for group in found.groups() if group).strip()
            if os.path.isabs(path):
                yield path


def _touched(messages: Iterable[Data]) -> Iterator[str]:
    """Folders of the files its tools worked on or told of: the project is one of them or above them."""
    for message in messages:
        for call in items(message.get("toolCalls")):
            for value in mapping(call.get("args")).values():
                if isinstance(value, str) and value[:1] == "/" and "\n" not in value and len(value) < 1024:
                    yield os.path.dirname(value)
            for part in items(call.get("result")):
                for value in mapping(mapping(part.get("functionResponse")).get("response")).values():
                    yield from _PATH.findall(value[:4000]) if isinstance(value, str) else ()


def _with_parents(paths: Iterable[str], limit: int = 400) -> Iterator[str]:
    """Paths and the folders above them, each once."""
    seen: set[str] = set()
    for path in paths:
        while path not in seen and len(seen) < limit:
            seen.add(path)
            yield path
            above = os.path.dirname(path)
            if above == path:
                break
            path = above
