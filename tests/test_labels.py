"""Tools that mean the same are called the same on screen, whichever agent ran them."""

from __future__ import annotations

import pytest

from sessionbrowser import labels
from sessionbrowser.model import Block, Place
from sessionbrowser.render import tools
from sessionbrowser.render.rows import Look
from sessionbrowser.sources import forms

LOOK = Look(80)
ACTION_OF = {
    "Bash": "shell", "BashOutput": "shell", "BashInput": "shell", "KillShell": "shell", "PowerShell": "shell", "Read": "read",
    "Edit": "edit", "Write": "write", "Delete": "write", "Grep": "search", "Glob": "search", "List": "search", "Search": "search",
    "WebSearch": "web", "WebFetch": "web", "Todo": "todo", "Agent": "agent", "Ask": "question", "Plan": "plan", "Skill": "skill",
}  # fmt: skip


def tool(name: str, **fields: object) -> Block:
    """A call of the tool an agent calls `name`."""
    return Block("tool", Place(0), 1, "x", forms.action(name), name=name, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("Bash", "Bash"), ("exec_command", "Bash"), ("run_shell_command", "Bash"), ("local_shell", "Bash"), ("Execute", "Bash"),
        ("read_file", "Read"), ("view", "Read"), ("apply_patch", "Edit"), ("replace", "Edit"), ("edit_file_v2", "Edit"),
        ("str_replace_based_edit_tool", "Edit"), ("write_file", "Write"), ("Create", "Write"), ("search_file_content", "Grep"),
        ("glob_file_search", "Glob"), ("list_directory", "List"), ("google_web_search", "WebSearch"), ("FetchUrl", "WebFetch"),
        ("update_plan", "Todo"), ("todowrite", "Todo"), ("spawn_agent", "Agent"), ("codebase_investigator", "Agent codebase_investigator"), ("task", "Agent"), ("AskUserQuestion", "Ask"),
    ],
)  # fmt: skip
def test_the_same_deed_has_one_name(name: str, want: str) -> None:
    """Each agent's word for it becomes the common one."""
    assert labels.label(tool(name)) == want


@pytest.mark.parametrize(
    ("name", "want"),
    [("mcp__jira__find_issue", "jira · find_issue"), ("mcp__a_b__c__d", "a_b · c__d"), ("mcp_github_search", "github · search")],
)
def test_a_server_s_tool_is_named_after_both(name: str, want: str) -> None:
    """Tools of an MCP server show the server, too."""
    assert labels.label(tool(name)) == want


def test_a_tool_of_its_own_kind_keeps_its_name() -> None:
    """A name that is no other word for a known deed stays, and so does its kind without a name."""
    assert labels.label(tool("browser_click")) == "browser_click"
    assert labels.label(Block("tool", Place(0), 1, what="web")) == "web"


@pytest.mark.parametrize(("name", "label"), sorted(labels.NAMES.items()))
def test_a_label_fits_what_the_tool_does(name: str, label: str) -> None:
    """Names that share a label are of one action, so that they open to the same form."""
    assert forms.action(name) == ACTION_OF[label]


def test_an_open_call_names_the_agent_s_own_word() -> None:
    """Folded it says the common word alone, open also the agent's, unless it is the same word."""
    block = tool("exec_command", ok=True)
    assert "exec_command" not in tools.heading(block, LOOK, folded=True).text
    opened = tools.heading(block, LOOK, folded=False)
    assert opened.text.rstrip().endswith("Bash  x  exec_command")
    assert opened.pieces[-1][1] == "faint"
    assert tools.heading(tool("finder", ok=True), LOOK, folded=False).text.count("finder") == 1
    assert "bash" not in tools.heading(tool("bash", ok=True), LOOK, folded=False).text


def test_a_call_whose_result_is_never_written_does_not_look_running() -> None:
    """Where an agent records no results, the last call of a running session says so."""
    row = tools.heading(tool("Read", outcome="result not recorded"), LOOK, folded=True, running=True)
    assert "running" not in row.text
    assert row.text.rstrip().endswith("result not recorded")
