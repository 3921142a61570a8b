"""The order of a transcript, and what stands above its blocks."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sessionbrowser.model import Block, Place
from sessionbrowser.render.items import BACK, DAY, FORK, GAP, WHO, Items, height_above, rows_above
from sessionbrowser.render.rows import Look

DAY_SECONDS = 86400.0


def block(kind: str, start: int = 0, **fields: object) -> Block:
    return Block(kind, Place(start), 1, kind, **fields)  # type: ignore[arg-type]


def items_of(*blocks: Block) -> Items:
    items = Items()
    items.rebuild(blocks)
    return items


def test_calls_stand_together_and_prose_apart() -> None:
    """Dense where it is dull, air where one reads."""
    items = items_of(block("prompt"), block("tool"), block("tool"), block("text"), block("tool"))
    assert [bool(flags & GAP) for flags in items.above] == [False, True, False, True, True]


def test_who_answers_is_said_once_a_turn_and_when_it_changes() -> None:
    """Above the first block of an answer."""
    items = items_of(
        block("prompt"), block("text", model="a"), block("tool", model="a"), block("text", model="b"), block("prompt"), block("text", model="b")
    )
    assert [bool(flags & WHO) for flags in items.above] == [False, True, False, True, False, True]


def test_another_day_is_marked_above_its_first_prompt() -> None:
    """But not above the very first."""
    items = items_of(block("prompt", time=1000.0), block("prompt", time=2000.0), block("prompt", time=2000.0 + DAY_SECONDS))
    assert [bool(flags & DAY) for flags in items.above] == [False, False, True]


def test_the_end_of_shared_history_is_marked() -> None:
    """Where a fork begins to be itself."""
    items = items_of(block("prompt", copied=True), block("text", copied=True), block("prompt"))
    assert [bool(flags & FORK) for flags in items.above] == [False, False, True]


def test_a_rewound_run_is_one_item_until_it_is_opened() -> None:
    """Opened, its end is marked."""
    blocks = (block("prompt", branch=1), block("text", branch=1), block("prompt"))
    items = items_of(*blocks)
    assert len(items) == 2 and items.is_marker(0) and items.branch_at(0) == 1
    items.opened.add(1)
    items.rebuild(blocks)
    assert len(items) == 4 and items.above[3] & BACK


def test_the_source_s_own_note_of_a_rewind_is_not_said_twice() -> None:
    """The marker says as much."""
    items = items_of(block("prompt", branch=1), block("note", what="branch"), block("prompt"))
    assert len(items) == 2


def test_a_folded_block_is_found_at_its_marker() -> None:
    """Where one would open it."""
    items = items_of(block("prompt"), block("text", branch=1), block("text", branch=1), block("text"))
    assert [items.item_of(index) for index in range(4)] == [0, 1, 1, 2]


def test_rows_above_are_as_many_as_their_height() -> None:
    """For every combination of flags."""
    for flags in range(32):
        assert len(rows_above(block("text", time=1000.0, model="m"), flags, Look(80))) == height_above(flags)


KINDS = st.tuples(st.sampled_from(["prompt", "text", "tool", "note"]), st.sampled_from([0, 0, 1, 2]), st.booleans())


@settings(deadline=None, max_examples=150)
@given(st.lists(KINDS, max_size=30), st.integers(0, 30), st.sets(st.sampled_from([1, 2])))
def test_growing_gives_what_reading_at_once_gives(made: list[tuple[str, int, bool]], cut: int, opened: set[int]) -> None:
    """However the blocks arrive."""
    blocks = [block(kind, at, branch=branch, model="m" if model else "") for at, (kind, branch, model) in enumerate(made)]
    whole, grown = Items(), Items()
    whole.opened, grown.opened = set(opened), set(opened)
    whole.rebuild(blocks)
    grown.rebuild(blocks[:cut])
    grown.extend(blocks)
    assert (grown.order, grown.above) == (whole.order, whole.above)


def test_a_folded_branch_that_grows_stays_what_stood_before() -> None:
    """Its beginning, whatever its end is: the marker is what one sees."""
    blocks = [block("prompt", 0), block("prompt", 1, branch=2), block("tool", 2, branch=2), block("tool", 3, branch=1)]
    whole, grown = items_of(), items_of(*blocks[:2])
    whole.opened = grown.opened = {1}
    whole.rebuild(blocks)
    grown.extend(blocks)
    assert (grown.order, grown.above) == (whole.order, whole.above)


def test_what_a_model_took_back_is_told_apart_from_a_rewind() -> None:
    """A branch without a prompt was not left by a person."""
    items = Items()
    items.rebuild([Block("prompt", Place(0), 1, "ask"), Block("text", Place(1), 1, "no", branch=1), Block("text", Place(2), 1, "yes")])
    assert items.block(1).title == "taken back: 1 block"
