"""The end of a big rollout, shown while all of it is read."""

from __future__ import annotations

from sessionbrowser.model import Block, Transcript

from .rollout import Record, Store, assistant, call, meta, output, said, turn, typed, user

FILLER = "lorem ipsum " * 1500


def conversation(turns: int) -> list[Record]:
    """Turns as Codex writes them: the prompt and the answer in two forms each, a command between."""
    made: list[Record] = [meta(), turn()]
    for number in range(turns):
        made += [
            user(f"prompt {number}"), typed(f"prompt {number}"), call("exec_command", {"cmd": f"ls {number}"}, f"call_{number}"),
            output(f"Exit code: 0\nOutput:\n{FILLER}", f"call_{number}"), said(f"answer {number}"), assistant(f"answer {number}"),
        ]  # fmt: skip
    return made


def shown(made: Transcript) -> list[tuple[object, ...]]:
    return [_shown(block) for block in made.blocks]


def _shown(block: Block) -> tuple[object, ...]:
    return block.kind, block.title, block.place, block.ok, block.result


def test_a_big_rollout_opens_with_its_newest_turns(store: Store) -> None:
    """They are what the whole outline ends with, at the same places."""
    store.write(*conversation(260))
    opening = store.source.opening(store.handle())
    assert opening is not None
    prompt = next(index for index, block in enumerate(opening.blocks) if block.kind == "prompt")
    newest = shown(opening)[prompt:]
    assert 60 < len(newest) < 1000
    assert shown(store.outline())[-len(newest) :] == newest
    assert opening.blocks[prompt].turn == 1


def test_the_bodies_of_an_opening_can_be_read(store: Store) -> None:
    store.write(*conversation(260))
    opening = store.source.opening(store.handle())
    assert opening is not None
    assert store.body(opening.blocks[-1]).text == "answer 259"


def test_a_small_rollout_needs_no_opening(store: Store) -> None:
    store.write(*conversation(3))
    assert store.source.opening(store.handle()) is None


def test_a_rollout_of_one_endless_line_has_no_opening(store: Store) -> None:
    """Nothing whole begins near its end."""
    store.write(meta(), user("x" * (5 << 20)))
    assert store.source.opening(store.handle()) is None
