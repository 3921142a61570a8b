"""Tool calls of all generations: what was called, with which arguments, and how it ended."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

import orjson

from sessionbrowser.model import Diff, Hunk
from sessionbrowser.sources import forms
from sessionbrowser.sources.codex.records import (
    NOTHING,
    Payload,
    parts,
    picture_of,
    text_of,
    whole,
    within,
    words,
)
from sessionbrowser.text import for_eyes, one_line, plural

CALLS = frozenset((
    "item:function_call", "item:custom_tool_call", "item:local_shell_call", "item:web_search_call",
    "item:tool_search_call", "item:image_generation_call", "item:tool_call",
))  # fmt: skip
RESULTS = frozenset((
    "item:function_call_output", "item:custom_tool_call_output", "item:tool_search_output", "item:tool_result",
    "item:function_result",
))  # fmt: skip
SELF_CONTAINED = frozenset(("item:web_search_call", "item:image_generation_call"))  # no output of their own follows
SHELLS = frozenset(("shell", "shell_command", "exec_command", "local_shell", "container.exec", "unified_exec"))

_PATCH_COMMAND = re.compile(r"\b(?:apply_patch|applypatch)\b\s*(?:<<|['\"\n]|\*\*\* Begin)")
_PATCH = re.compile(r"^\*\*\* Begin Patch[ \t]*$.*?(?:^\*\*\* End Patch[ \t]*$|\Z)", re.M | re.S)
_AGENT_SPACES = ("multi_agent", "collab", "agents")


class Call(NamedTuple):
    """A call as forms know it: raw arguments, the agent's name for the tool, and one of ACTIONS."""

    name: str
    what: str
    arguments: Mapping[str, object]
    id: str


def call_of(kind: str, payload: Payload) -> Call:
    """The call in a record of one of `CALLS`."""
    name = words(payload, "name") or words(within(payload, "function"), "name")
    call = words(payload, "call_id")
    if kind == "item:local_shell_call":
        return _shell("local_shell", within(payload, "action"), call)
    if kind == "item:web_search_call":
        return Call("web_search", "web", _search_arguments(within(payload, "action")), "")
    if kind == "item:tool_search_call":
        return Call("tool_search", "search", _arguments(payload.get("arguments")), call)
    if kind == "item:image_generation_call":
        return Call("image_generation", "other", _present({"prompt": payload.get("revised_prompt")}), "")
    if kind == "item:custom_tool_call":
        return _named(name, "", _input(name, words(payload, "input")), call)
    return _named(name, words(payload, "namespace"), _arguments(payload.get("arguments")), call)


def _named(name: str, space: str, arguments: Mapping[str, object], call: str) -> Call:
    if name in SHELLS:
        return _shell(name, arguments, call)
    if space.startswith("mcp__") and not name.startswith("mcp__"):
        name = f"{space.rstrip('_')}__{name}"
    if space.startswith(_AGENT_SPACES) or (space == "" and name == "wait" and "targets" in arguments):
        return Call(name, "agent", arguments, call)
    return Call(name or "tool", forms.action(name), arguments, call)


def _shell(name: str, arguments: Mapping[str, object], call: str) -> Call:
    patch = patch_in(arguments)
    if patch:
        return Call("apply_patch", "edit", {"input": patch}, call)
    return Call(name, "shell", arguments, call)


def patch_in(arguments: Mapping[str, object]) -> str:
    """The patch that a shell call applies, "" for every other command."""
    command = arguments.get("command") or arguments.get("cmd")
    if isinstance(command, list) and len(command) == 2 and command[0] in ("apply_patch", "applypatch"):
        return str(command[1])
    line = forms.command_of(arguments)
    if "*** Begin Patch" not in line or not _PATCH_COMMAND.search(line):
        return ""
    found = _PATCH.search(line)
    return found[0] if found else ""


