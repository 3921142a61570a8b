"""Subagents under their parent, forks with their history, and the way back."""

from __future__ import annotations

import json

from sessionbrowser.model import ResumeOptions

from .rollout import (
    ID,
    OTHER,
    Record,
    Store,
    assistant,
    call,
    done,
    event,
    item,
    lines,
    meta,
    output,
    said,
    total,
    turn,
    typed,
    user,
)

THIRD = "019e1b77-2222-7333-8444-555566667777"


def spawned(parent: str = ID, **more: str) -> dict[str, object]:
    return {"source": {"subagent": {"thread_spawn": {"parent_thread_id": parent, "depth": 1, "agent_nickname": "Noether", "agent_role": "explorer", **more}}}}


def child(id: str = OTHER, parent: str = ID) -> list[Record]:
    return [meta(id, **spawned(parent)), turn(model="mini"), user("count"), typed("count"), call("exec_command", {"cmd": "ls"}), output("a"), total(10, 0, 5), said("one")]


def test_a_subagent_is_nested_and_hidden(store: Store) -> None:
    """It stands below its parent, with its model, tokens and calls, and not in the list."""
    store.write(meta(), typed("go"), call("spawn_agent", {"message": "count"}), output(json.dumps({"agent_id": OTHER})), said("one"))
    store.write(*child(), id=OTHER)
    row = store.row(OTHER)
    assert (row.hidden, row.parent, row.origin) == ("subagent", ID, "subagent")
    tree = store.source.agents(store.handle())
    node = tree.children[0]
    assert (tree.kind, node.kind, node.id, node.type, node.description) == ("session", "subagent", OTHER, "explorer", "count")
    assert (node.call, node.model, node.tool_calls, node.status) == ("call_1", "mini", 1, "finished")
    assert node.tokens is not None
    assert node.tokens.total == 15


def test_a_subagents_task_is_no_persons_prompt(store: Store) -> None:
    """It is of its own kind and not counted: a counter of user messages says one."""
    store.write(*child(), id=OTHER)
    read = store.outline(OTHER)
    assert (read.counts.prompts, [block.what for block in read.blocks if block.kind == "prompt"]) == (0, ["subagent"])


def test_a_subagent_whose_parent_is_gone_is_shown(store: Store) -> None:
    """Otherwise nobody would ever find it."""
    store.write(*child(parent=THIRD), id=OTHER)
    assert store.row(OTHER).hidden == ""


def test_subagents_that_only_they_themselves_know_of_are_found(store: Store) -> None:
    """The parent's file does not name them; their own first record does."""
    store.write(meta(), typed("go"), said("ok"))
    path = store.write(*child(), id=OTHER)
    assert path.exists()
    assert [node.id for node in store.source.agents(store.handle()).children] == [OTHER]


def test_subagents_of_subagents_and_lost_ones(store: Store) -> None:
    """The tree goes down; an agent without a file stays, and says so."""
    collab = done(type="CollabAgentToolCall", id="call_1", tool="spawn_agent", receiver_thread_ids=[OTHER])
    store.write(meta(), typed("go"), call("spawn_agent", {"message": "count"}), collab, output("{}"), said("one"))
    lost = "019e1b79-9999-7333-8444-555566667777"
    store.write(*child(), call("spawn_agent", {"message": "deeper"}, "call_2"), output(json.dumps({"agent_id": lost}), "call_2"), id=OTHER)
    node = store.source.agents(store.handle()).children[0]
    assert [(below.id, below.description, below.handle) for below in node.children] == [(lost, "its file is gone", None)]


def test_agents_that_name_each_other_end(store: Store) -> None:
    """A circle is no endless tree."""
    store.write(meta(), typed("go"), call("spawn_agent", {}), output(json.dumps({"agent_id": OTHER})))
    store.write(*child(), call("spawn_agent", {}, "call_2"), output(json.dumps({"agent_id": ID}), "call_2"), id=OTHER)
    assert store.source.agents(store.handle()).children[0].children == ()


