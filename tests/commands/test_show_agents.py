"""`sb show` of sessions of different agents: what one would see of one agent is what one sees of another."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Sb


@pytest.mark.parametrize("name", ["019e1b77", "ses_4a01", "5d1c8a70", "c3a7f1d0", "7d3f0b52"])
def test_every_agent_s_shell_is_called_bash(sb: Sb, demo_home: Path, name: str) -> None:
    """Codex, OpenCode, Droid, Qwen and Gemini alike; the failed call shows its exit."""
    shown = sb("show", name).out
    assert any(line.strip().startswith("v Bash  ") and "  x exit " in line for line in shown.splitlines())


@pytest.mark.parametrize(("name", "own"), [("c3a7f1d0", "run_shell_command"), ("0ae1e301", "AskUserQuestion"), ("ses_4a01", "task")])
def test_no_agent_s_own_name_stands_behind_a_call(sb: Sb, demo_home: Path, name: str, own: str) -> None:
    """Open as they are here, calls that mean the same still look the same."""
    calls = [line for view in ("full", "tools") for line in sb("show", name, "--view", view).out.splitlines() if line.lstrip().startswith("v ")]
    assert calls and not any(line.endswith(f"  {own}") for line in calls)


def test_json_keeps_the_agent_s_own_name(sb: Sb, demo_home: Path) -> None:
    """What programs read is not renamed."""
    turns = sb("show", "c3a7f1d0", "--format", "json").json()["turns"]
    assert "run_shell_command" in {block.get("name") for turn in turns for block in turn["blocks"]}


def test_what_an_agent_injected_is_one_line(sb: Sb, demo_home: Path) -> None:
    """Instructions and surroundings say nothing to a reader, as on the screen."""
    shown = sb("show", "019e1b77").out
    assert "> developer instructions\n" in shown
    assert "<environment_context>" not in shown


def test_unknown_tokens_are_not_told(sb: Sb, demo_home: Path) -> None:
    """Cursor counts none: neither "0 tokens" nor zeros."""
    assert "tokens" not in sb("show", "5e0c7d1a").out.splitlines()[1]
    assert sb("show", "5e0c7d1a", "--format", "json").json()["session"]["tokens"] is None
