"""Real stores: the counts are those an independent counter found."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from sessionbrowser.model import Counts, Handle
from sessionbrowser.paths import Environment
from sessionbrowser.sources.opencode import SOURCE

pytestmark = pytest.mark.corpus


def truth(corpus: Path) -> list[dict[str, str]]:
    with (corpus / "INDEX.tsv").open() as file:
        return [row for row in csv.DictReader(file, delimiter="\t") if row["agent"] == "opencode" and row["prompts"] not in ("", "-")]


def counted(env: Environment, root: Path) -> dict[str, Counts]:
    """The counts of every session of a copied store by its path or key, a parent's task counted as a prompt."""
    made = SOURCE(env)
    place = made.root_at(str(root), "corpus")
    assert place is not None
    found = {}
    for handle in made.discover(place):
        if isinstance(handle, Handle):
            outline = made.outline(handle)
            tasks = sum(block.what == "subagent" for block in outline.blocks)
            found[handle.key or handle.path] = outline.counts._replace(prompts=outline.counts.prompts + tasks)
    return found


def wanted(row: dict[str, str]) -> tuple[int | None, ...]:
    return tuple(int(row[name]) if row[name].isdigit() else None for name in ("prompts", "assistant", "tool_calls", "tool_results"))


def agree(counts: Counts, row: dict[str, str]) -> bool:
    return all(want is None or want == got for want, got in zip(wanted(row), counts[:4], strict=True))


EARLY_LAYOUT = "storage_legacy"  # see test_parts_side_by_side


def test_counts_of_trees(corpus: Path, env: Environment, tmp_path: Path) -> None:
    """Every session of a tree in the corpus."""
    rows = [row for row in truth(corpus) if row["path"].endswith(".json") and EARLY_LAYOUT not in row["path"]]
    wrong = {}
    for number, row in enumerate(rows):
        own = corpus / row["path"]
        store, name = (own.parents[4], "project") if own.parent.name == "info" else (own.parents[2], "storage")
        copy = tmp_path / str(number)
        shutil.copytree(store, copy / name)
        counts = counted(env, copy)[str(copy / name / own.relative_to(store))]
        if not agree(counts, row):
            wrong[row["path"]] = (wanted(row), counts)
    assert rows and not wrong


def test_counts_of_the_database(corpus: Path, env: Environment, tmp_path: Path) -> None:
    """The totals over all sessions of a live database, its newest rows in the `-wal`."""
    (row,) = [row for row in truth(corpus) if row["path"].endswith("1.18.33/opencode.db")]
    shutil.copytree((corpus / row["path"]).parent, tmp_path / "store")
    found = counted(env, tmp_path / "store")
    assert len(found) == 4
    assert tuple(sum(values) for values in zip(*found.values(), strict=True))[:4] == wanted(row)


def test_counts_of_the_old_programs_database(corpus: Path, env: Environment, tmp_path: Path) -> None:
    """A project's own database of 2025."""
    (row,) = [row for row in truth(corpus) if ".opencode/opencode.db" in row["path"]]
    shutil.copytree((corpus / row["path"]).parent, tmp_path / ".opencode")
    (counts,) = counted(env, tmp_path).values()
    assert agree(counts, row)


def test_parts_side_by_side(corpus: Path, env: Environment, tmp_path: Path) -> None:
    """An early layout keeps the parts of all messages in one folder. The counter looked only for a folder a message,
    and so found neither the answer nor the call that are there."""
    (row,) = [row for row in truth(corpus) if EARLY_LAYOUT in row["path"]]
    shutil.copytree((corpus / row["path"]).parents[2], tmp_path / "storage")
    (counts,) = counted(env, tmp_path).values()
    assert wanted(row) == (1, 0, 0, 0) and counts[:4] == (1, 1, 1, 1)


def test_the_live_database_is_left_alone(corpus_home: Path) -> None:
    """Neither the database nor what lies beside it changes by being read."""
    env = Environment(str(corpus_home), {}, str(corpus_home), "linux")
    folder = corpus_home / ".local/share/opencode"

    def picture() -> list[tuple[str, int, int, bytes]]:
        return [(path.name, path.stat().st_mtime_ns, path.stat().st_ctime_ns, path.read_bytes()) for path in sorted(folder.iterdir())]

    before, times = picture(), folder.stat().st_mtime_ns
    made = SOURCE(env)
    for root in made.roots():
        for handle in made.discover(root):
            assert isinstance(handle, Handle)
            made.agents(handle, made.outline(handle))
    assert picture() == before and folder.stat().st_mtime_ns == times
