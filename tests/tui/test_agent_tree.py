"""The tree of a session: relatives are told once."""

from __future__ import annotations

from sessionbrowser.model import Agent
from sessionbrowser.tui.agent_tree import _without_relatives


def test_relatives_that_stand_above_are_not_told_again_among_the_agents() -> None:
    """Forks and continuations go, subagents stay."""
    root = Agent("s", "session", children=(Agent("f", "fork"), Agent("a", "subagent"), Agent("c", "continuation")))
    assert [child.id for child in _without_relatives(root).children] == ["a"]
