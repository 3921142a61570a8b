"""Who wrote a row, and what its pieces are.

Most rows with the role of a user were written by no person: tool results, command output, reminders, notifications.
Each content block is judged on its own, because an editor's block and a person's words share one row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sessionbrowser.model import Place
from sessionbrowser.sources.jsonl import Record

COMPACTED = "This session is being continued from a previous conversation"
INTERRUPTED = "[Request interrupted"
SYNTHETIC = "<synthetic>"
_PICTURE = "[Image]"  # what a person said who pasted a picture and nothing else
_TOOL_LOADED = "Tool loaded."  # the program's own words behind the result of a tool search
_LOOP = "<<autonomous-loop"

_KNOWN_TAG = re.compile(
    r"<(?:command-name|command-message|command-args|local-command-(?:stdout|stderr|caveat)|bash-(?:input|stdout|stderr)"
    r"|task-notification|agent-notification|system-reminder|ide_opened_file|ide_selection|ide_diagnostics|user-memory-input"
    r"|teammate-message|cross-session-message|agent-message|channel|tick|goal|session-start-hook|user-prompt-submit-hook"
    r"|post-tool-use-hook|fork-boilerplate|remote-review|slack-[\w-]+|terminal|browser|mcp-resource-update"
    r"|fetched-web-content|persisted-output|new-diagnostics|total_tokens)(?=[\s>=/])"
)
_ANY_TAG = re.compile(r"<[a-z][\w-]*[\s>]")
_SPANS = re.compile(
    r"<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics)>.*?(?:</\1>|\Z)\s*", re.DOTALL
)
_COMMAND = re.compile(r"<command-name>\s*(.*?)\s*</command-name>", re.DOTALL)
_COMMAND_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_BASH = re.compile(r"<bash-input>(.*?)(?:</bash-input>|\Z)", re.DOTALL)
_TAG_NAME = re.compile(r"<([a-z][\w-]*)")
_OUTPUT_TAGS = ("local-command-stdout", "local-command-stderr", "bash-stdout", "bash-stderr")


class Piece(NamedTuple):
    """One thing a row says. `text` is raw; `part` is the index of its content block, "" for a row that is one text."""

    kind: str  # prompt, text, thinking, tool, result, note, image
    text: str = ""
    what: str = ""
    via: str = ""
    part: str = ""
    title: str = ""
    value: Mapping[str, object] = {}


class Row(NamedTuple):
    """A record on its way into the transcript, and where in the file it is."""

    record: Record
    start: int
    length: int
    nth: str = ""  # "@1" for the second of several records on one line
    time: float | None = None
    key: str = ""  # its own id; "" when it has none

    def place(self, part: str = "") -> Place:
        """Where a part of it is."""
        return Place(self.start, self.length, part + self.nth)


def content_of(record: Record) -> object:
    """The content of a row's message: a string, a list of blocks, or None."""
    message = record.get("message")
    return message.get("content") if isinstance(message, dict) else None


def text_of(content: object) -> str:
    """The text in a string or in a list of blocks."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):  # of one block, as an advisor's answer is
        content = [content]
    if not isinstance(content, list):
        return ""
    found = []
    for block in content:
        if isinstance(block, str):
            found.append(block)
        elif isinstance(block, dict) and isinstance(text := block.get("text"), str):
            found.append(text)
    return "\n".join(found)


def blocks_of(content: object, *, bare: bool = False) -> list[tuple[str, Mapping[str, object]]]:
    """Content blocks with their part names; a plain string is one text block with the part "".

    With `bare`, strings among the blocks are text as well.
    """
    if isinstance(content, str):
        return [("", {"type": "text", "text": content})]
    if not isinstance(content, list):
        return []
    found: list[tuple[str, Mapping[str, object]]] = []
    for index, block in enumerate(content):
        if isinstance(block, dict):
            found.append((str(index), block))
        elif bare and isinstance(block, str):
            found.append((str(index), {"type": "text", "text": block}))
    return found


def well_formed(content: object) -> bool:
    """Whether the content of a message is what the program writes: a text, or a list of blocks."""
    if isinstance(content, list):
        return not content or isinstance(content[0], dict) or any(isinstance(block, dict) for block in content)
    return isinstance(content, str)


# ── user rows ──


def user_pieces(record: Record, *, subagent: bool = False) -> list[Piece]:
    """The pieces of a user row, in order. A person's words in several blocks are one prompt."""
    if (result := only_result(record)) is not None:
        return [Piece("result", "", "", "", "0", "", result)]
    content = content_of(record)
    if record.get("isCompactSummary") or _starts_compacted(content):
        return [Piece("note", text_of(content), "compaction")]
    injected = record.get("isMeta") is True or _not_human(record)
    aside = subagent or record.get("isSidechain") is True
    if isinstance(content, str):
        return _joined([*_text_piece(content, "", injected, False)], subagent=aside)
    blocks = blocks_of(content, bare=True)
    answers = any(block.get("type") == "tool_result" for _, block in blocks)
    pieces: list[Piece] = []
    for part, block in blocks:
        kind = block.get("type")
        if kind == "text":
            pieces.extend(_text_piece(str(block.get("text") or ""), part, injected, answers))
        elif kind == "tool_result":
            pieces.append(Piece("result", part=part, value=block))
        elif kind in ("image", "document"):
            pieces.append(Piece("image", part=part, what="injected" if injected else "", value=block))
        else:
            pieces.append(Piece("note", str(block.get("text") or ""), "unknown", part=part, title=f"Unknown block: {kind}", value=block))
    if not answers and not injected and pieces and all(piece.kind == "image" for piece in pieces):
        pieces.insert(0, Piece("prompt", _PICTURE, "typed", "row", "picture"))
    return _joined(pieces, subagent=aside)


