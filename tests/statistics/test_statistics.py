"""What is counted over many sessions."""

from __future__ import annotations

import pytest

from sessionbrowser.config import Price
from sessionbrowser.index.sums import sums_of
from sessionbrowser.model import Block, Counts, Place, Session, Transcript, Usage
from sessionbrowser.render.bars import bar
from sessionbrowser.statistics import Figures, Statistics, cost_of
from sessionbrowser.statistics.lines import Look, lines

PRICES = (Price("claude-sonnet", 3, 15, 0.3, 3.75), Price("claude-sonnet-4-5", 4, 20, 0.4, 5))


def test_the_longest_name_that_fits_says_what_a_model_costs() -> None:
    """For a million tokens of each kind; nothing is made up for others."""
    assert cost_of(Usage(1_000_000, 100_000), "claude-sonnet-4-5-20250929", PRICES) == 6.0
    assert cost_of(Usage(1_000_000), "anthropic/claude-sonnet-3-7", PRICES) == 3.0
    assert cost_of(Usage(1_000_000), "gpt-5", PRICES) is None


def call(name: str, ok: bool | None = True) -> Block:
    return Block("tool", Place(0), 1, "x", "shell", name=name, ok=ok)


@pytest.fixture
def counted() -> Statistics:
    found = Statistics(("source", "project", "model", "tool", "day"))
    first = Session("a", "claude", "/a", project="api", model="m1", updated=1778770800.0, subagents=2)
    second = Session("b", "codex", "/b", project="api", model="m2", updated=1778770800.0)
    found.add(first, sums_of(Transcript([call("Bash"), call("Bash", False), call("Read")], Counts(2, 3, 3, 3, 1), Usage(10, 5), {"m1": Usage(8, 5), "m0": Usage(2)})))
    found.add(second, sums_of(Transcript([call("Bash")], Counts(1, 1, 1, 1, 0), Usage(1, 1), {"m2": Usage(1, 1)})))
    return found


def test_every_table_sums_up_to_the_total(counted: Statistics) -> None:
    """Prompts, calls and tokens alike; sessions too, but for models: one session may have used several."""
    for name in ("source", "project", "model", "day"):
        rows = [figures for _, figures in counted.table(name)]
        assert sum(row.counts.prompts for row in rows) == counted.total.counts.prompts == 3
        assert sum(row.tokens.total for row in rows) == counted.total.tokens.total == 17
        assert name == "model" or sum(row.sessions for row in rows) == counted.total.sessions == 2


def test_a_session_is_one_of_every_model_it_used(counted: Statistics) -> None:
    """Once each, whichever answered last; prompts and calls are told of that one."""
    rows = {name: (figures.sessions, figures.counts.prompts, figures.tokens.total) for name, figures in counted.table("model")}
    assert rows == {"m1": (1, 2, 13), "m0": (1, 0, 2), "m2": (1, 1, 2)}


def test_tools_are_counted_by_name(counted: Statistics) -> None:
    """With their errors and in how many sessions."""
    assert [(name, row.calls, row.errors, row.sessions) for name, row in counted.tool_table()] == [("Bash", 3, 1, 2), ("Read", 1, 0, 1)]


def test_without_prices_there_is_no_cost(counted: Statistics) -> None:
    """Rather than a cost of nothing."""
    assert counted.total.cost is None and counted.json()["totals"]["cost"] is None  # type: ignore[index]


def test_a_bar_is_as_long_as_its_share() -> None:
    """To an eighth of a cell; anything above nothing can be seen."""
    assert bar(1, 2, 4) == "██" and bar(1, 1, 4) == "████" and bar(0, 1, 4) == "" and bar(1, 1000, 4) == "▏"
    assert bar(1, 2, 4, ascii_only=True) == "##"


def test_one_is_no_plural(counted: Statistics) -> None:
    """And the columns stay where they are."""
    one = Figures()
    one.add(Counts(prompts=1, tool_calls=1), Usage(), None)
    counted.rows["source"]["zeta"] = one
    shown = list(lines(counted, ["source"], Look(120)))
    assert "by source" in shown
    rows = shown[shown.index("by source") + 1 :]
    assert any("1 prompt  " in row and "1 call  " in row for row in rows)
    assert len({row.index(" sess") for row in rows}) == len({row.index(" err") for row in rows}) == 1
    assert not any(" 1 prompts" in row or " 1 calls" in row for row in rows)
