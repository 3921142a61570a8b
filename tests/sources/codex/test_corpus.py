"""The real files beside the checkout, counted again by an independent counter. Skips, visibly, where they are absent.

Two differences are meant. A subagent's task is a prompt of kind `subagent` and not a person's: the counter counts it
(`test_tree.py` shows why it is none). A bare `function_result` closes its call: the counter passes over it
(`test_talk.py` shows that it is the output).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessionbrowser.model import Handle, Root, Transcript
from sessionbrowser.paths import Environment
from sessionbrowser.sources.codex import SOURCE, CodexSource
from sessionbrowser.sources.codex.tree import handle_of

pytestmark = pytest.mark.corpus

KNOWN = {("schema_drift.jsonl", "tool_results")}


def source(home: Path) -> CodexSource:
    return SOURCE(Environment(str(home), {}, str(home), "linux", 0.0))


def rows(table: Path) -> Iterator[dict[str, str]]:
    with open(table, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["agent"] == "codex" and row["prompts"].isdigit():
                yield row


def counted(read: Transcript) -> dict[str, int]:
    tasks = sum(block.kind == "prompt" and block.what == "subagent" for block in read.blocks)
    counts = read.counts
    return {"prompts": counts.prompts + tasks, "assistant": counts.answers, "tool_calls": counts.tool_calls, "tool_results": counts.tool_results}


def differences(name: str, read: Transcript, row: dict[str, str]) -> list[str]:
    found = counted(read)
    return [f"{name}: {what} {found[what]}, counted {row[what]}" for what in found
            if row[what].isdigit() and int(row[what]) != found[what] and (Path(name).name, what) not in KNOWN]  # fmt: skip


def test_counts_agree_with_the_independent_counter(corpus_home: Path) -> None:
    """Prompts, answers, calls and results of every file that is laid out as a home."""
    codex = source(corpus_home)
    handles = {handle.path: handle for root in codex.roots() for handle in codex.discover(root) if isinstance(handle, Handle)}
    wrong = []
    for row in rows(corpus_home / "TRUTH.tsv"):
        wrong += differences(row["laid"], codex.outline(handles[str(corpus_home / row["laid"])]), row)
    assert wrong == []


def test_files_outside_a_store_agree_too(corpus: Path) -> None:
    """Also those whose names no store would hold."""
    codex = source(corpus)
    wrong = []
    for row in rows(corpus / "INDEX.tsv"):
        path = corpus / row["path"]
        handle = handle_of(str(path), path.stem, Root("codex", str(path.parent)))
        assert handle is not None
        wrong += differences(row["path"], codex.outline(handle), row)
    assert wrong == []


def test_every_file_has_a_row_and_every_block_a_body(corpus_home: Path) -> None:
    """Nothing in a real file is too odd to be shown."""
    codex = source(corpus_home)
    for root in codex.roots():
        for handle in codex.discover(root):
            if isinstance(handle, Handle):
                row = codex.summarise(handle)
                assert row.title
                assert row.updated
                for block in codex.outline(handle).blocks:
                    codex.body(handle, block)


def test_passages_agree_with_outlines(corpus_home: Path) -> None:
    """What is indexed is what is shown: hits lead to blocks."""
    codex = source(corpus_home)
    for root in codex.roots():
        for handle in codex.discover(root):
            if not isinstance(handle, Handle):
                continue
            shown = {(block.place.start, block.kind) for block in codex.outline(handle).blocks if not block.place.path}
            told = {(passage.start, passage.kind) for passage in codex.passages(handle)}
            assert told <= shown
            assert {place for place in shown if place[1] == "prompt"} <= told


def test_subagents_of_real_runs_are_nested(corpus_home: Path) -> None:
    """Each run with a subagent shows it under its parent, with the call that started it."""
    codex = source(corpus_home)
    handles = [handle for root in codex.roots() for handle in codex.discover(root) if isinstance(handle, Handle)]
    rows_by_id = {handle.id: codex.summarise(handle) for handle in handles}
    nested = {child.id: child.call for handle in handles for child in codex.agents(handle).children if child.kind == "subagent" and child.handle is not None}
    expected = {row.id for row in rows_by_id.values() if row.origin == "subagent" and row.parent in rows_by_id}
    assert expected
    assert set(nested) == expected
    assert all(nested.values())
