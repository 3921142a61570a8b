"""Masking what must not be handed on: keys, tokens, passwords, connection strings, addresses. No network, no guesses.

The rules follow what detectors such as gitleaks and detect-secrets look for: a shape that only a secret has (`rules`),
or a value that is given a secret's name (`names`). What only looks like one (placeholders, variables, calls, hashes,
versions) is left alone. Every rule looks at the text as it is, so that it takes no more than the text's length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sessionbrowser.safe import names
from sessionbrowser.safe.rules import EMAIL, SHAPES, found


class Span(NamedTuple):
    """A secret in a text: its first character, the one behind its last, what it is."""

    start: int
    end: int
    what: str

    @property
    def label(self) -> str:
        """What stands for it."""
        return f"[masked: {self.what}]"


class Masked(NamedTuple):
    """A text without its secrets, and where they were in the text as it was."""

    text: str
    spans: tuple[Span, ...]

    def place(self, at: int) -> int:
        """Where a character of the text as it was stands in this one; for one of a secret, what stands for that begins."""
        moved = 0
        for start, end, what in self.spans:
            if at < start:
                break
            if at < end:
                return start + moved
            moved += len(Span(start, end, what).label) - (end - start)
        return at + moved


_LONG = re.compile(r"[A-Za-z0-9_\-]{16}")
_PIECE = r"[A-Za-z0-9_+/=.\-]"
_LAST = re.compile(rf"(?<!{_PIECE}){_PIECE}{{12,}}\Z")
_FIRST = re.compile(rf"{_PIECE}{{12,}}")
_FAR = 4000  # characters of a token at a cut edge that are looked at


def mask(text: str, *, cut: bool = False) -> str:
    """`text` with every secret in it replaced by `[masked: what it was]`.

    With `cut`, the text is a piece of a longer one (marked with … where it was cut): what could be half a secret at a
    cut edge is masked too.
    """
    return masked(text, cut=cut).text


def masked(text: str, *, cut: bool = False) -> Masked:
    """The same, with the places of the secrets in `text`."""
    spans = _joined([*_secrets(text), *(_at_edges(text) if cut and "…" in text else ())])
    pieces, at = [], 0
    for span in spans:
        pieces += [text[at : span.start], span.label]
        at = span.end
    return Masked("".join([*pieces, text[at:]]) if spans else text, spans)


def _secrets(text: str) -> Iterator[Span]:
    """Whatever a rule finds, the surest rule first; the same characters may be found by several."""
    low = text.lower()
    has_long = "…" in text or _LONG.search(text) is not None
    for rule in SHAPES:
        if (has_long or not rule.long) and rule.may_be_in(low):
            yield from (Span(start, end, rule.name) for start, end in found(rule, text))
    if names.may_be_in(low):
        yield from (Span(start, end, names.SECRET) for start, end in names.found(text))
    if EMAIL.may_be_in(low):
        yield from (Span(start, end, EMAIL.name) for start, end in found(EMAIL, text))


def _joined(spans: list[Span]) -> tuple[Span, ...]:
    """Spans in order, those that overlap made one that is called as the surest of them."""
    sure = {span: place for place, span in reversed(list(enumerate(spans)))}
    joined: list[Span] = []
    for span in sorted(sure):
        last = joined[-1] if joined else None
        if last is None or span.start >= last.end:
            joined.append(span)
            continue
        what = min(last, span, key=lambda each: sure[each]).what
        joined[-1] = Span(last.start, max(last.end, span.end), what)
        sure[joined[-1]] = min(sure[last], sure[span])
    return tuple(joined)


def _at_edges(text: str) -> Iterator[Span]:
    """Half a token where a text was cut; words, paths and numbers are none."""
    end = len(text.rstrip()) - 1
    if text[end] == "…" and (last := _LAST.search(text[max(0, end - _FAR) : end])) and _looks_random(last[0]):
        yield Span(end - len(last[0]), end, "cut")
    if text[0] == "…" and (first := _FIRST.match(text, 1)) and _looks_random(first[0]):
        yield Span(*first.span(), "cut")


def _looks_random(value: str) -> bool:
    mixed = re.search(r"\d", value) and re.search(r"[a-z]", value) and re.search(r"[A-Z]", value)
    return bool(mixed or any(re.search(r"\d", run) and re.search(r"[a-f]", run) for run in re.findall(r"[a-f0-9]{12,}", value)))


def deep_mask(value: object) -> object:
    """A JSON value with every string in it masked, keys left as they are."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: _under(str(key), item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [deep_mask(item) for item in value]
    return value


def _under(key: str, value: object) -> object:
    """A value under a key whose name may say that it is a secret."""
    if isinstance(value, str) and names.gives(key, value, bare=True):
        return f"[masked: {names.SECRET}]"
    return deep_mask(value)
