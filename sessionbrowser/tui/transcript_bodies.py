"""Bodies of blocks, read when they are looked at: at once while there is time in this frame, else by a thread."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from sessionbrowser.model import Block, Body, Part, Picture, Plain, Prose
from sessionbrowser.render.markdown import LONG
from sessionbrowser.tui.transcript_layout import Key, key_of

KEPT = 12_000_000  # characters of bodies kept
SMALL = 100_000  # bytes of records that may be read at once
FRAME = 0.012  # seconds of reading that one frame may take
SLOW = 0.080  # seconds for one body from which on nothing more of this session is read on the event loop


class Bodies:
    """The bodies of one session, the newest of them kept. `fetch` may raise OSError and its like."""

    def __init__(
        self, fetch: Callable[[Block], Body], came: Callable[[], None],
        prepare: Callable[[Block, Body], None] = lambda block, body: None,
    ) -> None:  # fmt: skip
        self._fetch = fetch
        self._came = came
        self._prepare = prepare  # what takes long about drawing it is done by the thread that read it
        self._kept: OrderedDict[Key, Body] = OrderedDict()
        self._weight = 0
        self._wanted: dict[Key, Block] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._until = 0.0
        self._slow = False

    def begin_frame(self, seconds: float = FRAME) -> None:
        """For the next `seconds`, what is small is read at once."""
        self._until = time.perf_counter() + seconds

    def get(self, block: Block) -> Body | None:
        """The body, or None when it was asked for and will come."""
        key = key_of(block)
        with self._lock:
            body = self._kept.get(key)
            if body is not None:
                self._kept.move_to_end(key)
                return body
        before = time.perf_counter()
        if not self._slow and not _is_long(block) and before < self._until:
            body = self._read(block)
            self._slow = time.perf_counter() - before > SLOW
            self._keep(key, body)
            return body
        self._ask(key, block)
        return None

    def read(self, block: Block) -> Body:
        """The body, now: for a thread, or for one block that was asked for."""
        with self._lock:
            body = self._kept.get(key_of(block))
        if body is None:
            body = self._read(block)
            self._keep(key_of(block), body)
        return body

    def forget(self, block: Block) -> None:
        """The block changed: what was read of it no longer holds."""
        with self._lock:
            body = self._kept.pop(key_of(block), None)
            if body is not None:
                self._weight -= _weight(body)

    def close(self) -> None:
        """No more reading: another session is shown."""
        self._closed = True

    def _read(self, block: Block) -> Body:
        from sessionbrowser.library.places import why
        from sessionbrowser.sources.base import SourceError

        try:
            return self._fetch(block)
        except (OSError, SourceError, ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
            return Body("", (Plain(f"could not be read: {why(error)}", error=True),))

    def _keep(self, key: Key, body: Body) -> None:
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = body
            self._weight += _weight(body)
            while self._weight > KEPT and len(self._kept) > 1:
                self._weight -= _weight(self._kept.popitem(last=False)[1])

    def _ask(self, key: Key, block: Block) -> None:
        with self._lock:
            if self._closed or key in self._wanted:
                return
            self._wanted[key] = block
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="sb-bodies", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        """Read what is wanted, what was asked for last first, until nothing is."""
        told = time.perf_counter()
        while True:
            with self._lock:
                if self._closed or not self._wanted:
                    self._thread = None
                    break
                key, block = self._wanted.popitem()
            body = self._read(block)
            self._prepare(block, body)
            self._keep(key, body)
            if time.perf_counter() - told > 0.03:
                self._came()
                told = time.perf_counter()
        if not self._closed:
            self._came()


def _is_long(block: Block) -> bool:
    """Whether reading or drawing the block would hold up a frame."""
    return _bytes(block) > SMALL or (block.kind == "text" and block.size > LONG)


def _bytes(block: Block) -> int:
    return block.place.length + (block.result.length if block.result else 0) if block.place.length else block.size


def _weight(body: Body) -> int:
    return 300 + len(body.text) + sum(_part_weight(part) for part in body.parts)


def _part_weight(part: Part) -> int:
    if isinstance(part, Picture):
        return len(part.data or b"")
    return len(part.text) if isinstance(part, Prose | Plain) else 400
