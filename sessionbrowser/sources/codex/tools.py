"""Calls, their results, and the events that tell more of them: from records to blocks."""

from __future__ import annotations

from sessionbrowser.model import Block, Place
from sessionbrowser.sources import forms
from sessionbrowser.sources.codex import calls
from sessionbrowser.sources.codex.calls import Call
from sessionbrowser.sources.codex.records import Item, Payload, text_of, whole, within, words
from sessionbrowser.sources.codex.state import State
from sessionbrowser.sources.codex.talk import settle
from sessionbrowser.text import for_eyes, one_line


def call(state: State, item: Item, place: Place) -> None:
    """A call of the model."""
    settle(state)
    made = calls.call_of(item.kind, item.payload)
    id = made.id
    if not id and item.kind not in calls.SELF_CONTAINED:
        id = f"#{place.start}"
        state.nameless.append(id)
    block = _block(state, made._replace(id=id), item, place)
    if item.kind in calls.SELF_CONTAINED:
        failed = words(item.payload, "status") in ("failed", "incomplete")
        block = block._replace(call="", ok=not failed, ended=item.time)
    if block.added or block.removed:
        state.patches.add(id)
    state.builder.call(block)


def _block(state: State, made: Call, item: Item, place: Place) -> Block:
    added, removed = forms.changed_lines(forms.edits(made.name, made.arguments)) if made.what == "edit" else (0, 0)
    return Block(
        "tool", place, 0, calls.title_of(made), made.what, item.time, state.model, key=words(item.payload, "id"),
        name=one_line(made.name, 80), call=made.id, added=added, removed=removed,
    )  # fmt: skip


def result(state: State, item: Item, place: Place) -> None:
    """The output of a call."""
    settle(state)
    outcome = calls.outcome_of(item.payload)
    id = words(item.payload, "call_id")
    if not id and state.nameless:
        id = state.nameless.pop(0)
    known = state.exits.pop(id, None)
    exit_code = outcome.exit_code if outcome.exit_code is not None else known
    ok = outcome.ok and not exit_code
    text = for_eyes(outcome.text)
    state.builder.result(
        id, place, ok=ok, text=text, exit_code=exit_code, outcome=outcome.outcome, ended=item.time,
        subagent=outcome.subagent or None,
    )  # fmt: skip
    if not ok and id in state.patches:
        state.builder.amend(id, added=0, removed=0)
    state.patches.discard(id)
    if outcome.subagent:
        state.child(outcome.subagent, id)


# ── what events tell of calls ──


def command_end(state: State, item: Item, place: Place) -> None:
    """A command has ended: its exit code, which the output does not always tell."""
    payload = item.payload
    if str(payload.get("source")).lower().replace("_", "") == "usershell":
        return
    id = words(payload, "call_id") or words(payload, "id")
    exit_code = whole(payload, "exit_code")
    known = state.builder.called(id)
    if known is None:
        output = for_eyes(words(payload, "aggregated_output") or words(payload, "stdout"))
        made = calls.command_call(payload)
        block = _block(state, made, item, place)
        _nested(state, block, item, place, output, not exit_code and _status_is_good(payload), exit_code)
    elif known.ok is None:
        if exit_code is not None:
            state.exits[id] = exit_code
    elif exit_code is not None and known.exit_code is None:
        state.builder.tool_errors += bool(exit_code) and bool(known.ok)
        state.builder.amend(id, exit_code=exit_code, ok=bool(known.ok) and not exit_code)


