"""What stands where a secret could stand and is none: placeholders, variables, calls, types, words, paths, numbers."""

from __future__ import annotations

import re

_PLACEHOLDER = re.compile(
    r"(?i)\A(?:[<{$%\[(*].*|.*(?:\.\.\.|…\S|example|placeholder|changeme|redacted|dummy|your[_-]|my[_-]?(?:pass|token|key|secret)\b).*"
    r"|(.)\1{4,}.*|x{3,}.*"
    r"|(?:none|null|true|false|undefined|string|str|bytes|secret|token|password|passwd|optional|required|any|object"
    r"|bearer|basic|digest|oauth2?|same-origin|include|omit|default|inherit|unknown|missing|invalid|expired|enabled|disabled|hidden)\W*)\Z"
)
_CODE = re.compile(r"(?:\A|[^\w])(?:process\.env|os\.environ|os\.getenv|getenv|env\.|config\.|settings\.|self\.|this\.|secrets\.|vault\.)|\A[A-Za-z_$][\w.$]*\((?:.*\)\W*|[^)]*)\Z|\A[A-Za-z_]\w*(?:\.\w+)+\Z|\A[A-Za-z_]\w*\[")  # fmt: skip
_PATH = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.\-+@~/\\: ]*\Z")
_SHOWN = re.compile(r"#[0-9A-Fa-f]{3,8}\Z|--[a-z][\w-]*\Z|https?://[^\s@?#]+\Z")  # a colour, a variable of a style sheet, an address
_NUMBER = re.compile(r"[\d.,_ ]+[kKmMbB%]?\Z")
_WORD = r"[A-Z]?[a-z]{1,14}"
_WORDS = re.compile(rf"{_WORD}(?:[-_. /:](?:{_WORD})?\d{{0,2}}){{0,8}}\Z")
_LONGEST_PATH = 1000  # characters


def is_placeholder(value: str) -> bool:
    """Whether a value only shows where one goes, or names a variable."""
    return bool(_PLACEHOLDER.match(value))


def is_none(value: str) -> bool:
    """Whether a value with a secret's name is none: too short, a placeholder, a variable, a call, a type, a path."""
    value = value.strip("\"'`\\")
    return len(value) < 6 or is_placeholder(value) or bool(_CODE.search(value) or _SHOWN.match(value)) or is_path(value)


def is_plain(value: str) -> bool:
    """The same for a value that stands bare: a word alone is prose or code."""
    return is_none(value) or not ((re.search(r"\d", value) and re.search(r"[A-Za-z]", value)) or re.search(r"[^\w.,:;)\]}\-/]", value))


def is_path(value: str) -> bool:
    """Whether a value is the path of a file, absolute or from here or home, with no part that looks random."""
    return len(value) <= _LONGEST_PATH and bool(_PATH.match(value)) and not any(_is_mixed(part) for part in re.split(r"[/\\]", value))


def _is_mixed(part: str) -> bool:
    return len(part) >= 8 and all(re.search(kind, part) for kind in (r"\d", "[a-z]", "[A-Z]"))


def is_number(value: str) -> bool:
    """Whether a value counts something."""
    return bool(_NUMBER.match(value))


def is_wording(value: str) -> bool:
    """Whether a value is a word or some, as names of models, kinds and states are."""
    return bool(_WORDS.match(value))
