"""The real files through the whole program: what `sb` prints agrees with an independent count.

`TRUTH.tsv` says what another program counted in each file; the rules are in the corpus's README. Here the rows of
`sb list --json --all --exact` and of `sb show --format json` are held against it, file by file.
"""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

import pytest

from sessionbrowser.cli import run
from sessionbrowser.export.views import VIEWS
from sessionbrowser.paths import Environment

pytestmark = pytest.mark.corpus

COUNTS = {"assistant": "answers", "tool_calls": "tool_calls", "tool_results": "tool_results",
          "interrupts": "interrupts", "compactions": "compactions"}  # fmt: skip
PROMPTS = ("prompts", "slash", "bash", "queued", "in_tool_rows", "queue_only")


def sb(home: Path, *arguments: str) -> str:
    """What `sb` prints for whoever lives in `home`."""
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "SB_CACHE_DIR": str(home.parent / "cache"), "TZ": "UTC"}
    run = subprocess.run([sys.executable, "-m", "sessionbrowser", *arguments], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


@cache
def rows(home: Path) -> list[dict[str, object]]:
    return json.loads(sb(home, "list", "--json", "--all", "--exact"))["sessions"]  # type: ignore[no-any-return]


@cache
def listed(home: Path) -> dict[str, dict[str, object]]:
    return {str(row["path"]): row for row in rows(home)}


def truth(home: Path, *kinds: str, agent: str = "claude") -> list[dict[str, str]]:
    with open(home / "TRUTH.tsv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [row for row in rows if row["agent"] == agent and row["kind"].startswith(kinds) and row["laid"].endswith(".jsonl")]


def prompts_of(home: Path, row: dict[str, str]) -> list[dict[str, str]]:
    env = Environment(str(home), {"SB_CACHE_DIR": str(home.parent / "cache"), "PATH": os.environ["PATH"]}, str(home), "linux")
    printed = io.BytesIO()
    with redirect_stdout(io.TextIOWrapper(printed, "utf-8", write_through=True)) as written:
        assert run(["show", str(home / row["laid"]), "--format", "json"], env) == 0
        written.flush()
        shown = json.loads(printed.getvalue())
    return [turn["prompt"] for turn in shown["turns"] if turn["prompt"]]


def number(row: dict[str, str], name: str) -> int | None:
    return int(row[name]) if row.get(name, "").isdigit() else None


def test_every_real_claude_file_is_listed_with_the_counts_of_another_program(corpus_home: Path) -> None:
    wrong = []
    for row in truth(corpus_home, "real"):
        if row["kind"] != "real":
            continue
        found = listed(corpus_home).get(str(corpus_home / row["laid"]))
        if found is None:
            wrong.append((row["laid"], "not listed"))
            continue
        expected = {ours: number(row, theirs) for theirs, ours in COUNTS.items()}
        if found["origin"] != "subagent":
            expected["prompts"] = sum(number(row, name) or 0 for name in PROMPTS)
            if found["prompts"] != expected["prompts"]:  # side-chain prompts of old files: tasks, which we do not count
                expected["prompts"] -= sum(p["kind"] == "subagent" for p in prompts_of(corpus_home, row))
        wrong += [(row["laid"], name, found[name], value) for name, value in expected.items() if value is not None and found[name] != value]
    assert not wrong, "\n".join(map(str, wrong))


def test_prompts_are_told_apart_by_kind_and_by_where_they_hid(corpus_home: Path) -> None:
    wrong = []
    chosen = [row for row in truth(corpus_home, "real") if any((number(row, n) or 0) > 0 for n in PROMPTS[1:])]
    for row in chosen:
        if row["kind"] != "real":
            continue
        got = Counter((p["kind"], p["via"]) for p in prompts_of(corpus_home, row))
        got["typed", "row"] += sum(n for (kind, _), n in got.items() if kind == "subagent")
        expected = {
            "slash": sum(n for (kind, _), n in got.items() if kind == "slash"),
            "bash": sum(n for (kind, _), n in got.items() if kind == "bash"),
            "queued": got["queued", "attachment"],
            "in_tool_rows": got["queued", "tool_row"],
            "queue_only": got["queued", "queue"],
            "prompts": got["typed", "row"],
        }
        wrong += [(row["laid"], name, value, number(row, name)) for name, value in expected.items() if number(row, name) not in (None, value)]
    assert chosen
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("agent", ["codex", "opencode", "gemini", "droid", "copilot", "pi", "kimi", "qwen", "specstory"])
def test_the_other_agents_agree_too(corpus_home: Path, agent: str) -> None:
    wrong = []
    for row in (r for r in truth(corpus_home, "", agent=agent) if number(r, "prompts") is not None):
        found = listed(corpus_home).get(str(corpus_home / row["laid"]))
        if found is None:
            wrong.append((row["laid"], "not listed"))
            continue
        expected = {ours: number(row, theirs) for theirs, ours in list(COUNTS.items())[:3]}
        if found["origin"] != "subagent":  # its first prompt is the parent's task, no person's
            expected["prompts"] = number(row, "prompts")
        wrong += [(row["laid"], name, found[name], value) for name, value in expected.items() if value is not None and found[name] != value]
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("agent", ["claude", "codex", "opencode", "gemini", "droid", "copilot", "pi", "kimi", "qwen", "specstory"])
def test_every_view_of_every_agent_says_something_and_agrees(corpus_home: Path, agent: str) -> None:
    """Or why there is nothing; prompts, calls and errors are as many as the list has them."""
    mine = [row for row in rows(corpus_home) if row["source"] == agent and row["prompts"]]
    if not mine:
        pytest.skip(f"no session of {agent} lies where it would be found")
    row = max(mine, key=lambda row: (not row["hidden"], row["tool_calls"] or 0, row["prompts"]))  # type: ignore[operator]
    blocks = {}
    for view in VIEWS:
        code, out, err = shown(corpus_home, str(row["id"]), "--view", view)
        assert (code, bool(out.strip()), err) in ((0, True, ""), (1, False, err)) and (code == 0 or err.startswith("sb: ")), (view, code, out[:200], err)
        _, as_json, _ = shown(corpus_home, str(row["id"]), "--view", view, "--format", "json")
        turns = json.loads(as_json).get("turns", []) if as_json.strip() else []
        blocks[view] = [item for turn in turns for item in (turn["prompt"], *turn["blocks"]) if item and item.get("via") != "event"]
    assert sum(block["kind"] == "tool" for block in blocks["tools"]) == row["tool_calls"]
    assert sum(block.get("ok") is False for block in blocks["errors"]) == row["tool_errors"]
    assert sum(block["kind"] != "subagent" for block in blocks["prompts"]) == row["prompts"]


def shown(home: Path, *arguments: str) -> tuple[int, str, str]:
    """What `sb show` of a session says: its exit status, what it prints, what it complains of."""
    env = Environment(str(home), {"SB_CACHE_DIR": str(home.parent / "cache"), "PATH": os.environ["PATH"]}, str(home), "linux")
    printed, said = io.BytesIO(), io.StringIO()
    with redirect_stdout(io.TextIOWrapper(printed, "utf-8", write_through=True)) as written, redirect_stderr(said):
        code = run(["show", *arguments], env)
        written.flush()
        return code, printed.getvalue().decode(), said.getvalue()
