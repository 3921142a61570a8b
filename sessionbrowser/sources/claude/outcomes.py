"""What a tool result says in a few words: success, exit status, outcome, lines changed, the subagent it came from.

`toolUseResult`, where the program keeps more than the model was told, is a record, a list or a string for the very same
tool; nothing of it is taken for granted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from sessionbrowser.sources.claude.rows import text_of
from sessionbrowser.sources.claude.store import stem_of
from sessionbrowser.text import amount, one_line, plural

Values = Mapping[str, object]

_EXIT = re.compile(r"(?:Error: )?Exit code (\d{1,5})")
_AGENT = re.compile(r"^agentId: ([\w-]{4,64})", re.MULTILINE)
_ERROR = ("<tool_use_error>", "</tool_use_error>")
_TASK = "<retrieval_status>"  # how what a task has put out so far begins
_STATUS = re.compile(r"<status>(\w{1,40})</status>")
_STATES = {"in_progress": "still running", "running": "still running", "pending": "still running"}
_TRAILER = re.compile(r"\n?agentId: [\w-]+ \(for resuming[^\n]*\)?\s*(?:<usage>.*?</usage>)?\s*\Z", re.DOTALL)
BACKGROUND = "in background"  # what came of a call that goes on by itself
LAUNCHED = "Async agent launched"
_REJECTED = (
    "The user doesn't want to proceed with this tool use", "The user doesn't want to take this action", "User rejected",
    "Error: The user doesn't want",
)  # fmt: skip
_CUT_OFF = (
    "[Request interrupted", "[Tool call interrupted", "[Tool call did not complete", "[Tool call skipped", "Sibling tool call",
    "[This turn ended",
)  # fmt: skip


class Outcome(NamedTuple):
    """A result, judged. `text` is raw; `more` is what only calls of its kind say, by the names of Block's fields."""

    ok: bool
    text: str
    outcome: str
    more: dict[str, object]


def judge(kind: str, result: Values, detail: object, denial: object) -> Outcome:
    """What the result block `result` of a tool of `kind` (of ACTIONS) says, with its row's `toolUseResult` and `toolDenialKind`."""
    text = unwrapped(text_of(result.get("content")))
    ok = result.get("is_error") is not True
    values = detail if isinstance(detail, dict) else {}
    more: dict[str, object] = {}
    said = _outcome(kind, values) if ok else _failure(text, values, denial)
    if kind == "shell":
        more["exit_code"] = code = _exit(ok, text, values)
        said = said or (f"exit {code}" if code else "")
    elif kind == "agent":
        if ok and text.startswith(_TASK) and (found := _STATUS.search(text, 0, 1000)):
            said = _STATES.get(found[1]) or found[1].replace("_", " ")
        more["subagent"] = _subagent(text, values) or None
    elif ok and (kind == "edit" or kind == "write"):
        more["added"], more["removed"] = _changed(values)
    return Outcome(ok, text, _shown(said), more)


@lru_cache(maxsize=256)
def _shown(said: str) -> str:
    """What came of a call for eyes: mostly what came of many another."""
    return one_line(said, 60)


def _exit(ok: bool, text: str, values: Values) -> int | None:
    if found := _EXIT.match(text):
        return int(found[1])
    given = values.get("exitCode")
    if isinstance(given, int) and not isinstance(given, bool):
        return given
    going_on = values.get("interrupted") or values.get("backgroundTaskId") or "exitCode" in values
    return 0 if "stdout" in values and ok and not going_on else None


def _outcome(kind: str, values: Values) -> str:
    if not values:
        return ""
    if values.get("interrupted") is True:
        return "interrupted"
    if _in_background(values):
        return BACKGROUND
    made = _SAYINGS.get(kind)
    return made(values) if made else ""


def _failure(text: str, values: Values, denial: object) -> str:
    if isinstance(denial, str):
        return _DENIALS.get(denial, denial.replace("-", " "))
    if text.startswith(_REJECTED):
        return "rejected"
    if text.startswith(_CUT_OFF) or values.get("interrupted") is True:
        return "interrupted"
    if _in_background(values):
        return BACKGROUND
    return "timed out" if "timed out" in text[:300].lower() else ""


def _in_background(values: Values) -> bool:
    return values.get("isAsync") is True or values.get("status") == "async_launched" or bool(values.get("backgroundTaskId"))


_DENIALS = {"user-rejected": "rejected", "interrupted": "interrupted", "permission-rule": "denied by a rule", "cancelled": "cancelled"}