def _arguments(value: object) -> Mapping[str, object]:
    """Arguments as a mapping: JSON in a string as a rule, which may not parse."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, str):
        return {} if value is None else {"arguments": value}
    try:
        read = orjson.loads(value) if value.strip() else {}
    except orjson.JSONDecodeError:
        return {"arguments": value}
    return read if isinstance(read, dict) else {"arguments": read}


def _input(name: str, text: str) -> Mapping[str, object]:
    """The input of a custom tool: raw text, sometimes JSON."""
    if name != "apply_patch" and text.startswith("{"):
        return _arguments(text)
    return {"input": text}


def _search_arguments(action: Payload) -> Mapping[str, object]:
    queries = action.get("queries")
    several = ", ".join(str(query) for query in queries) if isinstance(queries, list) else None
    return _present({"query": action.get("query") or several, "url": action.get("url"), "pattern": action.get("pattern")})


def _present(values: Mapping[str, object]) -> Mapping[str, object]:
    return {name: value for name, value in values.items() if value}


def title_of(call: Call) -> str:
    """The one line that says what a call is about."""
    title = forms.target(call.what, call.arguments)
    targets = call.arguments.get("targets", call.arguments.get("ids"))
    return title or (plural(len(targets), "agent") if isinstance(targets, list) and targets else "")


# ── results ──

_HEADER = re.compile(
    r"\A(?:Command: (?s:.*?)\n(?=Chunk ID:|Wall time:|Exit code:))?"
    r"(?P<lines>(?:(?:Chunk ID|Wall time|Process exited with code|Process running with session ID|Original token count|"
    r"Exit code|Total output lines)\b.*\n)+)(?:Output:(?:\n|\Z)|(?=aborted by user))"
)
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,9})\b", re.M)
_ABORTED = re.compile(r"\A(?:Wall time: .*\n)?aborted by user\b")
_TIMED_OUT = re.compile(r"\A(?:command )?timed out after \d+")
_FAILED = re.compile(
    r"\A(?:unsupported call|unsupported custom tool call|failed to parse|failed in sandbox|exec_command failed|"
    r"write_stdin failed|execution error|apply_patch verification failed|patch rejected|patch failed|tool call failed|"
    r"tool call error|collab \w+ failed|agent ids must be|unknown process id|unable to |invalid |err:|error:)",
    re.I,
)
_REJECTED = re.compile(r"\A(?:exec command |patch |tool call )?(?:rejected by|declined by|denied by) (?:the )?user", re.I)


class Outcome(NamedTuple):
    """How a call ended. `text` is the raw output without what Codex put around it."""

    text: str
    ok: bool
    exit_code: int | None = None
    outcome: str = ""
    subagent: str = ""
    pictures: tuple[str, ...] = ()


def outcome_of(payload: Payload) -> Outcome:
    """The outcome in a record of one of `RESULTS`, by the age of its format."""
    raw = payload.get("output", payload.get("result"))
    pictures = tuple(found for _, part in parts(raw) if (found := picture_of(part)))
    if isinstance(raw, dict) and "text" not in raw:
        return _from_mapping(raw)
    if raw is None and "tools" in payload:
        return Outcome("\n".join(_tool_names(payload["tools"])), True)
    text = raw if isinstance(raw, str) else text_of(raw)
    outcome = (_from_json(text) if text.startswith(("{", "[{")) else None) or from_text(text)
    return outcome._replace(pictures=pictures) if pictures else outcome


def _from_mapping(raw: Payload) -> Outcome:
    """Outputs that were not put into a string: `{content, success}` and results of a foreign writer."""
    text = text_of(raw.get("content")) or "\n".join(filter(None, (words(raw, "stdout"), words(raw, "stderr"))))
    exit_code = whole(raw, "exitCode" if "exitCode" in raw else "exit_code")
    ok = raw.get("success", not exit_code) is not False
    return Outcome(text or json.dumps(raw, default=str, ensure_ascii=False), ok, exit_code)


def _from_json(text: str) -> Outcome | None:
    """Output that is JSON in a string: a command of 2025, a spawned agent, the content of an MCP tool."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if isinstance(value, list):
        content = text_of(value)
        return Outcome(content, True) if content else None
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("output"), str):
        exit_code = whole(within(value, "metadata"), "exit_code")
        inner = str(value["output"])
        return _ended(inner, exit_code) if exit_code is not None else from_text(inner)
    if agent := words(value, "agent_id"):
        name = one_line(words(value, "nickname"), 40)
        return Outcome(f"started {name or agent}", True, None, name, agent)
    if isinstance(value.get("status"), dict) and (reports := _reports(value["status"])):
        return Outcome(reports, True)
    if isinstance(value.get("content"), list) and isinstance(value.get("isError"), bool):
        return Outcome(text_of(value["content"]), not value["isError"])
    return None