def only_result(record: Record) -> Mapping[str, object] | None:
    """The tool result that is all of a user's row, as in most of them."""
    content = content_of(record)
    if not isinstance(content, list) or len(content) != 1 or record.get("isCompactSummary"):
        return None
    block = content[0]
    return block if isinstance(block, dict) and block.get("type") == "tool_result" else None


def _starts_compacted(content: object) -> bool:
    if isinstance(content, str):
        return content.lstrip().startswith(COMPACTED)
    return any(str(block.get("text") or "").lstrip().startswith(COMPACTED) for _, block in blocks_of(content) if block.get("type") == "text")


def _not_human(record: Record) -> bool:
    origin = record.get("origin")
    return isinstance(origin, dict) and origin.get("kind") not in (None, "human")


def _text_piece(text: str, part: str, injected: bool, behind_result: bool) -> Iterator[Piece]:
    stripped = text.strip()
    if not stripped:
        return
    if stripped.startswith(INTERRUPTED):
        yield Piece("note", text, "interrupt", part=part)
    elif injected or (behind_result and stripped == _TOOL_LOADED) or stripped.startswith(_LOOP):
        yield injected_piece(text, part)
    elif _COMMAND.search(stripped) is not None:
        yield Piece("prompt", slash_of(stripped) or stripped, "slash", "row", part)
    elif found := _BASH.match(stripped):
        yield Piece("prompt", found[1].strip(), "bash", "row", part)
    elif injected_text(stripped):
        yield injected_piece(text, part)
        if rest := human_part(stripped):
            yield Piece("prompt", rest, *_said(behind_result), part)
    else:
        told = _RELAYED.match(stripped) if "-message" in stripped else None
        words = told[2].strip() if told else human_part(stripped) or stripped
        yield Piece("prompt", words, *_said(behind_result), part, _LABELS[told[1]] if told else "")


def _said(behind_result: bool) -> tuple[str, str]:
    return ("queued", "tool_row") if behind_result else ("typed", "row")


def _joined(pieces: list[Piece], *, subagent: bool) -> list[Piece]:
    """One prompt for all words typed into one row; prompts behind a tool result stay apart, they were typed one by one."""
    made: list[Piece] = []
    first = -1
    for piece in pieces:
        if piece.kind == "prompt" and piece.what == "typed":
            if subagent:
                piece = piece._replace(what="subagent")
            if first >= 0:
                title = made[first].title if piece.title else ""
                made[first] = made[first]._replace(text=f"{made[first].text}\n{piece.text}", title=title)
                continue
            first = len(made)
        made.append(piece)
    picture = next((at for at, piece in enumerate(made) if piece.kind == "image"), len(made))
    if picture < first:  # what was pasted comes behind the words it was pasted into
        made.insert(picture, made.pop(first))
    return made


def slash_of(text: str) -> str | None:
    """"/name arguments" of a slash command's row, or None when the row does not begin like one."""
    if not text.startswith("<command-") and not injected_text(text):
        return None
    found = _COMMAND.search(text)
    if found is None:
        return None
    arguments = _COMMAND_ARGUMENTS.search(text)
    name = found[1] if found[1].startswith("/") else f"/{found[1]}"
    return f"{name} {arguments[1].strip()}".rstrip() if arguments else name


def injected_text(text: str) -> bool:
    """Whether `text` (stripped) begins as something the program put there."""
    return text.startswith(_CAVEAT) or (text.startswith("<") and _KNOWN_TAG.match(text) is not None)


def any_tag(text: str) -> bool:
    """Whether `text` begins with something like a tag: the program's own coarse test for previews and queues."""
    return _ANY_TAG.match(text.lstrip()) is not None


def human_part(text: str) -> str:
    """A person's words without the editor's and the program's spans in them; "" when nothing else is left."""
    if "<ide_" not in text and "<system-reminder>" not in text:
        return "" if injected_text(text) else text
    rest = _SPANS.sub("", text).strip()
    return "" if injected_text(rest) else rest


_LABELS = {
    "system-reminder": "System reminder", "task-notification": "Task notification", "agent-notification": "Agent notification",
    "ide_opened_file": "Opened in the editor", "ide_selection": "Selected in the editor", "ide_diagnostics": "Editor diagnostics",
    "teammate-message": "Message from a teammate",
    "cross-session-message": "Message from another session", "agent-message": "Message from an agent",
    "user-memory-input": "Remembered", "session-start-hook": "Session-start hook", "user-prompt-submit-hook": "Prompt hook",
    "post-tool-use-hook": "Tool hook", "channel": "Channel message", "tick": "Tick", "goal": "Goal",
}  # fmt: skip


