"""Ada's invented sessions show what they are there to show."""

from __future__ import annotations

from pathlib import Path

from sessionbrowser.model import Handle, Session

from .rollout import Store


def rows(demo_home: Path) -> list[Session]:
    store = Store(demo_home)
    return [store.source.summarise(handle) for handle in store.handles()]


def test_the_demo_has_a_session_of_every_sort(demo_home: Path) -> None:
    """A named fix, a question, an interrupt, a headless run, a subagent."""
    found = rows(demo_home)
    assert {(row.tail, row.hidden) for row in found} == {
        ("finished", ""), ("asking", ""), ("interrupted", ""), ("finished", "headless"), ("finished", "subagent"),
    }  # fmt: skip
    assert "Invoice rounding" in {row.title for row in found}


def test_the_demo_is_undamaged_and_complete(demo_home: Path) -> None:
    """Every block of every session has something to show, and one command failed."""
    store = Store(demo_home)
    failed = []
    for handle in store.handles():
        read = store.source.outline(handle)
        assert read.damage == ()
        failed += [block.exit_code for block in read.blocks if block.kind == "tool" and block.exit_code]
        for block in read.blocks:
            body = store.source.body(handle, block)
            assert body.text or body.parts or block.kind == "note"
    assert failed == [1]


def test_the_demo_nests_its_subagent(demo_home: Path) -> None:
    """The helper stands under the session that asked it."""
    store = Store(demo_home)
    trees = [store.source.agents(handle) for handle in store.handles() if isinstance(handle, Handle)]
    assert [[child.type for child in tree.children] for tree in trees if tree.children] == [["explorer"]]
