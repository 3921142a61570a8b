"""Every needle of a generated history is found in exactly its sessions; the decoy never."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessionbrowser.index import worker
from sessionbrowser.index.search import Options, Searcher
from sessionbrowser.library import Library
from sessionbrowser.model import Session
from sessionbrowser.paths import Environment
from sessionbrowser.query import parse
from sessionbrowser.query.tree import quote

FAMILIES = (
    "rare-user", "rare-assistant", "rare-thinking", "rare-tool-input", "rare-tool-result", "rare-subagent", "rare-deep",
    "rare-codex-user", "rare-codex-assistant", "rare-codex-output", "camel", "snake", "path", "quoted", "german", "cyrillic", "cjk",
    "nfd", "emoji", "medium", "common", "phrase", "base64-decoy",
)  # fmt: skip
TOOLS = ("tool_input", "tool_result", "base64")


class Indexed:
    """The generated history, indexed once."""

    def __init__(self, home: Path, cache: Path) -> None:
        self.manifest = json.loads((home / "manifest.json").read_text())
        env = Environment(str(home), {"XDG_CACHE_HOME": str(cache)}, str(home))
        worker.bring_up_to_date(env)
        self.library = Library(env)
        self.rows: list[Session] = self.library.sessions()
        self.searcher = Searcher(self.library, self.rows)

    def sessions(self, text: str, **options: bool) -> set[str]:
        return {hit.session for hit in self.searcher.search(parse(text), options=Options(per_session=1, **options))}  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def indexed(generated: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Indexed]:
    made = Indexed(generated, tmp_path_factory.mktemp("cache"))
    yield made
    made.searcher.close()


def test_the_families_are_those_of_the_manifest(indexed: Indexed) -> None:
    assert set(indexed.manifest["needles"]) == set(FAMILIES)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_needle_in_quotes_is_found_in_exactly_its_sessions(indexed: Indexed, family: str) -> None:
    needle = indexed.manifest["needles"][family]
    where = " in:all" if needle["kind"] in TOOLS else ""
    assert indexed.sessions(quote(needle["text"]) + where) == set(needle["sessions"])


@pytest.mark.parametrize("family", [name for name in FAMILIES if name not in ("phrase", "quoted")])
def test_a_needle_as_a_word_is_found_in_exactly_its_sessions(indexed: Indexed, family: str) -> None:
    needle = indexed.manifest["needles"][family]
    where = " in:all" if needle["kind"] in TOOLS else ""
    assert indexed.sessions(needle["text"] + where) == set(needle["sessions"])


@pytest.mark.parametrize("family", ["rare-user", "rare-subagent", "quoted", "nfd", "cjk", "medium"])
def test_without_the_index_the_same_is_found(indexed: Indexed, family: str) -> None:
    needle = indexed.manifest["needles"][family]
    assert indexed.sessions(quote(needle["text"]), use_index=False) == set(needle["sessions"])


@pytest.mark.parametrize("family", ["rare-user", "rare-thinking", "german", "medium"])
def test_an_expression_finds_the_same(indexed: Indexed, family: str) -> None:
    needle = indexed.manifest["needles"][family]
    assert indexed.sessions(f"/{needle['text'][:-1]}./") == set(needle["sessions"])


def test_a_needle_is_found_by_its_beginning(indexed: Indexed) -> None:
    needle = indexed.manifest["needles"]["rare-user"]
    assert indexed.sessions(needle["text"][:5]) == set(needle["sessions"])


def test_a_hit_of_a_subagent_names_both(indexed: Indexed) -> None:
    needle = indexed.manifest["needles"]["rare-subagent"]
    (hit,) = indexed.searcher.search(parse(needle["text"]))
    assert hit.session in needle["sessions"]
    assert hit.subagent
