"""The files of a session: how often each was read, edited and created, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sessionbrowser.export.filediff import FileDiff, FileStory
from sessionbrowser.export.views import Read
from sessionbrowser.model import Block, Diff


class Changed(NamedTuple):
    """A path, how often it was read, edited and created, and its final diff when that was asked for."""

    path: str
    read: int = 0
    edited: int = 0
    created: int = 0
    added: int = 0
    removed: int = 0
    final: FileDiff | None = None

    def plus(self, counts: tuple[int, int, int, int, int]) -> Changed:
        """The same with more: times read, edited, created, lines added, removed."""
        read, edited, created, added, removed = (a + b for a, b in zip(self[1:6], counts, strict=True))
        return Changed(self.path, read, edited, created, added, removed)

    def json(self) -> dict[str, object]:
        made: dict[str, object] = self._replace(final=None)._asdict()
        del made["final"]
        if self.final is not None:
            made["diff"] = "\n".join(unified(self.final)) or None
            made["unplaced"] = len(self.final.loose)
        return made


def changed(blocks: Iterable[Block], read: Read, cwd: str = "", *, diffs: bool = False) -> list[Changed]:
    """Every path that calls which did not fail touched, those changed most first; below `cwd` relative to it."""
    folder = cwd.rstrip("/\\") + "/"
    found: dict[str, Changed] = {}
    stories: dict[str, FileStory] = {}
    for block in blocks:
        if block.kind != "tool" or block.ok is False or block.what not in ("read", "edit", "write"):
            continue
        for path, counts, diff in _touches(block, read):
            path = path.removeprefix(folder) if cwd else path
            known = found.get(path, Changed(path))
            found[path] = known.plus(counts)
            if diffs and diff is not None:
                stories.setdefault(path, FileStory(path)).apply(diff)
    made = [item._replace(final=stories[item.path].result()) if item.path in stories else item for item in found.values()]
    return sorted(made, key=lambda item: (-(item.edited + item.created), -item.read, item.path))


def _touches(block: Block, read: Read) -> Iterator[tuple[str, tuple[int, int, int, int, int], Diff | None]]:
    if block.what == "read":
        if block.title:
            yield block.title, (1, 0, 0, 0, 0), None
        return
    diffs = [part for part in read(block).parts if isinstance(part, Diff)]
    if not diffs and block.title:
        yield block.title, (0, 1, 0, block.added, block.removed), None
    for diff in diffs:
        lines = [line[:1] for hunk in diff.hunks for line in hunk.lines]
        counts = (0, int(not diff.created), int(diff.created), lines.count("+"), lines.count("-"))
        yield diff.path or block.title, counts, diff


def unified(final: FileDiff) -> Iterator[str]:
    """The lines of a unified diff, what could not be placed last."""
    if final.diff.deleted:
        yield "deleted"
    for hunk in (*final.diff.hunks, *final.loose):
        old = sum(line[:1] in (" ", "-") for line in hunk.lines)
        new = sum(line[:1] in (" ", "+") for line in hunk.lines)
        yield f"@@ -{hunk.old_start if old else 0},{old} +{hunk.new_start},{new} @@" if hunk not in final.loose else "@@ not placed @@"
        yield from hunk.lines
