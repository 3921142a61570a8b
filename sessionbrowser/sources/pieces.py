"""Small agents' records as pieces: one pure function an agent says what a record holds, the rest is the same for all.

A record (a JSON line, a message of a document, a row of a database) becomes pieces: a prompt, a paragraph, a call, a
result, or facts about the session. From the same pieces come the row (`summarise`), the outline, the full body of a
block and the text to search, so that an agent's format is written down once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sessionbrowser.model import Block, Diff, Handle, Part, Place, Session, Transcript, Usage
from sessionbrowser.paths import project_of
from sessionbrowser.sources.lazy import lazily, orjson
from sessionbrowser.text import for_eyes, one_line

if TYPE_CHECKING:
    from sessionbrowser.sources import build, forms
else:
    build, forms = lazily("sessionbrowser.sources", "build", "forms")

NOTHING: Mapping[str, object] = {}
PROMPT_LIMIT = 300
UNNAMED = "?"
_UNSAID = ("injected", "info", "warning")  # notes of what a program put there before anybody said a word
PICTURE = "[Image]"  # what a person said who gave a picture and nothing else


class Piece(NamedTuple):
    """One thing a record holds. Texts are raw; they are made fit for eyes where they become blocks and bodies."""

    kind: str  # prompt, text, thinking, call, result, note, image; outcome: a result that names no call; amend: more
    # about a call; answer: a response without text; row: facts alone
    text: str = ""  # what was said; the output, for a result
    part: str = ""  # tells pieces of one record apart
    what: str = ""  # kind of prompt, thinking or note: see Block.what
    time: float | None = None
    key: str = ""  # the record's own id
    model: str = ""
    call: str = ""  # pairs call and result
    name: str = ""  # the agent's name for the tool
    arguments: Mapping[str, object] = NOTHING
    ok: bool = True
    exit_code: int | None = None
    outcome: str = ""
    subagent: str = ""
    answer: str = ""  # the response a text belongs to, counted once each; "@": each record is one
    usage: Usage | None = None
    diffs: tuple[Diff, ...] = ()
    extra: tuple[Part, ...] = ()
    title: str = ""  # a line that says it better than the beginning of `text`
    via: str = "row"
    parent: str = ""  # the record before this one, where records form a tree; UNNAMED: whichever that is
    leaf: bool = True  # whether a branch may end here: bookkeeping is in the tree but is nobody's way
    again: bool = False  # a call that may have been announced before
    row: Mapping[str, object] = NOTHING  # facts about the session: see Assembly.row
    code: str | None = None  # a result: the lines of the file that was read, without their numbers
    start: int = 1  # the number of the first of them


class Assembly:
    """What was read so far: blocks, counts, and the facts of the row. The state between two readings of a file.

    `row` holds `cwd`, `branch`, `model`, `version`, `created`, `name` (given by a person), `ai` (given by the
    agent), `parent`, `forked_from`, `origin`, `archived`, `tail` and `why` (how the file ends), `ended` (a tail and a
    why for a turn that is still open), `tokens`, `tokens_by_model`, and `facts` (a mapping). Later values replace earlier ones.
    """

    def __init__(self) -> None:
        self.builder = build.Builder()
        self.row: dict[str, object] = {}
        self.facts: dict[str, object] = {}
        self.first = ""
        self.last = ""
        self.last_text = ""
        self.created: float | None = None
        self.updated: float | None = None
        self.tail = "unknown"
        self.why = ""
        self.model = ""
        self.parents: dict[str, str] = {}
        self.root_key = ""  # the first record's id; copies of one history share it
        self.prompt_key = ""  # the last prompt's
        self.leaf = ""
        self.loose: list[str] = []  # calls without an id of their own, waiting for the next result

    def take(self, piece: Piece, place: Place) -> None:
        """Add one piece, found at `place`."""
        if piece.time is not None:
            self.created = piece.time if self.created is None else min(self.created, piece.time)
            self.updated = piece.time if self.updated is None else max(self.updated, piece.time)
        if piece.key and piece.parent != piece.key:
            lost = piece.parent and piece.parent not in self.parents  # by a damaged line, or never named
            self.parents.setdefault(piece.key, self.leaf if lost else piece.parent)
            self.root_key = self.root_key or piece.key
            self.leaf = piece.key if piece.leaf else self.leaf
        if piece.model:
            self.model = piece.model
        if piece.answer:
            self.builder.answer(f"@{place.start}" if piece.answer == "@" else piece.answer)
        if piece.usage is not None:
            self.builder.use(piece.answer or piece.key or str(place.start), for_eyes(piece.model or self.model), piece.usage)
        if piece.part:
            place = place._replace(part=piece.part)
        add = _ADD.get(piece.kind)
        if add is not None:
            add(self, piece, place)
        if piece.row:
            self._note_row(piece.row)

    def _know(self, facts: Mapping[str, object]) -> None:
        """Facts of the session: a later value replaces an earlier one, but counters add up and tuples are lists of what was ever said."""
        for name, value in facts.items():
            known = self.facts.get(name)
            if isinstance(value, Counter):
                self.facts[name] = dict(Counter(known if isinstance(known, dict) else {}) + value)
            elif isinstance(value, tuple):
                self.facts[name] = list(dict.fromkeys([*(known if isinstance(known, list) else ()), *value]))
            else:
                self.facts[name] = value

    def _note_row(self, values: Mapping[str, object]) -> None:
        for name, value in values.items():
            if value is None or value == "":
                continue
            if name == "facts" and isinstance(value, Mapping):
                self._know(value)
            elif name == "tail" and (value, self.tail) == ("finished", "asking"):
                continue  # a turn that ended with a question still asks it
            elif name == "tail":
                self.tail, self.why = str(value), str(values.get("why", ""))
            elif name == "ended" and isinstance(value, tuple):
                still_open = self.tail in ("working", "calling") or (self.tail == "asking" and self.builder.open_calls())
                self.tail, self.why = value if still_open else (self.tail, self.why)
            elif name not in ("why", "ended"):
                self.row[name] = value

    def _prompt(self, piece: Piece, place: Place) -> None:
        kind = "subagent" if self.row.get("origin") == "subagent" else piece.what or "typed"
        self.builder.prompt(kind, piece.via, piece.text, place, time=piece.time, key=piece.key)
        line = one_line(piece.title or piece.text, PROMPT_LIMIT)
        self.first = self.first or line
        self.last = line or self.last
        self.prompt_key = piece.key or self.prompt_key
        self.tail, self.why = "working", "a prompt without an answer"

    def _by(self, piece: Piece) -> str:
        """The model that said or did it, for eyes: the one named last where records do not repeat it."""
        return for_eyes(piece.model or self.model)

    def _text(self, piece: Piece, place: Place) -> None:
        self.builder.text(piece.text, place, time=piece.time, model=self._by(piece), key=piece.key)
        if piece.title:
            self.builder.blocks[-1] = self.builder.blocks[-1]._replace(title=one_line(piece.title, build.TITLE_LIMIT))
        self.last_text = piece.text[-400:]
        asks = self.last_text.rstrip().rstrip("*_)\"'").endswith("?")
        self.tail, self.why = ("asking", "the last answer ends in a question") if asks else ("finished", "the last answer stands")

    def _thinking(self, piece: Piece, place: Place) -> None:
        self.builder.thinking(piece.text, place, time=piece.time, model=self._by(piece), key=piece.key, what=piece.what)
        self.tail, self.why = "working", "thinking without an answer"

    def _call(self, piece: Piece, place: Place) -> None:
        if piece.again and piece.call and self.builder.called(piece.call) is not None:
            return
        call = piece.call
        if not call:
            call = f"\0{place.start}:{piece.part}"
            self.loose.append(call)
        kind = forms.action(piece.name)
        added, removed = forms.changed_lines(piece.diffs or forms.edits(piece.name, piece.arguments)) if kind in ("edit", "write") else (0, 0)
        title = one_line(piece.title, 160) if piece.title else forms.target(kind, piece.arguments)
        self.builder.call(
            Block("tool", place, 0, title, kind, piece.time, self._by(piece), key=piece.key,
                  name=one_line(piece.name, 80), call=call, added=added, removed=removed, subagent=piece.subagent)
        )  # fmt: skip
        self.tail, self.why = ("asking", "a question is open") if kind == "question" else ("calling", f"{one_line(piece.name, 40)} is open")

    def _result(self, piece: Piece, place: Place) -> None:
        call = piece.call
        if (not call or self.builder.called(call) is None) and self.loose:
            call = self.loose.pop(0)
        elif not call and (waiting := self.builder.open_calls()):
            call = waiting[0].call  # an old format that names no call: the one that waits longest
        changes: dict[str, Any] = {
            "exit_code": piece.exit_code, "outcome": one_line(piece.outcome, 60) or None, "ended": piece.time,
            "subagent": piece.subagent or None,
        }  # fmt: skip
        if piece.diffs:
            changes["added"], changes["removed"] = forms.changed_lines(piece.diffs)
        self.builder.result(call, place, ok=piece.ok, text=piece.text, **changes)
        self.tail, self.why = "working", "a result without an answer"

    def _outcome(self, piece: Piece, place: Place) -> None:
        """What a tool gave, without a word of which call it answers: the one that waits longest, else a call of its own."""
        if not self.loose:
            self._call(piece._replace(text="", call=""), place)
        self._result(piece, place)

    def _amend(self, piece: Piece, place: Place) -> None:
        self.builder.amend(piece.call, subagent=piece.subagent)

    def _note(self, piece: Piece, place: Place) -> None:
        title = piece.title or (injected_title(piece.text) if piece.what == "injected" else "")
        self.builder.note(piece.what, piece.text, place, time=piece.time, key=piece.key, title=title)
        if piece.what == "interrupt":
            self.tail, self.why = "interrupted", "stopped by the person"
        elif piece.what == "error":
            self.tail, self.why = "failed", one_line(piece.title or piece.text, 80)

    def _image(self, piece: Piece, place: Place) -> None:
        size = len(piece.text) * 3 // 4
        self.builder.image(one_line(piece.title or "image", 80), place, time=piece.time, size=size, key=piece.key)

    # ── what comes of it ──

    @property
    def is_empty(self) -> bool:
        """Whether nobody said a word; of what is damaged that cannot be told."""
        return not self.builder.damage and all(block.kind == "note" and block.what in _UNSAID for block in self.builder.blocks)

    def transcript(self, offset: int, *, tree: bool = False, restarted: bool = False) -> Transcript:
        """The outline so far; with `tree`, records that are not on the way to the newest one are marked as rewound."""
        made = self.builder.transcript(offset, state=self, facts=dict(self.facts), restarted=restarted)
        total = self.row.get("tokens")
        if isinstance(total, Usage) and not made.tokens.total:
            said = self.row.get("tokens_by_model")
            model = for_eyes(str(self.row.get("model") or self.model))
            made = made._replace(tokens=total, tokens_by_model=said if isinstance(said, Mapping) else {model: total})
        return made._replace(blocks=self._marked(made.blocks)) if tree else made

    def _marked(self, blocks: Iterable[Block]) -> tuple[Block, ...]:
        """Blocks with the number of the rewound branch they stand on; 0 on the way to the newest leaf."""
        active, at = set(), self.leaf
        while at and at not in active:
            active.add(at)
            at = self.parents.get(at, "")
        numbers: dict[str, int] = {}
        marked = []
        for block in blocks:
            if block.key and block.key not in active and block.key in self.parents:
                root = self._branch_root(block.key, active)
                block = block._replace(branch=numbers.setdefault(root, len(numbers) + 1))
            marked.append(block)
        return tuple(marked)

    def _branch_root(self, key: str, active: set[str]) -> str:
        seen = {key}
        while (above := self.parents.get(key, "")) and above not in active and above not in seen:
            seen.add(above)
            key = above
        return key


_ADD: dict[str, Callable[[Assembly, Piece, Place], None]] = {
    "prompt": Assembly._prompt, "text": Assembly._text, "thinking": Assembly._thinking, "call": Assembly._call,
    "result": Assembly._result, "note": Assembly._note, "amend": Assembly._amend, "outcome": Assembly._outcome, "image": Assembly._image,
}  # fmt: skip


# ── rows ──


def session(handle: Handle, head: Assembly, tail: Assembly, *, whole: bool, damaged: int = 0) -> Session:
    """The row of a file from what its head and its tail said (one and the same Assembly when `whole` was read)."""
    values = {**head.row, **tail.row}
    title, title_from = _title(values, head.first or tail.first, handle)
    cwd = _string(values.get("cwd"))
    created = values.get("created")
    updated = tail.updated if tail.updated is not None else head.updated
    if updated is None and handle.mtime_ns > 0:  # old formats write no times
        updated = handle.mtime_ns / 1e9
    transcript = tail.transcript(0) if whole else None
    tokens = values.get("tokens")
    facts = {**head.facts, **tail.facts}
    facts.update(_lineage(head.root_key, tail.prompt_key))  # a prompt of the head may be any but the last
    return Session(
        id=handle.id, source=handle.source, path=handle.path, key=handle.key, root=handle.root.label,
        title=title, title_from=title_from, cwd=cwd, project=project_of(cwd) if cwd else "",
        branch=one_line(str(values["branch"]), 120) if values.get("branch") else None,
        created=created if isinstance(created, float) else head.created, updated=updated,
        tail=tail.tail, tail_why=tail.why, origin=str(values.get("origin") or "interactive"),
        model=one_line(str(values.get("model") or tail.model or head.model), 80) or None,
        version=one_line(str(values.get("version") or ""), 40) or None,
        counts=transcript.counts if transcript else None,
        tokens=transcript.tokens if transcript and transcript.tokens.total else tokens if isinstance(tokens, Usage) else None,
        parent=_string(values.get("parent")) or handle.parent or None, forked_from=_string(values.get("forked_from")),
        size=handle.size, damaged_lines=damaged, archived=bool(values.get("archived")),
        hidden=handle.hidden or _hidden(values, head, whole),
        first_prompt=head.first or tail.first, last_prompt=tail.last or head.last, facts=facts,
    )  # fmt: skip


_UNIQUE = re.compile(r"[0-9a-fA-F-]{8,}")


def _lineage(first: str, last: str) -> dict[str, object]:
    """Ids by which copies of one history are known, when they are of the kind that is never given twice."""
    found = {"first_raw": first, "last_prompt_raw": last}
    return {name: key for name, key in found.items() if _UNIQUE.fullmatch(key.removeprefix("context-"))}


def _title(values: Mapping[str, object], prompt: str, handle: Handle) -> tuple[str, str]:
    for origin in ("name", "ai"):
        if (found := values.get(origin)) and (line := one_line(str(found), PROMPT_LIMIT)):
            return line, origin
    if prompt:
        return prompt, "prompt"
    return one_line(handle.id, 80), "id"


def _hidden(values: Mapping[str, object], head: Assembly, whole: bool) -> str:
    if values.get("archived"):
        return "archived"
    origin = values.get("origin")
    if origin in ("headless", "sdk"):
        return "headless"
    if origin == "subagent":
        return "subagent"
    return "empty" if whole and head.is_empty else ""


def _string(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


# ── pieces many sources make ──


def printed(text: str, status: int | None, part: str = "output") -> Piece:
    """What a command that a person ran has printed: one line is told at once, more under a title."""
    shown = text.strip("\n")
    line = shown if "\n" not in shown else ""
    title = ": ".join(filter(None, (f"exit {status}" if status else "", line))) or "output"
    return Piece("note", shown, part, "output", title=title)


_TAG = re.compile(r"\s*<([A-Za-z][\w:-]{0,60})[^>]*>\s*")


def injected_title(text: str) -> str:
    """One line about an injected text: its tag in words, and its first line."""
    found = _TAG.match(text[:400])
    if not found:
        return ""
    name = re.split(r"[:]", found[1])[-1].replace("-", " ").replace("_", " ").lower()
    line = next((line.strip() for line in text[found.end() :].splitlines() if line.strip() and not line.lstrip().startswith("<")), "")
    line = line.removesuffix(f"</{found[1]}>").rstrip()
    return f"{name}: {line}" if line else name


# ── reading values out of records ──


def text_of(content: object) -> str:
    """Text of a message whose content is a string or a list of parts with `text`."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(found for part in content if (found := _part_text(part)))
    if isinstance(content, Mapping):
        return _part_text(content)
    return ""


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping):
        for name in ("text", "content", "output"):
            value = part.get(name)
            if isinstance(value, str):
                return value
            if isinstance(value, list):
                return text_of(value)
    return ""


