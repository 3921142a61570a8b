"""Values that are given a secret's name: `dbPassword: …`, `API_KEY=…`, `"access_token": "…"`.

A name counts by its parts, however they are joined, so that `tokenizer`, `compass` and `max_tokens` name no secret.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

from sessionbrowser.safe.values import is_none, is_number, is_plain, is_wording

SECRET = "secret"

KEYS = ("api", "access", "secret", "account", "auth", "signing", "private", "encryption", "master", "subscription", "consumer")
WORD = rf"(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|credentials?|(?:{'|'.join(KEYS)})[_-]?key|pin[_-]?code)"
MARKS = ("pass", "pwd", "secret", "token", "credential", "pincode", "pin_code", "pin-code", *(f"{kind}{joint}key" for kind in KEYS for joint in ("", "_", "-")))

_HEAD = re.compile(rf"(?i)({WORD}[\w\-]{{0,20}})(?:\\?[\"'`]\]?)?(\s{{0,4}}(?:=>|:=|=|:|%3[AD])\s{{0,4}})")
_QUOTED = re.compile(r"(\\?[\"'`])(?![\s)]|,\s)((?:(?!\1).){4,4000}?)(?=\1|…\s*\Z)")  # closed, or cut
_IN_SHELL = re.compile(r"[^\s\"'`;&|<>$(){}]{4,}")
_BARE = re.compile(r"[^\s\"'`,;&|<>(){}\[\]]{6,}")

_IN_NAMES = string.ascii_letters + string.digits + "_-"
_LONGEST_HEAD = 40  # characters of a name before its telling word
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_OWNERS = "db|user|root|admin|my|ftp|smtp|imap|mail|sql|mysql|pg|ssh|http|proxy|redis|ldap|bind|wifi|key|store"
_TELLING = re.compile(
    rf"(?:^| )(?:\w*(?P<sure>passw(?:or)?ds?|passphrases?|passcodes?|secrets?)|(?:{_OWNERS})?(?P<short>pass|pwd)"
    rf"|\w*(?P<token>tokens?|credentials?)|\w*(?P<key>(?:{'|'.join(KEYS)}) ?keys?|pin ?codes?))(?= |$)"
)
# What the last part of a name says of a secret's surroundings, not of itself.
_ABOUT = frozenset(
    ["type", "count", "counts", "limit", "url", "uri", "endpoint", "name", "length", "len", "size", "file", "path", "dir", "expiry", "expires", "expiration", "ttl", "age", "policy", "ref", "field", "label", "regex", "pattern", "rate", "manager", "provider", "store", "usage", "budget", "window", "index", "position", "kind", "format", "algorithm", "status", "state", "error"]
)
_COUNTED = frozenset(["max", "min", "total", "num", "n", "input", "output", "prompt", "completion", "cached", "cache", "used", "remaining", "avg", "per", "reasoning"])


def may_be_in(low: str) -> bool:
    """Whether a text (in small letters) can hold a value with a secret's name."""
    return any(mark in low for mark in MARKS) and ("=" in low or ":" in low or "%3" in low)


def found(text: str) -> Iterator[tuple[int, int]]:
    """The places of values that are given a secret's name, quotes left out."""
    at = 0
    while (head := _HEAD.search(text, at)) is not None:
        at = head.end()
        name = _whole_name(text, *head.span(1))
        if not kind_of(name):
            continue
        quoted = _QUOTED.match(text, at)
        in_shell = not quoted and head[2] == "=" and name.isupper()
        value = quoted or (_IN_SHELL if in_shell else _BARE).match(text, at)
        if value is None:
            continue
        start, end = value.span(2 if quoted else 0)
        if gives(name, text[start:end], bare=not quoted, in_shell=in_shell):
            yield start, end
        at = end


def gives(name: str, value: str, *, bare: bool, in_shell: bool = False) -> bool:
    """Whether a value with this name is a secret; `bare` when no quotes say where it ends, as in a sentence."""
    kind, parts = kind_of(name), _parts(name)
    if not kind or is_none(value) or "[masked:" in value or value.startswith("masked:"):
        return False
    if kind == "token" and is_number(value):
        return not (_COUNTED & set(parts) or parts[-1].endswith("s"))
    if in_shell:
        return True
    if kind == "token" and is_wording(value):
        return False
    if kind == "short" and bare and re.search(r"[/:]|\.\w{1,4}\Z", value):
        return False  # what a run of tests says has passed
    return not (bare and is_plain(value))


def kind_of(name: str) -> str:
    """What a name tells by: `sure` for passwords and secrets, `short` for pass and pwd, `token`, `key`; "" for no secret."""
    parts = _parts(name)
    telling = _TELLING.search(" ".join(parts))
    return telling.lastgroup or "" if telling and parts[-1] not in _ABOUT else ""


def _parts(name: str) -> list[str]:
    """`dbPassword`, `DB_PASSWORD` and `db-password` in small letters, one by one."""
    return [part.lower() for part in _PART.findall(name)]


def _whole_name(text: str, start: int, end: int) -> str:
    """A name with what stands before its telling word."""
    before = text[max(0, start - _LONGEST_HEAD) : start]
    rest = before.rstrip(_IN_NAMES)
    head = before[len(rest) :]
    return (head[1:] if rest.endswith("\\") else head) + text[start:end]  # \ntoken is a new line and a name
