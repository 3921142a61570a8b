"""What could stand where the cursor is: fields, their values, and what the sessions at hand have in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sessionbrowser.model import ACTIONS, Session
from sessionbrowser.query.fields import BY_NAME, FIELDS, NAMES, FieldSpec, fold
from sessionbrowser.query.saved import SIGN
from sessionbrowser.query.times import KEYWORDS, MONTHS, WEEKDAYS
from sessionbrowser.query.tokens import Token, tokens
from sessionbrowser.query.tree import quote
from sessionbrowser.sources import REGISTRY
from sessionbrowser.text import for_eyes

LIMIT = 50
_TIMES = ("today", "yesterday", "2d", "7d", "3w", *KEYWORDS[2:-1], *WEEKDAYS, *MONTHS)
_NUMBERS = {"turns": (">10", ">50", "<5", "10..50"), "tokens": (">100k", ">1M", "<10k"),
            "size": (">1MB", ">10MB", "<100k"), "expires": ("<3d", "<1w", "never")}  # fmt: skip
_TOOLS = (*ACTIONS[:-1], "Bash", "apply_patch")


class Completion(NamedTuple):
    """`text` to put in place of the characters `start` to `end`, and a few words about it."""

    text: str
    start: int
    end: int
    help: str


def complete(text: str, cursor: int, sessions: Sequence[Session] = (), saved: Mapping[str, str] | None = None) -> list[Completion]:
    """What could be meant at `cursor`, the likeliest first; nothing when the word there begins no field and no `@name`.

    `saved` are the saved queries by name.
    """
    cursor = max(0, min(cursor, len(text)))
    token = _token_at(text, cursor)
    if token is None:
        return [Completion(f"{spec.name}:", cursor, cursor, spec.help) for spec in FIELDS] if not text.strip() else []
    if token.kind == "field" and cursor >= token.at:
        return _values(BY_NAME[token.name], token, text, cursor, sessions)
    if token.kind != "word":
        return []
    typed = text[token.at : cursor].lower()
    if typed.startswith(SIGN):
        names_saved = [name for name in saved or () if name.lower().startswith(typed[1:])]
        return [Completion(f"{SIGN}{name}", token.at, token.end, (saved or {})[name]) for name in names_saved]
    names = [spec for spec in FIELDS if _begins(typed, spec)]
    return [Completion(f"{spec.name}:", token.at, token.end, spec.help) for spec in names if typed]


def _begins(typed: str, spec: FieldSpec) -> bool:
    return any(name.startswith(typed) for name in (spec.name, *spec.aliases))


def _token_at(text: str, cursor: int) -> Token | None:
    return next((token for token in tokens(text, NAMES) if token.start <= cursor <= token.end), None)


def _values(spec: FieldSpec, token: Token, text: str, cursor: int, sessions: Sequence[Session]) -> list[Completion]:
    typed = text[token.at : cursor]
    start = token.at
    chosen: set[str] = set()
    if not token.quoted and "," in typed:
        start += typed.rindex(",") + 1
        chosen = {fold(value) for value in typed.split(",")[:-1]}
        typed = text[start:cursor]
    wanted = fold(typed.strip('"'))
    found = [(value, help) for value, help in dict(_possible(spec, sessions)).items() if fold(value) not in chosen]
    first = [(value, help) for value, help in found if fold(value).startswith(wanted)]
    rest = [(value, help) for value, help in found if wanted in fold(value) and not fold(value).startswith(wanted)]
    return [Completion(_written(value), start, token.end, help) for value, help in (first + rest)[:LIMIT]]


def _written(value: str) -> str:
    return quote(value) if any(char.isspace() or char in '",|' for char in value) else value


def _possible(spec: FieldSpec, sessions: Sequence[Session]) -> Iterable[tuple[str, str]]:
    if spec.name == "source":
        counts = Counter(row.source for row in sessions)
        return [(item.name, _of(item.label, counts[item.name])) for item in REGISTRY if counts[item.name] or not counts]
    if spec.name == "is":
        states = Counter(row.status for row in sessions)
        return [(state, _of("", states[state])) for state in spec.choices]
    if spec.choices:
        return [(value, "") for value in spec.choices]
    if spec.kind == "time":
        return [(value, "") for value in _TIMES]
    if spec.name in _NUMBERS:
        return [(value, "") for value in _NUMBERS[spec.name]]
    if spec.name == "tool":
        return [(value, "") for value in _TOOLS]
    if spec.name in ("project", "branch", "model"):
        seen = Counter(for_eyes(value) for row in sessions if (value := getattr(row, spec.name)))
        return [(value, _of("", count)) for value, count in seen.most_common()]
    if spec.name == "dir":
        places = Counter(for_eyes(row.cwd) for row in sessions if row.cwd)
        return [(value, _of("", count)) for value, count in places.most_common()]
    if spec.name == "id":
        return [(row.id, row.title) for row in sessions]
    return []


def _of(label: str, count: int) -> str:
    here = f"{count:,}" if count else ""
    return " · ".join(part for part in (label, here) if part)
