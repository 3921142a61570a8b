"""What became of one file over a session: its edits put together into a single diff.

A session records edits, not files, so the file is known only where edits showed it. Lines nobody touched are kept as
stretches of the file as it was; an edit splits them. An edit that fits nowhere (no line numbers, text not seen
before) stays beside the rest as it was made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from sessionbrowser.model import REMARK, Diff, Hunk

CONTEXT = 3
_ENDLESS = 1 << 40


class Old(NamedTuple):
    """Lines of the file as it was before the session: the number of the first, and how many."""

    start: int
    size: int


class New(NamedTuple):
    """A line the session wrote."""

    text: str


Piece = Old | New


class FileDiff(NamedTuple):
    """The final diff; `loose` are hunks that could not be placed, as they were made."""

    diff: Diff
    loose: tuple[Hunk, ...] = ()
    edits: int = 0


class FileStory:
    """A file as far as its edits tell, one applied after the other."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.edits = 0
        self._pieces: list[Piece] = [Old(1, _ENDLESS)]
        self._known: dict[int, str] = {}  # lines of the file as it was, by number
        self._gone: set[int] = set()
        self._loose: list[Hunk] = []
        self._created = self._deleted = False

    def apply(self, diff: Diff) -> None:
        """The next edit of this file."""
        self.edits += 1
        if diff.deleted:
            self._deleted = True
            return
        if diff.created:
            self._created = self._created or self.edits == 1
            self._deleted = False
            self._pieces = [New(line[1:]) for hunk in diff.hunks for line in hunk.lines if line[:1] == "+"]
            self._loose.clear()
            return
        shift = 0  # earlier hunks of the same edit moved the lines of later ones
        for made in diff.hunks:
            hunk = made._replace(lines=tuple(line for line in made.lines if line[:1] != REMARK))
            at = self._place(hunk, shift)
            if at is None:
                self._loose.append(made)
                continue
            self._change(at, hunk.lines)
            shift += sum(line[:1] == "+" for line in hunk.lines) - sum(line[:1] == "-" for line in hunk.lines)

    # ── placing ──

    def _place(self, hunk: Hunk, shift: int) -> int | None:
        """The number (from 0) of the current line at which a hunk begins; None when that cannot be told."""
        before = [line[1:] for line in hunk.lines if line[:1] != "+"]
        if hunk.old_start > 0:
            at = hunk.old_start - 1 + shift
            if before and self._agrees(at, before):
                return at
            if not before:
                return hunk.old_start + shift if not hunk.lines or not self._is_whole() else min(at, self._length())
        found = self._search(before) if before else []
        return found[0] if len(found) == 1 else None

    def _is_whole(self) -> bool:
        return not any(isinstance(piece, Old) for piece in self._pieces)

    def _length(self) -> int:
        return sum(piece.size if isinstance(piece, Old) else 1 for piece in self._pieces)

    def _agrees(self, at: int, before: Sequence[str]) -> bool:
        """Whether nothing known of the lines from `at` on speaks against `before`."""
        for number, text in enumerate(before):
            here = self._line(at + number)
            if here is None:  # behind the end: somebody else went on writing the file
                return number > 0
            known = here.text if isinstance(here, New) else self._known.get(here.start)
            if known is not None and known != text:
                return False
        return True

    def _line(self, at: int) -> Piece | None:
        for piece in self._pieces:
            size = piece.size if isinstance(piece, Old) else 1
            if at < size:
                return Old(piece.start + at, 1) if isinstance(piece, Old) else piece
            at -= size
        return None

    def _search(self, before: Sequence[str]) -> list[int]:
        """Where `before` stands among the lines that are known, by current number."""
        run: list[tuple[int, str]] = []
        found: list[int] = []
        for number, text in self._known_lines():
            if run and number != run[-1][0] + 1:
                run = []
            run.append((number, text))
            if len(run) >= len(before) and [text for _, text in run[-len(before) :]] == list(before):
                found.append(run[-len(before)][0])
        return found

    def _known_lines(self) -> Iterator[tuple[int, str]]:
        at = 0
        for piece in self._pieces:
            if isinstance(piece, New):
                yield at, piece.text
                at += 1
                continue
            end = piece.start + piece.size
            for number in sorted(number for number in self._known if piece.start <= number < end):
                yield at + number - piece.start, self._known[number]
            at += piece.size

    # ── changing ──

    def _change(self, at: int, lines: Sequence[str]) -> None:
        index = self._split(at)
        for line in lines:
            sign, text = line[:1], line[1:]
            if sign == "+":
                self._pieces.insert(index, New(text))
                index += 1
                continue
            index = self._one(index)
            if index >= len(self._pieces):
                if sign != "-":
                    self._pieces.append(New(text))
                    index += 1
                continue
            piece = self._pieces[index]
            if isinstance(piece, Old):
                self._known[piece.start] = text
            if sign == "-":
                if isinstance(piece, Old):
                    self._gone.add(piece.start)
                del self._pieces[index]
            else:
                index += 1

    def _split(self, at: int) -> int:
        """The index of the piece that begins at current line `at`, made if need be."""
        index = 0
        while index < len(self._pieces):
            piece = self._pieces[index]
            size = piece.size if isinstance(piece, Old) else 1
            if at == 0:
                return index
            if at < size and isinstance(piece, Old):
                self._pieces[index : index + 1] = [Old(piece.start, at), Old(piece.start + at, piece.size - at)]
                return index + 1
            at -= size
            index += 1
        return index

    def _one(self, index: int) -> int:
        """Let the piece at `index` be a single line."""
        if index < len(self._pieces):
            piece = self._pieces[index]
            if isinstance(piece, Old) and piece.size > 1:
                self._pieces[index : index + 1] = [Old(piece.start, 1), Old(piece.start + 1, piece.size - 1)]
        return index

    # ── the result ──

    def result(self) -> FileDiff:
        """The difference between the file before the session and after it, as far as it is known."""
        created = self._created and not self._gone
        hunks = tuple(_hunks(list(self._rows())))
        return FileDiff(Diff(self.path, hunks, created=created, deleted=self._deleted), tuple(self._loose), self.edits)

    def _rows(self) -> Iterator[tuple[int, int, str]]:
        """(old number, new number, line) of all known lines, the changed ones between the kept ones, in order."""
        old, new = 1, 1
        written: list[str] = []
        for piece in [*self._pieces, Old(_ENDLESS * 2, 0)]:
            if isinstance(piece, New):
                written.append(piece.text)
                continue
            lost = [number for number in sorted(self._gone) if old <= number < piece.start]
            yield from _changed(lost, [self._known[number] for number in lost], written, old, new)
            new += len(written)
            written = []
            for number in sorted(number for number in self._known if piece.start <= number < piece.start + piece.size):
                yield number, new + number - piece.start, " " + self._known[number]
            old, new = piece.start + piece.size, new + piece.size