def _reports(statuses: Payload) -> str:
    """What subagents answered that were waited for."""
    found = []
    for status in statuses.values():
        for state, said in status.items() if isinstance(status, dict) else ():
            text = said if isinstance(said, str) else words(said, "message") if isinstance(said, dict) else ""
            found.append(text or str(state).replace("_", " "))
    return "\n\n".join(found)


def from_text(text: str) -> Outcome:
    """Output as text, behind lines that say how long it took and how it ended (twice, for patches)."""
    exit_code: int | None = None
    running = False
    for _ in range(2):
        header = _HEADER.match(text)
        if header is None:
            break
        code = _EXIT.search(header["lines"])
        exit_code = int(code[1]) if code else exit_code
        running = running or "Process running with" in header["lines"]
        text = text[header.end() :]
    if _ABORTED.match(text):
        return Outcome(text, False, exit_code, "aborted")
    if running and exit_code is None:
        return Outcome(text, True, None, "still running")
    if _REJECTED.match(text):
        return Outcome(text, False, exit_code, "rejected")
    if exit_code is None and _FAILED.match(text):
        return Outcome(text, False)
    return _ended(text, exit_code)


def _ended(text: str, exit_code: int | None) -> Outcome:
    if _TIMED_OUT.match(text):
        return Outcome(text, False, exit_code, "timed out")
    return Outcome(text, not exit_code, exit_code)


def _tool_names(tools: object) -> list[str]:
    """The names of the tools that a search found."""
    found = []
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, dict):
            inner = _tool_names(tool.get("tools"))
            found += inner or [words(tool, "name")]
    return found


# ── commands and changes that events tell ──


def command_call(item: Payload) -> Call:
    """The call in a completed command: `bash -lc` is taken off by the forms."""
    command = item.get("command")
    arguments: Mapping[str, object] = {"command": command} if isinstance(command, list | str) else NOTHING
    return _shell("exec_command", arguments, words(item, "id") or words(item, "call_id"))


def diffs_of(changes: object) -> tuple[Diff, ...]:
    """The diffs in `changes`, a mapping from paths to what happened to them, with real line numbers."""
    found: list[Diff] = []
    for path, change in changes.items() if isinstance(changes, dict) else ():
        if not isinstance(change, dict):
            continue
        kind, text = change.get("type"), words(change, "unified_diff")
        if kind is None and len(change) == 1:  # {"add": {"content": …}}, as first versions wrote it
            kind, inner = next(iter(change.items()))
            change = inner if isinstance(inner, dict) else {}
            text = words(change, "unified_diff")
        if text:
            hunks = tuple(hunk for diff in forms.unified(text, path) for hunk in diff.hunks)
            found.append(Diff(for_eyes(words(change, "move_path") or path), hunks))
        elif kind in ("add", "delete") and isinstance(change.get("content"), str):
            found.append(_whole_file(path, str(change["content"]), kind == "add"))
    return tuple(found)


def _whole_file(path: str, content: str, created: bool) -> Diff:
    sign = "+" if created else "-"
    rows = tuple(sign + row for row in for_eyes(content).removesuffix("\n").split("\n"))
    hunk = Hunk(0, 1, rows) if created else Hunk(1, 0, rows)
    return Diff(for_eyes(path), (hunk,), created=created, deleted=not created)
