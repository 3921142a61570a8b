"""Edits as unified diffs: line numbers, signs, backgrounds across the width, and the colours of the language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sessionbrowser.model import REMARK, Diff, Hunk
from sessionbrowser.render.code import fold_line, highlight
from sessionbrowser.render.rows import Look, Piece, Row
from sessionbrowser.render.wrap import steady
from sessionbrowser.text import cut_middle

_KINDS = {"+": ("diff.add", "diff.add.sign"), "-": ("diff.del", "diff.del.sign"), " ": ("", "diff.context")}


def rows(diff: Diff, look: Look, *, lead: tuple[Piece, ...] = (), named: bool = False) -> list[Row]:
    """The hunks of a diff; with `named` the file's name above them."""
    made: list[Row] = []
    if named:
        what = "created  " if diff.created else "deleted  " if diff.deleted else ""
        made.append(Row((*lead, (what, "dim"), (cut_middle(look.path(diff.path), look.inner - len(what)), "strong dim"))))
    if diff.deleted and not diff.hunks:
        made.append(Row((*lead, ("deleted", "diff.del.sign"))))
    digits = max(3, len(str(max((h.new_start + len(h.lines) for h in diff.hunks), default=0))))
    for index, hunk in enumerate(diff.hunks):
        if index:
            made.append(Row((*lead, (look.glyphs.ellipsis.rjust(digits), "diff.hunk"))))
        made.extend(_hunk(hunk, diff.path, look, lead, digits))
    return made


def _hunk(hunk: Hunk, path: str, look: Look, lead: tuple[Piece, ...], digits: int) -> Iterator[Row]:
    numbered = hunk.old_start > 0 or hunk.new_start > 0
    old, new = hunk.old_start, hunk.new_start
    coloured = iter(_coloured([line for line in hunk.lines if line[:1] != REMARK], path))
    for line in hunk.lines:
        if line[:1] == REMARK:
            yield from _remark(line, look, lead, digits)
            continue
        code = next(coloured)
        sign = line[:1] if line[:1] in _KINDS else " "
        fill, mark = _KINDS[sign]
        number = str(old if sign == "-" else new) if numbered else ""
        old += sign != "+"
        new += sign != "-"
        for index, part in enumerate(fold_line(code, look.inner - digits - 3, look)):
            head = number.rjust(digits) if index == 0 else " " * digits
            gutter = ((head + " ", f"{fill} diff.number"), ((sign if index == 0 else " ") + " ", f"{fill} {mark}"))
            ink = "diff.context" if sign == " " else fill
            yield Row((*lead, *gutter, *((text, f"{ink} {style}".strip()) for text, style in part)), fill)


def _remark(line: str, look: Look, lead: tuple[Piece, ...], digits: int) -> Iterator[Row]:
    """What is said of the line above: it has no number."""
    for part in fold_line([(steady(line)[0], "diff.hunk")], look.inner - digits - 3, look):
        yield Row((*lead, (" " * (digits + 1), ""), *part))


def _coloured(signed: Sequence[str], path: str) -> list[list[Piece]]:
    """The lines without their signs, in colours: what was and what is are read as two texts."""
    lines = [steady(line[1:])[0] for line in signed]
    before = highlight("\n".join(t for t, line in zip(lines, signed, strict=True) if line[:1] != "+"), path)
    after = highlight("\n".join(t for t, line in zip(lines, signed, strict=True) if line[:1] != "-"), path)
    if before is None or after is None:
        return [[(text, "diff.add.sign" if line[:1] == "+" else "diff.del.sign" if line[:1] == "-" else "")] if text else []
                for text, line in zip(lines, signed, strict=True)]  # fmt: skip
    old, new = iter(before), iter(after)
    made: list[list[Piece]] = []
    for line in signed:
        if line[:1] == "-":
            made.append(next(old, []))
            continue
        if line[:1] != "+":
            next(old, None)
        made.append(next(new, []))
    return made
