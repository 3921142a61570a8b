"""Where Claude Code keeps its sessions, and which of the files there are sessions. By names and `stat` alone."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator

from sessionbrowser.model import Handle, Root, SetAside, Unreadable
from sessionbrowser.paths import Environment, shown

NAME = "claude"
PROJECTS = "projects"
AGENT = "agent-"  # how the file of a subagent begins; inside of files its id stands without
INTERNAL = ("agent-acompact-", "agent-aside_question-", "agent-aprompt_suggestion-")
_DAYS = 30

Found = Handle | SetAside | Unreadable


def places(environment: Environment) -> tuple[str, str]:
    """The configured folder or ~/.claude, and the XDG place older installs used, in which the program looks no more."""
    own = environment.get("CLAUDE_CONFIG_DIR")
    return environment.expand(own) if own else environment.under_home(".claude"), os.path.join(environment.config_home(), "claude")


def roots(environment: Environment) -> list[Root]:
    """Both places, where there is something; each real folder once."""
    found: list[Root] = []
    seen: set[str] = set()
    for place in places(environment):
        folder = os.path.join(place, PROJECTS)
        real = os.path.realpath(folder)
        if real not in seen and os.path.isdir(folder):
            seen.add(real)
            found.append(Root(NAME, place))
    return found


def root_at(path: str, label: str) -> Root | None:
    """`path` as a root: the agent's own folder, its `projects`, or one project's folder."""
    if os.path.isdir(os.path.join(path, PROJECTS)):
        return Root(NAME, path, label, live=False)
    try:
        with os.scandir(path) as entries:
            names = [(entry.name, entry.is_dir()) for entry in entries]
    except OSError:
        return None
    if any(name.startswith("-") and folder for name, folder in names):
        return Root(NAME, path, label, live=False)
    if os.path.basename(path.rstrip(os.sep)).startswith("-") and any(name.endswith(".jsonl") for name, _ in names):
        return Root(NAME, path, label, live=False)
    return None


def projects_of(root: Root) -> str:
    """The folder that holds the project folders of `root`."""
    inner = os.path.join(root.path, PROJECTS)
    return inner if os.path.isdir(inner) else root.path


def folders(handle: Handle) -> tuple[str, ...]:
    """Where the subagents of a session are, if it has any."""
    if handle.parent or handle.hidden in ("subagent", "internal"):
        return ()
    below = os.path.join(handle.path.removesuffix(".jsonl"), "subagents")
    return below, os.path.join(below, "workflows")


def elsewhere(root: Root, folder: str) -> list[str]:
    """Folders of the session whose own is `folder` in other projects: of subagents that ran in worktrees of their own.

    A project that holds the session itself is left out: what is there belongs to that copy.
    """
    top, session = projects_of(root), os.path.basename(folder)
    try:
        projects = sorted(entry.path for entry in _entries(top) if _is_folder(entry))
    except OSError:
        return []
    places = [place for project in projects if (place := os.path.join(project, session)) != folder]
    has_own = os.path.exists(f"{folder}.jsonl")
    return [
        place for place in places
        if os.path.isdir(os.path.join(place, "subagents")) and not (has_own and os.path.exists(f"{place}.jsonl"))
    ]  # fmt: skip


def stem_of(agent: str) -> str:
    """The stem of a subagent's file, from the id that the program gave it or from the stem itself."""
    return agent if agent.startswith(AGENT) else AGENT + agent


def discover(root: Root, *, deep: bool = True) -> Iterator[Found]:
    """Every session below `root`, and what was set aside."""
    top = projects_of(root)
    seen: set[tuple[int, int]] = set()
    if os.path.basename(top.rstrip(os.sep)).startswith("-"):
        yield from _project(root, top, deep, seen)
        return
    try:
        entries = sorted(_entries(top), key=lambda entry: entry.name)
    except OSError as error:
        yield Unreadable(NAME, top, _reason(error))
        return
    for entry in entries:
        if _is_folder(entry):
            yield from _project(root, entry.path, deep, seen)
        elif entry.name.endswith(".jsonl"):
            yield SetAside(NAME, entry.path, "outside a project folder")


