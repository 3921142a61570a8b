"""Real chats: the counts are those an independent counter found."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from sessionbrowser.model import Handle
from sessionbrowser.paths import Environment
from sessionbrowser.sources.gemini import SOURCE

pytestmark = pytest.mark.corpus


def test_counts_of_every_chat(corpus: Path, env: Environment, tmp_path: Path) -> None:
    """Prompts, answers, calls and results of each file, documents and logs."""
    wrong, seen = {}, 0
    with (corpus / "INDEX.tsv").open() as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["agent"] == "gemini" and row["prompts"] not in ("", "-")]
    for row in rows:
        home = tmp_path / str(seen)
        chat = home / "tmp" / "project" / "chats" / f"session-{Path(row['path']).name}"
        chat.parent.mkdir(parents=True)
        shutil.copy(corpus / row["path"], chat)
        made = SOURCE(env)
        root = made.root_at(str(home), "corpus")
        assert root is not None
        (handle,) = [item for item in made.discover(root) if isinstance(item, Handle)]
        wanted = tuple(int(row[name]) for name in ("prompts", "assistant", "tool_calls", "tool_results"))
        counts = made.outline(handle).counts
        seen += 1
        if counts[:4] != wanted:
            wrong[row["path"]] = (wanted, counts)
    assert seen and not wrong


def test_the_recorded_store_as_a_home(corpus_home: Path) -> None:
    """Two chats of one project, found by its marker; the way back leads there."""
    env = Environment(str(corpus_home), {}, str(corpus_home), "linux")
    made = SOURCE(env)
    rows = [made.summarise(item) for root in made.roots() for item in made.discover(root) if isinstance(item, Handle)]
    assert len(rows) == 2 and len({row.cwd for row in rows}) == 1 and all(row.cwd and row.tail == "finished" for row in rows)
