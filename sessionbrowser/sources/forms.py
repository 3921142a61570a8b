"""What tools do, in agent-neutral forms: the same action reads the same, whichever agent called it what.

`action` sorts a tool's name, `target` finds the argument that says what it was about, `parts` turns arguments and
output into the forms of `model.py`. Sources pass raw arguments and raw output; everything returned is for eyes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from sessionbrowser.model import Body, Checklist, Code, Diff, Fields, Part, Plain, Prose, Question, Questions
from sessionbrowser.sources.diffs import PATCH_FILE, changed_lines, diff_of, patch, unified
from sessionbrowser.text import deep_for_eyes, for_eyes, one_line, styled

__all__ = [
    "action", "changed_lines", "checklist", "command_of", "diff_of", "edits", "fields", "first", "output", "patch",
    "questions", "target", "tool_body", "unified",
]  # fmt: skip

_NAMES = {
    "shell": "bash shell shell_command local_shell local_shell_call exec_command run_shell_command run_terminal_cmd "
    "run_terminal_command execute execute_command run_command powershell write_stdin unified_exec bashoutput killshell "
    "killbash terminal container.exec exec process read_bash write_bash stop_bash list_bash read_powershell write_powershell "
    "stop_powershell job_output job_kill command_status send_command_input taskstop",
    "read": "read read_file readfile view view_file read_many_files view_image notebookread view_code_item open_file "
    "readmediafile look_at",
    "edit": "edit edit_file multiedit multi_edit str_replace str_replace_editor apply_patch applypatch replace patch "
    "search_replace notebookedit edit_notebook editnotebook strreplace edit_diff replace_file_content "
    "str_replace_based_edit_tool strreplacefile multi_replace_file_content code_action undo_edit",
    "write": "write write_file create create_file writefile write_to_file delete_file delete",
    "search": "grep glob ls list list_directory list_dir listdir search_file_content find codebase_search codesearch grep_search "
    "ripgrep ripgrep_raw_search semantic_search semantic_search_full semanticsearch find_file "
    "file_search glob_file_search search rg find_by_name toolsearch tool_search lsp semsearch sourcegraph lsp_diagnostics lsp_references diagnostics references",
    "web": "webfetch web_fetch websearch web_search google_web_search fetch_url fetch webfetchtool read_web_page "
    "web_search_call url_fetch search_web read_url_content fetchurl searchweb agentic_fetch download",
    "todo": "todowrite todoread todo_write todo_read update_plan taskcreate taskupdate tasklist taskget write_todos "
    "todo manage_todo_list settodolist update_todo_list update_todo todolist todos",
    "agent": "task agent spawn_agent dispatch_agent delegate delegate_to_agent subagent codebase_investigator "
    "run_subagent invoke_agent taskoutput send_message sendmessage wait_agent send_input resume_agent close_agent "
    "list_agents followup_task interrupt_agent assign_task agentswarm browser_subagent finder oracle librarian spawn_agents_on_csv report_agent_job_result",
    "mcp": "list_mcp_resources list_mcp_resource_templates read_mcp_resource",
    "question": "askuserquestion ask_user question request_user_input ask_followup_question askuser ask_question askquestion ask_user_question",
    "plan": "exitplanmode enterplanmode exit_plan_mode enter_plan_mode exitspecmode create_plan createplan submit_plan plan_enter plan_exit",
    "skill": "skill activate_skill use_skill load_skill",
}
_VERSION = re.compile(r"_v\d+$")  # the same tool, made anew: edit_file_v2
_ACTION = {name: action for action, names in _NAMES.items() for name in names.split()}

_PATHS = ("file_path", "filePath", "absolute_path", "path", "target_file", "notebook_path", "filename", "relative_path",
          "file", "target_notebook", "AbsolutePath", "TargetFile", "DirectoryPath", "SearchPath")  # fmt: skip
_OLD = ("old_string", "oldString", "old_str", "oldText", "old_text")
_NEW = ("new_string", "newString", "new_str", "newText", "new_text")
_CONTENT = ("content", "file_text", "contents", "fileText", "text", "CodeContent", "newContent")
_COMMANDS = ("command", "cmd", "CommandLine", "script", "input", "chars")
_QUERIES = ("pattern", "query", "glob_pattern", "Query", "SearchQuery", "regex", "Pattern", "url", "Url", "prompt")

_TASKS = ("prompt", "message", "task", "objective", "instructions")

Arguments = Mapping[str, object]


def action(name: str) -> str:
    """One of ACTIONS for a tool's name."""
    low = name.lower()
    if found := _ACTION.get(low):
        return found
    if low.startswith(("mcp__", "mcp_")):
        return "mcp"
    return _ACTION.get(_VERSION.sub("", low.replace("-", "_")).removesuffix("_tool").removeprefix("functions."), "other")


def first(arguments: Arguments, names: tuple[str, ...]) -> str:
    """The first of the arguments `names` that is a string with something in it."""
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def command_of(arguments: Arguments) -> str:
    """The shell line of a call: a string, or an argument list with its `bash -lc` taken off."""
    for name in _COMMANDS:
        value = arguments.get(name)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, list) and value:
            words = [str(word) for word in value]
            if len(words) >= 3 and words[0].rsplit("/", 1)[-1] in ("bash", "sh", "zsh") and words[1] in ("-lc", "-c"):
                return words[2]
            import shlex

            return shlex.join(words)
    return ""


