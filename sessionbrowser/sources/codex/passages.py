"""Text for the full-text index, in one pass: most lines are passed over by their first bytes, unparsed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sessionbrowser.model import Passage
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.base import strings
from sessionbrowser.sources.codex import calls, files, injected, reader
from sessionbrowser.sources.codex.ends import prompt_of
from sessionbrowser.sources.codex.ranks import Ranks, best_forms
from sessionbrowser.sources.codex.records import NOTHING, Item, parse, text_of, whole, words
from sessionbrowser.sources.codex.state import ANSWER_RANKS, PROMPT_RANKS, THINKING_RANKS
from sessionbrowser.sources.codex.talk import reasoning_text
from sessionbrowser.text import for_eyes

_KIND = re.compile(rb'"type":"(\w+)","payload":\{"type":"([\w.]+)"(?:,"(?:id|status)":(?:null|"[^"]*"))*(?:,"role":"(\w+)")?')
_DONE = re.compile(rb'"item":\{"type":"(\w+)"')
_ITEM, _EVENT = b"response_item", b"event_msg"
_ALWAYS = frozenset(((_ITEM, b"message"), (_ITEM, b"agent_message"), (_EVENT, b"item_completed")))
_FORMS = {
    (_EVENT, b"user_message"): ("prompt", PROMPT_RANKS["event:user_message"]),
    (_EVENT, b"agent_message"): ("answer", ANSWER_RANKS["event:agent_message"]),
    (_EVENT, b"agent_reasoning"): ("thinking", THINKING_RANKS["event"]),
    (_EVENT, b"agent_reasoning_raw_content"): ("thinking", THINKING_RANKS["event"]),
    (_ITEM, b"reasoning"): ("thinking", THINKING_RANKS["summary"]),
}
_TOOLS = frozenset((_ITEM, kind.removeprefix("item:").encode()) for kind in calls.CALLS | calls.RESULTS)
_ITEMS = frozenset((b"UserMessage", b"AgentMessage", b"Reasoning"))
Kinds = frozenset[tuple[bytes, bytes]]  # how a record and its payload call themselves
_UNWANTED = (b'"type":"world_state"', b'"type":"turn_context"', b'"type":"token_usage_record"',
             b'"type":"compacted"')  # fmt: skip


def passages(path: str, offset: int, tools: bool) -> Iterator[Passage]:
    """What stands in a rollout or a page from `offset` on. Raises OSError or SourceError."""
    meta = reader.head_of(path)
    pass_over = whole(meta or NOTHING, "subagent_history_start_ordinal") or 0
    ranks = best_forms(path, (meta or NOTHING).get("history_mode") == "paginated")
    wanted = _wanted(ranks, tools)
    answers = ranks["answer"] == ANSWER_RANKS["item:message"]
    begun: dict[str, int] = {}
    if pass_over:
        offset = max(offset, _own_start(path, pass_over))
    for start, data in _lines(path, offset):
        if not _is_wanted(data, wanted, answers):
            continue
        for record in jsonl.read(data).records:
            yield from _of_item(parse(record), start, ranks, tools, begun)


def _lines(path: str, offset: int) -> Iterator[tuple[int, bytes]]:
    """Lines from `offset` on; a last one without its end only when it is complete."""
    if not path.endswith(".jsonl"):
        yield from ((line.offset, line.data) for line in files.lines(path, offset))
        return
    with jsonl.open_file(path) as file:
        file.seek(offset)
        for data in file:
            if data.endswith(b"\n") or reader.is_complete(data):
                yield offset, data
            offset += len(data)


def _own_start(path: str, first_ordinal: int) -> int:
    for number, line in enumerate(files.lines(path)):
        records = jsonl.read(line.data).records
        ordinal = parse(records[0]).ordinal if records else None
        if (ordinal if ordinal is not None else number) >= first_ordinal:
            return line.offset
    return 1 << 62


def _wanted(ranks: Ranks, tools: bool) -> Kinds:
    """The kinds of records in which the best forms that a file holds can stand."""
    best = {kind for kind, (role, rank) in _FORMS.items() if ranks[role] == rank}
    return _ALWAYS | best | (_TOOLS if tools else frozenset())


def _is_wanted(data: bytes, wanted: Kinds, answers: bool) -> bool:
    """Whether a line has to be parsed; lines that are not written as Codex does are. `answers`: they are in messages."""
    found = _KIND.search(data, 0, 240)
    if found is None:
        return not any(data.find(mark, 0, 240) >= 0 for mark in _UNWANTED)
    if found.group(1, 2) not in wanted or found[3] == b"developer" or (found[3] == b"assistant" and not answers):
        return False
    if found[2] != b"item_completed":
        return True
    item = _DONE.search(data, 0, 480)
    return item is None or item[1] in _ITEMS


def _of_item(item: Item, start: int, ranks: Ranks, tools: bool, begun: dict[str, int]) -> Iterator[Passage]:
    kind = item.kind
    if kind in calls.CALLS or kind in calls.RESULTS:
        if tools:
            yield from _tool(item, start, begun)
        return
    if kind == "item:agent_message":
        if found := prompt_of(item):
            yield Passage("prompt", start, for_eyes(found[1]), item.time)
        return
    found = prompt_of(item)
    if found is not None:
        if found[0] == ranks["prompt"] and found[1]:
            yield Passage("prompt", start, for_eyes(found[1]), item.time)
        return
    if kind == "item:message" and item.payload.get("role") == "user":
        for said in injected.said(item.payload):
            if said.label == "shell command" and (shell := injected.shell_of(said.text)):
                yield Passage("prompt", start, for_eyes(shell.command), item.time)
        return
    text, what, rank, role = _said(item)
    if text and rank == ranks[role]:
        yield Passage(what, start, for_eyes(text), item.time)


def _said(item: Item) -> tuple[str, str, int, str]:
    """Text, kind of passage, rank and role of an answer or a thought."""
    kind = item.kind
    if kind in ANSWER_RANKS:
        if kind == "item:message" and item.payload.get("role") != "assistant":
            return "", "", 0, "answer"
        text = words(item.payload, "message") if kind.startswith("event:") else text_of(item.payload.get("content"))
        return text, "text", ANSWER_RANKS[kind], "answer"
    rank = {"item:reasoning": "summary", "done:Reasoning": "done"}.get(kind, "event" if "agent_reasoning" in kind else "")
    return (reasoning_text(item), "thinking", THINKING_RANKS[rank], "thinking") if rank else ("", "", 0, "answer")


def _tool(item: Item, start: int, begun: dict[str, int]) -> Iterator[Passage]:
    if item.kind in calls.CALLS:
        made = calls.call_of(item.kind, item.payload)
        begun[made.id] = start
        text = "\n".join([made.name, *strings(made.arguments)])
    else:
        start = begun.pop(words(item.payload, "call_id"), start)
        text = calls.outcome_of(item.payload).text
    if text:
        yield Passage("tool", start, for_eyes(text), item.time)
