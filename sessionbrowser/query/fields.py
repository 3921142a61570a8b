"""The fields of the language: one table says what each means, which values it takes and how a row answers it."""

from __future__ import annotations

import fnmatch
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from sessionbrowser.model import Session
from sessionbrowser.query import numbers, times
from sessionbrowser.sources import REGISTRY

Answer = bool | None  # None: the row does not know (its counts were not read, the field is about the conversation)
Test = Callable[[Session], Answer]

STATES = ("running", "waiting", "open", "interrupted", "failed", "finished", "unknown", "archived", "fork")
HAVING = ("error", "subagents", "compaction", "images", "specstory", "plan")
PLACES = ("prompts", "answers", "thinking", "subagents", "tools", "all")


class FieldSpec(NamedTuple):
    """One field: its kind decides how values are read (text, part, path, choice, time, number, bytes, span, deep)."""

    name: str
    kind: str
    example: str
    help: str
    choices: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


FIELDS: tuple[FieldSpec, ...] = (
    FieldSpec("source", "choice", "source:codex", "the program that wrote the session", tuple(item.name for item in REGISTRY), ("agent",)),
    FieldSpec("dir", "path", "dir:~/src/api", "its directory: a part of the path, or everything below a whole one", aliases=("cwd",)),
    FieldSpec("project", "part", "project:api", "the repository or folder it was about; project:- for none", aliases=("repo",)),
    FieldSpec("branch", "part", "branch:main", "the git branch last seen; branch:- for none"),
    FieldSpec("model", "text", "model:opus", "the model that answered last; model:- for none"),
    FieldSpec("title", "text", "title:login", "words of the title"),
    FieldSpec("prompt", "text", "prompt:retry", "words of the first or last prompt"),
    FieldSpec("id", "id", "id:5f3a", "a session's id, or its beginning"),
    FieldSpec("is", "choice", "is:waiting", "what state it is in", STATES, ("status",)),
    FieldSpec("has", "choice", "has:error", "what it holds", HAVING),
    FieldSpec("after", "time", "after:7d", "active since then: 2d, 3w, yesterday, monday, last-week, april, 2026-05-01, 2026-W15", aliases=("since",)),
    FieldSpec("before", "time", "before:2026-05-01", "not active since then", aliases=("until",)),
    FieldSpec("date", "time", "date:yesterday", "any activity on that day, in that week, month or year, or in a..b", aliases=("on",)),
    FieldSpec("turns", "number", "turns:>20", "how many prompts: >20, <5, 10..20", aliases=("prompts",)),
    FieldSpec("tokens", "number", "tokens:>100k", "tokens used in all", aliases=("tok",)),
    FieldSpec("size", "bytes", "size:>10MB", "size of its file"),
    FieldSpec("expires", "span", "expires:<3d", "time until the agent deletes it"),
    FieldSpec("in", "choice", "in:prompts", "where the words of the query are looked for", PLACES),
    FieldSpec("tool", "deep", "tool:Bash", "it called this tool (a name, or shell, read, edit, write, search, web, …); other words are looked for in those calls"),
    FieldSpec("file", "deep", "file:auth.py", "its tools touched this file; other words are looked for in those calls", aliases=("path",)),
)  # fmt: skip

BY_NAME = {name: spec for spec in FIELDS for name in (spec.name, *spec.aliases)}
NAMES = frozenset(BY_NAME)
DEEP = ("tool", "file")
_PART = re.compile(r"[/\\\-_.\s:#]")


def fold(text: str) -> str:
    """`text` as it is compared: composed, without case."""
    return text.casefold() if text.isascii() else unicodedata.normalize("NFC", text).casefold()


@lru_cache(maxsize=64)
def needle_of(text: str) -> str:
    """The text of a word or quote, folded; every row is compared with the same few."""
    return fold(text)


