"""What a session is, whichever agent wrote it: frozen records, agent-neutral, no I/O.

Two kinds of strings live here and never mix. *For eyes*: sanitised by the source that made them
(`text.py`), safe to draw. *For use*: raw paths, directories, ids and arguments, never drawn. Each
field says which it is; what is not marked "raw" is for eyes.

Records are `NamedTuple`s rather than dataclasses: immutable, small, quick to make by the ten thousand,
and quick to import for commands that must start in milliseconds. (Annotations are evaluated here: kept as strings,
`typing` would compile each of them, which doubles the import.) Times are seconds since the epoch, UTC.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

Json = object  # anything orjson can write
Facts = Mapping[str, Json]

STATUSES = ("running", "waiting", "open", "interrupted", "failed", "finished", "unknown")
TAILS = ("calling", "working", "asking", "finished", "interrupted", "failed", "unknown")
HIDDEN = ("subagent", "headless", "empty", "internal", "duplicate", "mirrored", "archived", "superseded", "team")
BLOCK_KINDS = ("prompt", "text", "thinking", "tool", "note", "image")
PROMPT_KINDS = ("typed", "queued", "slash", "bash", "subagent")
ACTIONS = (
    "shell", "read", "edit", "write", "search", "web", "todo", "agent", "question", "plan", "skill", "mcp", "other",
)  # fmt: skip


class Root(NamedTuple):
    """A folder (or database) in which one source looks. `path` is raw."""

    source: str
    path: str
    label: str = ""  # "" for the live store; else the name of a copy: "mirror", "snapshot-1w", a folder given by --root
    live: bool = True  # False: sessions say where they come from and offer no resume that would fail


class Handle(NamedTuple):
    """One session (or subagent) as found on disk, by `stat` alone. `path` and ids are raw.

    `key` tells sessions of one database or document apart; it is "" when the file is the session.
    (`size`, `mtime_ns`, `inode`) say whether it changed since it was last read; a database source fills
    them per session (say, with its own update time) so that one new message does not stale the others.
    """

    source: str
    root: Root
    path: str
    key: str
    id: str
    size: int
    mtime_ns: int
    inode: int
    hidden: str = ""  # a reason of HIDDEN that is certain before the file is opened ("subagent")
    parent: str = ""  # id of the session it belongs to, when the place tells


class SetAside(NamedTuple):
    """A file that is no session, and why: counted and shown, never silently passed over. `path` is raw."""

    source: str
    path: str
    reason: str  # short and countable: "workflow journal", "sidecar folder without a session", …


class Unreadable(NamedTuple):
    """A place that could not be read. `path` is raw, `reason` one line for eyes."""

    source: str
    path: str
    reason: str


class Usage(NamedTuple):
    """Tokens, each response counted once."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def plus(self, other: "Usage") -> "Usage":
        return Usage(
            self.input + other.input, self.output + other.output,
            self.cache_read + other.cache_read, self.cache_write + other.cache_write,
        )  # fmt: skip

    @property
    def total(self) -> int:
        return self.input + self.output + self.cache_read + self.cache_write

    def recorded(self) -> Mapping[str, int] | None:
        """The numbers by name; None where all are 0: nobody wrote any down."""
        return self._asdict() if self.total else None


class Counts(NamedTuple):
    """What a whole file holds, every branch included. See CONTRACT: prompts are everything a person entered."""

    prompts: int = 0
    answers: int = 0
    tool_calls: int = 0
    tool_results: int = 0
    tool_errors: int = 0
    compactions: int = 0
    interrupts: int = 0