_RELAYED = re.compile(  # a sentence of the program before it, which makes a turn of it
    r"[^<\n]{1,100}:\s*<(teammate-message|cross-session-message|agent-message)(?:\s[^<>]*)?>(.*?)(?:</\1>\s*)?\Z", re.DOTALL
)


def injected_piece(text: str, part: str) -> Piece:
    """A note for text that nobody typed; command output is told apart."""
    stripped = text.strip()
    found = _TAG_NAME.match(stripped)
    tag = found[1] if found else ""
    plain = untagged(stripped)
    if tag in _OUTPUT_TAGS:
        return Piece("note", text, "output", part=part, title=plain or "No output")
    if tag == "user-memory-input":
        return Piece("note", text, "memory", part=part, title=f"Remembered: {plain}")
    if tag == "local-command-caveat" or plain.startswith(_CAVEAT):
        return Piece("note", plain, "injected", part=part, title="Note on local commands")
    for pattern, label in _FORMS:
        if shaped := pattern.match(plain):
            return Piece("note", text, "injected", part=part, title=f"{label}: {shaped[1]}")
    return Piece("note", text, "injected", part=part, title=f"{_LABELS.get(tag, 'Injected')}: {_telling(stripped)}")


_CAVEAT = "Caveat: The messages below"
_FORMS = (
    (re.compile(r"Base directory for this skill: (?:[^\n]*[/\\])?([^/\\\n]+)"), "Skill"),
    (re.compile(r"\[Image: source: ([^\n\]]+)\]"), "Pasted picture"),
)
_TELLING = re.compile(r"<(?:summary|status|description)>(.*?)</", re.DOTALL)
_TAGS = re.compile(r"</?[a-z][\w-]*(?:\s[^<>]*)?>")


def _telling(text: str) -> str:
    found = _TELLING.search(text)
    return found[1].strip() if found else untagged(text)


def untagged(text: str) -> str:
    """`text` without the tags the program wraps around it."""
    return _TAGS.sub("", text).strip() if "<" in text else text


# ── queued prompts ──


def queued_piece(attachment: Mapping[str, object]) -> Piece | None:
    """What a queued-command attachment holds: a person's prompt, or something injected."""
    prompt = attachment.get("prompt")
    text = text_of(prompt).strip() or (_PICTURE if any(pictures_in(prompt)) else "")
    if not text:
        return None
    origin = attachment.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else None
    human = attachment.get("humanTurn") is True or kind == "human"
    if kind is None and not human:  # builds before origins
        human = attachment.get("commandMode", "prompt") == "prompt" and attachment.get("isMeta") is not True and not injected_text(text)
    if human:
        return Piece("prompt", human_part(text) or text, "queued", "attachment")
    return injected_piece(text, "")


def pictures_in(content: object) -> Iterator[Piece]:
    """The pictures and documents among content blocks."""
    return (Piece("image", part=part, value=block) for part, block in blocks_of(content) if block.get("type") in ("image", "document"))


# ── assistant rows ──


def assistant_pieces(record: Record) -> list[Piece]:
    """The pieces of an assistant row: nearly always one content block."""
    message = record.get("message")
    if not isinstance(message, dict):
        message = {}
    content = message.get("content")
    if record.get("isApiErrorMessage") is True:
        text = text_of(content)
        return [Piece("note", text, "error", title=text or "API error")]
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):  # as nearly always
        piece = _answer_piece("0", content[0])
        pieces = [piece] if piece is not None else []
    else:
        pieces = [piece for part, block in blocks_of(content) if (piece := _answer_piece(part, block)) is not None]
    if message.get("model") == SYNTHETIC:
        pieces = [piece._replace(kind="note", what="synthetic") if piece.kind == "text" else piece for piece in pieces]
    return pieces


def _answer_piece(part: str, block: Mapping[str, object]) -> Piece | None:
    kind = block.get("type")
    if kind == "text":
        text = str(block.get("text") or "")
        return Piece("text", text, "", "", part) if text.strip() else None
    if kind == "thinking":
        text = str(block.get("thinking") or "")
        return Piece("thinking", text, "" if text.strip() else "empty", "", part)
    if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        return Piece("tool", "", "", "", part, "", block)
    if kind == "redacted_thinking":
        return Piece("thinking", "", "redacted", part=part)
    if kind == "tool_result" or (isinstance(kind, str) and kind.endswith("_tool_result")):
        return Piece("result", part=part, value=block)
    if kind == "fallback":
        return Piece("note", "", "model", part=part, title=_fallback(block))
    if kind in ("image", "document"):
        return Piece("image", part=part, value=block)
    return Piece("note", str(block.get("text") or ""), "unknown", part=part, title=f"Unknown block: {kind or 'without a type'}", value=block)


def _fallback(block: Mapping[str, object]) -> str:
    names = [side.get("model") if isinstance(side := block.get(name), dict) else "" for name in ("from", "to")]
    return f"Model changed by a fallback: {names[0] or '?'} → {names[1] or '?'}"
