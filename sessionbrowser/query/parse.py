"""Tokens into a tree, wrong input into a problem with its place. Never raises."""

from __future__ import annotations

import difflib
import re

from sessionbrowser.query.fields import BY_NAME, NAMES, FieldSpec, choice, make_test
from sessionbrowser.query.marks import compiled
from sessionbrowser.query.tokens import Token, tokens
from sessionbrowser.query.tree import And, Exact, Field, Leaf, Not, Part, Problem, Regexp, Word

_SEPARATORS = re.compile("[,|]")
_ALMOST = re.compile(r"([a-z]{2,12}):(\S+)", re.IGNORECASE)

_PLAIN_VALUE = re.compile(r"\d+(?:\D|\Z)|[^\w\"'<>=~.*-]")  # a port, a line, a sign: no value of a field
_UNFINISHED = {
    "field": "{}: has no value that can be read",
    "exact": "there is nothing between the quotes",
    "regexp": "the expression is not finished",
    "word": "there is nothing behind this sign",
}


def read(text: str, now: float) -> tuple[And, Problem | None]:
    """The tree of `text` and the first thing in it that could not be read; the rest of it holds."""
    parts: list[Part] = []
    problem: Problem | None = None
    for token in tokens(text, NAMES):
        try:
            leaf = _leaf(token, now)
        except ValueError as error:
            problem = problem or Problem(str(error), token.start, token.end)
            continue
        if leaf is not None:
            parts.append(Not(leaf, token.start, token.end) if token.negative else leaf)
    return And(tuple(parts)), problem


def _leaf(token: Token, now: float) -> Leaf | None:
    """The part a token stands for; None when it says nothing yet. Raises ValueError with words for the person."""
    at, end = token.at, token.end
    if token.kind == "field":
        return _field(token, now)
    if not token.value.strip():
        return None
    if token.kind == "exact":
        return Exact(token.value, at, end)
    if token.kind == "regexp":
        return _regexp(token)
    if token.end - token.at == len(token.value):  # else a backslash says that it is a word
        _refuse_almost_a_field(token.value)
    return Word(token.value, at, end)


def _regexp(token: Token) -> Regexp | None:
    leaf = Regexp(token.value, token.at, token.end)
    try:
        compiled(leaf)
    except (re.error, RecursionError, OverflowError) as error:
        if token.open:  # a bracket that is still to be closed
            return None
        raise ValueError(f"the expression does not read: {error}") from error
    return leaf


def _field(token: Token, now: float) -> Field | None:
    spec = BY_NAME[token.name]
    values = (token.value,) if token.quoted else tuple(value for value in _SEPARATORS.split(token.value) if value)
    values = tuple(value for value in values if value.strip() and _says_something(spec, value, token.quoted, now))
    if not values:
        return None
    return Field(spec.name, values, token.quoted, token.start + token.negative, token.end)


def _says_something(spec: FieldSpec, value: str, quoted: bool, now: float) -> bool:
    """Whether a value is finished. Raises ValueError for a wrong one."""
    if spec.kind == "choice":
        choice(spec, value)
        return True
    return make_test(spec, value, quoted, now, "") is not None


def _refuse_almost_a_field(word: str) -> None:
    """`brnach:main` and `foo:bar` are slips, not words to look for; `Error:`, `http://…`, `std::x` and `host:80` are words."""
    found = _ALMOST.fullmatch(word)
    if found is None or found[2].startswith(("/", "\\", ":")):
        return
    name = found[1].lower()
    close = difflib.get_close_matches(name, [name for name in NAMES if len(name) > 3], 1, 0.8)
    if close:
        raise ValueError(f"there is no field {found[1]}:, did you mean {close[0]}:? (put it in quotes to look for the text)")
    if found[1] == name and not _PLAIN_VALUE.match(found[2]):
        near = difflib.get_close_matches(name, NAMES, 1, 0.6)
        hint = f", did you mean {near[0]}:?" if near else ""
        raise ValueError(f"there is no field {name}:{hint} (put it in quotes to look for the text)")


def breaks_off(text: str) -> bool:
    """Whether `text` ends in a word and a colon that will be no field, whatever is typed behind it."""
    if not text.endswith(":"):
        return False
    *_, last = tokens(text, NAMES)
    try:
        _refuse_almost_a_field(f"{last.value}x" if last.kind == "word" else "")
    except ValueError:
        return True
    return False


def unfinished(text: str, now: float) -> Problem | None:
    """The first part of `text` that says nothing yet: while it is typed that is no mistake, in a script it is one."""
    for token in tokens(text, NAMES):
        try:
            says_nothing = _leaf(token, now) is None
        except ValueError:
            continue  # a problem of its own
        if says_nothing:
            return Problem(_UNFINISHED[token.kind].format(token.name), token.start, token.end)
    return None
