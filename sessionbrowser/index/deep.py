"""The deep search: over the files themselves, newest first, for what is in no index.

First the bytes: a file that does not hold the letters of the query as JSON writes them is not read (`rg` looks where it
is installed, else a plain find over chunks does). Then the parsed text has the last word, so that base64 and
bookkeeping never match and nothing matches twice.
"""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from sessionbrowser.index.deep_program import Cancelled, Want, holding
from sessionbrowser.index.fulltext import TROUBLE, grows
from sessionbrowser.index.matching import holds
from sessionbrowser.index.spellings import Loose, is_accented, of_word
from sessionbrowser.labels import label, names_behind
from sessionbrowser.model import ACTIONS, Block, Diff, Handle, Passage
from sessionbrowser.query.fields import fold, part_test, text_test
from sessionbrowser.query.tree import Exact, Field, Leaf, Regexp, Word
from sessionbrowser.sources.base import Source
from sessionbrowser.sources.jsonl import open_file

CHUNK = 1 << 20
BATCH = 64  # files given to rg at first; each batch is twice as large as the one before
LARGEST_BATCH = 1024

Report = Callable[[int, int], None]


class Wanted(NamedTuple):
    """What a passage has to be: of which kinds, holding all of `leaves`, called by which tool, about which file."""

    leaves: tuple[Leaf, ...]
    kinds: frozenset[str]
    fields: tuple[Field, ...] = ()  # tool: and file: parts


def search(source: Source, handle: Handle, wanted: Wanted, cancelled: Cancelled) -> Iterator[Passage]:
    """The passages of one session that are what is wanted, in file order. A session that can't be read has none."""
    try:
        if wanted.fields:
            yield from _calls(source, handle, wanted, cancelled)
            return
        for passage in source.passages(handle, 0, tools="tool" in wanted.kinds):
            if cancelled():
                return
            if passage.kind in wanted.kinds and all(holds(leaf, passage.text) for leaf in wanted.leaves):
                yield passage
    except TROUBLE:
        return


def _calls(source: Source, handle: Handle, wanted: Wanted, cancelled: Cancelled) -> Iterator[Passage]:
    """The tool calls of a session that fit `tool:` and `file:` and hold the words."""
    names = [_name_test(field) for field in wanted.fields if field.name == "tool"]
    files = [_file_test(field) for field in wanted.fields if field.name == "file"]
    for block in source.outline(handle).blocks:
        if cancelled():
            return
        if block.kind != "tool" or not all(test(block) for test in names):
            continue
        if not files and not wanted.leaves:
            yield Passage("tool", block.place.start, f"{block.name} {block.title}", block.time)
            continue
        body = source.body(handle, block)
        values = list(_strings(body.input))
        paths = [block.title, *(part.path for part in body.parts if isinstance(part, Diff)),
                 *(value for value in values if len(value) < 500 and "\n" not in value)]  # fmt: skip
        text = "\n".join([block.name, *values, body.text])
        if all(any(test(path) for path in paths) for test in files) and all(holds(leaf, text) for leaf in wanted.leaves):
            shown = text if wanted.leaves else f"{block.name} {block.title}"
            yield Passage("tool", block.place.start, shown, block.time)


def _name_test(field: Field) -> Callable[[Block], bool]:
    """A tool by its name, by the last part of it (`mcp__github__get_issue`), by the name shown, or by what it does (`shell`, `edit`)."""
    kinds = {fold(value) for value in field.values} & set(ACTIONS) if not field.quoted else set()
    tests = [text_test(value, field.quoted) if "*" in value else _same_name(value) for value in field.values]
    return lambda block: block.what in kinds or any(test(block.name) or test(label(block)) for test in tests)


def _same_name(value: str) -> Callable[[str], bool]:
    wanted = fold(value)
    return lambda name: fold(name) == wanted or fold(name).endswith(("__" + wanted, "." + wanted))


def _file_test(field: Field) -> Callable[[str], bool]:
    tests = [part_test(value, field.quoted) for value in field.values]
    return lambda path: any(test(path) for test in tests)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)


# ── which files are worth reading ──


