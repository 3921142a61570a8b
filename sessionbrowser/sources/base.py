"""The contract of a source: where one agent's files are and what they mean.

A source knows nothing of the index, of Rich or of Textual; the rest of the program knows nothing of any agent's
format. Adding one is a module with a class like this, its fixtures, and a line in the registry (`__init__.py`).

Rules every source keeps:
* read-only, always: files are opened for reading, databases as `sqlite.py` says; nothing is created beside them;
* text for eyes leaves it sanitised (`text.for_eyes`, `text.one_line`, `text.styled`), raw values stay raw;
* a damaged line costs that line; an unreadable file raises `OSError` or `SourceError`, which becomes a row that says why;
* unknown record types never fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sessionbrowser.model import (
    Agent,
    Block,
    Body,
    Handle,
    Live,
    Passage,
    Resume,
    ResumeOptions,
    Root,
    Session,
    SetAside,
    Transcript,
    Unreadable,
)
from sessionbrowser.paths import Environment
from sessionbrowser.sources.texts import Texts


class SourceError(Exception):
    """A session (or its database) that cannot be read; the message is one line for eyes."""


class Source:
    """One agent's store. Methods that a format has no use for keep the default given here."""

    name: str  # as in `source:`, in JSON and in the registry: "claude"
    tag: str  # two letters in the list: "cc"
    label: str  # for people: "Claude Code"
    program: str  # what resume runs: "claude"; "" when nothing can resume it
    tells: tuple[str, ...] = ()  # what its files say of a session's surroundings when there is such a thing: "models", "effort", …
    prefix: str = ""  # how ids begin that the agent itself also tells without it: "agent-"

    def __init__(self, environment: Environment) -> None:
        self.environment = environment

    def roots(self) -> list[Root]:
        """Where this agent's live files are: environment overrides first, then the platform's folders.

        Only places that exist, each once (by real path). Stat-level work only.
        """
        raise NotImplementedError

    def roots_for(self, directories: Iterable[str]) -> list[Root]:
        """Roots in or near `directories` (raw), where sessions of other sources ran; only asked when the registry says so."""
        return []

    def root_at(self, path: str, label: str) -> Root | None:
        """`path` as a root of this source (a copy or another place of a store), or None when it does not look like one.

        Accepts the folder the agent itself calls its home as well as the folder that holds the sessions.
        """
        raise NotImplementedError

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        """Everything below `root` that is a session, and what was set aside and why; by directory entries and `stat` alone.

        Without `deep`, folders that can hold only subagents are not entered.
        """
        raise NotImplementedError

    def folders(self, handle: Handle) -> tuple[str, ...]:
        """Folders that `discover` enters only when deep and that hold (or could hold) subagents of this session, raw.

        Whether they exist is not asked: the library does, when the session changed, to know whether to go deep.
        """
        return ()

    def summarise(self, handle: Handle, previous: Session | None = None) -> Session:
        """The row of one session from its head and tail, growing as needed; never the whole file when it is large.

        `previous` is the row of an earlier state of the same file (same inode, smaller): facts from its head
        still hold. `counts` stays None unless the whole file was read anyway. Sets `tail`, not `status`.

        Facts from which the library works out lineage over all sessions, where the format has them: `first_raw`, the
        id of the first record (copies of one history share it); `last_prompt_raw`, the id of the last prompt;
        `own_prompt` False when it is certain that a fork or copy added none; `mirrors_raw`, the id of the session of
        another source that this is a rendering of (SpecStory).
        """
        raise NotImplementedError

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        """Every block with its kind, one line about it, its size and where its body is.

        Streams: memory does not grow with the size of bodies. With `since`, goes on from `since.offset` (only what
        was appended is read) unless the file was replaced, which sets `restarted`.
        """
        raise NotImplementedError

    def outline_with_texts(self, handle: Handle) -> tuple[Transcript, Texts]:
        """An outline, and the texts of prompts and answers (as `body` gives them) that were at hand while it was read.

        The default keeps none: a source with big files overrides it.
        """
        return self.outline(handle), Texts()

    def opening(self, handle: Handle) -> Transcript | None:
        """The newest turns alone, from the end of a big file, to be shown while `outline` reads all of it.

        Places are those that `outline` gives; turns are numbered from 1. None: `outline` is quick enough.
        """
        return None

    def body(self, handle: Handle, block: Block) -> Body:
        """The full content of one block, read again from the file."""
        raise NotImplementedError

    def agents(self, handle: Handle, outline: Transcript | None = None) -> Agent:
        """The session as the root of the tree of its subagents. `outline`, when there is one, spares a reading."""
        raise NotImplementedError

    def passages(self, handle: Handle, offset: int = 0, *, tools: bool = False) -> Iterator[Passage]:
        """Text to search, in file order, from `offset` on: prompts, answers, thinking; with `tools` their input and output.

        The default goes through `outline` and `body`; a source with big files overrides it with one pass.
        """
        for block in self.outline(handle).blocks:
            if block.place.start < offset or block.kind in ("note", "image") or (block.kind == "tool" and not tools):
                continue
            body = self.body(handle, block)
            text = body.text
            if block.kind == "tool":
                text = "\n".join([*strings(body.input), text])
            if text:
                yield Passage(block.kind, block.place.start, text, block.time)

    def live(self, root: Root) -> list[Live]:
        """Sessions that the agent's own registry says are open now, their processes checked to be alive."""
        return []

    def retention(self, root: Root) -> tuple[int | None, str]:
        """After how many days the agent deletes sessions (None: never or unknown), and the setting that says so."""
        return None, ""

    def plugins(self, root: Root) -> list[str] | None:
        """Plugins that the agent's own registry lists, a line for eyes each; None where there is no such registry."""
        return None

    def resume(self, session: Session, options: ResumeOptions) -> Resume | None:
        """The command that resumes `session`, or None when nothing can. Ids are checked before they become arguments."""
        return None


def strings(value: object) -> Iterator[str]:
    """Every string inside a JSON value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)
