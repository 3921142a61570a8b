"""What tools do, in agent-neutral forms: the same action reads the same, whichever agent called it what.

`action` sorts a tool's name, `target` finds the argument that says what it was about, `parts` turns arguments and
output into the forms of `model.py`. Sources pass raw arguments and raw output; everything returned is for eyes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import orjson

from sessionbrowser.model import Body, Checklist, Code, Diff, Fields, Hunk, Part, Plain, Prose, Question, Questions
from sessionbrowser.text import deep_for_eyes, for_eyes, one_line, styled

_NAMES = {
    "shell": "bash shell shell_command local_shell local_shell_call exec_command run_shell_command run_terminal_cmd "
    "run_terminal_command execute execute_command run_command powershell write_stdin unified_exec bashoutput killshell "
    "killbash terminal container.exec exec process",
    "read": "read read_file readfile view view_file read_many_files view_image notebookread view_code_item open_file",
    "edit": "edit edit_file multiedit multi_edit str_replace str_replace_editor apply_patch applypatch replace patch "
    "search_replace notebookedit edit_notebook editnotebook strreplace edit_diff replace_file_content "
    "str_replace_based_edit_tool strreplacefile",
    "write": "write write_file create create_file writefile write_to_file delete_file delete",
    "search": "grep glob ls list list_directory list_dir listdir search_file_content find codebase_search grep_search "
    "file_search glob_file_search search rg find_by_name toolsearch tool_search lsp semsearch",
    "web": "webfetch web_fetch websearch web_search google_web_search fetch_url fetch webfetchtool read_web_page "
    "web_search_call url_fetch search_web read_url_content fetchurl searchweb",
    "todo": "todowrite todoread todo_write todo_read update_plan taskcreate taskupdate tasklist taskget write_todos "
    "todo manage_todo_list settodolist update_todo_list",
    "agent": "task agent spawn_agent dispatch_agent delegate delegate_to_agent subagent codebase_investigator "
    "run_subagent invoke_agent taskoutput send_message sendmessage wait_agent",
    "question": "askuserquestion ask_user question request_user_input ask_followup_question askuser ask_question",
    "plan": "exitplanmode enterplanmode exit_plan_mode enter_plan_mode exitspecmode create_plan submit_plan",
    "skill": "skill activate_skill use_skill load_skill",
}
_ACTION = {name: action for action, names in _NAMES.items() for name in names.split()}

_PATHS = ("file_path", "filePath", "absolute_path", "path", "target_file", "notebook_path", "filename", "relative_path",
          "file", "target_notebook", "AbsolutePath", "TargetFile")  # fmt: skip
_OLD = ("old_string", "oldString", "old_str", "oldText", "old_text")
_NEW = ("new_string", "newString", "new_str", "newText", "new_text")
_CONTENT = ("content", "file_text", "contents", "fileText", "text", "CodeContent", "newContent")
_COMMANDS = ("command", "cmd", "CommandLine", "script", "input", "chars")
_QUERIES = ("pattern", "query", "glob_pattern", "Query", "SearchQuery", "regex", "Pattern", "url", "Url", "prompt")

Arguments = Mapping[str, object]


def action(name: str) -> str:
    """One of ACTIONS for a tool's name."""
    low = name.lower()
    if found := _ACTION.get(low):
        return found
    if low.startswith(("mcp__", "mcp_")):
        return "mcp"
    return _ACTION.get(low.replace("-", "_").removesuffix("_tool").removeprefix("functions."), "other")


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
    names = _PATCH_FILE.findall(patch)
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
    return orjson.dumps(deep_for_eyes(dict(arguments)), default=str).decode()[:400] if arguments else ""