def needles(wanted: Wanted) -> list[Want]:
    """What a file must hold, one spelling of each, whatever the case. Empty: nothing can be said beforehand."""
    pieces: list[str] = []
    words: list[Want | None] = []
    for leaf in wanted.leaves:
        if isinstance(leaf, Word):
            words += [of_word(piece) for piece in leaf.text.split()]
        elif isinstance(leaf, Exact):
            pieces += leaf.text.split()
        elif isinstance(leaf, Regexp):
            pieces += [literal] if (literal := longest_literal(leaf.pattern)) else []
    found: list[Want | None] = [*(spellings(piece) for piece in pieces), *words]
    for field in wanted.fields:
        value = field.values[0]
        if len(field.values) == 1 and "*" not in value and not (field.name == "tool" and fold(value) in ACTIONS):
            behind = names_behind(value) if field.name == "tool" else ()
            found.append(_any_of(behind) if behind else spellings(value.replace("\\", "/").rsplit("/", 1)[-1]))
    return [item for item in found if item]


def _any_of(names: Sequence[str]) -> tuple[bytes, ...]:
    return tuple(written.encode() for name in names for written in {name, name.replace("_", "-")})


def spellings(text: str) -> tuple[bytes, ...]:
    """The ways `text` may stand in a file of JSON. Accented words may be written without, so they say nothing."""
    low = text.casefold()
    if low.isascii():
        for char in "<>&'":  # some writers escape these
            low = max(low.split(char), key=len)
        return (json.dumps(low)[1:-1].encode(),) if low else ()
    if is_accented(text):
        return ()
    if low != text or text.upper() != text:  # rg and we compare the case of ASCII letters only
        return ()
    return (json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "replace"), json.dumps(text)[1:-1].encode().lower())


def longest_literal(pattern: str) -> str:
    """The longest run of ASCII letters and digits every match must hold; "" when it is not plain to see."""
    try:
        from re import _parser  # type: ignore[attr-defined]

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = _parser.parse(pattern)
    except (ImportError, ValueError, RecursionError, OverflowError):
        return ""
    best = run = ""
    for operation, value in parsed:
        char = chr(value) if str(operation) == "LITERAL" else ""
        if char.isascii() and char.isalnum():
            run += char
            best = max(best, run, key=len)
        else:
            run = ""
    return best if len(best) >= 3 else ""


def candidates(handles: Sequence[Handle], wanted: Wanted, cancelled: Cancelled, report: Report | None = None) -> Iterator[Handle]:
    """Those of `handles`, in their order, whose files may hold what is wanted; `report` is told how many were looked through."""
    wants = needles(wanted)
    program = shutil.which("rg") if wants else None
    size, at = BATCH, 0
    while at < len(handles) and not cancelled():
        batch = handles[at : at + size]
        tell = (lambda place, at=at: report(at + place, len(handles))) if report is not None else _nobody
        at += size
        size = min(size * 2, LARGEST_BATCH)
        tell(0)
        plain = [handle.path for handle in batch if grows(handle)]
        kept = holding(program, plain, wants, cancelled) if program and wants else None
        for place, handle in enumerate(batch):
            if cancelled():
                return
            if not wants or not grows(handle) or (handle.path in kept if kept is not None else contains(handle.path, wants)):
                yield handle
                tell(place + 1)
    if report is not None:
        report(len(handles), len(handles))


def _nobody(place: int) -> None:
    """Nobody wants to know."""


def contains(path: str, wants: Sequence[Want]) -> bool:
    """Whether a file holds one of each of `wants`, whatever the case of ASCII letters; read in chunks."""
    left = [_test(want) for want in wants]
    keep = max(want.longest if isinstance(want, Loose) else max(map(len, want)) for want in wants) - 1
    try:
        with open_file(path) as file:
            tail = b""
            while left and (chunk := file.read(CHUNK)):
                data = tail + chunk.lower()
                left = [test for test in left if not test(data)]
                tail = data[-keep:] if keep else b""
    except OSError:
        return False
    return not left


def _test(want: Want) -> Callable[[bytes], bool]:
    if isinstance(want, Loose):
        return want.test()
    low = [spelling.lower() for spelling in want]
    return lambda data: any(spelling in data for spelling in low)
