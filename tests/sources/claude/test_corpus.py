"""The real files beside the checkout, counted again by an independent counter. Skips, visibly, where they are absent."""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from sessionbrowser.model import Handle, Root, Transcript
from sessionbrowser.paths import Environment
from sessionbrowser.sources.claude import SOURCE, ClaudeSource

pytestmark = pytest.mark.corpus

KINDS = ("real", "real single-record snippets", "sanitized", "generated-real-cli", "fixture(real-derived/synthetic)", "synthetic",
         "synthetic (2.1.220 layout)", "fixture", "fixture/sanitized")  # fmt: skip
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
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


# What a hand-made file says differently, and why the counter is the one that is wrong.
EXPLAINED = {
    "valid_session.jsonl": "answers without an id or a uuid: the counter takes all of them for one",
    "test-transcript.jsonl": "answers without an id or a uuid: the counter takes all of them for one",
    "c0000001-0000-4000-8000-000000000001.jsonl": "answers without an id or a uuid",
    "agent-aworker-11112222.jsonl": "answers without an id or a uuid",
    "11111111-2222-3333-4444-555555555555.jsonl": "answers without an id or a uuid",
    "agent-a9f8e7d6c5b4.jsonl": "answers without an id or a uuid",
    "agent-aworker-cafe1234.jsonl": "answers without an id or a uuid",
    "ses_stage0_small.jsonl": "made anonymous: different rows share one uuid, and count as one row written twice",
    "edge_cases.jsonl": "different rows share one uuid, and count as one row written twice",
}


def test_counts_agree_on_the_files_other_projects_made_by_hand(corpus_home: Path) -> None:
    """All but a few, each with its reason."""
    kinds = tuple(kind for kind in KINDS if kind not in ("real", "real single-record snippets", "generated-real-cli"))
    wrong = [line for line in differences(corpus_home, kinds) if line.split(":")[0].rsplit("/", 1)[-1] not in EXPLAINED]
    assert wrong == []


def expected(corpus: Path) -> list[dict[str, str]]:
    with open(corpus / "claude" / "_edge_synth" / "EXPECTED.tsv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def edge(corpus: Path, case: str) -> Path:
    name = next(row["file"] for row in expected(corpus) if row["case"] == case)
    return next((corpus / "claude" / "_edge_synth").rglob(name))


def test_every_damaged_file_gives_the_rows_that_can_be_saved(corpus: Path) -> None:
    """Prompts by rows and answers by rows of the 25 invented cases."""
    wrong = []
    reading = source(corpus)
    for row in expected(corpus):
        outline = reading.outline(handle_of(edge(corpus, row["case"])))
        prompts = sum(block.kind == "prompt" and block.via == "row" for block in outline.blocks)
        answers = sum(block.kind == "text" for block in outline.blocks)
        answers = max(answers, outline.counts.answers)
        if (prompts, answers) != (int(row["user_rows_recoverable"]), int(row["assistant_rows_recoverable"])):
            wrong.append(f"{row['case']}: {prompts} prompts, {answers} answers")
    assert wrong == []


@pytest.mark.parametrize("case", ["empty", "only-newlines", "only-summary", "only-metadata"])
def test_files_without_a_conversation_are_hidden_as_empty(corpus: Path, case: str) -> None:
    assert source(corpus).summarise(handle_of(edge(corpus, case))).hidden == "empty"


def test_the_title_that_the_programs_own_lister_misses_is_found(corpus: Path) -> None:
    assert source(corpus).summarise(handle_of(edge(corpus, "title-after-64KB"))).title_from == "name"


def test_the_prompt_that_only_the_queue_knows_is_found(corpus: Path) -> None:
    outline = source(corpus).outline(handle_of(edge(corpus, "queue-removed-only")))
    assert [block.title for block in outline.blocks if block.via == "queue"] == ["typed while busy"]


def test_the_rewound_prompt_is_a_branch(corpus: Path) -> None:
    blocks = source(corpus).outline(handle_of(edge(corpus, "rewind-branch"))).blocks
    assert sum(block.kind == "prompt" and not block.branch for block in blocks) == 2
    assert sum(block.kind == "text" and not block.branch for block in blocks) == 2


def test_every_body_of_every_file_can_be_read_and_drawn(corpus_home: Path) -> None:
    """And nothing a terminal would act on is left in any of them."""
    reading = source(corpus_home)
    for row in truth(corpus_home, (*KINDS, "edge")):
        handle = handle_of(corpus_home / row["laid"])
        for block in reading.outline(handle).blocks:
            body = reading.body(handle, block)
            assert body.text.isprintable() or not UNSAFE.search(body.text)


def test_every_file_with_a_conversation_is_listed(corpus_home: Path) -> None:
    reading = source(corpus_home)
    found = {item.path: item for root in reading.roots() for item in reading.discover(root) if isinstance(item, Handle)}
    missing = [row["laid"] for row in truth(corpus_home, (*KINDS, "edge")) if row["laid"].startswith(".claude/projects/") and str(corpus_home / row["laid"]) not in found]
    assert missing == []
    talking = [row["laid"] for row in truth(corpus_home, ("real",)) if int(row["prompts"] or 0)]
    hidden = {laid: reading.summarise(found[str(corpus_home / laid)]).hidden for laid in talking if str(corpus_home / laid) in found}
    assert [laid for laid, reason in hidden.items() if reason == "empty"] == []


def test_a_tail_reading_says_what_the_whole_file_says(corpus_home: Path) -> None:
    """Rows made of head and tail have the same dates, model and branch as one made of everything."""
    from sessionbrowser.sources.claude import summary

    reading, wrong = source(corpus_home), []
    for row in truth(corpus_home, ("real",)):
        handle = handle_of(corpus_home / row["laid"])
        ends = reading.summarise(handle)
        whole = summary._session(handle, *(2 * [summary._gather(summary.jsonl.head(handle.path, handle.size + 1), handle.hidden == "subagent")]), {}, whole=True)
        for name in ("created", "updated", "branch", "cwd", "first_prompt", "tail", "hidden", "resume_cwd"):
            if getattr(ends, name) != getattr(whole, name):
                wrong.append(f"{row['laid']}: {name} {getattr(ends, name)!r}, whole {getattr(whole, name)!r}")
    assert wrong == []