def choice(spec: FieldSpec, value: str) -> tuple[str, ...]:
    """The choices a value stands for: itself, or what it is the beginning of. Raises ValueError for none."""
    low = value.lower()
    if spec.name == "source":
        found = tuple(item.name for item in REGISTRY if low in (item.name, item.tag, item.label.lower()))
        found = found or tuple(item.name for item in REGISTRY if _begins(low, item.name, item.label.lower()))
    else:
        found = (low,) if low in spec.choices else tuple(name for name in spec.choices if name.startswith(low))
    if not found:
        raise ValueError(f"{spec.name}: knows no “{value}”, only {', '.join(spec.choices)}")
    return found


def _begins(value: str, *names: str) -> bool:
    return any(name.startswith(value) for name in names)


def text_test(value: str, quoted: bool) -> Callable[[str], bool]:
    """Whether a text holds `value`; is it, when quoted; matches it, when it has a star."""
    wanted = fold(value)
    if quoted:
        return lambda text: fold(text) == wanted
    if "*" in wanted:
        matches = re.compile(fnmatch.translate(wanted)).match
        return lambda text: matches(fold(text)) is not None
    return lambda text: wanted in fold(text)


def part_test(value: str, quoted: bool) -> Callable[[str], bool]:
    """Whether a name, or a part of it behind a separator, begins with `value`: `api` finds web-api, not rapid."""
    if quoted or "*" in value:
        return text_test(value, quoted)
    wanted = fold(value)

    def holds(text: str) -> bool:
        name = fold(text)
        at = name.find(wanted)
        while at >= 0:
            if at == 0 or _PART.match(name, at - 1) or _PART.match(wanted):
                return True
            at = name.find(wanted, at + 1)
        return False

    return holds


def path_test(value: str, quoted: bool, here: str) -> Callable[[str], bool]:
    """Whether a directory is `value` or below it (a whole path), or has it in its path (a part of one)."""
    wanted = fold(value.replace("\\", "/"))
    if wanted in (".", "here", "@here"):
        wanted = fold(here.replace("\\", "/"))
        return lambda path: bool(wanted) and _below(_slashes(path), wanted)
    if quoted or "*" in wanted:
        return text_test(value, quoted)
    if wanted.startswith("~"):
        tail = wanted[1:].rstrip("/")
        return lambda path: _home_relative(_slashes(path), tail)
    if wanted.startswith("/") or wanted[1:3] == ":/":
        whole = wanted.rstrip("/")
        return lambda path: _below(_slashes(path), whole) or _slashes(path).startswith(wanted)
    return lambda path: wanted in _slashes(path)


def _slashes(path: str) -> str:
    return fold(path.replace("\\", "/"))


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _home_relative(path: str, tail: str) -> bool:
    """Whether `path` is somebody's home directory's `tail`, or begins with it while the rest is still typed."""
    for prefix in ("/home/", "/users/", "c:/users/"):
        if path.startswith(prefix):
            rest = path[len(prefix) :]
            return rest[max(rest.find("/"), 0) :].startswith(tail) if "/" in rest else not tail
    return path.startswith("/root" + tail)


def make_test(spec: FieldSpec, value: str, quoted: bool, now: float, here: str) -> Test | None:
    """How a row answers one value of a field; None while the value is unfinished. Raises ValueError for a wrong one."""
    maker = _MAKERS.get(spec.name)
    if maker is not None:
        return maker(value, quoted, now, here)
    if spec.kind == "time":
        return _time(spec.name, value, now)
    if spec.kind == "choice":
        return _choices(spec, value)
    if spec.kind in numbers.UNITS:
        return _number(spec.name, spec.kind, value, now)
    return lambda session: None  # about the conversation: in, tool, file


def _choices(spec: FieldSpec, value: str) -> Test:
    tests = [_CHOICES[spec.name](name) for name in choice(spec, value)] if spec.name in _CHOICES else []
    if not tests:
        choice(spec, value)
        return lambda session: None
    return lambda session: any_of([test(session) for test in tests])


def any_of(answers: list[Answer]) -> Answer:
    """Whether one of them is yes; None when none is but one is not known."""
    if True in answers:
        return True
    return None if None in answers else False


def _is(state: str) -> Test:
    if state == "archived":
        return lambda session: session.archived or session.hidden == "archived"
    if state == "fork":
        return lambda session: bool(session.forked_from)
    return lambda session: session.status == state