class Session(NamedTuple):
    """A row of the list. Everything but `counts`, `tokens` and `subagents` comes from a file's head and tail."""

    id: str  # raw; the agent's own session id, shape checked by the source before it is used as an argument
    source: str
    path: str  # raw
    key: str = ""  # raw; see Handle.key
    root: str = ""  # label of the copy it was read from; "" for the live store
    title: str = ""
    title_from: str = ""  # name, ai, summary, prompt, command, id, …
    cwd: str | None = None  # raw; directory last seen
    project: str = ""  # name of its repository or folder
    branch: str | None = None
    created: float | None = None
    updated: float | None = None
    tail: str = "unknown"  # one of TAILS: what the end of the file says; becomes a status with clock and registry
    tail_why: str = ""  # the reason for `tail`, a few words
    status: str = "unknown"  # one of STATUSES; set by the library, not by the source
    status_from: str = "inferred"  # or "registry"
    status_why: str = ""
    origin: str = "interactive"  # interactive, headless, sdk, subagent, background, …
    model: str | None = None
    version: str | None = None
    counts: Counts | None = None  # None while only head and tail were read
    tokens: Usage | None = None
    subagents: int | None = None
    parent: str | None = None  # raw id
    forked_from: str | None = None  # raw id
    size: int = 0
    damaged_lines: int = 0
    archived: bool = False
    expires: float | None = None
    specstory: str | None = None  # raw
    hidden: str = ""  # a reason of HIDDEN, or ""
    first_prompt: str = ""  # one line, cut
    last_prompt: str = ""  # one line, cut
    resume_cwd: str | None = None  # raw; where the resume command has to run; None: cwd
    unreadable: str = ""  # why the file could not be read at all; the row stays
    facts: Facts = {}  # what only this agent knows, JSON-able, values for eyes; keys ending in "_raw" hold raw values

    @property
    def identity(self) -> tuple[str, str, str]:
        """What stays the same while the session lives in one place: source, path, key."""
        return (self.source, self.path, self.key)


class Place(NamedTuple):
    """Where a body can be read again.

    `start` and `length` are bytes of the record in the session's file; for databases and single documents
    `start` is the ordinal of the record and `length` 0. `part` picks a piece of that record (the index of a
    content block, a row id: the source's own). `path` (raw) is set when the record is in another file.
    (`start`, block kind) leads from a search hit to its block.
    """

    start: int
    length: int = 0
    part: str = ""
    path: str = ""


class Block(NamedTuple):
    """One piece of a transcript: what it is, one line about it, and where its body is."""

    kind: str  # of BLOCK_KINDS
    place: Place
    turn: int  # number of the turn it stands in; 0 before the first prompt
    title: str = ""  # prompt, text, thinking: its beginning; tool: its main argument; note: the whole sentence
    what: str = ""  # prompt: of PROMPT_KINDS; tool: of ACTIONS; note: compaction, interrupt, error, hook, injected, model, branch, …
    time: float | None = None
    model: str = ""
    size: int = 0  # characters of the body (of the output, for a tool)
    lines: int = 0  # lines of the body (of the output, for a tool)
    key: str = ""  # raw; the record's own id
    branch: int = 0  # 0: on the way to the newest leaf; else the number of the rewound branch it belongs to
    via: str = ""  # prompt: row, attachment, tool_row, queue; tool: "event" when no call of the model's stands for it
    name: str = ""  # tool: the agent's name for it; prompt: what it is when no person entered it ("Message from a teammate")
    ok: bool | None = None  # tool: None while open; note: False for the result of a call that failed and is not here
    exit_code: int | None = None
    outcome: str = ""  # tool: a few words that say more than ok ("rejected", "12 matches", "timed out")
    added: int = 0  # tool: lines added by an edit
    removed: int = 0
    call: str = ""  # raw; tool: id that pairs call and result
    result: Place | None = None  # tool: where its output is
    ended: float | None = None  # tool: when the result came
    subagent: str = ""  # raw; tool: id of the subagent it started
    copied: bool = False  # part of history shared with the session it was forked from


def is_call(block: Block) -> bool:
    """Whether a block is a call as counts have them: made by the model (not what events tell of besides), in the session's own file."""
    return block.kind == "tool" and block.via != "event" and not block.place.path


class Span(NamedTuple):
    """Characters `start` to `end` of a text in a style, in words: "bold red", "#ff8800 on blue"."""

    start: int
    end: int
    style: str


# The forms a body can take. A source says what a tool did in these; render/ and export/ draw them.


class Prose(NamedTuple):
    """Markdown written by a person or a model."""

    text: str


class Plain(NamedTuple):
    """Text as it is: shell output with its colours, listings, logs."""

    text: str
    spans: tuple[Span, ...] = ()
    label: str = ""  # "stderr", "output", … drawn dim above it when there are several
    error: bool = False


class Code(NamedTuple):
    """A file's content or a command. `start` is the number of its first line, 0 for none."""

    text: str
    language: str = ""  # a Pygments name or a file name to guess from
    start: int = 0