def target(kind: str, arguments: Arguments, limit: int = 160) -> str:
    """The one argument that says what a call was about, on one line, for eyes."""
    found = _TARGETS.get(kind, _target_other)(arguments)
    return one_line(found, limit)


def _target_path(arguments: Arguments) -> str:
    found = first(arguments, _PATHS)
    if found:
        return found
    patch = first(arguments, ("input", "patch", "patchText", "patch_text"))
    names = PATCH_FILE.findall(patch)
    return ", ".join(name.strip() for _, name in names) if names else patch


def _target_search(arguments: Arguments) -> str:
    query, where = first(arguments, _QUERIES), first(arguments, ("path", "dir_path", "target_directory", "include"))
    return f"{query}  in {where}" if query and where else query or where or first(arguments, _PATHS)


def _target_todo(arguments: Arguments) -> str:
    items = checklist(arguments)
    if items:
        done = sum(state == "done" for state, _ in items)
        active = next((text for state, text in items if state == "active"), "")
        return f"{done} of {len(items)} done" + (f" · {active}" if active else "")
    return first(arguments, ("subject", "activeForm", "explanation", "taskId", "status"))


def _target_agent(arguments: Arguments) -> str:
    kind = first(arguments, ("subagent_type", "agent_type", "agentName", "agent_name", "agent", "to", "type"))
    about = first(arguments, ("description", "title", "task_name", "prompt", "message", "task", "objective", "summary", "task_id", "id"))
    return f"{kind}: {about}" if kind and about else about or kind


def _target_question(arguments: Arguments) -> str:
    asked = questions(arguments)
    return asked[0].text if asked else first(arguments, ("question", "message", "prompt"))


def _target_plan(arguments: Arguments) -> str:
    plan = first(arguments, ("plan", "title", "explanation"))
    return plan.lstrip("# ").split("\n", 1)[0]


def _target_other(arguments: Arguments) -> str:
    for value in arguments.values():
        if isinstance(value, str) and value.strip():
            return value
    return _json(dict(arguments))[:400] if arguments else ""


_TARGETS: Mapping[str, Callable[[Arguments], str]] = {
    "shell": lambda a: command_of(a) or first(a, ("bash_id", "shell_id", "session_id", "description")),
    "read": _target_path,
    "edit": _target_path,
    "write": _target_path,
    "search": _target_search,
    "web": lambda a: first(a, ("url", "query", "Url", "prompt")),
    "todo": _target_todo,
    "agent": _target_agent,
    "question": _target_question,
    "plan": _target_plan,
    "skill": lambda a: " ".join(filter(None, (first(a, ("skill", "command", "name")), first(a, ("args",))))),
}


# ── forms from arguments ──

_STATES = {"completed": "done", "done": "done", "in_progress": "active", "in-progress": "active", "active": "active",
           "cancelled": "dropped", "canceled": "dropped", "deleted": "dropped"}  # fmt: skip


def checklist(arguments: Arguments) -> tuple[tuple[str, str], ...]:
    """To-do items of a call, whatever the agent calls the list."""
    for name in ("todos", "plan", "items", "tasks", "newTodos", "todo_list", "todoList"):
        value = arguments.get(name)
        if isinstance(value, list):
            return tuple(item for entry in value if (item := _todo(entry)))
        if isinstance(value, str) and name == "todos":
            return tuple(_todo_line(line) for line in value.splitlines() if line.strip())
    return ()


def _todo(entry: object) -> tuple[str, str] | None:
    if isinstance(entry, str):
        return ("pending", for_eyes(entry))
    if not isinstance(entry, dict):
        return None
    words = first(entry, ("content", "step", "text", "description", "subject", "title", "name"))
    return (_STATES.get(str(entry.get("status", "")).lower(), "pending"), for_eyes(words)) if words else None


def _todo_line(line: str) -> tuple[str, str]:
    """A to-do written as text: "1. [completed] Do this", "- [x] Do that"."""
    found = re.match(r"\s*(?:\d+[.)]|[-*])?\s*\[([^\]]*)\]\s*(.*)", line)
    if not found:
        return ("pending", for_eyes(line.strip()))
    mark = found[1].strip().lower()
    return (_STATES.get(mark, "done" if mark == "x" else "active" if mark in ("~", "-") else "pending"), for_eyes(found[2]))


def questions(arguments: Arguments, answers: Mapping[str, object] | None = None) -> tuple[Question, ...]:
    """Questions put to the person, with the answers when there are any (keyed by question text)."""
    asked = arguments.get("questions")
    if not isinstance(asked, list):
        asked = [arguments] if isinstance(arguments.get("question"), str) else []
    return tuple(_question(item, answers or {}) for item in asked if isinstance(item, dict))


