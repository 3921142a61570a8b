"""Rows that are neither said nor done: what the program records of itself, as notes between the turns.

Reminders that come with every request and listings of tools and skills say nothing to a reader and make no note.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sessionbrowser.sources.claude.rows import (
    Piece,
    injected_piece,
    pictures_in,
    queued_piece,
    text_of,
    untagged,
)
from sessionbrowser.sources.jsonl import Record
from sessionbrowser.text import amount, duration, one_line

Values = Mapping[str, object]
Maker = Callable[[Any], Piece | None]


def pieces(record: Record, kind: object) -> list[Piece]:
    """The piece of a row that is neither a person's nor a model's, with the pictures of a queued prompt; none for most."""
    made = None
    pictures: list[Piece] = []
    if kind == "system":
        made = system_piece(record)
    elif kind == "attachment" and isinstance(attachment := record.get("attachment"), dict):
        made = attachment_piece(attachment)
        if made is not None and made.kind == "prompt":
            pictures = list(pictures_in(attachment.get("prompt")))
    return [made, *pictures] if made is not None else []


# ── system rows ──


def system_piece(record: Record) -> Piece | None:
    """The note of a system row; None for those that are bookkeeping, and for compactions, which the reader joins."""
    given = record.get("subtype")
    if given is None:
        return _old_hook(record)
    subtype = given if isinstance(given, str) else "info"
    made = _SYSTEM.get(subtype)
    if made is not None:
        return made(record)
    if subtype in _SILENT:
        return None
    text = _words(record, "content")
    return Piece("note", text, one_line(subtype, 40), title=untagged(text)) if text else None


_SILENT = {"turn_duration", "session_start", "file_snapshot", "rewind_stand_in", "bridge_status", "cloud_session_status", "compact_boundary"}


def _old_hook(record: Record) -> Piece | None:
    """Hook progress of builds before 1.0.57: "PostToolUse:Edit [command] completed successfully"."""
    text = _words(record, "content")
    low = text.lower()
    if "hook" in low or "tooluse" in low or low.startswith("running "):
        return Piece("note", text, "hook", title=text) if "failed" in low or "error" in low else None
    return Piece("note", text, "info", title=text) if text else None


def _local_command(record: Record) -> Piece | None:
    text = _words(record, "content")
    if not text:
        return None
    run = record.get("commandRun")
    if isinstance(run, dict) and isinstance(name := run.get("command"), str):
        arguments = run.get("args")
        shown = f"/{name.lstrip('/')} {arguments if isinstance(arguments, str) else ''}".rstrip()
        return Piece("note", text, "command", title=shown)
    from sessionbrowser.sources.claude.rows import slash_of

    command = slash_of(text.strip())
    return Piece("note", text, "command", title=command) if command else injected_piece(text, "")


def _api_error(record: Record) -> Piece:
    error = record.get("error")
    values = error if isinstance(error, dict) else {}
    status = values.get("status")
    message = _words(values, "formatted") or _words(values, "message") or _cause(values)
    title = "API error" + (f" {status}" if status else "") + (f": {message}" if message else "")
    attempt, most, wait = (record.get(name) for name in ("retryAttempt", "maxRetries", "retryInMs"))
    if isinstance(attempt, int) and isinstance(most, int) and most:
        title += f" · attempt {attempt} of {most}"
        if isinstance(wait, int | float) and attempt < most:
            title += f", again in {duration(wait / 1000)}"
        return Piece("note", message, "retry" if attempt < most else "error", title=title)
    return Piece("note", message, "error", title=title)


def _cause(values: Values) -> str:
    inner = values.get("error")
    while isinstance(inner, dict):
        if text := _words(inner, "message"):
            return text
        inner = inner.get("error")
    connection = values.get("connection")
    return _words(connection, "message") if isinstance(connection, dict) else ""


def _model(record: Record) -> Piece:
    before, after = _words(record, "originalModel"), _words(record, "fallbackModel")
    text = _words(record, "content")
    title = f"Model changed: {before} → {after}" if before and after else text or "Model changed"
    return Piece("note", text, "model", title=f"{title} · what it had said was taken back" if retracted(record) else title)


def retracted(record: Record) -> frozenset[str]:
    """The rows that a fallback to another model took back."""
    keys = record.get("retractedMessageUuids")
    return frozenset(key for key in keys if isinstance(key, str)) if isinstance(keys, list) else frozenset()


def _microcompact(record: Record) -> Piece:
    values = record.get("microcompactMetadata")
    data = values if isinstance(values, dict) else {}
    saved = data.get("tokensSaved")
    title = "Old tool output dropped from the context" + (f" · {amount(saved)} tokens saved" if isinstance(saved, int) and saved > 0 else "")
    return Piece("note", _words(record, "content"), "microcompaction", title=title)


def _stop_hooks(record: Record) -> Piece | None:
    errors = record.get("hookErrors")
    words = [error if isinstance(error, str) else text_of([error]) or str(error) for error in errors] if isinstance(errors, list) else []
    stopped = record.get("preventedContinuation") is True
    if not words and not stopped:
        return None
    reason = _words(record, "stopReason")
    title = "A stop hook " + ("kept the turn from ending" if stopped and not words else "failed") + (f": {reason or words[0]}" if reason or words else "")
    return Piece("note", "\n".join(words) or reason, "hook", title=title)


def _saying(what: str, label: str = "") -> Maker:
    def make(record: Record) -> Piece | None:
        text = untagged(_words(record, "content"))
        if not text and not label:
            return None
        return Piece("note", text, what, title=f"{label}: {text}" if label and text else label or text)

    return make


_SYSTEM: dict[str, Maker] = {
    "local_command": _local_command,
    "api_error": _api_error, "error": _api_error, "overloaded": _api_error,
    "api_refusal": _saying("error", "Refused"),
    "model_fallback": _model, "model_refusal_fallback": _model, "model_refusal_no_fallback": _model, "model_consent_fallback": _model,
    "microcompact_boundary": _microcompact,
    "stop_hook_summary": _stop_hooks,
    "away_summary": _saying("recap", "Recap"),
    "informational": _saying("info"),
    "scheduled_task_fire": _saying("info", "Scheduled task"),
    "memory_saved": _saying("memory", "Memory saved"),
    "agents_killed": _saying("interrupted", "Agents stopped"),
    "permission_retry": _saying("info", "Permission asked again"),
}  # fmt: skip


def compaction_title(record: Record | None) -> str:
    """One sentence about a compaction from its boundary row (None: an old build, which wrote only the summary)."""
    values = record.get("compactMetadata") if record else None
    data = values if isinstance(values, dict) else {}
    title = "Conversation compacted"
    if data.get("trigger") in ("auto", "manual"):
        title += " automatically" if data["trigger"] == "auto" else " on request"
    before, after = data.get("preTokens"), data.get("postTokens")
    if isinstance(before, int) and before > 0:
        title += f" · {amount(before)}" + (f" → {amount(after)}" if isinstance(after, int) and after > 0 else "") + " tokens"
    return title


# ── attachments ──


def attachment_piece(attachment: Values) -> Piece | None:
    """The prompt or note of an attachment; None for what only the model was meant to see each time."""
    kind = str(attachment.get("type") or "")
    if kind == "queued_command":
        return queued_piece(attachment)
    if kind.startswith("hook_"):
        return _hook(kind, attachment)
    made = _ATTACHMENTS.get(kind)
    return made(attachment) if made else None


def _hook(kind: str, values: Values) -> Piece | None:
    name = _words(values, "hookName") or _words(values, "hookEvent") or "hook"
    if kind in ("hook_additional_context", "hook_system_message"):
        text = _listed(values.get("content"))
        label = "Context from hook" if kind == "hook_additional_context" else "Message of hook"
        return Piece("note", text, "injected", title=f"{label} {name}: {text.strip()}") if text.strip() else None
    status = values.get("exitCode")
    if kind == "hook_success" and status in (0, None):
        return None
    text = _words(values, "stderr") or _words(values, "stdout") or _blocking(values) or _listed(values.get("content"))
    title = f"Hook {name} {_HOOK_ENDS.get(kind, 'ended')}"
    if isinstance(status, int) and status:
        title += f" · exit {status}"
    return Piece("note", text, "hook", title=f"{title}: {text.strip()}" if text.strip() else title)


_HOOK_ENDS = {"hook_blocking_error": "blocked", "hook_non_blocking_error": "failed", "hook_cancelled": "was cancelled",
              "hook_stopped_continuation": "stopped the turn", "hook_success": "ended"}  # fmt: skip


def _blocking(values: Values) -> str:
    inner = values.get("blockingError")
    return _words(inner, "blockingError") if isinstance(inner, dict) else inner if isinstance(inner, str) else ""


def hook_run(attachment: Values) -> tuple[str, bool, float] | None:
    """Name, success and milliseconds of a hook that an attachment records."""
    kind = str(attachment.get("type") or "")
    if kind not in ("hook_success", "hook_blocking_error", "hook_non_blocking_error", "hook_cancelled"):
        return None
    took = attachment.get("durationMs")
    name = _words(attachment, "hookName") or _words(attachment, "hookEvent") or "hook"
    return name, kind == "hook_success" and attachment.get("exitCode") in (0, None), took if isinstance(took, int | float) else 0.0


def _file(values: Values) -> Piece:
    inner = values.get("content")
    data = inner.get("file") if isinstance(inner, dict) else None
    text = _words(data, "content") if isinstance(data, dict) else ""
    return Piece("note", text, "file", title=f"File attached: {_path(values)}", value=values)


def _edited(values: Values) -> Piece:
    return Piece("note", _words(values, "snippet"), "file", title=f"Changed outside the session: {_path(values)}", value=values)


def _memory(values: Values) -> Piece:
    inner = values.get("content")
    text = _words(inner, "content") if isinstance(inner, dict) else _listed(inner)
    return Piece("note", text, "injected", title=f"Memory read: {_path(values)}", value=values)


def _skills(values: Values) -> Piece | None:
    skills = values.get("skills")
    names = [name for skill in skills if isinstance(skill, dict) and (name := _words(skill, "name"))] if isinstance(skills, list) else []
    text = "\n\n".join(_words(skill, "content") for skill in skills if isinstance(skill, dict)) if isinstance(skills, list) else ""
    return Piece("note", text, "injected", title=f"Skills kept in mind: {', '.join(names)}") if names else None


def _task(values: Values) -> Piece:
    about = _words(values, "description") or _words(values, "taskId")
    return Piece("note", _words(values, "deltaSummary"), "task", title=f"Background task {_words(values, 'status') or 'changed'}: {about}")


def _mail(values: Values) -> Piece | None:
    text = _listed(values.get("messages")) or _listed(values.get("content"))
    return Piece("note", text, "injected", title=f"Messages from teammates: {text}") if text else None


def _says(what: str, sentence: str) -> Maker:
    def make(values: Values) -> Piece:
        where = _path(values)
        return Piece("note", _listed(values.get("content")), what, title=f"{sentence}: {where}" if where else sentence)

    return make


_ATTACHMENTS: dict[str, Maker] = {
    "file": _file, "already_read_file": _file, "pdf_reference": _says("file", "PDF attached"), "directory": _says("file", "Folder attached"),
    "mcp_resource": _says("file", "Resource attached"), "compact_file_reference": _says("file", "File kept in mind"),
    "edited_text_file": _edited, "nested_memory": _memory, "relevant_memories": _says("injected", "Memories recalled"),
    "invoked_skills": _skills, "dynamic_skill": _says("injected", "Skills found"), "task_status": _task, "teammate_mailbox": _mail,
    "plan_mode": _says("mode", "Plan mode"), "plan_mode_reentry": _says("mode", "Plan mode again"),
    "plan_mode_exit": _says("mode", "Plan mode ended"), "auto_mode": _says("mode", "Auto mode"), "auto_mode_exit": _says("mode", "Auto mode ended"),
    "ultra_effort_enter": _says("mode", "Highest effort"), "ultra_effort_exit": _says("mode", "Highest effort ended"),
    "max_turns_reached": _says("error", "The limit of turns was reached"), "read_truncation_notice": _says("info", "A read was cut short"),
    "agent_mention": _says("info", "Agent mentioned"), "output_style_instructions": _says("injected", "Output style"),
}  # fmt: skip


def _path(values: Values) -> str:
    return next((text for name in ("displayPath", "filename", "planFilePath", "path", "uri", "agentType") if (text := _words(values, name))), "")


def _words(values: object, name: str) -> str:
    found = values.get(name) if isinstance(values, Mapping) else None
    return found if isinstance(found, str) else ""


def _listed(value: object) -> str:
    if isinstance(value, list):
        return "\n".join(item if isinstance(item, str) else text_of([item]) for item in value)
    return value if isinstance(value, str) else ""