def _search(values: Values) -> str:
    matches, files, lines = (_number(values, key) for key in ("numMatches", "numFiles", "numLines"))
    if values.get("mode") == "content" and lines is not None:
        return plural(lines, "line")
    if values.get("mode") == "count" and matches is not None:
        return plural(matches, "match", "matches")
    if files is not None:
        return plural(files, "file") + (" or more" if values.get("truncated") is True else "")
    found = values.get("matches")
    return plural(len(found), "match", "matches") if isinstance(found, list) else ""


def _read(values: Values) -> str:
    kind, file = values.get("type"), values.get("file")
    if kind == "file_unchanged":
        return "unchanged"
    if not isinstance(file, dict):
        return ""
    if kind in ("image", "pdf"):
        return str(kind) if kind == "image" else "PDF"
    lines = _number(file, "numLines")
    start = _number(file, "startLine") or 1
    if lines is None:
        return ""
    content = file.get("content")
    if lines > 1 and isinstance(content, str) and content.endswith("\n"):
        lines -= 1  # the program counts what follows the last line feed, too
    return plural(lines, "line") + (f" from {start}" if start > 1 else "")


def _web(values: Values) -> str:
    code, results = _number(values, "code"), values.get("results")
    if code is not None:
        words = values.get("codeText")
        return f"{code} {words}" if isinstance(words, str) else str(code)
    return plural(len(results), "result") if isinstance(results, list) else ""


def _agent(values: Values) -> str:
    status = values.get("status") or values.get("retrieval_status")
    tokens, calls = _number(values, "totalTokens"), _number(values, "totalToolUseCount")
    said = [status.replace("_", " ")] if isinstance(status, str) else []
    if calls:
        said.append(plural(calls, "call"))
    if tokens:
        said.append(f"{amount(tokens)} context")  # of its last request: what it used in all its transcript adds up to
    return " · ".join(said)


def _shell(values: Values) -> str:
    meaning = values.get("returnCodeInterpretation")
    if isinstance(meaning, str):
        return meaning
    status = values.get("status")
    return status if isinstance(status, str) else ""


def _todo(values: Values) -> str:
    change = values.get("statusChange")
    return f"{change.get('from')} → {change.get('to')}" if isinstance(change, dict) else ""


def _question(values: Values) -> str:
    answers = values.get("answers")
    return ", ".join(str(answer) for answer in answers.values()) if isinstance(answers, dict) else ""


def _plan(values: Values) -> str:
    return "approved" if "plan" in values else ""


_SAYINGS = {"search": _search, "read": _read, "web": _web, "agent": _agent, "shell": _shell, "todo": _todo, "question": _question, "plan": _plan}


def patch_of(values: Values) -> list[Values]:
    """The hunks of a `structuredPatch`, those that are well formed."""
    patch = values.get("structuredPatch")
    return [hunk for hunk in patch if isinstance(hunk, dict) and isinstance(hunk.get("lines"), list)] if isinstance(patch, list) else []


def _changed(values: Values) -> tuple[int, int]:
    lines = [line for hunk in patch_of(values) for line in hunk["lines"] if isinstance(line, str)]  # type: ignore[attr-defined]
    if not lines and values.get("type") == "create" and isinstance(content := values.get("content"), str):
        return content.rstrip("\n").count("\n") + 1 if content else 0, 0
    signs = [line[:1] for line in lines]
    return signs.count("+"), signs.count("-")


def _subagent(text: str, values: Values) -> str:
    given = values.get("agentId")
    if isinstance(given, str) and given:
        return stem_of(given)
    found = _AGENT.search(text[-600:])
    return stem_of(found[1]) if found else ""


def unwrapped(text: str) -> str:
    """The text of a result without the tag that errors of the program itself stand in."""
    return text.strip()[len(_ERROR[0]) : -len(_ERROR[1])] if text.startswith(_ERROR[0]) and text.rstrip().endswith(_ERROR[1]) else text


def report_of(text: str) -> str:
    """What an agent, or somebody who asked for a task's output, was told, without what is written around it for the model."""
    if text.startswith(_TASK) and (begin := text.find("<output>")) >= 0:
        return text[begin + len("<output>") :].removesuffix("</output>").strip("\n")
    if text.startswith(LAUNCHED):
        return text.split("\n", 1)[0]
    return _TRAILER.sub("", text)


def _number(values: Values, name: str) -> int | None:
    found = values.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) else None
