"""The full content of a block, read again from its place."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from sessionbrowser.model import Block, Body, Code, Diff, Part, Place, Plain, Prose
from sessionbrowser.sources import forms, jsonl
from sessionbrowser.sources.codex import calls, files, injected, notes
from sessionbrowser.sources.codex.calls import Call, Outcome
from sessionbrowser.sources.codex.pictures import picture
from sessionbrowser.sources.codex.records import Item, parse, parts, picture_of, text_of, words
from sessionbrowser.sources.codex.talk import reasoning_text
from sessionbrowser.sources.codex.tools import mcp_call
from sessionbrowser.text import for_eyes

_NOTHING = Outcome("", True)


def body(path: str, block: Block) -> Body:
    """What `block` holds. Raises OSError or SourceError when its file cannot be read; a record that is gone is empty."""
    item = item_at(path, block.place)
    if item is None:
        return Body()
    if block.kind == "tool":
        return _tool(path, block, item)
    if block.kind == "image":
        return _image(block, item)
    if block.kind == "prompt" and block.what == "bash":
        return _shell(block, item)
    text = for_eyes(_text(block, item))
    if not text:
        return Body(block.title if block.kind == "note" else "")
    if block.kind == "note" and block.what not in ("compaction", "review", "agent"):
        return Body(text, (Plain(text),))
    return Body(text, (Prose(text),))


def item_at(path: str, place: Place) -> Item | None:
    """The record at a place."""
    data = files.read_at(place.path or path, place.start, place.length)
    records = jsonl.read(data).records
    number = int(place.part[7:]) if place.part.startswith("record:") and place.part[7:].isdigit() else 0
    return parse(records[number]) if number < len(records) else None


def _text(block: Block, item: Item) -> str:
    payload = item.payload
    if block.kind == "thinking":
        return reasoning_text(item)
    if block.kind == "note":
        return _note(block, item)
    if item.kind == "event:user_message":
        return injected.event_prompt(payload) or ""
    if item.kind == "done:UserMessage":
        return injected.done_prompt(payload)
    if item.kind == "item:agent_message":
        text = text_of(payload.get("content"))
        return text.partition("Payload:")[2].strip() or text
    if block.kind == "prompt":
        return injected.message_prompt(payload) or ""
    return words(payload, "message") or text_of(payload.get("content"))


def _note(block: Block, item: Item) -> str:
    payload = item.payload
    if block.what == "injected":
        index = block.place.part.removeprefix("content:")
        if index.isdigit():
            return next((said.text for said in injected.said(payload) if said.number == int(index)), "")
        return text_of(payload.get("content"))
    if block.what == "error":
        return notes.error_text(payload)
    if item.kind.endswith(("exited_review_mode", "ExitedReviewMode")):
        return notes.review_text(payload)
    if block.what in ("agent", "hook"):
        return text_of(payload.get("content") or payload.get("fragments"))
    return words(payload, "message")


def _shell(block: Block, item: Item) -> Body:
    index = block.place.part.removeprefix("content:")
    text = next((said.text for said in injected.said(item.payload) if str(said.number) == index), "")
    shell = injected.shell_of(text)
    if shell is None:
        return Body()
    shown: list[Part] = [Code(for_eyes(shell.command), "bash")]
    if shell.output.strip():
        shown.append(forms.output(shell.output, ok=not shell.exit_code))
    return Body(for_eyes(shell.command), tuple(shown))


def _image(block: Block, item: Item) -> Body:
    addresses = [found for _, part in parts(item.payload.get("content")) if (found := picture_of(part))]
    addresses = addresses or injected.images_of(item.payload)
    index = block.place.part.removeprefix("image:")
    if not index.isdigit() or int(index) >= len(addresses):
        return Body()
    return Body("", (picture(addresses[int(index)]),))


# ── tools ──


def _tool(path: str, block: Block, item: Item) -> Body:
    if not item.kind.startswith("item:"):
        return _nested(item, block)
    made = calls.call_of(item.kind, item.payload)
    outcome = _NOTHING
    if block.result is not None and (answer := item_at(path, block.result)) is not None:
        outcome = calls.outcome_of(answer.payload)
    if item.kind == "item:image_generation_call" and isinstance(item.payload.get("result"), str):
        outcome = outcome._replace(pictures=(f"data:image/png;base64,{item.payload['result']}",))
    diffs = _changes(path, block) if block.ok is not False else ()
    extra = tuple(picture(address) for address in outcome.pictures)
    return _drawn(made, outcome, block.ok, diffs, extra, item.kind)


def _drawn(made: Call, outcome: Outcome, ok: bool | None, diffs: tuple[Diff, ...], extra: tuple[Part, ...], kind: str) -> Body:
    answers = _answers(outcome.text) if made.what == "question" else None
    name = made.name if forms.action(made.name) == made.what else made.what
    drawn = forms.tool_body(name, made.arguments, outcome.text, ok=ok, extra=extra, diffs=diffs, answers=answers)
    if kind == "item:custom_tool_call" and made.name == "exec" and drawn.parts:  # it takes a script
        script = Code(for_eyes(forms.command_of(made.arguments)), "javascript")
        return drawn._replace(parts=(script, *drawn.parts[1:]))
    return drawn


def _changes(path: str, block: Block) -> tuple[Diff, ...]:
    """The diffs with line numbers that an event tells of a patch."""
    where = block.place.part.removeprefix("changes=").split(":")
    if not block.place.part.startswith("changes=") or len(where) != 2 or not all(piece.isdigit() for piece in where):
        return ()
    item = item_at(path, Place(int(where[0]), int(where[1]), "", block.place.path))
    return calls.diffs_of(item.payload.get("changes")) if item is not None else ()


def _answers(text: str) -> Mapping[str, object] | None:
    """The answers of `request_user_input`, by the id of the question."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    given = value.get("answers") if isinstance(value, dict) else None
    if not isinstance(given, dict):
        return None
    return {id: answer.get("answers") if isinstance(answer, dict) else answer for id, answer in given.items()}


def _nested(item: Item, block: Block) -> Body:
    """Something that only an event tells of."""
    payload = item.payload
    if block.what == "plan":
        text = for_eyes(words(payload, "text"))
        return Body(text, (Prose(text),))
    if block.what == "mcp":
        made, _, text = mcp_call(payload)
        return _drawn(made, Outcome(text, bool(block.ok)), block.ok, (), (), item.kind)
    output = words(payload, "aggregated_output") or words(payload, "stdout") or words(payload, "stderr")
    if "changes" in payload:
        diffs = calls.diffs_of(payload.get("changes"))
        text = for_eyes(output)
        return Body(text, diffs or (Plain(text),), {"files": [diff.path for diff in diffs]})
    made = calls.command_call(payload)
    return _drawn(made, Outcome(output, bool(block.ok)), block.ok, (), (), item.kind)