def test_the_copied_head_of_a_subagent_is_skipped(store: Store) -> None:
    """Records before its own history are the parent's: not shown, not counted, not searched."""
    own = item(type="agent_message", author="/root", content=[{"type": "input_text", "text": "Message Type: NEW_TASK\nPayload:\ncount"}, {"type": "encrypted_content", "encrypted_content": "eA=="}])
    records = [
        meta(OTHER, **spawned(agent_path="/root/scout"), subagent_history_start_ordinal=5), meta(),
        done(type="UserMessage", content=[{"type": "text", "text": "parents words"}]), event(type="turn_aborted", reason="interrupted"),
        done(type="AgentMessage", content=[{"type": "Text", "text": "parents answer"}]), own,
        done(type="AgentMessage", content=[{"type": "Text", "text": "three"}]),
    ]  # fmt: skip
    store.write(*records, id=OTHER, numbered=0)
    read = store.outline(OTHER)
    assert [(block.kind, block.title) for block in read.blocks] == [("prompt", "count"), ("text", "three")]
    assert (read.counts.answers, read.counts.interrupts) == (1, 0)
    assert [passage.text for passage in store.source.passages(store.handle(OTHER))] == ["count", "three"]
    assert store.row(OTHER).title == "count"


def test_a_subagent_of_the_second_kind_finds_its_call(store: Store) -> None:
    """Its first sign of life in the parent names it and its path."""
    started = done(type="SubAgentActivity", kind="started", agent_thread_id=OTHER, agent_path="/root/scout")
    read = store.read(meta(), typed("go"), call("spawn_agent", {"task_name": "scout", "message": "count"}), output("{}"), started)
    assert read.blocks[1].subagent == OTHER


# ── forks ──


def parent(store: Store) -> list[Record]:
    records = [meta(), turn(), user("one"), typed("one"), total(100, 0, 10), said("1"), typed("two"), said("2")]
    store.write(*records)
    return records


def test_a_fork_by_copy_marks_what_it_copied(store: Store) -> None:
    """Records that are the source's, the time aside, are marked; they count in this file; their tokens do not."""
    records = parent(store)[:6]
    store.write(meta(OTHER, forked_from_id=ID), *records, typed("instead"), total(180, 0, 20), said("i"), id=OTHER)
    read = store.outline(OTHER)
    assert [(block.title, block.copied) for block in read.blocks] == [("one", True), ("1", True), ("instead", False), ("i", False)]
    assert (read.counts.prompts, read.counts.answers, read.tokens.total) == (2, 2, 90)
    row = store.row(OTHER)
    assert (row.forked_from, row.tokens, row.facts["own_prompt"]) == (ID, None, True)


def test_a_session_shows_its_forks(store: Store) -> None:
    """They stand beside its subagents, as relatives."""
    records = parent(store)
    store.write(meta(OTHER, forked_from_id=ID), *records, typed("instead"), said("i"), id=OTHER)
    relatives = store.source.agents(store.handle()).children
    assert [(relative.id, relative.kind, relative.status) for relative in relatives] == [(OTHER, "fork", "finished")]
    assert store.source.agents(store.handle(OTHER)).children == ()


def test_a_fork_without_a_prompt_of_its_own_says_so(store: Store) -> None:
    """The list hides it as a duplicate."""
    store.write(meta(OTHER, forked_from_id=ID), *parent(store), id=OTHER)
    assert store.row(OTHER).facts["own_prompt"] is False
    assert all(block.copied for block in store.outline(OTHER).blocks)