def _changed(numbers: Sequence[int], lost: Sequence[str], written: Sequence[str], old: int, new: int) -> Iterator[tuple[int, int, str]]:
    """Lost lines and those written in their place, what is in both kept: an edit that was taken back is none."""
    for tag, a, b, c, d in SequenceMatcher(None, lost, written, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from ((numbers[a + k], new + c + k, " " + lost[a + k]) for k in range(b - a))
            continue
        yield from ((numbers[k], new + c, "-" + lost[k]) for k in range(a, b))
        yield from (((numbers[b - 1] + 1 if b else old), new + k, "+" + written[k]) for k in range(c, d))


def _hunks(rows: Sequence[tuple[int, int, str]]) -> Iterator[Hunk]:
    """The rows around changes, in hunks."""
    changed = [index for index, row in enumerate(rows) if row[2][:1] != " "]
    wanted = sorted({near for index in changed for near in range(max(0, index - CONTEXT), min(len(rows), index + CONTEXT + 1))})
    run: list[tuple[int, int, str]] = []
    for index in wanted:
        row = rows[index]
        if run and not _follows(run[-1], row):
            yield from _hunk(run)
            run = []
        run.append(row)
    yield from _hunk(run)


def _follows(before: tuple[int, int, str], row: tuple[int, int, str]) -> bool:
    old = before[0] + (before[2][:1] != "+")
    new = before[1] + (before[2][:1] != "-")
    return row[0] - old in (0, 1) and row[1] - new in (0, 1) and (row[0] == old or row[2][:1] == "+")


def _hunk(run: Sequence[tuple[int, int, str]]) -> Iterator[Hunk]:
    if any(line[:1] != " " for _, _, line in run):
        yield Hunk(run[0][0], run[0][1], tuple(line for _, _, line in run))


def over(path: str, diffs: Iterable[Diff]) -> FileDiff:
    """The diffs of one file, in the order they were made, as one."""
    story = FileStory(path)
    for diff in diffs:
        story.apply(diff)
    return story.result()
