"""`sb diff`: two sessions, or two subagents, side by side by time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.commands import options, output, zones
from sessionbrowser.export.beside import Pair, overlap, pairs, span
from sessionbrowser.export.skeleton import Bone, skeleton
from sessionbrowser.model import Session
from sessionbrowser.paths import Environment
from sessionbrowser.text import amount, cells, clock, date, duration, fit, iso, one_line, plural

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.library import Library

_SIGNS = {"prompt": "▍", "tool": "·", "note": "–", "text": " "}


class Side(NamedTuple):
    """One of the two, with its bones."""

    session: Session
    bones: list[Bone]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "diff", help="print two sessions side by side", allow_abbrev=False,
        description="Print two sessions, or two subagents, side by side by time: by the clock where they ran at the same time, else by "
        "the time since each began.",
    )  # fmt: skip
    parser.add_argument("ids", nargs=2, metavar="ID", help="an id of a session or a subagent, the beginning of one, @last, @prev or @here")
    parser.add_argument("--by", choices=("auto", "clock", "start"), default="auto", help="by the clock, or by the time since each began")
    parser.add_argument("--bound", metavar="N", type=int, default=300, help="characters of a prompt or an answer; 0: all of them (default: 300)")
    parser.add_argument("--width", metavar="N", type=int, default=0, help="columns (default: the terminal's, or 140)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--safe", action="store_true", help="secrets masked, and not of the session that asks")
    zones.add(parser)
    options.common(parser, every=False)


def run(args: argparse.Namespace, env: Environment) -> int:
    if args.bound < 0 or args.width < 0:
        raise options.Refused("--bound and --width take a number that is not below zero")
    with zones.zone(args.tz):
        library = options.open_library(args, env)
        left, right = (_side(args, library, name) for name in args.ids)
        absolute = args.by == "clock" or (args.by == "auto" and overlap(left.bones, right.bones))
        found = list(pairs(left.bones, right.bones, absolute=absolute))
        if args.json:
            output.write_json(_document(left, right, found, absolute, library))
        else:
            from sessionbrowser.commands.table import write_lines

            write_lines(lines(left, right, found, absolute, _width(args, library)), library)
    return 0


def _side(args: argparse.Namespace, library: Library, name: str) -> Side:
    from sessionbrowser.export import folding, safely

    session = options.one_session(library, name)
    handle = library.handle(session)
    outline = library.outline(handle)
    session = session._replace(counts=outline.counts, tokens=outline.tokens)
    blocks, read = [block for block in outline.blocks if not block.branch], folding.reader(library, handle)
    if args.safe:
        options.refuse_asking(session, library.environment)
        session, blocks, read = safely.safe_session(session), list(safely.safe_blocks(blocks)), safely.safe_reader(read)
    return Side(session, list(skeleton(blocks, read, args.bound)))


def _width(args: argparse.Namespace, library: Library) -> int:
    from sessionbrowser.commands.table import terminal_width

    return max(60, args.width or (terminal_width(library.environment) if output.on_terminal() else 140))


def _document(left: Side, right: Side, found: Sequence[Pair], absolute: bool, library: Library) -> dict[str, object]:
    from sessionbrowser.commands.rows import session_json

    return {
        "schema": 1, "by": "clock" if absolute else "start", "left": session_json(left.session, library), "right": session_json(right.session, library),
        "rows": [{"time": iso(pair.time) if absolute else None, "seconds": None if absolute else round(pair.time, 3),
                  "left": [_bone(bone) for bone in pair.left], "right": [_bone(bone) for bone in pair.right]} for pair in found],
    }  # fmt: skip


def _bone(bone: Bone) -> dict[str, object]:
    return {"kind": bone.kind, "turn": bone.turn, "time": iso(bone.time), "text": bone.text, "ok": not bone.bad}


def lines(left: Side, right: Side, found: Sequence[Pair], absolute: bool, width: int) -> Iterator[str]:
    """The two in columns, the time before them."""
    column = (width - 8 - 3) // 2
    for a, b in zip(_heading(left), _heading(right), strict=True):
        yield _row("", a, b, column)
    yield "─" * (8 + column) + "┼" + "─" * (column + 1)
    for pair in found:
        when = clock(pair.time) if absolute else "+" + _offset(pair.time)
        rows = zip_longest(_cell(pair.left, column), _cell(pair.right, column), fillvalue="")
        for index, (ours, theirs) in enumerate(rows):
            yield _row(when if index == 0 else "", ours, theirs, column)


def _offset(seconds: float) -> str:
    return duration(seconds) if seconds >= 1 else "0s"


def _row(when: str, left: str, right: str, column: int) -> str:
    return f"{when:>6}  {fit(left, column)} │ {fit(right, column)}".rstrip()


def _heading(side: Side) -> list[str]:
    session, (first, last) = side.session, span(side.bones)
    counts = session.counts
    calls = f"{plural(counts.tool_calls, 'call')}, {plural(counts.tool_errors, 'error')}" if counts else ""
    tokens = f"{amount(session.tokens.total)} tokens" if session.tokens and session.tokens.total else ""
    facts = [session.source, session.project, session.branch or "", session.model or "", session.status]
    took = [date(first) if first else "no times", duration(last - first) if last > first else "", calls, tokens]
    return [session.title or one_line(session.id), "  ".join(fact for fact in facts if fact), "  ".join(fact for fact in took if fact)]


def _cell(bones: Sequence[Bone], width: int) -> list[str]:
    """The lines of one side of a row."""
    from sessionbrowser.render.rows import wrap_pieces

    made: list[str] = []
    for bone in bones:
        sign = "✗" if bone.bad else _SIGNS.get(bone.kind, " ")
        for index, pieces in enumerate(wrap_pieces(((bone.text, ""),), max(10, width - 2))):
            text = "".join(part for part, _ in pieces)
            made.append(f"{sign if index == 0 or bone.kind == 'prompt' else ' '} {text}"[: width * 2] if cells(text) else "")
    return made