_TARGETS = {
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


# ── diffs ──

_HUNK = re.compile(r"^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_PATCH_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.M)


def diff_of(path: str, old: str, new: str, *, start: int = 1, created: bool = False) -> Diff:
    """The change from `old` to `new`, `start` being the number of the first line when it is known."""
    import difflib

    before, after = for_eyes(old).split("\n"), for_eyes(new).split("\n")
    if created or not old:
        return Diff(for_eyes(path), (Hunk(0, start, tuple("+" + line for line in after)),), created=created)
    hunks: list[Hunk] = []
    if len(before) * len(after) > 4_000_000:  # difflib would take seconds
        lines = ["-" + line for line in before] + ["+" + line for line in after]
        return Diff(for_eyes(path), (Hunk(start, start, tuple(lines)),))
    for group in difflib.SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(3):
        lines = []
        for tag, a, b, c, d in group:
            if tag == "equal":
                lines += [" " + line for line in before[a:b]]
                continue
            lines += ["-" + line for line in before[a:b]] + ["+" + line for line in after[c:d]]
        hunks.append(Hunk(group[0][1] + start, group[0][3] + start, tuple(lines)))
    return Diff(for_eyes(path), tuple(hunks))


def unified(text: str, path: str = "") -> tuple[Diff, ...]:
    """The files of a unified diff (`path` names the file when the text has no header)."""
    diffs: list[Diff] = []
    name, hunks, lines, at = path, [], [], (1, 1)  # type: str, list[Hunk], list[str], tuple[int, int]

    def close() -> None:
        nonlocal lines
        if lines:
            hunks.append(Hunk(*at, tuple(lines)))
        lines = []

    for line in for_eyes(text).split("\n"):
        if line.startswith("+++ ") or line.startswith("--- ") or line.startswith(("diff --git", "index ", "====")):
            close()
            if hunks:
                diffs.append(Diff(name, tuple(hunks)))
                hunks = []
            if line.startswith("+++ ") and not line.startswith("+++ /dev/null"):
                name = line[4:].split("\t")[0].removeprefix("b/")
        elif found := _HUNK.match(line):
            close()
            at = (int(found[1]), int(found[2]))
        elif line[:1] in (" ", "-", "+"):
            lines.append(line)
    close()
    if hunks:
        diffs.append(Diff(name, tuple(hunks)))
    return tuple(diffs)


def patch(text: str) -> tuple[Diff, ...]:
    """The files of an `*** Begin Patch` text, whose hunks carry no line numbers."""
    diffs: list[Diff] = []
    heads = list(_PATCH_FILE.finditer(text))
    for index, head in enumerate(heads):
        end = heads[index + 1].start() if index + 1 < len(heads) else len(text)
        body = for_eyes(text[head.end() : end]).strip("\n").split("\n")
        hunks: list[Hunk] = []
        lines: list[str] = []
        for line in body:
            if line.startswith("@@") or line.startswith("***"):
                if lines:
                    hunks.append(Hunk(0, 0, tuple(lines)))
                lines = []
            elif line[:1] in (" ", "-", "+"):
                lines.append(line)
        if lines:
            hunks.append(Hunk(0, 0, tuple(lines)))
        diffs.append(Diff(for_eyes(head[2].strip()), tuple(hunks), created=head[1] == "Add", deleted=head[1] == "Delete"))
    return tuple(diffs)


def changed_lines(diffs: tuple[Diff, ...] | list[Diff]) -> tuple[int, int]:
    """Lines added and removed over all of `diffs`."""
    added = removed = 0
    for diff in diffs:
        for hunk in diff.hunks:
            added += sum(line.startswith("+") for line in hunk.lines)
            removed += sum(line.startswith("-") for line in hunk.lines)
    return added, removed


def edits(name: str, arguments: Arguments) -> tuple[Diff, ...]:
    """What an edit or write call changes, from its arguments alone."""
    text = first(arguments, ("input", "patch", "patchText", "patch_text"))
    if _PATCH_FILE.search(text):
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


# ── whole bodies ──


def output(raw: str, *, ok: bool | None = True, label: str = "") -> Plain:
    """A tool's output as text with its colours."""
    text, spans = styled(raw)
    return Plain(text, spans, label, error=ok is False)


def fields(arguments: Arguments, leave_out: tuple[str, ...] = ()) -> Fields:
    """Arguments as named values, the way a person would read them."""
    pairs = []
    for name, value in arguments.items():
        if name in leave_out or value is None:
            continue
        shown = value if isinstance(value, str) else orjson.dumps(
            deep_for_eyes(value), default=str, option=orjson.OPT_INDENT_2 if isinstance(value, dict | list) else 0).decode()  # fmt: skip
        pairs.append((for_eyes(name), for_eyes(shown)))
    return Fields(tuple(pairs))


def tool_body(name: str, arguments: Arguments, raw_output: str, *, ok: bool | None = True, extra: tuple[Part, ...] = (),
              diffs: tuple[Diff, ...] = (), answers: Mapping[str, object] | None = None, start: int = 1,
              code: str | None = None) -> Body:  # fmt: skip
    """The body of a tool call from its raw arguments and output.

    What the agent recorded beyond its arguments is passed along: `diffs` with real line numbers, `answers` to
    questions, `code` and `start` of a read file, `extra` parts (pictures) to put at the end.
    """
    kind = action(name)
    given = {"input": arguments} if not isinstance(arguments, Mapping) else arguments
    made = _FORMS.get(kind, _form_other)(name, given, ok, diffs, answers, start, code)
    shown = output(raw_output, ok=ok)
    parts: list[Part] = list(made)
    # A successful edit, write, to-do list or read says nothing in its output that its form does not show better.
    told = bool(made) and ok is not False and kind in ("edit", "write", "todo", "read") and (kind != "read" or code is not None)
    if shown.text.strip() and not told and not (kind == "question" and answers):
        parts.append(Prose(shown.text) if kind in ("agent", "web") and ok is not False and not shown.spans else shown)
    return Body(shown.text, (*parts, *extra), deep_for_eyes(dict(given)))


def _form_shell(name, arguments, ok, diffs, answers, start, code):  # type: ignore[no-untyped-def]
    command = command_of(arguments)
    return [Code(for_eyes(command), "bash")] if command else [fields(arguments)] if arguments else []


def _form_read(name, arguments, ok, diffs, answers, start, code):  # type: ignore[no-untyped-def]
    return [Code(for_eyes(code), for_eyes(first(arguments, _PATHS)), start)] if code is not None else []


def _form_edit(name, arguments, ok, diffs, answers, start, code):  # type: ignore[no-untyped-def]
    return list(diffs or edits(name, arguments)) or ([fields(arguments)] if arguments else [])


def _form_search(name, arguments, ok, diffs, answers, start, code):  # type: ignore[no-untyped-def]
    return [fields(arguments)] if len(arguments) > 1 else []


def _form_todo(name, arguments, ok, diffs, answers, start, code):  # type: ignore[no-untyped-def]
    items = checklist(arguments)
    return [Checklist(items)] if items else [fields(arguments)] if arguments else []


def _form_agent(name, arguments, ok, diffs, answers, start, code):  # type: ignore[no-untyped-def]
    task = first(arguments, ("prompt", "message", "task", "objective", "instructions"))
    return [Prose(for_eyes(task))] if task else [fields(arguments)] if arguments else []


def _form_question(name, arguments, ok, diffs, answers, start, code):  # type: ignore[no-untyped-def]
    asked = questions(arguments, answers)
    return [Questions(asked)] if asked else [fields(arguments)] if arguments else []


def _form_plan(name, arguments, ok, diffs, answers, start, code):  # type: ignore[no-untyped-def]
    plan = first(arguments, ("plan",))
    return [Prose(for_eyes(plan))] if plan else [fields(arguments)] if arguments else []


def _form_other(name, arguments, ok, diffs, answers, start, code):  # type: ignore[no-untyped-def]
    return [fields(arguments)] if arguments else []


_FORMS = {
    "shell": _form_shell, "read": _form_read, "edit": _form_edit, "write": _form_edit, "search": _form_search,
    "todo": _form_todo, "agent": _form_agent, "question": _form_question, "plan": _form_plan,
}  # fmt: skip
