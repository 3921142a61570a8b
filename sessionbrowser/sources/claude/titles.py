"""The title of a session: what the program itself shows, and something better where that says nothing."""

from __future__ import annotations

import re
from typing import NamedTuple

from sessionbrowser.sources.claude import rows
from sessionbrowser.text import one_line

LIMIT = 200
_IMAGE = re.compile(r"\[Image #\d+\]|\[Pasted text #\d+[^\]]*\]")
_EMPTY_WORDS = frozenset(
    ("yes", "y", "ok", "okay", "no", "n", "go", "continue", "thanks", "thx", "hi", "hello", "hey", "test", "sure", "next", "done",
     "proceed", "resume", "exit", "quit")
)  # fmt: skip
_UNTITLED = frozenset(("new session", "untitled", "conversation", "new conversation"))


class Said(NamedTuple):
    """Everything a title can be made of; raw, "" for what there is not."""

    name: str = ""
    ai: str = ""
    summary: str = ""
    last: str = ""
    first: str = ""
    command: str = ""
    bash: str = ""
    answer: str = ""


def choose(said: Said, identity: str) -> tuple[str, str]:
    """Title (for eyes) and where it is from."""
    for text, source in ((said.name, "name"), (said.ai, "ai"), (said.summary, "summary")):
        shown = one_line(text, LIMIT)
        if shown and (source == "name" or not (rows.any_tag(shown) or shown.lower() in _UNTITLED)):
            return shown, source
    prompts = ((said.last, "last"), (said.first, "prompt"))
    for text, source in prompts:
        if telling(text):
            return shown_prompt(text), source
    for text, source in (*prompts, (said.command, "command")):
        if shown := shown_prompt(text):
            return shown, "command" if shown.startswith("/") and " " not in shown else source
    if said.bash:
        return one_line(f"! {said.bash}", LIMIT), "bash"
    if shown := one_line(said.answer, LIMIT):
        return shown, "answer"
    return one_line(identity, 60), "id"


def telling(text: str) -> bool:
    """Whether a prompt says what a session is about: more than a command, a path, a picture or a nod."""
    text = _IMAGE.sub("", rows.human_part(text.strip())).strip()
    if not text or rows.any_tag(text) or text.startswith("/"):
        return False
    words = text.split()
    if len(words) == 1 and ("/" in text or "\\" in text or text.startswith(("@", "http"))):
        return False
    return " ".join(words).lower().strip("!.?,") not in _EMPTY_WORDS


def shown_prompt(text: str) -> str:
    """A prompt on one line."""
    text = text.strip()
    command = rows.slash_of(text)
    if command is not None:
        return one_line(command, LIMIT)
    return one_line(rows.human_part(text) or rows.untagged(text), LIMIT)
