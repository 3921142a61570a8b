"""Real files of Cursor: the counts are those an independent counter found, differences explained here."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from sessionbrowser.model import Counts, Handle
from sessionbrowser.paths import Environment
from sessionbrowser.sources.cursor import SOURCE

pytestmark = pytest.mark.corpus

PLACES = {".vscdb": "globalStorage/state.vscdb", ".db": "chats/0123/one/store.db", ".jsonl": "projects/x/agent-transcripts/one/one.jsonl"}

# Files in which the counter and the program differ, and why.
RESULTS_TAKEN_FOR_PROMPTS = ("stage0/agents/cursor/large.jsonl", "stage0/agents/cursor/schema_drift.jsonl")
THOUGHTS_TAKEN_FOR_ANSWERS = ("Fixtures/Cursor/test-session.jsonl",)  # "[REDACTED]"
CALLS_ON_LINES_OF_THEIR_OWN = ("message_grouping/cursor_session.jsonl",)


def counted(corpus: Path, env: Environment, tmp_path: Path) -> dict[str, tuple[tuple[str, ...], Counts]]:
    """What the index says of each file, and what the program finds in it."""
    with (corpus / "INDEX.tsv").open() as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["agent"] == "cursor" and row["prompts"] not in ("", "-")]
    found = {}
    for number, row in enumerate(rows):
        place = tmp_path / str(number) / PLACES[Path(row["path"]).suffix]
        place.parent.mkdir(parents=True)
        shutil.copy(corpus / row["path"], place)
        made = SOURCE(env)
        root = made.root_at(str(tmp_path / str(number)), "corpus")
        assert root is not None
        (handle,) = [item for item in made.discover(root) if isinstance(item, Handle)]
        found[row["path"]] = (tuple(row[name] for name in ("prompts", "assistant", "tool_calls", "tool_results")), made.outline(handle).counts)
    return found


def test_counts_of_every_file(corpus: Path, env: Environment, tmp_path: Path) -> None:
    """Transcripts, a chat's store, the editor's database."""
    found = counted(corpus, env, tmp_path)
    wrong = {
        path: (wanted, counts) for path, (wanted, counts) in found.items()
        if any(want.isdigit() and int(want) != got for want, got in zip(wanted, counts[:4], strict=True))
    }  # fmt: skip
    explained = (*RESULTS_TAKEN_FOR_PROMPTS, *CALLS_ON_LINES_OF_THEIR_OWN, *THOUGHTS_TAKEN_FOR_ANSWERS)
    assert len(found) >= 10 and sorted(wrong) == sorted(path for path in found if path.endswith(explained))


def test_a_tool_result_is_not_a_prompt(corpus: Path, env: Environment, tmp_path: Path) -> None:
    """The counter took every line of the user's role; those that hold only a tool's result are none."""
    for path, (wanted, counts) in counted(corpus, env, tmp_path).items():
        if path.endswith(RESULTS_TAKEN_FOR_PROMPTS):
            assert int(wanted[0]) == counts.prompts + counts.tool_results


def test_lines_of_tools_are_calls(corpus: Path, env: Environment, tmp_path: Path) -> None:
    """An exporter's form with a line for each tool, which the counter passed over."""
    for path, (wanted, counts) in counted(corpus, env, tmp_path).items():
        if path.endswith(CALLS_ON_LINES_OF_THEIR_OWN):
            assert (wanted[2], counts.tool_calls, counts.tool_results) == ("0", 2, 2)
