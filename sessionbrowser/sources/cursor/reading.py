"""Reading Cursor's sessions: messages from a chat's store, a transcript, or the editor's database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from sessionbrowser.model import Damage, Handle, Transcript
from sessionbrowser.paths import Environment
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.base import SourceError
from sessionbrowser.sources.cursor import editor, places
from sessionbrowser.sources.lazy import lazily
from sessionbrowser.sources.numbered import Data, Record, RecordSource
from sessionbrowser.sources.pieces import Assembly, Piece, string
from sessionbrowser.sources.sqlite import Databases, stamp

if TYPE_CHECKING:
    from sessionbrowser.sources.cursor import bubbles, messages, plain, store
else:
    bubbles, messages, plain, store = lazily("sessionbrowser.sources.cursor", "bubbles", "messages", "plain", "store")


class Reading(RecordSource):
    """The records of a session, wherever it is kept: a key means the editor's database, `.db` a store, else a transcript."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._databases = Databases()
        self._beside: dict[str, dict[str, str]] = {}  # of each home: the transcript of each id
        self._orders: dict[str, tuple[object, store.Order]] = {}
        self._folders: dict[str, tuple[object, dict[str, str]]] = {}

    def _transcripts(self, home: str, *, again: bool = False) -> dict[str, str]:
        if again or home not in self._beside:
            self._beside[home] = dict(places.transcripts(home))
        return self._beside[home]

    def _transcript(self, handle: Handle) -> str:
        """The readable transcript of a session of the command line; "" when there is none."""
        if handle.key:
            return ""
        if not handle.path.endswith(".db"):
            return handle.path
        return self._transcripts(handle.root.path).get(handle.id, "")

    def mark(self, handle: Handle) -> object:
        if handle.path.endswith((".db", ".vscdb")):
            return stamp(handle.path)
        return super().mark(handle)

    def records(self, handle: Handle, damage: list[Damage]) -> Iterator[Record]:
        if handle.key:
            yield from self._of_editor(handle, damage)
        elif handle.path.endswith(".db"):
            order = self._order(handle)
            if order.ids or not self._transcript(handle):
                yield from self._of_store(handle, order, damage)
            else:
                yield from self._of_transcript(jsonl.lines(self._transcript(handle)), handle, damage)
        elif handle.path.endswith(plain.ENDING):
            yield from self._of_plain(handle)
        else:
            yield from self._of_transcript(jsonl.lines(handle.path), handle, damage)

    def _order(self, handle: Handle) -> store.Order:
        """The messages of a chat in order; kept while the store does not change."""
        now = stamp(handle.path)
        kept = self._orders.get(handle.path)
        if kept is not None and kept[0] == now:
            return kept[1]
        with self._databases.open(handle.path) as connection:
            order = store.order(connection, string(store.meta(connection).get("latestRootBlobId")))
        if len(self._orders) > 8:
            self._orders.clear()
        self._orders[handle.path] = (now, order)
        return order

    def _of_store(self, handle: Handle, order: store.Order, damage: list[Damage], numbers: Iterable[int] | None = None) -> Iterator[Record]:
        with self._databases.open(handle.path) as connection:
            for number in range(len(order.ids)) if numbers is None else numbers:
                found = store.message(connection, order.ids[number])
                if found is None:
                    damage.append(Damage(number, "a message cannot be read"))
                else:
                    yield Record(number, {**found, "key": f"{number}:{order.ids[number][:12]}", "begun": order.times.get(number)})

    def _of_transcript(self, lines: Iterable[jsonl.Line], handle: Handle, damage: list[Damage]) -> Iterator[Record]:
        for line in lines:
            reading = jsonl.read(line.data)
            if reading.damage and line.whole:
                damage.append(Damage(line.offset, reading.damage))
            for record in reading.records[:1]:
                yield Record(line.offset, {**record, "key": str(line.offset), "child": handle.hidden == "subagent"})

    def _of_plain(self, handle: Handle, start: int = 0) -> Iterator[Record]:
        for number, data in plain.records(handle.path, start):
            yield Record(number, {**data, "key": str(number), "child": handle.hidden == "subagent"})

    def _of_editor(self, handle: Handle, damage: list[Damage], numbers: range | None = None) -> Iterator[Record]:
        with self._databases.open(handle.path) as connection:
            chat = editor.composer(connection, handle.key)
            if chat is None:
                raise SourceError("the chat is no longer in the database, or damaged")
            for number, bubble in editor.messages(connection, handle.key, chat, numbers):
                if bubble is None:
                    damage.append(Damage(number, "a message is missing"))
                else:
                    yield Record(number, {"bubble": {"bubbleId": str(number), **bubble}})

    def record_at(self, handle: Handle, number: int) -> Data | None:
        if handle.key:
            return next((record.data for record in self._of_editor(handle, [], range(number, number + 1))), None)
        if handle.path.endswith(".db"):
            order = self._order(handle)
            if order.ids:
                found = self._of_store(handle, order, [], [number]) if number < len(order.ids) else iter(())
                return next((record.data for record in found), None)
        if handle.path.endswith(plain.ENDING):
            return next((record.data for record in self._of_plain(handle, number)), None)
        line = next(jsonl.lines(self._transcript(handle), number), None)
        return next((record.data for record in self._of_transcript([line], handle, [])), None) if line else None

    def pieces(self, data: Data, handle: Handle) -> Iterator[Piece]:
        bubble = data.get("bubble")
        for piece in bubbles.pieces(bubble) if isinstance(bubble, Mapping) else messages.pieces(data):
            if piece.kind == "prompt" and handle.hidden == "subagent":
                piece = piece._replace(what="subagent")
            yield piece

    def assemble(self, handle: Handle, state: Assembly) -> Transcript:
        made = super().assemble(handle, state)
        if handle.path.endswith((".db", ".vscdb")):
            return made
        return made._replace(blocks=tuple(
            block._replace(outcome="result not recorded") if block.kind == "tool" and block.result is None else block
            for block in made.blocks
        ))  # fmt: skip
