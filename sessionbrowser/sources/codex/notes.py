"""What is neither said nor done: compaction, interrupts, rollbacks, errors, reviews, names."""

from __future__ import annotations

from sessionbrowser.model import Place
from sessionbrowser.sources.codex.records import Item, Payload, text_of, whole, within, words
from sessionbrowser.sources.codex.state import State
from sessionbrowser.text import one_line

_INTERRUPTS = {"interrupted": "Interrupted", "replaced": "Interrupted by a new prompt", "budget_limited": "Stopped: the budget is used up"}


def compaction(state: State, item: Item, place: Place) -> None:
    state.merge_note("compaction", words(item.payload, "message"), place, item, "Conversation compacted")


def aborted(state: State, item: Item, place: Place) -> None:
    state.turns = state.prompted = False
    reason = words(item.payload, "reason")
    if reason == "review_ended":
        return
    state.merge_note("interrupt", "", place, item, _INTERRUPTS.get(reason, f"Interrupted: {reason}" if reason else "Interrupted"))


def rolled_back(state: State, item: Item, place: Place) -> None:
    state.roll_back(whole(item.payload, "num_turns") or 0, place, item)


def error(state: State, item: Item, place: Place) -> None:
    state.builder.note("error", error_text(item.payload), place, time=item.time)


def error_text(payload: Payload) -> str:
    """What an error record says."""
    inner = within(payload, "error")
    return words(payload, "message") or words(inner, "message") or words(payload, "text") or "An error without a message"


def begun(state: State, item: Item, place: Place) -> None:
    """The beginning of a turn."""
    state.turns, state.prompted = "turn_id" in item.payload, False


def completed(state: State, item: Item, place: Place) -> None:
    """The end of a turn: seen only when it failed."""
    state.turns = state.prompted = False
    failure = within(item.payload, "error")
    last = state.builder.blocks[-1] if state.builder.blocks else None
    if failure and not (last is not None and last.what == "error"):
        error(state, item, place)


def warning(state: State, item: Item, place: Place) -> None:
    state.builder.note("warning", words(item.payload, "message"), place, time=item.time)


def review_begins(state: State, item: Item, place: Place) -> None:
    hint = words(item.payload, "user_facing_hint") or words(item.payload, "prompt") or words(item.payload, "review")
    state.builder.note("review", f"Review of {hint}" if hint else "Review", place, time=item.time)


def review_ends(state: State, item: Item, place: Place) -> None:
    state.builder.note("review", review_text(item.payload), place, time=item.time, title="Review finished")


def review_text(payload: Payload) -> str:
    """A review's verdict and findings as Markdown."""
    output = within(payload, "review_output")
    pieces = [words(output, "overall_explanation") or words(payload, "review")]
    findings = output.get("findings")
    for finding in findings if isinstance(findings, list) else ():
        if not isinstance(finding, dict):
            continue
        where = words(within(finding, "code_location"), "absolute_file_path")
        line = within(finding, "code_location", "line_range").get("start")
        pieces.append(f"**{words(finding, 'title')}**" + (f" `{where}:{line}`" if where else "") + f"\n\n{words(finding, 'body')}")
    return "\n\n".join(piece for piece in pieces if piece)


def renamed(state: State, item: Item, place: Place) -> None:
    name = words(item.payload, "thread_name")
    if name:
        state.builder.note("name", f"Renamed to “{one_line(name, 120)}”", place, time=item.time)


def undone(state: State, item: Item, place: Place) -> None:
    state.builder.note("undo", words(item.payload, "message") or "Undone", place, time=item.time)


def hook(state: State, item: Item, place: Place) -> None:
    text = "\n".join(words(part, "text") for part in _fragments(item.payload)) or text_of(item.payload.get("content"))
    state.builder.note("hook", text, place, time=item.time, title="hook")


def _fragments(payload: Payload) -> list[Payload]:
    found = payload.get("fragments")
    return [part for part in found if isinstance(part, dict)] if isinstance(found, list) else []