def patch_end(state: State, item: Item, place: Place) -> None:
    """A patch was applied, or not: the changes with their line numbers."""
    payload = item.payload
    id = words(payload, "call_id") or words(payload, "id")
    good = payload.get("success") is not False and _status_is_good(payload)
    diffs = calls.diffs_of(payload.get("changes"))
    added, removed = forms.changed_lines(diffs) if good else (0, 0)
    known = state.builder.called(id)
    if known is not None:
        changed = known.place._replace(part=f"changes={place.start}:{place.length}")
        state.builder.amend(id, place=changed, added=added, removed=removed, what="edit")
        if not good and known.ok is None:
            state.exits.setdefault(id, 1)
        return
    title = one_line(", ".join(diff.path for diff in diffs), 160)
    block = Block("tool", place, 0, title, "edit", item.time, state.model, name="apply_patch", call=id,
                  added=added, removed=removed)  # fmt: skip
    _nested(state, block, item, place, words(payload, "stdout") or words(payload, "stderr"), good, None)


def mcp_end(state: State, item: Item, place: Place) -> None:
    """A tool of an MCP server has answered."""
    made, good, text = mcp_call(item.payload)
    if plugin := one_line(words(item.payload, "plugin_id"), 80):
        state.saw("call_plugins", plugin)
    known = state.builder.called(made.id)
    if known is None:
        _nested(state, _block(state, made, item, place), item, place, text, good, None)
    elif known.ok and not good:
        state.builder.tool_errors += 1
        state.builder.amend(made.id, ok=False)


def mcp_call(payload: Payload) -> tuple[Call, bool, str]:
    """The call, whether it went well, and the text of its answer."""
    said = within(payload, "invocation") or payload
    arguments = said.get("arguments")
    name = f"mcp__{words(said, 'server')}__{words(said, 'tool')}"
    made = Call(name, "mcp", arguments if isinstance(arguments, dict) else {}, words(payload, "call_id") or words(payload, "id"))
    given = within(payload, "result")
    answer = within(given, "Ok") or given
    good = "Err" not in given and answer.get("isError") is not True and _status_is_good(payload)
    return made, good, for_eyes(words(given, "Err") or text_of(answer.get("content")))


def _nested(state: State, block: Block, item: Item, place: Place, text: str, good: bool, exit_code: int | None) -> None:
    lines = text.rstrip("\n").count("\n") + 1 if text else 0
    state.add_nested(
        block._replace(ok=good, exit_code=exit_code, result=place, size=len(text), lines=lines, ended=item.time)
    )


def _status_is_good(payload: Payload) -> bool:
    return payload.get("status") not in ("failed", "declined", "error", "incomplete")


# ── subagents ──


def spawned(state: State, item: Item, place: Place) -> None:
    """A subagent was started: its id belongs to the call."""
    payload = item.payload
    id = words(payload, "call_id") or words(payload, "id")
    child = words(payload, "new_thread_id")
    receivers = payload.get("receiver_thread_ids")
    if not child and "spawn" in words(payload, "tool").lower() and isinstance(receivers, list) and receivers:
        child = receivers[0] if isinstance(receivers[0], str) else ""
    if child:
        state.builder.amend(id, subagent=child)
        state.child(child, id)


def activity(state: State, item: Item, place: Place) -> None:
    """A subagent of the second kind did something: its first sign leads to the call that started it."""
    child, path = words(item.payload, "agent_thread_id"), words(item.payload, "agent_path")
    if not child or child in state.children:
        return
    call = _starter(state, path.rsplit("/", 1)[-1])
    state.builder.amend(call, subagent=child)
    state.child(child, call)


def _starter(state: State, name: str) -> str:
    """The call that started the subagent called `name`: the one that says so, else the last that led to none so far."""
    waiting = [b for b in state.builder.blocks if b.kind == "tool" and b.name == "spawn_agent" and b.call and not b.subagent]
    said = [block for block in waiting if name and name in block.title]
    return (said or waiting)[-1].call if said or waiting else ""


def plan(state: State, item: Item, place: Place) -> None:
    """A plan proposed to the person."""
    text = words(item.payload, "text")
    block = Block("tool", place, 0, one_line(text.lstrip("# \n").split("\n", 1)[0], 160), "plan", item.time,
                  state.model, name="plan", key=words(item.payload, "id"))  # fmt: skip
    _nested(state, block, item, place, text, True, None)