def _has(thing: str) -> Test:
    def holds(session: Session) -> Answer:
        counts = session.counts
        if thing == "error":
            return counts.tool_errors > 0 if counts else None
        if thing == "compaction":
            return counts.compactions > 0 if counts else None
        if thing == "subagents":
            return session.subagents > 0 if session.subagents is not None else None
        if thing == "specstory":
            return bool(session.specstory)
        known = session.facts.get(thing)
        return None if known is None else bool(known)

    return holds


_CHOICES: dict[str, Callable[[str], Test]] = {
    "source": lambda name: lambda session: session.source == name,
    "is": _is,
    "has": _has,
}


def _time(name: str, value: str, now: float) -> Test | None:
    span = times.window(value, now, instant=name != "date")
    if span is None:
        return None
    begin, end = span
    if name == "date":
        return lambda session: _overlaps(session, begin, end)
    if name == "after":
        upto = end if ".." in value else times.ENDLESS
        return lambda session: session.updated is not None and begin <= session.updated < upto
    return lambda session: session.updated is not None and session.updated < begin


def _overlaps(session: Session, begin: float, end: float) -> bool:
    last = session.updated if session.updated is not None else session.created
    first = session.created if session.created is not None else last
    return first is not None and last is not None and first < end and last >= begin


def _number(name: str, kind: str, value: str, now: float) -> Test | None:
    bare = {"turns": "=", "expires": "<="}.get(name, ">=")
    if name == "expires" and value.lower() and "never".startswith(value.lower()):
        return lambda session: session.expires is None
    span = numbers.number_range(value, kind, bare)
    if span is None:
        return None
    if name == "size":
        return lambda session: span.holds(session.size)
    if name == "turns":
        return lambda session: _turns(session, span)
    if name == "tokens":
        return lambda session: span.holds(session.tokens.total) if session.tokens else None
    return lambda session: session.expires is not None and span.holds(session.expires - now)


SHORTEST = {"claude": 120, "codex": 70, "droid": 60, "qwen": 60, "pi": 60, "copilot": 60, "specstory": 12}  # bytes of a prompt's record


def _turns(session: Session, span: numbers.Range) -> Answer:
    """By the counts; without them, a file too small to hold so many prompts needs no reading."""
    if session.counts:
        return span.holds(session.counts.prompts)
    least = SHORTEST.get(session.source, 0)
    small = least and not session.key and session.path.endswith((".jsonl", ".md"))
    return False if small and session.size < span.low * least else None


def _on_text(read: Callable[[Session], str | None], make: Callable[[str, bool], Callable[[str], bool]]) -> Callable[..., Test]:
    def maker(value: str, quoted: bool, now: float, here: str) -> Test:
        holds = make(value, quoted)
        return lambda session: holds(read(session) or "")

    return maker


def _dir(value: str, quoted: bool, now: float, here: str) -> Test:
    holds = path_test(value, quoted, here)
    return lambda session: session.cwd is not None and holds(session.cwd)


def _prompt(value: str, quoted: bool, now: float, here: str) -> Test:
    holds = text_test(value, quoted)
    return lambda session: holds(session.first_prompt) or holds(session.last_prompt)


def _id(value: str, quoted: bool, now: float, here: str) -> Test:
    wanted = value.lower()
    return lambda session: session.id.lower() == wanted if quoted else session.id.lower().startswith(wanted)


def _or_none(read: Callable[[Session], str | None], make: Callable[[str, bool], Callable[[str], bool]]) -> Callable[..., Test]:
    """As `_on_text`; a dash asks for sessions without any."""
    on_text = _on_text(read, make)

    def maker(value: str, quoted: bool, now: float, here: str) -> Test:
        if not quoted and value.lower() in ("-", "none"):
            return lambda session: not read(session)
        return on_text(value, quoted, now, here)

    return maker


_MAKERS: dict[str, Callable[..., Test]] = {
    "dir": _dir,
    "prompt": _prompt,
    "id": _id,
    "title": _on_text(lambda session: session.title, text_test),
    "model": _or_none(lambda session: session.model, text_test),
    "project": _or_none(lambda session: session.project, part_test),
    "branch": _or_none(lambda session: session.branch, part_test),
}