def printable(value: object) -> str:
    """What a tool gave: its text, or where there is none the whole value as JSON; "" for nothing."""
    found = text_of(value)
    if found or not value or isinstance(value, str):
        return found
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS, default=str).decode()


def mapping(value: object) -> Mapping[str, object]:
    """`value` as a JSON object: itself, parsed from a string that holds one, else empty."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        try:
            parsed = orjson.loads(value)
        except orjson.JSONDecodeError:
            return {"input": value}
        return parsed if isinstance(parsed, dict) else {"input": value}
    if isinstance(value, str) and value.strip():
        return {"input": value}
    return NOTHING


def items(value: object) -> list[Mapping[str, object]]:
    """The JSON objects in a list; anything else in it is passed over."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def parts_of(content: object) -> list[Mapping[str, object]]:
    """The parts of a message: a string, or a string among them, is a part of text."""
    given = content if isinstance(content, list) else [content]
    made = ({"type": "text", "text": part} if isinstance(part, str) else part for part in given)
    return [part for part in made if isinstance(part, Mapping)]


def string(value: object) -> str:
    """`value` when it is a string, else ""."""
    return value if isinstance(value, str) else ""


def number(value: object) -> int:
    """`value` when it is a whole number that is not negative, else 0."""
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15 else 0


def code(value: object) -> int | None:
    """`value` when it can be an exit code."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 32 else None