def _entries(path: str) -> list[os.DirEntry[str]]:
    with os.scandir(path) as entries:
        return list(entries)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _project(root: Root, path: str, deep: bool, seen: set[tuple[int, int]]) -> Iterator[Found]:
    try:
        entries = _entries(path)
    except OSError as error:
        yield Unreadable(NAME, path, _reason(error))
        return
    names = {entry.name for entry in entries}
    for entry in entries:
        name = entry.name
        if name.endswith(".jsonl"):
            found = _handle(root, entry, seen, name[:-6], _hidden_by_name(name), "")
            yield _with_flag(found) if name[:-6] in names and type(found) is Handle else found
        elif _is_folder(entry):
            if f"{name}.jsonl" not in names and name != "memory":
                yield SetAside(NAME, entry.path, "folder without its session")
            if deep and name != "memory":
                yield from below(root, os.path.join(entry.path, "subagents"), name, seen)


def _hidden_by_name(name: str) -> str:
    if not name.startswith(AGENT):
        return ""
    return "internal" if name.startswith(INTERNAL) else "subagent"


def _with_flag(handle: Handle) -> Handle:
    """A session that has a folder, with what the folder says of it: archived or not, and since when."""
    archived, when = _archived(handle.path[:-6])
    if not when:
        return handle
    return handle._replace(hidden=handle.hidden or ("archived" if archived else ""), mtime_ns=max(handle.mtime_ns, when))


def _handle(root: Root, entry: os.DirEntry[str], seen: set[tuple[int, int]], identity: str, hidden: str, parent: str) -> Found:
    try:
        state = entry.stat()
    except OSError as error:
        if isinstance(error, FileNotFoundError) and entry.is_symlink():
            return SetAside(NAME, entry.path, "link to nothing")
        return Unreadable(NAME, entry.path, _reason(error))
    if not stat.S_ISREG(state.st_mode):
        return SetAside(NAME, entry.path, "not a regular file")
    inode = state.st_ino
    if inode:
        if (state.st_dev, inode) in seen:
            return SetAside(NAME, entry.path, "the same file under another name")
        seen.add((state.st_dev, inode))
    return Handle(NAME, root, entry.path, "", identity, state.st_size, state.st_mtime_ns, inode, hidden, parent)


def below(root: Root, path: str, session: str, seen: set[tuple[int, int]], depth: int = 0) -> Iterator[Found]:
    """Subagent transcripts of one session, those of its workflow runs included."""
    try:
        entries = _entries(path)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        yield Unreadable(NAME, path, _reason(error))
        return
    for entry in entries:
        if entry.name.endswith(".jsonl"):
            if entry.name.startswith(INTERNAL):
                yield _handle(root, entry, seen, entry.name[:-6], "internal", session)
            elif entry.name.startswith(AGENT):
                yield _handle(root, entry, seen, entry.name[:-6], "subagent", session)
            else:
                yield SetAside(NAME, entry.path, "workflow journal" if entry.name == "journal.jsonl" else "no transcript")
        elif depth < 6 and _is_folder(entry) and not os.path.islink(entry.path):
            yield from below(root, entry.path, session, seen, depth + 1)


def _archived(folder: str) -> tuple[bool, int]:
    """Whether the session was archived, and when that was last said: a change of it is a change of the session."""
    path = os.path.join(folder, "archived.json")
    try:
        when = os.stat(path).st_mtime_ns
    except OSError:
        return False, 0
    return read_small_json(path).get("archived") is True, when


def retention(root: Root) -> tuple[int | None, str]:
    """The days after which old transcripts are deleted, from the settings beside them."""
    if not root.live:
        return None, ""
    file = os.path.join(root.path, "settings.json")
    days = read_small_json(file, 1 << 20).get("cleanupPeriodDays")
    if isinstance(days, int) and not isinstance(days, bool) and days > 0:
        return days, f"cleanupPeriodDays in {shown(file)}"
    return _DAYS, f"cleanupPeriodDays in {shown(file)}, not set: {_DAYS}"


def read_small_json(path: str, limit: int = 65536) -> dict[str, object]:
    """A small JSON record; {} when there is none, or it is no regular file, too big or damaged."""
    try:
        with open(path, "rb", opener=_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return {}
            value = json.loads(file.read(limit))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _reason(error: OSError) -> str:
    return (error.strerror or "cannot be read").lower()