REMARK = "\\"  # begins what a diff says of the line above


class Hunk(NamedTuple):
    """Lines of a unified diff, each beginning with a blank, - or +.

    One that begins with REMARK ("\\ No newline at end of file") says something of the line above it and is none of the file's.
    """

    old_start: int
    new_start: int
    lines: tuple[str, ...]


class Diff(NamedTuple):
    """What an edit changed in one file."""

    path: str
    hunks: tuple[Hunk, ...]
    created: bool = False
    deleted: bool = False


class Checklist(NamedTuple):
    """To-do items: (state, text), state being pending, active, done or dropped."""

    items: tuple[tuple[str, str], ...]


class Question(NamedTuple):
    """A question an agent put to the person, with its options (label, description) and the answers given."""

    header: str
    text: str
    options: tuple[tuple[str, str], ...]
    answers: tuple[str, ...] = ()


class Questions(NamedTuple):
    items: tuple[Question, ...]


class Fields(NamedTuple):
    """Named values: the arguments of a tool nobody knows. Values may have several lines."""

    pairs: tuple[tuple[str, str], ...]


class Picture(NamedTuple):
    """An image: a card, and its bytes for terminals that can draw."""

    format: str  # png, jpeg, …
    width: int = 0  # 0: not known
    height: int = 0
    size: int = 0
    name: str = ""
    data: bytes | None = None


Part = Prose | Plain | Code | Diff | Checklist | Questions | Fields | Picture


class Body(NamedTuple):
    """The full content of one block.

    `text` is what copying the block gives (the output, for a tool); `input` a tool's arguments with every string
    sanitised, for JSON; `parts` what is drawn when the block is open.
    """

    text: str = ""
    parts: tuple[Part, ...] = ()
    input: Json = None


class Damage(NamedTuple):
    """A line that could not be read, or only in part."""

    offset: int
    reason: str


class Transcript(NamedTuple):
    """An outline of one session or subagent: blocks in order, and the totals of the whole file.

    `blocks` is append-only from one outline to the next except for tools that were open (closed in place) and
    branches. `state` belongs to the source: passed back as `since`, reading goes on where it stopped.
    """

    blocks: Sequence[Block]
    counts: Counts = Counts()
    tokens: Usage = Usage()
    tokens_by_model: Mapping[str, Usage] = {}
    damage: tuple[Damage, ...] = ()
    offset: int = 0  # bytes read so far; whole lines only
    facts: Facts = {}
    state: object = None
    restarted: bool = False  # the file was replaced or cut since: this is a new reading from the start


class Agent(NamedTuple):
    """A node of the agents pane: the session itself, a subagent, or a relative of the session."""

    id: str  # raw
    kind: str  # session, subagent, fork, continuation
    type: str = ""  # "Explore", "general-purpose", …
    description: str = ""
    status: str = "unknown"
    model: str = ""
    tokens: Usage | None = None
    tool_calls: int | None = None
    started: float | None = None
    ended: float | None = None
    path: str = ""  # raw
    handle: Handle | None = None  # None: nothing of it can be read
    call: str = ""  # raw; id of the tool call that started it
    children: "tuple[Agent, ...]" = ()


class Passage(NamedTuple):
    """A piece of text for the full-text index; (`start`, `kind`) lead back to its block (see Place)."""

    kind: str  # prompt, text, thinking, tool
    start: int
    text: str
    time: float | None = None


class Live(NamedTuple):
    """What an agent's own registry says of a session that is open, its process checked to be alive.

    Status "": the process lives, what it does the end of the file has to tell. Status "gone": the registry still names a
    process that is no longer there, so that nothing of the session runs.
    """

    id: str  # raw session id
    status: str  # running, waiting, open; "", gone
    why: str = ""
    pid: int = 0
    since: float | None = None


class ResumeOptions(NamedTuple):
    fork: bool = False
    skip_approvals: bool = False  # only ever by a person's choice at that moment


class Resume(NamedTuple):
    """The way back into a session: an argument list and a directory, both raw."""

    argv: tuple[str, ...]
    cwd: str | None = None
    warnings: tuple[str, ...] = ()
    before: tuple[tuple[str, ...], ...] = ()  # commands that have to run first, before `cwd` is entered (unarchive)
