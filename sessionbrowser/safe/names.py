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
WORD = rf"(?:pass(?:word|wort|wd|phrase|code)?|kennwort|pwd|secret|token|credentials?|(?:{'|'.join(KEYS)})[_-]?key|pin[_-]?code)"
MARKS = ("pass", "kennwort", "pwd", "secret", "token", "credential", "pincode", "pin_code", "pin-code", *(f"{kind}{joint}key" for kind in KEYS for joint in ("", "_", "-")))

_HEAD = re.compile(rf"(?i)({WORD}[\w\-]{{0,20}})(?:\\?[\"'`]\]?)?(\s{{0,4}}(?:=>|:=|=|:|%3[AD])\s{{0,4}})")
_QUOTED = re.compile(  # closed, or cut; a quote behind a backslash is one of its letters
    r"(\\?[\"'`])(?![\s)]|,\s)((?>\\{3}[\"'`]|(?!\1)\\.|(?!\1)[^\\\n]){4,4000}?)(?=\1|…\s*\Z)"
)
_RUN = re.compile(r"[^\s\"'`]{4,4000}")  # a bare value ends before a blank; what stands at its end may be the sentence's
_BARE = re.compile(r"[^\s\"'`,;&|<>(){}\[\]]{6,4000}")
_SYNTAX = re.compile(r"[:=]|[A-Za-z_$][\w.$]*(?:[<(\[{&;|,=]|->|::)")  # how code goes on behind a name
_STOPS = ",;:.)]}>"

_IN_NAMES = string.ascii_letters + string.digits + "_-"
_LONGEST_HEAD = 40  # characters of a name before its telling word
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_OWNERS = "db|user|root|admin|my|ftp|smtp|imap|mail|sql|mysql|pg|ssh|http|proxy|redis|ldap|bind|wifi|key|store"
_TELLING = re.compile(
    rf"(?:^| )(?:\w*(?P<sure>passw(?:or)?[dt]s?|kennwort|passphrases?|passcodes?|secrets?)|(?:{_OWNERS})?(?P<short>pass|pwd)"
    rf"|\w*(?P<token>tokens?|credentials?)|\w*(?P<key>(?:{'|'.join(KEYS)}) ?keys?|pin ?codes?))(?= |$)"
)
# What the last part of a name says of a secret's surroundings, not of itself.
_ABOUT = frozenset(
    ["type", "count", "counts", "limit", "url", "uri", "endpoint", "name", "length", "len", "size", "file", "path", "dir", "expiry", "expires", "expiration", "ttl", "age", "policy", "ref", "field", "label", "regex", "pattern", "rate", "manager", "provider", "store", "usage", "budget", "window", "index", "position", "kind", "format", "algorithm", "status", "state", "error", "prompt", "help", "message", "summary", "text", "title", "hint", "description", "placeholder", "tooltip", "color", "colour"]
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
        if quoted := _QUOTED.match(text, at):
            start, at = quoted.span(2)
            if gives(name, quoted[2], bare=False):
                yield start, at
        elif run := _RUN.match(text, at):
            start, at = run.span()
            value = run[0].rstrip(_STOPS)
            if _gives_bare(name, value, in_shell=head[2] == "=" and name.isupper()):
                yield start, start + len(value)


def _gives_bare(name: str, value: str, *, in_shell: bool) -> bool:
    """Whether a value without quotes is a secret: all of it, or, where it may be code, what stands before the first sign."""
    if in_shell or not _SYNTAX.match(value):
        return gives(name, value, bare=True, in_shell=in_shell)
    first = _BARE.match(value)
    return first is not None and gives(name, first[0], bare=True)


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
