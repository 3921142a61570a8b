"""How a rollout ends: at work, waiting, interrupted, failed or finished."""

from __future__ import annotations

from sessionbrowser.sources.codex import calls
from sessionbrowser.sources.codex.notes import error_text
from sessionbrowser.sources.codex.records import Item, text_of, within, words
from sessionbrowser.text import one_line

_ANSWERS = ("event:agent_message", "done:AgentMessage")


class Ending:
    """Records in order; `tail` is one of TAILS, `why` a few words.

    `tasks`: the file says when a turn is complete, so that an answer alone does not finish one.
    """

    def __init__(self, tasks: bool) -> None:
        self.tasks = tasks
        self.tail = "unknown"
        self.why = ""
        self.open: dict[str, str] = {}
        self.last_text = ""
        self.error = ""
        self.over = False  # the turn has ended: stragglers change nothing

    def take(self, item: Item, is_prompt: bool) -> None:
        kind = item.kind
        if kind == "event:task_started":
            self.tasks = self.tasks or "turn_id" in item.payload
            self._begin("working", "a turn was started")
        elif is_prompt and kind != "item:agent_message":
            self._begin("working", "a prompt without an answer")
        elif kind == "event:task_complete":
            self._complete(item)
        elif kind == "event:turn_aborted":
            self._end("interrupted", words(item.payload, "reason") or "aborted")
        elif kind == "event:error":
            self.error = one_line(error_text(item.payload), 120)
            self._end("failed", self.error)
        elif not self.over:
            self._go_on(item)

    def _begin(self, tail: str, why: str) -> None:
        self.tail, self.why, self.over = tail, why, False
        self.open.clear()
        self.error = ""

    def _end(self, tail: str, why: str) -> None:
        self.tail, self.why, self.over = tail, one_line(why, 120), True
        self.open.clear()

    def _complete(self, item: Item) -> None:
        last = words(item.payload, "last_agent_message") or ("" if self.error else self.last_text)
        failure = within(item.payload, "error")
        if failure or (self.error and not last):
            self._end("failed", error_text(item.payload) if failure else self.error)
        else:
            self._finish(last)

    def _finish(self, text: str) -> None:
        asking = text.rstrip().endswith(("?", "？"))
        self._end("asking" if asking else "finished", "the answer ends in a question" if asking else "the turn is complete")

    def _go_on(self, item: Item) -> None:
        kind = item.kind
        if kind in calls.CALLS:
            self._call(item)
        elif kind in calls.RESULTS:
            self.open.pop(words(item.payload, "call_id"), None)
            self.tail, self.why = ("calling", self._waiting()) if self.open else ("working", "a result without an answer")
        elif kind in _ANSWERS or (kind == "item:message" and item.payload.get("role") == "assistant"):
            self._answer(item)
        elif kind == "item:reasoning":
            self.tail, self.why = "working", "thinking"

    def _call(self, item: Item) -> None:
        made = calls.call_of(item.kind, item.payload)
        if item.kind in calls.SELF_CONTAINED:
            self.tail, self.why = "working", "a result without an answer"
            return
        self.open[made.id or f"#{len(self.open)}"] = made.name
        asking = made.what == "question"
        self.tail, self.why = ("asking", "a question to the person") if asking else ("calling", self._waiting())

    def _waiting(self) -> str:
        return "waiting for " + one_line(", ".join(self.open.values()), 60)

    def _answer(self, item: Item) -> None:
        self.last_text = words(item.payload, "message") or text_of(item.payload.get("content"))
        phase = words(item.payload, "phase")
        if phase == "commentary" or (self.tasks and phase != "final_answer"):
            self.tail, self.why = "working", "an answer in an open turn"
        elif not self.open:
            self._finish(self.last_text)
            self.over = False  # without marks more may follow