def test_a_fork_whose_source_is_gone_goes_by_time(store: Store) -> None:
    """Copies are written at once; what a person does comes later."""
    times = ["09:14:05.100", "09:14:05.101", "09:14:05.102", "09:14:05.103", "09:14:09.000"]
    records = [meta(OTHER, forked_from_id=ID), meta(), typed("one"), said("1"), typed("instead")]
    path = store.write(*records, id=OTHER)
    rows = [{"timestamp": f"2026-05-12T{time}Z", **record} for time, record in zip(times, records, strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [(block.title, block.copied) for block in store.outline(OTHER).blocks] == [("one", True), ("1", True), ("instead", False)]


def paginated(id: str, first: int, *records: Record, **more: object) -> bytes:
    return lines([meta(id, history_mode="paginated", **more), *records], numbered=first)


def words(kind: str, text: str) -> Record:
    return done(type=kind, content=[{"type": "text", "text": text}])


def test_a_fork_by_reference_reads_its_parents_part(store: Store) -> None:
    """The conversation is whole; the parent's part is read from its file, up to where the fork was made, and not counted."""
    kept = paginated(ID, 0, words("UserMessage", "one"), words("AgentMessage", "1"))
    path = store.write()
    path.write_bytes(kept + lines([words("UserMessage", "two")], numbered=3))
    base = {"thread_id": ID, "end_ordinal_exclusive": 3, "end_byte_offset": len(kept)}
    fork = store.write(id=OTHER)
    fork.write_bytes(paginated(OTHER, 3, words("UserMessage", "instead"), words("AgentMessage", "i"), forked_from_id=ID, history_base=base))
    read = store.outline(OTHER)
    assert [(block.title, block.copied, block.turn) for block in read.blocks] == [("one", True, 1), ("1", True, 1), ("instead", False, 2), ("i", False, 2)]
    assert (read.counts.prompts, read.counts.answers) == (1, 1)
    assert store.body(read.blocks[0], OTHER).text == "one"
    more = store.home / "more"
    more.write_bytes(b"")
    fork.write_bytes(fork.read_bytes() + lines([words("UserMessage", "again")], numbered=6))
    again = store.outline(OTHER, read)
    assert (again.restarted, [block.title for block in again.blocks][-1]) == (False, "again")


def test_a_fork_of_a_fork_reads_both(store: Store) -> None:
    """History is joined as far up as it goes."""
    first = paginated(ID, 0, words("UserMessage", "one"))
    store.write().write_bytes(first)
    second = paginated(OTHER, 2, words("UserMessage", "two"), forked_from_id=ID, history_base={"thread_id": ID, "end_byte_offset": len(first)})
    store.write(id=OTHER).write_bytes(second)
    third = paginated(THIRD, 4, words("UserMessage", "three"), forked_from_id=OTHER, history_base={"thread_id": OTHER, "end_byte_offset": len(second)})
    store.write(id=THIRD).write_bytes(third)
    assert [block.title for block in store.outline(THIRD).blocks] == ["one", "two", "three"]


def test_a_fork_whose_parent_is_gone_shows_its_own_part(store: Store) -> None:
    """A missing file costs its part; a circle of references ends."""
    for base in (THIRD, OTHER):
        data = paginated(OTHER, 4, words("UserMessage", "mine"), forked_from_id=base, history_base={"thread_id": base, "end_byte_offset": 9})
        store.write(id=OTHER).write_bytes(data)
        assert [block.title for block in store.outline(OTHER).blocks] == ["mine"]


# ── the way back ──


def test_resume_by_id_in_the_recorded_directory(store: Store) -> None:
    """The command is an argument list; approvals are skipped only when asked."""
    store.write(meta(), typed("go"), said("ok"))
    row = store.row()
    plain = store.source.resume(row, ResumeOptions())
    assert plain is not None
    assert (plain.argv, plain.cwd, plain.before) == (("codex", "resume", ID), "/home/ada/src/api", ())
    daring = store.source.resume(row, ResumeOptions(fork=True, skip_approvals=True))
    assert daring is not None
    assert daring.argv == ("codex", "--dangerously-bypass-approvals-and-sandbox", "fork", ID)


def test_an_archived_session_is_unarchived_first(store: Store) -> None:
    """Codex does not resume from its archive."""
    store.write(meta(), typed("go"), said("ok"), folder="archived_sessions")
    way = store.source.resume(store.row(), ResumeOptions())
    assert way is not None
    assert (way.before, len(way.warnings)) == ((("codex", "unarchive", ID),), 1)


def test_ids_that_could_be_flags_are_never_arguments(store: Store) -> None:
    """An id is checked before it is used."""
    for id in ("--last", "a b", "x;rm -rf ~", ""):
        store.write(meta(), typed("go"), said("ok"))
        assert store.source.resume(store.row()._replace(id=id), ResumeOptions()) is None


def test_copies_of_a_store_are_not_resumed(store: Store) -> None:
    """Codex would look for the session in its own home."""
    store.write(meta(), assistant("ok"), typed("go"))
    assert store.source.resume(store.row()._replace(root="mirror"), ResumeOptions()) is None


def test_resuming_a_subagent_warns(store: Store) -> None:
    """It works, and is not meant to."""
    store.write(*child(), id=OTHER)
    way = store.source.resume(store.row(OTHER), ResumeOptions())
    assert way is not None
    assert "subagent" in way.warnings[0]
