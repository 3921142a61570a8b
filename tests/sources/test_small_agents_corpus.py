"""Real files of the smaller agents: what they hold agrees with what an independent counter found."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from small_agents import handle_of, in_home

from sessionbrowser.model import Handle
from sessionbrowser.paths import Environment
from sessionbrowser.sources import load

pytestmark = pytest.mark.corpus
AGENTS = ("droid", "specstory", "copilot", "pi", "qwen", "kimi", "amp", "antigravity")
ENV = Environment("/nowhere", {}, "/nowhere", "linux", 1778770800.0)
COLUMNS = ("prompts", "assistant", "tool_calls", "tool_results")

# Where the counter and this program differ, and why the program is right.
EXPLAINED = {
    "droid/session_store_schema_drift.jsonl": "words behind a reminder in the same text are a prompt; the counter drops the whole text",
    "copilot/large.jsonl": "a tool that ran without having been asked for is a call; the counter counts requests only",
    "copilot/small.jsonl": "what a subagent says and does is in its own transcript; the counter takes all records of the file",
    "qwen/019f0000-0000-7000-8000-000000000004.jsonl": "what a person typed in mid-turn is a prompt; the counter passes over every subtype",
    "qwen/019f0000-0000-7000-8000-000000000005.jsonl": "two records on one line are two records; the counter reads none of them",
    "qwen/agent-Explore-call_8.jsonl": "the task of a subagent is no prompt of a person",
    "kimi/subagent_agent-0.jsonl": "the task of a subagent is no prompt of a person",
    "kimi/agent-0/wire.jsonl": "the task of a subagent is no prompt of a person",
}


def rows(corpus: Path, agent: str) -> list[dict[str, str]]:
    with open(corpus / "INDEX.tsv", newline="") as file:
        return [row for row in csv.DictReader(file, delimiter="\t") if row["agent"] == agent and row["prompts"] not in ("", "-")]


def place(path: Path, agent: str) -> Handle:
    """A handle as the store would give it: subagents know their session."""
    child = "/subagents/" in str(path) or "/agents/agent-" in str(path)
    return handle_of(agent, path, **({"hidden": "subagent", "parent": "of-this"} if child else {}))


def explained(agent: str, path: Path) -> str:
    return next((why for end, why in EXPLAINED.items() if end.startswith(agent) and str(path).endswith(end.split("/", 1)[1])), "")


@pytest.mark.parametrize("agent", AGENTS)
def test_counts_agree_with_the_index(corpus: Path, agent: str) -> None:
    """Prompts, answers, calls and results of every file, but for the differences explained above."""
    source, seen, wrong = load(agent, ENV), 0, []
    for row in rows(corpus, agent):
        path = corpus / row["path"]
        counts = source.outline(place(path, agent)).counts
        found = dict(zip(COLUMNS, counts, strict=False))
        differ = {name for name in COLUMNS if row[name] not in ("", "-") and int(row[name]) != found[name]}
        seen += 1
        if bool(differ) != bool(explained(agent, path)):
            wrong.append((row["path"], found, explained(agent, path)))
    assert seen
    assert wrong == []


@pytest.mark.parametrize("agent", AGENTS)
def test_every_block_of_every_file_can_be_opened(corpus: Path, agent: str) -> None:
    """Bodies are there where the outline says so."""
    source = load(agent, ENV)
    for row in rows(corpus, agent):
        handle = place(corpus / row["path"], agent)
        for block in source.outline(handle).blocks:
            body = source.body(handle, block)
            if block.kind in ("prompt", "text", "thinking") and block.size:
                assert body.text
            if block.kind == "tool" and block.size:
                assert len(body.text) > 0


@pytest.mark.parametrize("agent", AGENTS)
def test_rows_of_every_file_are_filled(corpus: Path, agent: str) -> None:
    """A title always; a first prompt wherever there is a prompt."""
    source = load(agent, ENV)
    for row in rows(corpus, agent):
        session = source.summarise(place(corpus / row["path"], agent))
        assert session.title
        if int(row["prompts"]) and "untitled" not in row["path"]:
            assert session.first_prompt


@pytest.mark.parametrize("agent", ["droid", "copilot", "pi", "qwen", "kimi"])
def test_the_stores_are_found_in_a_home(corpus_home: Path, agent: str) -> None:
    source = load(agent, in_home(corpus_home))
    found = [item for root in source.roots() for item in source.discover(root)]
    assert any(isinstance(item, Handle) for item in found)


def test_files_of_one_specstory_session_are_shown_once(corpus_home: Path) -> None:
    """Three pairs and triples of the same session under several slugs."""
    source = load("specstory", ENV)
    roots = source.roots_for(str(folder) for folder in (corpus_home / "src").iterdir())
    hidden = [item.hidden for root in roots for item in source.discover(root) if isinstance(item, Handle)]
    assert hidden.count("duplicate") == 4


def test_a_real_session_written_in_the_layout_of_specstory_reads_back(corpus: Path) -> None:
    """As many turns and calls as it has."""
    from sessionbrowser.export import specstory
    from sessionbrowser.sources import specstory_text

    source = load("droid", ENV)
    for row in rows(corpus, "droid"):
        handle = place(corpus / row["path"], "droid")
        made = source.outline(handle)
        text = "".join(specstory.document(source.summarise(handle), made.blocks, lambda block, at=handle: source.body(at, block)))
        data = text.encode()
        sections = specstory_text.sections(data)
        assert sum(section.role == "User" for section in sections) == made.counts.prompts
        chunks = [chunk for section in sections if section.role == "Agent" for chunk in specstory_text.chunks(data, section)]
        assert sum(chunk.kind == "tool" for chunk in chunks) == made.counts.tool_calls
