"""The real files beside the checkout, counted again by an independent counter. Skips, visibly, where they are absent."""

from __future__ import annotations

import csv
import os
from collections import Counter
from pathlib import Path

import pytest

from sessionbrowser.model import Handle, Root, Transcript
from sessionbrowser.paths import Environment
from sessionbrowser.sources.claude import SOURCE, ClaudeSource

pytestmark = pytest.mark.corpus

KINDS = ("real", "real single-record snippets", "sanitized", "generated-real-cli", "fixture(real-derived/synthetic)", "synthetic",
         "synthetic (2.1.220 layout)", "fixture", "fixture/sanitized")  # fmt: skip
COUNTED = {
    "prompts": lambda kinds: kinds[("typed", "row")] + kinds[("subagent", "row")],
    "slash": lambda kinds: kinds[("slash", "row")],
    "bash": lambda kinds: kinds[("bash", "row")],
    "queued": lambda kinds: kinds[("queued", "attachment")],
    "in_tool_rows": lambda kinds: kinds[("queued", "tool_row")],
    "queue_only": lambda kinds: kinds[("queued", "queue")],
}


def source(home: Path) -> ClaudeSource:
    return SOURCE(Environment(str(home), {}, str(home), "linux", 0.0))


def handle_of(path: Path) -> Handle:
    state = os.stat(path)
    hidden = "subagent" if path.name.startswith("agent-") else ""
    return Handle("claude", Root("claude", str(path.parent)), str(path), "", path.stem, state.st_size, state.st_mtime_ns, state.st_ino, hidden)


def truth(home: Path, kinds: tuple[str, ...]) -> list[dict[str, str]]:
    with open(home / "TRUTH.tsv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [row for row in rows if row["agent"] == "claude" and row["kind"] in kinds and row["laid"].endswith(".jsonl")]


def counted(outline: Transcript) -> dict[str, int]:
    kinds = Counter((block.what, block.via) for block in outline.blocks if block.kind == "prompt")
    found = {name: count(kinds) for name, count in COUNTED.items()}
    counts = outline.counts
    return found | {"assistant": counts.answers, "tool_calls": counts.tool_calls, "tool_results": counts.tool_results,
                    "interrupts": counts.interrupts, "compactions": counts.compactions}  # fmt: skip


def differences(home: Path, kinds: tuple[str, ...]) -> list[str]:
    wrong = []
    reading = source(home)
    for row in truth(home, kinds):
        found = counted(reading.outline(handle_of(home / row["laid"])))
        wrong += [f"{row['laid']}: {name} {found[name]}, counted {row[name]}" for name in found if row.get(name) and int(row[name]) != found[name]]
    return wrong


def test_counts_agree_with_the_independent_counter_on_real_files(corpus_home: Path) -> None:
    """Prompts by kind, answers, calls, results, interrupts and compactions of every real file."""
    assert differences(corpus_home, ("real", "real single-record snippets")) == []


def test_counts_agree_on_files_written_by_the_real_program(corpus_home: Path) -> None:
    """The same for sessions recorded from the real program with a scripted model."""
    assert differences(corpus_home, ("generated-real-cli",)) == []
