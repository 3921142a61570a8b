"""Hits for people: a heading a session, a line a hit, the matches marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sessionbrowser.commands import output
from sessionbrowser.commands.rows import tag_of
from sessionbrowser.commands.search_places import Places
from sessionbrowser.commands.table import columns
from sessionbrowser.paths import shown
from sessionbrowser.text import cells, cut, date, folded, plural

if TYPE_CHECKING:
    from sessionbrowser.index.search import Hit
    from sessionbrowser.library import Library

SHORTEST = 12  # cells that a title gets at least
SPEAKERS = {"prompt": "you", "text": "answer", "thinking": "thinking", "tool": "tool", "session": ""}


def lines(hits: Sequence[Hit], total: int, library: Library, *, rows: bool, context: int) -> Iterator[str]:
    """The lines to print. With `rows`, one a session with the number of its hits."""
    env = library.environment
    paint = _Paint(output.on_terminal() and not env.get("NO_COLOR") and env.get("TERM") != "dumb")
    counts = Counter(hit.identity for hit in hits)
    places, width = Places(library), columns(env)
    digits = len(str(max(counts.values(), default=0)))
    before: tuple[str, str, str] | None = None
    for hit in hits:
        if hit.identity != before:
            if before is not None and not rows:
                yield ""
            number = f"{counts[hit.identity]:>{digits}}  " if width else f"{counts[hit.identity]}\t"
            yield _heading(hit, number if rows else "", paint, width)
            before = hit.identity
        if not rows and hit.kind != "session":
            for line in _hit(hit, places, paint, context):
                yield from folded(line, width)
    if total > len(hits):
        yield ""
        yield paint("2", f"… and {plural(total - len(hits), 'more hit')}; --limit 0 prints all")


def _heading(hit: Hit, number: str, paint: _Paint, width: int) -> str:
    tag, name = tag_of(hit.source), shown(hit.session)
    title = cut(hit.title, max(width - cells(f"{number}{tag}  {name}  "), SHORTEST)) if width else hit.title
    return f"{number}{paint('2', tag)}  {paint('36', name)}  {paint('1', title)}"


def _hit(hit: Hit, places: Places, paint: _Paint, context: int) -> Iterator[str]:
    turn, line = places.of(hit)
    who = f"subagent {shown(hit.subagent)}" if hit.subagent else ""
    about = "  ".join(part for part in (f"turn {turn}" if turn else "", SPEAKERS.get(hit.kind, hit.kind), who, date(hit.time),
                                        f"line {line}" if line else "") if part)  # fmt: skip
    if hit.also:
        about += f"  (also in {', '.join(shown(identity) for identity in hit.also)})"
    if not context or not hit.lines:
        yield f"  {marked(hit.snippet, hit.marks, paint)}  {paint('2', about)}"
        return
    yield f"  {paint('2', about)}"
    for number, text in enumerate(hit.lines):
        yield f"  {'>' if number == hit.at else ' '} {paint('1', text) if number == hit.at else text}"


def marked(text: str, marks: Sequence[tuple[int, int]], paint: _Paint) -> str:
    """`text` with its matches painted."""
    out, at = [], 0
    for start, end in marks:
        out += [text[at:start], paint("1;33", text[start:end])]
        at = end
    return "".join([*out, text[at:]])


class _Paint:
    """Colours, or none."""

    def __init__(self, on: bool) -> None:
        self._on = on

    def __call__(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._on and text else text
