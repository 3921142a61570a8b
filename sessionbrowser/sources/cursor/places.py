"""Where Cursor keeps things, and which directory a hash, a folder's name or an address stands for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from sessionbrowser.sources.numbered import load_or_none
from sessionbrowser.sources.pieces import string

OTHERS = "acp-sessions"
_FORMS = (".jsonl", ".txt")


def entries(folder: str) -> list[os.DirEntry[str]]:
    """What a folder holds, by name; nothing when it cannot be read."""
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []


def folders(folder: str) -> list[os.DirEntry[str]]:
    """The folders in a folder; links are not followed."""
    return [entry for entry in entries(folder) if entry.is_dir(follow_symlinks=False)]


def database_of(user: str) -> str:
    """The editor's database below its `User` folder."""
    return os.path.join(user, "globalStorage", "state.vscdb")


def stores(home: str) -> Iterator[tuple[str, str]]:
    """The chats of the command line, and those another program drives: the id of each, and its `store.db`."""
    seen: set[str] = set()
    for folder in (*(workspace.path for workspace in folders(os.path.join(home, "chats"))), os.path.join(home, OTHERS)):
        for chat in folders(folder):
            path = os.path.join(chat.path, "store.db")
            if os.path.isfile(path) and chat.name not in seen:
                seen.add(chat.name)
                yield chat.name, path


def is_others(store: str) -> bool:
    """Whether a store is that of a chat which another program drives."""
    return os.path.basename(os.path.dirname(os.path.dirname(store))) == OTHERS


def transcripts(home: str) -> Iterator[tuple[str, str]]:
    """The readable transcripts: the id of each, and its file. Two layouts: `<id>/<id>.jsonl` and `<id>.jsonl`; early ones `.txt`."""
    for project in folders(os.path.join(home, "projects")):
        yield from transcripts_in(os.path.join(project.path, "agent-transcripts"))


def transcripts_in(folder: str) -> Iterator[tuple[str, str]]:
    """The transcripts of one project, each session's once: a later form goes before plain text."""
    known: dict[str, str] = {}
    for entry in entries(folder):
        stem, ending = os.path.splitext(entry.name)
        if entry.is_dir(follow_symlinks=False):
            path = next((path for form in _FORMS if os.path.isfile(path := os.path.join(entry.path, entry.name + form))), "")
            if path:
                known.setdefault(entry.name, path)
        elif ending in _FORMS and entry.is_file():
            known.setdefault(stem, entry.path)
    yield from known.items()


def sessions(home: str) -> Iterator[tuple[str, str]]:
    """The folders of sessions among the transcripts: the id of each, and the folder, whether a transcript is in it or not."""
    for project in folders(os.path.join(home, "projects")):
        for entry in folders(os.path.join(project.path, "agent-transcripts")):
            yield entry.name, entry.path


def subagents(transcript: str) -> list[os.DirEntry[str]]:
    """The transcripts of a transcript's subagents."""
    return subagents_in(folder_of(transcript))


def folder_of(transcript: str) -> str:
    """The folder of a session's own: that of its transcript, or the one beside an early transcript that bears its name."""
    folder, stem = os.path.dirname(transcript), os.path.splitext(os.path.basename(transcript))[0]
    return folder if os.path.basename(folder) == stem else os.path.join(folder, stem)


def subagents_in(folder: str) -> list[os.DirEntry[str]]:
    """The transcripts of subagents in the folder of a session."""
    found = entries(os.path.join(folder, "subagents"))
    return [entry for entry in found if entry.name.endswith(".jsonl") and entry.is_file(follow_symlinks=False)]


# ── directories ──


@lru_cache(maxsize=4096)
def hash_of(path: str) -> str:
    """The name of the folder the command line keeps a workspace's chats in."""
    import hashlib

    return hashlib.md5(os.fsencode(path), usedforsecurity=False).hexdigest()


def hashed_as(name: str, candidates: Iterable[str], limit: int = 400) -> str | None:
    """The directory among `candidates` and the folders above them that `name` is the hash of."""
    seen: set[str] = set()
    for path in candidates:
        while path and path not in seen and len(seen) < limit:
            seen.add(path)
            if hash_of(path) == name:
                return path
            path = os.path.dirname(path) if os.path.dirname(path) != path else ""
    return None


@lru_cache(maxsize=256)
def named_as(name: str, home: str) -> str | None:
    """The directory whose path, with every sign but letters and digits made a dash, is `name`: below `home`, else anywhere.

    Such a name does not tell a dash from a slash: the directories that exist decide, and none fitting is None.
    """
    above = slug_of(home)
    if name == above:
        return home
    if above and name.startswith(above + "-"):
        return _descend(home, name[len(above) + 1 :], 0)
    return _descend(os.sep, name, 0) if name else None


def slug_of(path: str) -> str:
    """The name of a project folder for a directory."""
    return re.sub(r"[^A-Za-z0-9]+", "-", path).strip("-")


def _descend(folder: str, rest: str, depth: int) -> str | None:
    if not rest:
        return folder
    if depth > 24:
        return None
    for entry in sorted(folders(folder), key=lambda entry: -len(entry.name)):
        part = slug_of(entry.name)
        if part and (rest == part or rest.startswith(part + "-")):
            found = _descend(entry.path, rest[len(part) + 1 :], depth + 1)
            if found is not None:
                return found
    return None


def path_of(address: str) -> str:
    """The path in an address: `file:///x`, `vscode-remote://host/x`, or a plain path; "" for anything else."""
    if address.startswith("/") or re.match(r"[A-Za-z]:[\\/]", address):
        return address
    found = re.match(r"(?:file|vscode-remote|vscode-wsl)://[^/]*(/.*)", address)
    if not found:
        return ""
    from urllib.parse import unquote

    path = unquote(found[1])
    return path[1:] if re.match(r"/[A-Za-z]:/", path) else path


def workspaces(user: str) -> Iterator[tuple[str, str]]:
    """The editor's workspaces: the directory of each and its own database."""
    for entry in folders(os.path.join(user, "workspaceStorage")):
        described = load_or_none(os.path.join(entry.path, "workspace.json")) or {}
        path = path_of(string(described.get("folder")))
        database = os.path.join(entry.path, "state.vscdb")
        if path and os.path.isfile(database):
            yield path, database
