"""The full content of one block, read again from its line."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sessionbrowser.model import Block, Body, Code, Diff, Hunk, Part, Place, Plain, Prose
from sessionbrowser.sources import forms, jsonl
from sessionbrowser.sources.base import SourceError
from sessionbrowser.sources.claude import notes, outcomes, pictures, rows, spill
from sessionbrowser.sources.claude.rows import Piece
from sessionbrowser.sources.jsonl import Record
from sessionbrowser.text import for_eyes, styled

_NUMBERED = re.compile(r"^ {0,5}(\d+)(?:→|\t)", re.MULTILINE)
_REMINDER = re.compile(r"\n*<system-reminder>.*?</system-reminder>\s*\Z", re.DOTALL)


def body_of(path: str, block: Block) -> Body:
    """The body of `block` of the transcript at `path`. Raises OSError, SourceError."""
    if block.place.part == "title":
        return Body(block.title, (Plain(block.title),))
    record, part = _record(path, block.place)
    if block.kind == "tool":
        return _tool(path, block, record, part)
    if part == "queue":
        text = for_eyes(rows.text_of(record.get("content")).strip())
        return Body(text, (Prose(text),))
    if block.what == "result":
        shown = forms.output(rows.text_of(_block_at(record, part).get("content")))
        return Body(shown.text, (shown,))
    piece = _piece(record, part, block)
    if piece is None:
        raise SourceError("this part is no longer where it was")
    return _piece_body(block, piece)


def _record(path: str, place: Place) -> tuple[Record, str]:
    reading = jsonl.read(jsonl.read_at(place.path or path, place.start, place.length))
    part, _, number = place.part.partition("@")
    index = int(number) if number.isdigit() else 0
    if index >= len(reading.records):
        raise SourceError("this part is no longer where it was")
    return reading.records[index], part


def _piece(record: Record, part: str, block: Block) -> Piece | None:
    kind = record.get("type")
    if kind == "user":
        pieces = rows.user_pieces(record, subagent=block.what == "subagent")
    elif kind == "assistant":
        pieces = rows.assistant_pieces(record)
    else:
        pieces = notes.pieces(record, kind)
    fitting = [piece for piece in pieces if piece.part == part and piece.kind == block.kind]
    return next((piece for piece in fitting if piece.what == block.what), fitting[0] if fitting else None)


def _piece_body(block: Block, piece: Piece) -> Body:
    if piece.kind == "image":
        picture = pictures.picture(piece.value)
        return Body(block.title, (picture,))
    if piece.kind == "note":
        return _note(block, piece)
    text = for_eyes(piece.text)
    if piece.what == "bash":
        return Body(text, (Code(text, "bash"),))
    return Body(text, (Prose(text),))


def _note(block: Block, piece: Piece) -> Body:
    if piece.what == "unknown":
        return Body(block.title, (forms.fields(piece.value),))
    if piece.what == "output":
        text, spans = styled(rows.untagged(piece.text))
        return Body(text, (Plain(text, spans),))
    if piece.what in ("compaction", "recap", "synthetic"):
        text = for_eyes(piece.text)
        return Body(text, (Prose(text),))
    if not piece.text.strip():
        return Body(block.title, (Plain(block.title),))
    text, spans = styled(piece.text)
    return Body(text, (Plain(text, spans, error=piece.what == "error"),))


# ── tools ──


def _tool(path: str, block: Block, record: Record, part: str) -> Body:
    call = _block_at(record, part)
    arguments = call.get("input")
    given: Mapping[str, object] = arguments if isinstance(arguments, Mapping) else {} if arguments is None else {"input": arguments}
    name = str(call.get("name") or block.name)
    if block.result is None:
        return forms.tool_body(name, given, "", ok=None)
    row, where = _record(path, block.result)
    result = _block_at(row, where)
    detail = row.get("toolUseResult")
    values: Mapping[str, object] = detail if isinstance(detail, Mapping) else {}
    code, start = _code(block, result, values)
    return forms.tool_body(
        name, _arguments(name, given, values), _output(path, block, result, detail), ok=block.ok, extra=_extra(block, result, values),
        diffs=_diffs(block, given, values), answers=_answers(values), code=code, start=start,
    )  # fmt: skip


def _block_at(record: Record, part: str) -> Mapping[str, object]:
    found = next((block for name, block in rows.blocks_of(rows.content_of(record)) if name == part), None)
    if found is None:
        raise SourceError("this part is no longer where it was")
    return found


def _arguments(name: str, given: Mapping[str, object], values: Mapping[str, object]) -> Mapping[str, object]:
    """Arguments, with what newer builds keep only in the result."""
    kind = forms.action(name)
    if kind == "plan" and "plan" not in given and isinstance(values.get("plan"), str):
        return {**given, "plan": values["plan"]}
    if kind == "todo" and not forms.checklist(given) and isinstance(values.get("tasks"), list):
        return {**given, "tasks": values["tasks"]}
    if kind == "question" and "questions" not in given and isinstance(values.get("questions"), list):
        return {**given, "questions": values["questions"]}
    return given


def _output(path: str, block: Block, result: Mapping[str, object], detail: object) -> str:
    text = outcomes.unwrapped(rows.text_of(result.get("content")))
    if name := spill.name_of(text, detail):
        kept = spill.read(path, name)
        if kept is not None:
            return kept
    if block.what == "shell":
        text = _without_wrapping(text)
    elif block.what == "agent":
        text = outcomes.report_of(text)
    return _REMINDER.sub("", text)


def _without_wrapping(text: str) -> str:
    """Shell output without the tags of very old builds."""
    if text.startswith(("<stdout>", "<stderr>")):
        return rows.untagged(text)
    return text


def _extra(block: Block, result: Mapping[str, object], values: Mapping[str, object]) -> tuple[Part, ...]:
    found: list[Part] = []
    content = result.get("content")
    for item in content if isinstance(content, list) else ():
        if isinstance(item, dict) and item.get("type") in ("image", "document"):
            found.append(pictures.picture(item))
        elif isinstance(item, dict) and item.get("type") == "tool_reference":
            found.append(Plain(for_eyes(str(item.get("tool_name") or ""))))
    file = values.get("file")
    if not found and isinstance(file, Mapping) and isinstance(data := file.get("base64"), str):
        form = file.get("type")
        found.append(pictures.from_base64(data, str(form).rsplit("/", 1)[-1] if isinstance(form, str) else str(values.get("type") or "")))
    return tuple(found)


def _diffs(block: Block, given: Mapping[str, object], values: Mapping[str, object]) -> tuple[Diff, ...]:
    """The change with its real line numbers, when the program kept it."""
    if block.what not in ("edit", "write"):
        return ()
    path = values.get("filePath")
    shown = for_eyes(path) if isinstance(path, str) else for_eyes(forms.first(given, ("file_path", "notebook_path", "path")))
    hunks = tuple(
        Hunk(_line(hunk.get("oldStart")), _line(hunk.get("newStart")),
             tuple(for_eyes(line).replace("\n", "") for line in hunk["lines"] if isinstance(line, str)))  # type: ignore[attr-defined]
        for hunk in outcomes.patch_of(values)
    )  # fmt: skip
    created = values.get("type") == "create"
    if hunks:
        return (Diff(shown, hunks, created=created),)
    content = values.get("content")
    if created and isinstance(content, str):
        return (forms.diff_of(shown, "", content, created=True),)
    return ()


def _line(value: object) -> int:
    return value if isinstance(value, int) else 0


def _answers(values: Mapping[str, object]) -> Mapping[str, object] | None:
    answers = values.get("answers")
    return answers if isinstance(answers, Mapping) else None


def _code(block: Block, result: Mapping[str, object], values: Mapping[str, object]) -> tuple[str | None, int]:
    """The lines of a file that was read, and the number of the first."""
    if block.what != "read" or block.ok is False:
        return None, 1
    file = values.get("file")
    if isinstance(file, Mapping) and isinstance(content := file.get("content"), str):
        return content, _line(file.get("startLine")) or 1
    text = _REMINDER.sub("", rows.text_of(result.get("content")))
    first = _NUMBERED.match(text)
    if first is None:
        return None, 1
    return _NUMBERED.sub("", text), int(first[1])
