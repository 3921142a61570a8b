"""What the end of a transcript says about where its session stands, with the reason in a few words."""

from __future__ import annotations

from collections.abc import Sequence

from sessionbrowser.sources.claude import outcomes, rows
from sessionbrowser.sources.claude.rows import SYNTHETIC
from sessionbrowser.sources.jsonl import Record
from sessionbrowser.text import one_line

State = tuple[str, str]
_ASKING = {"AskUserQuestion": "asks a question", "ExitPlanMode": "asks for its plan to be approved"}


def state_of(records: Sequence[Record], *, subagent: bool = False) -> State:
    """One of TAILS for the last records of a file (in file order, whatever their kind), and why."""
    seen = _Walk(subagent)
    for record in reversed(records):
        found = seen.step(record)
        if found is not None:
            return found
    if seen.turn_ended:
        return "finished", "the turn ended"
    return "unknown", ""


class _Walk:
    """Going up from the last record until one of them decides."""

    def __init__(self, subagent: bool) -> None:
        self.subagent = subagent
        self.results: set[str] = set()
        self.expanded = False
        self.turn_ended = False
        self.answered_call = False  # the last word was a result: the model has not answered it yet
        self.denied = ""

    def step(self, record: Record) -> State | None:
        if record.get("isSidechain") is True and not self.subagent:
            return None
        kind = record.get("type")
        if kind == "user":
            return self._user(record)
        if kind == "assistant":
            return self._assistant(record)
        if kind == "system":
            return self._system(record)
        if kind == "ended-by-model":
            return "finished", "ended by the model"
        if kind == "attachment" and isinstance(attachment := record.get("attachment"), dict):
            return self._attachment(attachment)
        return None

    def _system(self, record: Record) -> State | None:
        subtype = record.get("subtype")
        if subtype in ("turn_duration", "stop_hook_summary"):
            self.turn_ended = True
        elif subtype == "api_error" and not self.turn_ended:
            attempt, most = record.get("retryAttempt"), record.get("maxRetries")
            if isinstance(attempt, int) and isinstance(most, int) and attempt < most:
                return "working", f"retrying after an API error, {attempt} of {most}"
            return "failed", "API error"
        elif subtype == "compact_boundary":
            return "finished", "compacted"
        return None

    def _attachment(self, attachment: Record) -> State | None:
        if attachment.get("type") == "queued_command" and not self.turn_ended:
            piece = rows.queued_piece(attachment)
            if piece is not None and piece.kind == "prompt":
                return "working", "a prompt without an answer"
        if attachment.get("type") == "max_turns_reached":
            return "failed", "the limit of turns was reached"
        return None

    def _user(self, record: Record) -> State | None:
        for piece in reversed(rows.user_pieces(record, subagent=self.subagent)):
            if piece.kind == "result":
                self._result(piece.value, record)
            elif piece.what == "interrupt":
                return "interrupted", "interrupted during a call" if "for tool use" in piece.text else "interrupted"
            elif piece.what == "compaction":
                return ("finished", "compacted") if not self.answered_call else ("working", "a result without an answer")
            elif piece.kind == "prompt" and piece.what in ("typed", "subagent", "queued"):
                return self._prompt()
            elif piece.what == "slash" and self.expanded:
                return self._prompt()
            elif piece.what == "injected":
                self.expanded = True
                if "<task-notification>" in piece.text and not self.turn_ended:
                    return "working", "a notification without an answer"
        return None

    def _prompt(self) -> State:
        if self.answered_call:
            return self._after_result()
        return ("finished", "the turn ended") if self.turn_ended else ("working", "a prompt without an answer")

    def _result(self, result: object, record: Record) -> None:
        if not isinstance(result, dict):
            return
        call = result.get("tool_use_id")
        if isinstance(call, str):
            self.results.add(call)
        if not self.answered_call:
            self.answered_call = True
            judged = outcomes.judge("", result, record.get("toolUseResult"), record)
            if judged.outcome in ("rejected", "interrupted", "cancelled"):
                self.denied = judged.outcome

    def _after_result(self) -> State:
        if self.denied:
            return "interrupted", f"a call was {self.denied}"
        return ("finished", "the turn ended") if self.turn_ended else ("working", "a result without an answer")

    def _assistant(self, record: Record) -> State | None:
        if record.get("isApiErrorMessage") is True:
            return "failed", one_line(rows.text_of(rows.content_of(record)) or "API error", 80)
        message = record.get("message")
        if not isinstance(message, dict):
            return None
        blocks = [block for _, block in rows.blocks_of(message.get("content"))]
        opened = [block for block in blocks if block.get("type") == "tool_use" and block.get("id") not in self.results]
        if opened and not self.denied:
            name = str(opened[-1].get("name") or "tool")
            if self.turn_ended and name not in _ASKING:
                return "finished", "the turn ended"
            if name in _ASKING:
                return "asking", _ASKING[name]
            return "calling", f"{one_line(name, 40)} has no result"
        if self.answered_call:
            if any(block.get("type") == "tool_use" for block in blocks):
                return None if self._more_above(message) else self._after_result()
            return self._after_result()
        if record.get("isAbortedMidStream") is True:
            return "interrupted", "cut off while answering"
        if message.get("model") == SYNTHETIC:
            return "interrupted", one_line(rows.text_of(message.get("content")), 80)
        return self._said(blocks, message)

    def _more_above(self, message: Record) -> bool:
        """Whether calls beside this one may stand in the rows before it."""
        return message.get("id") is not None

    def _said(self, blocks: list[object] | list[Record], message: Record) -> State | None:
        last = blocks[-1] if blocks else None
        if not isinstance(last, dict):
            return None
        if last.get("type") != "text" or (message.get("stop_reason") == "tool_use" and not self.turn_ended):
            return ("finished", "the turn ended") if self.turn_ended else ("working", "in the middle of an answer")
        text = str(last.get("text") or "").rstrip().rstrip("*_)`\"'")
        if text.endswith("?"):
            return "asking", "its last words are a question"
        return "finished", "the turn ended"
