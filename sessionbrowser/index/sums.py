"""What whole sessions add up to: for lists, statistics and the fields that a row's head and tail can't answer.

Kept with the state of the file they were read from, so that each file is read once for as long as it stays the same.
All methods raise sqlite3.Error; whoever calls decides to go on without.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import NamedTuple
from zlib import crc32

from sessionbrowser import __version__
from sessionbrowser.index.catalogue import Catalogue, is_text
from sessionbrowser.index.rows import Identity
from sessionbrowser.index.store import Part, ensure
from sessionbrowser.model import Counts, Handle, Session, Transcript, Usage, is_call


class Sums(NamedTuple):
    """One session, its own records only: subagents and copied history are not in it."""

    counts: Counts
    tokens: Usage
    models: Mapping[str, Usage]  # tokens by model
    tools: Mapping[str, tuple[int, int]]  # calls and how many of them failed, by tool
    images: bool
    plan: bool
    subagents: int  # that its calls name
    damaged: int  # lines
    last_prompt: str = ""  # its beginning
    inline: int = 0  # subagents whose transcripts stand in its own file, named by no call


_SHAPE = 3
INLINE = "inline_agents_raw"  # the fact that says how many subagents a file holds itself
PART = Part(
    "sums",
    crc32(f"{_SHAPE} {__version__} {Sums._fields} {Counts._fields} {Usage._fields}".encode()),
    """
    create table sums (
        source text, path text, key text, size integer, mtime_ns integer, inode integer, at real, data blob,
        primary key (source, path, key)
    ) without rowid;
    create index sums_at on sums (at)
    """,
    ("sums",),
)


def sums_of(outline: Transcript) -> Sums:
    """The sums of a session that was read whole."""
    tools: dict[str, list[int]] = {}
    images, plan = bool(outline.facts.get("images")), bool(outline.facts.get("plan"))
    subagents, last = set(), ""
    for block in outline.blocks:
        if is_call(block) and not block.copied:
            calls = tools.setdefault(block.name or block.what, [0, 0])
            calls[0] += 1
            calls[1] += block.ok is False
        elif block.kind == "prompt" and block.what in ("typed", "queued"):
            last = block.title
        images = images or block.kind == "image"
        plan = plan or block.what == "plan"
        subagents.add(block.subagent)
    calls_of = {name: (calls, errors) for name, (calls, errors) in tools.items()}
    inline = outline.facts.get(INLINE)
    return Sums(
        outline.counts, outline.tokens, dict(outline.tokens_by_model), calls_of, images, plan, len(subagents - {""}), len(outline.damage), last,
        inline if isinstance(inline, int) else 0,
    )  # fmt: skip


def filled(session: Session, sums: Sums) -> Session:
    """`session` with what its row did not know."""
    told = session.facts.get(INLINE)
    apart = (session.subagents or 0) - (told if isinstance(told, int) else 0)  # in files of their own
    return session._replace(
        counts=sums.counts, tokens=sums.tokens, damaged_lines=sums.damaged,
        facts={**session.facts, "images": sums.images, "plan": sums.plan, **({INLINE: sums.inline} if sums.inline else {})},
        subagents=max(apart, sums.subagents) + sums.inline,
        last_prompt=_longer(sums.last_prompt, session.last_prompt),
    )  # fmt: skip


def _longer(known: str, said: str) -> str:
    """The last prompt that is `known`, or what the row said where that is the same one, cut later."""
    same = not known or (known.endswith("…") and said.startswith(known[:-1]))
    return said if same else known


class KeptSums:
    """The sums in the file of a catalogue, for the thread that opened it."""

    def __init__(self, catalogue: Catalogue) -> None:
        ensure(catalogue.connection, PART)
        self._catalogue = catalogue
        self._connection = catalogue.connection

    def get(self, handle: Handle) -> Sums | None:
        """The sums of a session in the state that `handle` tells, None when nobody read it since."""
        if not is_text(identity(handle)):
            return None
        found = self._connection.execute(
            "select data from sums where source = ? and path = ? and key = ? and size = ? and mtime_ns = ? and inode = ?",
            _state(handle),
        ).fetchone()
        return _unpacked(found[0]) if found else None

    def keep(self, handle: Handle, sums: Sums) -> None:
        """Keep the sums of a session and fill its row with them."""
        if not is_text(identity(handle)):
            return
        values = (*_state(handle), time.time(), _packed(sums))
        self._connection.execute("insert or replace into sums values (?, ?, ?, ?, ?, ?, ?, ?)", values)
        self.fill(handle, sums)

    def fill(self, handle: Handle, sums: Sums) -> None:
        """Fill the row of a session with sums that are kept."""
        self._catalogue.amend(identity(handle), lambda session: filled(session, sums))

    def missing(self, quiet_since_ns: int, small: int) -> list[Handle]:
        """Sessions that a list shows and whose sums are not known, or not by their rows; newest first.

        Left out are those above `small` bytes that were written to after `quiet_since_ns`: they would have to be read
        again at once.
        """
        return self._catalogue.handles(
            "hidden = '' and live and (mtime_ns < ? or size <= ?) and (tokens is null or not exists (select 1 from sums where sums.source = session.source"
            " and sums.path = session.path and sums.key = session.key and sums.size = session.size"
            " and sums.mtime_ns = session.mtime_ns and sums.inode = session.inode))",
            (quiet_since_ns, small),
        )

    def since(self, moment: float) -> list[Identity]:
        """Sessions whose sums came after `moment` (epoch seconds)."""
        return self._connection.execute("select source, path, key from sums where at > ?", (moment,)).fetchall()

    def forget_lost(self) -> None:
        """Drop the sums of sessions that are in the catalogue no more."""
        self._connection.execute(
            "delete from sums where not exists (select 1 from session where session.source = sums.source"
            " and session.path = sums.path and session.key = sums.key)"
        )


def identity(handle: Handle) -> Identity:
    return handle.source, handle.path, handle.key


def _state(handle: Handle) -> tuple[str, str, str, int, int, int]:
    return handle.source, handle.path, handle.key, handle.size, handle.mtime_ns, handle.inode


def _packed(sums: Sums) -> bytes:
    import orjson

    return orjson.dumps([list(sums.counts), list(sums.tokens), {name: list(usage) for name, usage in sums.models.items()}, sums.tools, *sums[4:]])


def _unpacked(data: bytes) -> Sums:
    import orjson

    counts, tokens, models, tools, *rest = orjson.loads(data)
    return Sums(
        Counts(*counts), Usage(*tokens), {name: Usage(*usage) for name, usage in models.items()},
        {name: (calls, errors) for name, (calls, errors) in tools.items()}, *rest,
    )  # fmt: skip
