"""Telling what a person typed from what Codex put into the conversation as if the user had said it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from sessionbrowser.sources.codex.records import NOTHING, Payload, parts, picture_of, within, words
from sessionbrowser.text import one_line

_REQUEST = "## My request for Codex:"
_PICTURE = "[Image]"  # what a person said who pasted a picture and nothing else
_TAGS = {
    "<environment_context>": ("</environment_context>", "environment"),
    "<user_instructions>": ("</user_instructions>", "instructions"),
    "# agents.md instructions": ("</instructions>", "AGENTS.md"),
    "<skill>": ("</skill>", "skill"),
    "<user_shell_command>": ("</user_shell_command>", "shell command"),
    "<turn_aborted>": ("</turn_aborted>", "turn aborted"),
    "<subagent_notification>": ("</subagent_notification>", "subagent notification"),
    "<recommended_plugins>": ("</recommended_plugins>", "recommended plugins"),
    "<codex_internal_context": ("</codex_internal_context>", "context"),
    "<goal_context>": ("</goal_context>", "goal"),
    "<user_action>": ("</user_action>", "review"),
}
_HOOK = re.compile(r"<([\w-]+)[^<>]*\bhook_run_id=")
_NOTICE = re.compile(r"Warning: (?:The maximum number of|apply_patch was requested|Your account|This session|Heads up)")
_IMAGE_TAG = re.compile(r"</?image(?: [^<>]*)?>")
_NAME = re.compile(r"<name>([^<]{1,200})</name>")
COUNTED = {"skill": "invoked_skills", "hook": "hooks"}  # what is counted by its name, and the fact it belongs to
_SHELL = re.compile(r"<command>\s*(.*?)\s*</command>(?:\s*<result>(.*?)</result>)?", re.S)
_EXIT = re.compile(r"^Exit code: (-?\d{1,9})\b", re.M)


class Said(NamedTuple):
    """One content item of a user message."""

    text: str
    label: str = ""  # what it is when Codex put it there; "" for a person's words
    number: int = 0  # its place in the message
    picture: str = ""  # raw address of an image


class Shell(NamedTuple):
    """A command a person ran from the prompt with `!`."""

    command: str
    output: str
    exit_code: int | None


def label_of(text: str) -> str:
    """What an injected text is, "" for a person's."""
    begin = text.lstrip()[:64].lower()
    for start, (end, label) in _TAGS.items():
        if begin.startswith(start):
            return label if text.rstrip().lower().endswith(end) else ""
    if _HOOK.match(text.lstrip()):
        return "hook"
    return "notice" if _NOTICE.match(text.lstrip()) else ""


def name_of(text: str) -> str:
    """The name of a skill, or of the event that a hook ran at, for eyes."""
    hook, named = _HOOK.match(text.lstrip()), _NAME.search(text)
    return one_line(hook[1] if hook else named[1] if named else "unnamed", 80)


def request(text: str) -> str:
    """A person's words without what an editor put before them (open files, the selection)."""
    _, found, after = text.partition(_REQUEST)
    return after.strip() if found and after.strip() else text


def typed(text: str, pictures: Collection[object]) -> str:
    """A person's words, as `request` gives them; a word for the pictures where there are none."""
    return request(text) or (_PICTURE if pictures else "")


def said(payload: Payload) -> Iterator[Said]:
    """The content items of a user message, each tested by itself; Codex's own labels count where it wrote them."""
    kinds = within(payload, "internal_chat_message_metadata_passthrough").get("content_item_kinds")
    known = kinds if isinstance(kinds, list) else []
    for index, (text, part) in enumerate(parts(payload.get("content"))):
        if picture := picture_of(part):
            yield Said("", "", index, picture)
            continue
        if not text or _IMAGE_TAG.fullmatch(text.strip()):
            continue
        kind = known[index] if index < len(known) and isinstance(known[index], str) else ""
        yield Said(text, _labelled(kind, text), index)


def _labelled(kind: str, text: str) -> str:
    if kind.startswith("user."):
        return ""
    if not kind or kind == "unknown":
        return label_of(text)
    return label_of(text) or kind.rsplit(".", 1)[-1].replace("_", " ")


def shell_of(text: str) -> Shell | None:
    """The command of a `<user_shell_command>` text."""
    found = _SHELL.search(text)
    if found is None:
        return None
    result = found[2] or ""
    code = _EXIT.search(result)
    _, there, output = result.partition("\nOutput:\n")
    return Shell(found[1], (output if there else result).strip("\n"), int(code[1]) if code else None)


def message_prompt(payload: Payload) -> str | None:
    """The words of a user message, None when none of it is a person's."""
    mine = [item for item in said(payload) if not item.label]
    if not mine:
        return None
    return typed("\n".join(item.text for item in mine if not item.picture), [item for item in mine if item.picture])


def event_prompt(payload: Payload) -> str | None:
    """The words of a `user_message` event, None when they are not a person's."""
    kind = words(payload, "kind")
    text = words(payload, "message")
    if kind not in ("", "plain") or label_of(text):
        return None
    return typed(text, images_of(payload))


def images_of(payload: Payload) -> list[str]:
    """The raw addresses of the pictures of a `user_message` event."""
    found: list[str] = []
    for name in ("images", "local_images"):
        value = payload.get(name)
        found += [item for item in value if isinstance(item, str) and item] if isinstance(value, list) else []
    return found


def done_prompt(item: Payload) -> str:
    """The words of a completed UserMessage item."""
    content = list(parts(item.get("content")))
    text = "\n".join(text for text, _ in content if text and not _IMAGE_TAG.fullmatch(text.strip()))
    return typed(text, [part for _, part in content if picture_of(part)])


def done_label(item: Payload) -> str:
    """What a completed UserMessage is when it is not a person's."""
    texts = [text for text, _ in parts(item.get("content") or NOTHING) if text]
    return label_of(texts[0]) if len(texts) == 1 else ""