def _question(item: Mapping[str, object], answers: Mapping[str, object]) -> Question:
    text = first(item, ("question", "text", "prompt"))
    options = item.get("options")
    shown = tuple(
        (for_eyes(first(option, ("label", "value", "name"))), for_eyes(first(option, ("description",))))
        if isinstance(option, dict) else (for_eyes(str(option)), "")
        for option in (options if isinstance(options, list) else ())
    )  # fmt: skip
    given = answers.get(text) or answers.get(str(item.get("id", "")))
    replies = given if isinstance(given, list) else [given] if given else []
    return Question(for_eyes(first(item, ("header", "title"))), for_eyes(text), shown, tuple(for_eyes(str(r)) for r in replies))


# ── whole bodies ──


def edits(name: str, arguments: Arguments) -> tuple[Diff, ...]:
    """What an edit or write call changes, from its arguments alone."""
    text = first(arguments, ("input", "patch", "patchText", "patch_text"))
    if PATCH_FILE.search(text):
        return patch(text)
    path = first(arguments, _PATHS)
    several = arguments.get("edits") or arguments.get("ReplacementChunks")
    if isinstance(several, list):
        found = [diff_of(path, first(e, _OLD), first(e, _NEW)) for e in several if isinstance(e, dict)]
        return (Diff(for_eyes(path), tuple(hunk for diff in found for hunk in diff.hunks)),) if found else ()
    old, new = first(arguments, _OLD), first(arguments, _NEW)
    if old or new:
        return (diff_of(path, old, new),)
    if action(name) == "write" and (content := first(arguments, _CONTENT)):
        return (diff_of(path, "", content, created=True),)
    return ()


def output(raw: str, *, ok: bool | None = True, label: str = "") -> Plain:
    """A tool's output as text with its colours."""
    text, spans = styled(raw)
    return Plain(text, spans, label, error=ok is False)


def _json(value: object, indent: int | None = None) -> str:
    separators = (",", ": ") if indent else (",", ":")
    return json.dumps(deep_for_eyes(value), ensure_ascii=False, default=str, indent=indent, separators=separators)


def fields(arguments: Arguments, leave_out: tuple[str, ...] = ()) -> Fields:
    """Arguments as named values, the way a person would read them."""
    pairs = []
    for name, value in arguments.items():
        if name in leave_out or value is None:
            continue
        shown = value if isinstance(value, str) else _json(value, indent=2 if isinstance(value, dict | list) else None)
        pairs.append((for_eyes(name), for_eyes(shown)))
    return Fields(tuple(pairs))


class _Call(NamedTuple):
    """A call as its form sees it, raw."""

    name: str
    arguments: Arguments
    diffs: tuple[Diff, ...] = ()
    answers: Mapping[str, object] | None = None
    start: int = 1
    code: str | None = None


def tool_body(name: str, arguments: Arguments, raw_output: str, *, ok: bool | None = True, extra: tuple[Part, ...] = (),
              diffs: tuple[Diff, ...] = (), answers: Mapping[str, object] | None = None, start: int = 1,
              code: str | None = None) -> Body:  # fmt: skip
    """The body of a tool call from its raw arguments and output.

    What the agent recorded beyond its arguments is passed along: `diffs` with real line numbers, `answers` to
    questions, `code` and `start` of a read file, `extra` parts (pictures) to put at the end.
    """
    kind = action(name)
    made = _form(kind, _Call(name, arguments, diffs, answers, start, code))
    shown = output(raw_output, ok=ok)
    parts: list[Part] = list(made)
    if shown.text.strip() and not (ok is not False and _told(kind, made, code, answers)):
        prose = kind in ("agent", "web") and ok is not False and not shown.spans
        parts.append(Prose(shown.text) if prose else shown)
    return Body(shown.text, (*parts, *extra), deep_for_eyes(dict(arguments)))


def _told(kind: str, made: list[Part], code: str | None, answers: Mapping[str, object] | None) -> bool:
    """Whether the output of a call that went well says nothing that its form does not show better."""
    if kind == "read":
        return code is not None
    if kind == "question":
        return bool(answers)
    return bool(made) and kind in ("edit", "write", "todo")


def _form(kind: str, call: _Call) -> list[Part]:
    made: tuple[Part, ...] = ()
    arguments = call.arguments
    if kind == "shell" and (command := command_of(arguments)):
        made = (Code(for_eyes(command), "bash"),)
    elif kind == "read":
        return [Code(for_eyes(call.code), for_eyes(first(arguments, _PATHS)), call.start)] if call.code is not None else []
    elif kind in ("edit", "write"):
        made = call.diffs or edits(call.name, arguments)
    elif kind == "search" and len(arguments) < 2:
        return []
    elif kind == "todo" and (items := checklist(arguments)):
        made = (Checklist(items),)
    elif kind == "agent" and (task := first(arguments, _TASKS)):
        made = (Prose(for_eyes(task)),)
    elif kind == "question" and (asked := questions(arguments, call.answers)):
        made = (Questions(asked),)
    elif kind == "plan" and (plan := first(arguments, ("plan",))):
        made = (Prose(for_eyes(plan)),)
    return list(made) or ([fields(arguments)] if arguments else [])
