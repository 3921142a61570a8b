"""Calls and their results: opened, closed, judged, and tied to the subagents and background tasks they started."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from sessionbrowser.model import Block, Place
from sessionbrowser.sources import forms
from sessionbrowser.sources.build import TITLE_LIMIT, Builder
from sessionbrowser.sources.claude import outcomes
from sessionbrowser.sources.claude.rows import Row, text_of
from sessionbrowser.sources.claude.store import stem_of
from sessionbrowser.sources.claude.tracked import Tracked
from sessionbrowser.text import one_line

_NOTIFIED = re.compile(r"<task-id>([\w-]{1,80})</task-id>.*?<tool-use-id>([\w-]{1,120})</tool-use-id>", re.DOTALL)
_STATUS = re.compile(r"<status>(\w{1,20})</status>")
_ON_FILES = ("read", "edit", "write")
_EARLY = 32  # rows come a few lines before their parents, not more
_ELSEWHERE = 1000  # what is said of calls that stand before what is read apart is kept, as much as is likely


class Early(NamedTuple):
    """A result that stands before its call."""

    place: Place
    result: Mapping[str, object]
    detail: object
    denial: object
    time: float | None
    at: int  # how many blocks stood before it


class Said(NamedTuple):
    """Something said of a call that stands elsewhere: its result, the subagent it started, or a notification (its text)."""

    kind: str  # result, link, notified
    call: str
    text: str = ""
    time: float | None = None
    early: Early | None = None


class Pairing:
    """The calls of one transcript."""

    def __init__(self, builder: Builder, tracked: Tracked, *, apart: bool = False) -> None:
        self.builder = builder
        self.tracked = tracked
        self.early: dict[str, Early] = {}
        self._alone: list[tuple[int, Block]] = []  # results that no call is expected for any more, and where they stand
        self._apart = apart
        self._elsewhere: list[Said] = []  # said, apart, of calls that were not met: they may stand before
        self._met = 0  # results that stood before their calls

    def call(self, row: Row, part: str, value: Mapping[str, object], model: str) -> None:
        """A call, `part` of its row: a block, open until its result comes."""
        get = value.get
        name = str(get("name") or "tool")
        arguments = get("input")
        given = arguments if isinstance(arguments, dict) else {"input": arguments} if arguments is not None else {}
        kind = forms.action(name)
        identity = get("id")
        call = identity if isinstance(identity, str) else ""
        title = forms.target(kind, given)
        if kind == "skill" and title:
            skill = title.split(" ", 1)[0]
            self.tracked.skills[skill] = self.tracked.skills.get(skill, 0) + 1
        elif kind in _ON_FILES:
            title = _within(title, row.record.get("cwd"))
        self.builder.call(
            Block("tool", row.place(part), self.builder.turn, title, kind, row.time, model, 0, 0, row.key, 0, "",
                  _shown(name), None, None, "", 0, 0, call)
        )  # fmt: skip
        self.tracked.planned |= kind == "plan"
        if (early := self.early.pop(call, None)) and (opened := self.builder.called(call)):
            self._met += 1
            ok = self._close(opened, early.place, early.result, early.detail, early.denial, early.time)
            self.builder.tool_results -= 1  # it was counted when it came
            self.builder.tool_errors -= not ok

    def result(self, row: Row, part: str, value: Mapping[str, object]) -> None:
        """A result, `part` of its row: it closes its call, or waits for it when it stands before it."""
        given = value.get("tool_use_id")
        call = given if isinstance(given, str) else ""
        place = row.place(part)
        detail, denial = row.record.get("toolUseResult"), row.record.get("toolDenialKind")
        if (block := self.builder.called(call)) is not None:
            self._close(block, place, value, detail, denial, row.time)
            return
        self.builder.tool_results += 1
        self.builder.tool_errors += value.get("is_error") is True
        early = Early(place, value, detail, denial, row.time, len(self.builder.blocks))
        if not call:
            self._alone.append(_alone(early))
            return
        self._wait(call, early)
        self._say_elsewhere(Said("result", call, early=early))

    def _wait(self, call: str, early: Early) -> None:
        """Keep a result for its call. Rows come a few lines before their parents: for those that waited longer none is expected."""
        if call in self.early:  # said twice: the later one waits
            self._alone.append(_alone(self.early.pop(call)))
        self.early[call] = early
        while len(self.early) > _EARLY:
            self._alone.append(_alone(self.early.pop(next(iter(self.early)))))

    def alone(self) -> list[tuple[int, Block]]:
        """Results whose calls are not in the file, as notes, with the number of blocks before each; in order."""
        return sorted([*self._alone, *map(_alone, self.early.values())], key=lambda item: item[1].place.start)

    def _close(self, block: Block, place: Place, result: Mapping[str, object], detail: object, denial: object, time: float | None) -> bool:
        """Close a call with its result; whether that went well."""
        judged = outcomes.judge(block.what, result, detail, denial)
        more = judged.more
        if judged.outcome:
            more["outcome"] = judged.outcome
        self.builder.result(block.call, place, ok=judged.ok, text=judged.text, ended=time, **more)  # type: ignore[arg-type]
        if block.what in ("edit", "write") and (closed := self.builder.called(block.call)):
            self.tracked.edited(closed)
        return judged.ok

    def link(self, call: str, agent: str) -> None:
        """`call` started the subagent `agent`."""
        block = self.builder.called(call)
        if block is None:
            self._say_elsewhere(Said("link", call, agent))
        elif not block.subagent:
            self.builder.amend(call, subagent=stem_of(agent))

    def notified(self, text: str, time: float | None) -> None:
        """A background agent or shell has ended: its call learns of it."""
        found = _NOTIFIED.search(text)
        if found is None:
            return
        block = self.builder.called(found[2])
        if block is None:
            self._say_elsewhere(Said("notified", found[2], text, time))
            return
        status = _STATUS.search(text)
        if block.what == "agent":
            self.link(found[2], found[1])
        if status:
            self.builder.amend(found[2], outcome=status[1], ended=time)

    # ── read apart ──

    def _say_elsewhere(self, said: Said) -> None:
        if self._apart and len(self._elsewhere) <= _ELSEWHERE:
            self._elsewhere.append(said)

    def fits(self, behind: Pairing) -> bool:
        """Whether it can be told what became of the calls here in what was read apart behind them."""
        results = [said.call for said in behind._elsewhere if said.kind == "result"]
        crowded = len(self.early) + len(results) > _EARLY and behind._met > 0
        if any(behind.builder.knows(call) for call in self.early):
            return False
        return not crowded and len(results) == len(set(results)) and len(behind._elsewhere) <= _ELSEWHERE

    def join(self, behind: Pairing, shift: int) -> None:
        """Take in what was read apart behind this, `shift` blocks further on."""
        closed = set()
        for kind, call, text, time, early in behind._elsewhere:
            if kind == "link":
                self.link(call, text)
            elif kind == "notified":
                self.notified(text, time)
            elif early is not None and (block := self.builder.called(call)) is not None:
                ok = self._close(block, early.place, early.result, early.detail, early.denial, early.time)
                self.builder.tool_results -= 1  # it is counted there
                self.builder.tool_errors -= not ok
                behind.early.pop(call, None)
                closed.add(early.place)
        self._alone += [(at + shift, block) for at, block in behind._alone if block.place not in closed]
        for call, early in behind.early.items():
            self._wait(call, early._replace(at=early.at + shift))


def _alone(item: Early) -> tuple[int, Block]:
    """A result whose call is not in the file (its line was damaged, or cut away), as a note."""
    text = text_of(item.result.get("content"))
    title = one_line(f"Output of a call that is not here: {text}", TITLE_LIMIT)
    ok = False if item.result.get("is_error") is True else None
    return item.at, Block("note", item.place, 0, title, "result", item.time, size=len(text), lines=text.count("\n") + 1 if text else 0, ok=ok)


@lru_cache(maxsize=256)
def _shown(name: str) -> str:
    """A tool's name for eyes: a session calls few tools, and often."""
    return one_line(name, 80)


def _within(path: str, folder: object) -> str:
    """`path` from `folder` on when it lies below it: what a person would call the file."""
    if isinstance(folder, str) and len(folder) > 1 and path.startswith((folder + "/", folder + "\\")):
        return path[len(folder) + 1 :]
    return path
