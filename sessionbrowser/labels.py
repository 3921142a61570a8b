"""What a tool is called for eyes: one word for the same deed, whichever agent called it what.

Only names that are just another word are replaced; a tool with a way of its own keeps its own name.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sessionbrowser.model import Block

_SAME = {
    "Bash": "bash shell shell_command local_shell local_shell_call exec_command run_shell_command run_terminal_cmd "
    "run_terminal_command execute execute_command run_command unified_exec terminal container.exec",
    "BashOutput": "bashoutput read_bash job_output command_status",
    "BashInput": "write_stdin write_bash send_command_input",
    "KillShell": "killshell killbash stop_bash job_kill",
    "PowerShell": "powershell",
    "Read": "read read_file readfile view view_file read_many_files open_file view_image view_code_item readmediafile notebookread",
    "Edit": "edit edit_file multiedit multi_edit str_replace str_replace_editor str_replace_based_edit_tool apply_patch applypatch "
    "replace patch search_replace strreplace strreplacefile edit_diff replace_file_content multi_replace_file_content code_action "
    "notebookedit edit_notebook editnotebook",
    "Write": "write write_file create create_file writefile write_to_file",
    "Delete": "delete delete_file",
    "Grep": "grep search_file_content grep_search ripgrep ripgrep_raw_search rg",
    "Glob": "glob find find_file file_search glob_file_search find_by_name",
    "List": "ls list list_directory list_dir listdir",
    "Search": "search codebase_search codesearch semantic_search semantic_search_full semanticsearch semsearch",
    "WebSearch": "websearch web_search google_web_search web_search_call search_web searchweb",
    "WebFetch": "webfetch web_fetch webfetchtool fetch_url fetchurl fetch url_fetch read_web_page read_url_content",
    "Todo": "todowrite todoread todo_write todo_read write_todos todo todos todolist update_plan update_todo update_todo_list "
    "manage_todo_list settodolist",
    "Agent": "task agent subagent spawn_agent run_subagent invoke_agent dispatch_agent delegate delegate_to_agent",
    "Ask": "askuserquestion ask_user_question ask_user askuser ask_question askquestion question request_user_input "
    "ask_followup_question",
    "Plan": "exitplanmode exit_plan_mode exitspecmode plan_exit create_plan createplan submit_plan",
    "Skill": "skill activate_skill use_skill load_skill",
}  # fmt: skip
NAMES = {name: label for label, names in _SAME.items() for name in names.split()}  # an agent's word, in small letters, to ours
_BEHIND = {label.lower(): tuple(names.split()) for label, names in _SAME.items()}
_AGENTS = ("codebase_investigator", "browser_subagent", "finder", "oracle", "librarian")  # subagents with a tool each
_VERSION = re.compile(r"_v\d+$")  # the same tool, made anew: edit_file_v2
_MCP = re.compile(r"mcp__(.+?)__(.+)|mcp_([^_]+)_(.+)", re.IGNORECASE | re.DOTALL)
_LETTERS = re.compile(r"[\W_]+")


def label(block: Block) -> str:
    """The name of a call, for eyes."""
    return _label(block.name) or block.what or "tool"


@lru_cache(512)
def _label(name: str) -> str:
    if found := _MCP.fullmatch(name):
        return f"{found[1] or found[3]} · {found[2] or found[4]}"
    if name in _AGENTS:
        return f"Agent {name}"
    return NAMES.get(name.lower()) or NAMES.get(_bare(name)) or name


def names_behind(label: str) -> tuple[str, ...]:
    """What agents call the tools that are shown as `label` (in any case), in small letters; none for a name of an agent's own."""
    return _BEHIND.get(label.lower(), ())


def own_name(block: Block) -> str:
    """The agent's own name for it where the label is another word; "" where both say the same."""
    said = label(block)
    return "" if not block.name or " · " in said or said.endswith(block.name) or _letters(block.name) == _letters(said) else block.name


def _bare(name: str) -> str:
    return _VERSION.sub("", name.lower().replace("-", "_").removeprefix("functions.").removesuffix("_tool"))


def _letters(name: str) -> str:
    return _LETTERS.sub("", name).lower()
