"""Records that belong to no conversation but tell something of it: the queue, checkpoints, modes, links, costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sessionbrowser.sources.claude.lines import NAMES
from sessionbrowser.sources.claude.rows import Row

if TYPE_CHECKING:
    from sessionbrowser.sources.claude.reader import Reader

_ZERO = "00000000-0000-0000-0000-000000000000"


def note(reader: Reader, kind: object, row: Row) -> bool:
    """Let `reader` take notice of a bookkeeping record; False when it is none."""
    if not isinstance(kind, str):
        return False
    handler = _HANDLERS.get(kind)
    if handler is not None:
        handler(reader, row)
    return handler is not None or kind in _SILENT


def _queue_operation(reader: Reader, row: Row) -> None:
    reader.queue.operation(row.record, row.place("queue"), row.time, len(reader.builder.blocks))


def _last_prompt(reader: Reader, row: Row) -> None:
    leaf = row.record.get("leafUuid")
    if row.record.get("explicit") is True or row.record.get("rewound") is True:
        reader.graph.checkpoint(leaf if isinstance(leaf, str) and leaf != _ZERO else "")


def _permission_mode(reader: Reader, row: Row) -> None:
    if changed := reader.tracked.new_mode(row.record.get("permissionMode"), row.time):
        reader.remark("mode", f"Permission mode: {changed}", row)


def _pr_link(reader: Reader, row: Row) -> None:
    if shown := reader.tracked.link(row.record):
        reader.remark("link", f"Pull request {shown}", row)


def _continued(reader: Reader, row: Row) -> None:
    other = row.record.get("continuedInSessionId")
    if isinstance(other, str) and reader.tracked.single.get("continued_in_raw") != other:
        reader.tracked.single["continued_in_raw"] = other
        reader.remark("link", f"Continued in session {other}", row)


def _ended(reader: Reader, row: Row) -> None:
    reader.remark("info", "Ended by the model", row)


def _cost(reader: Reader, row: Row) -> None:
    reader.tracked.costs(row.record)


_HANDLERS: dict[str, Callable[[Reader, Row], None]] = {
    "queue-operation": _queue_operation, "last-prompt": _last_prompt, "permission-mode": _permission_mode, "pr-link": _pr_link,
    "continued-in": _continued, "ended-by-model": _ended, "cost-state": _cost,
}  # fmt: skip
_SILENT = NAMES | {"summary"}
