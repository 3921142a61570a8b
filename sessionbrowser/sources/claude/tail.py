"""What the end of a transcript says about where its session stands, with the reason in a few words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sessionbrowser.sources.claude import outcomes, rows
from sessionbrowser.sources.claude.rows import SYNTHETIC, Piece
from sessionbrowser.sources.jsonl import Record
from sessionbrowser.text import one_line

State = tuple[str, str]
_ASKING = {"AskUserQuestion": "asks a question", "ExitPlanMode": "asks for its plan to be approved"}
_REFUSED = ("rejected", "interrupted", "cancelled")
_UNKNOWN: State = ("unknown", "")
_ENDED: State = ("finished", "the turn ended")
_GOING_ON = ("tool_use", "pause_turn")  # why an answer stops that is no end of the turn


def state_of(records: Sequence[Record], *, subagent: bool = False) -> State:
    """One of TAILS for the last records of a file (in file order, whatever their kind), and why."""
    tail = _Tail(subagent)
    for record in records:
        tail.see(record)
    return tail.state()


class _Tail:
    """The state of a conversation, followed through its last records."""

    def __init__(self, subagent: bool) -> None:
        self.subagent = subagent
        self.said: State = _UNKNOWN  # what the last record that decides anything says
        self.open: dict[str, str] = {}  # calls without a result: id and name
        self.message = ""  # id of the newest answer
        self.ended = False  # the program said that the turn is over
        self.command = False  # a slash command came last: only its expansion makes it a prompt
        self.question = False

    def state(self) -> State:
        """Where it stands after the records seen so far."""
        if self.said[0] in ("interrupted", "failed"):
            return self.said
        if self.open:
            name = list(self.open.values())[-1]
            if name in _ASKING:
                return "asking", _ASKING[name]
            return _ENDED if self.ended else ("calling", f"{one_line(name, 40)} has no result")
        if self.question and self.said[0] == "finished":
            return "asking", "its last words are a question"
        if self.ended and self.said[0] in ("working", "unknown"):
            return _ENDED
        return self.said

    def see(self, record: Record) -> None:
        """One more record."""
        if record.get("isSidechain") is True and not self.subagent:
            return
        kind = record.get("type")
        if kind == "user":
            for piece in rows.user_pieces(record, subagent=self.subagent):
                self._user(piece, record)
        elif kind == "assistant":
            self._assistant(record)
        elif kind == "system":
            self._system(record)
        elif kind == "ended-by-model":
            self.open.clear()
            self.said, self.question = ("finished", "ended by the model"), False
        elif kind == "attachment" and isinstance(attachment := record.get("attachment"), dict):
            self._attachment(attachment)

    def _say(self, state: str, why: str) -> None:
        self.said, self.ended, self.command, self.question = (state, why), False, False, False

    # ── a person, or the program in a person's place ──

    def _user(self, piece: Piece, record: Record) -> None:
        if piece.kind == "result":
            self._result(piece.value, record)
        elif piece.what == "interrupt":
            self.open.clear()
            self._say("interrupted", "interrupted during a call" if "for tool use" in piece.text else "interrupted")
        elif piece.what == "compaction":
            self.open.clear()
            self._say("finished", "compacted")
        elif piece.kind == "prompt":
            self._prompt(piece)
        elif piece.what == "output":
            self.command = False
        elif piece.what == "injected" and (self.command or "<task-notification>" in piece.text):
            self._say("working", "a prompt without an answer" if self.command else "a notification without an answer")

    def _prompt(self, piece: Piece) -> None:
        if piece.what == "slash":
            self.command = True
        elif piece.what != "bash":
            if piece.what == "typed":
                self.open.clear()
            self._say("working", "a prompt without an answer")

    def _result(self, result: Mapping[str, object], record: Record) -> None:
        call = result.get("tool_use_id")
        if isinstance(call, str):
            self.open.pop(call, None)
        judged = outcomes.judge("other", result, record.get("toolUseResult"), record.get("toolDenialKind"))
        if judged.outcome in _REFUSED:
            self._say("interrupted", f"a call was {judged.outcome}")
        else:
            self._say("working", "a result without an answer")

    def _attachment(self, attachment: Record) -> None:
        kind = attachment.get("type")
        if kind == "queued_command":
            piece = rows.queued_piece(attachment)
            if piece is not None and piece.kind == "prompt":
                self._say("working", "a prompt without an answer")
        elif kind == "max_turns_reached":
            self._say("failed", "the limit of turns was reached")

    # ── the model and the program ──

    def _assistant(self, record: Record) -> None:
        message = record.get("message")
        if not isinstance(message, dict):
            return
        identity = message.get("id")
        if isinstance(identity, str) and identity != self.message:
            self.open.clear()  # a model that answers has the results of its calls, wherever they are
            self.message = identity
        text = rows.text_of(message.get("content"))
        if record.get("isApiErrorMessage") is True:
            self._say("failed", one_line(text or "API error", 80))
            return
        if message.get("model") == SYNTHETIC:
            self._say("interrupted", one_line(text, 80))
            return
        if record.get("isAbortedMidStream") is True:
            self._say("interrupted", "cut off while answering")
            return
        stop = message.get("stop_reason")
        pieces = rows.assistant_pieces(record)
        for piece in pieces:
            self._answer(piece, stop)
        if isinstance(stop, str) and stop not in _GOING_ON and not any(piece.kind == "text" for piece in pieces):
            self._say(*_ENDED)  # with a thought, or with nothing at all

    def _answer(self, piece: Piece, stop: object) -> None:
        if piece.kind == "tool":
            call, name = piece.value.get("id"), piece.value.get("name")
            self._say("working", "in the middle of an answer")
            if isinstance(call, str):
                self.open[call] = str(name or "tool")
        elif piece.kind == "result":  # of a tool that runs where the model does
            self.open.pop(str(piece.value.get("tool_use_id")), None)
        elif piece.kind == "text" and stop not in _GOING_ON:
            self._say(*_ENDED)
            self.question = piece.text.rstrip().rstrip("*_)`\"'").endswith(("?", "？", "؟"))
        elif piece.kind in ("text", "thinking"):
            self._say("working", "in the middle of an answer")

    def _system(self, record: Record) -> None:
        subtype = record.get("subtype")
        if subtype in ("turn_duration", "stop_hook_summary"):
            self.ended = True
        elif subtype == "api_error":
            attempt, most = record.get("retryAttempt"), record.get("maxRetries")
            if isinstance(attempt, int) and isinstance(most, int) and attempt < most:
                self._say("working", f"retrying after an API error, {attempt} of {most}")
            else:
                self._say("failed", "API error")
        elif subtype == "compact_boundary":
            self.open.clear()
            self._say("finished", "compacted")
