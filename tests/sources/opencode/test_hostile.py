"""Whatever stands in a store, reading it ends, and what comes of it is fit for eyes."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessionbrowser.paths import Environment
from sessionbrowser.sources.base import SourceError
from sessionbrowser.sources.opencode import messages
from sessionbrowser.text import for_eyes

from .stores import data_home, handles, source, user, write_database, write_tree

NAMES = st.sampled_from(["type", "text", "state", "tool", "input", "output", "metadata", "exit", "time", "start", "files", "id",
                         "diff", "error", "name", "data", "message", "mime", "url", "synthetic", "callID", "tokens", "cache", "attempt"])  # fmt: skip
WORDS = st.sampled_from(["text", "reasoning", "tool", "file", "compaction", "retry", "subtask", "completed", "error", "\x1b[31m", "ses_x", "\ud800"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=20,
)
MODEST = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@MODEST
@given(role=st.sampled_from(["user", "assistant", "other"]), info=st.dictionaries(NAMES, VALUES, max_size=5), parts=st.lists(VALUES, max_size=5))
def test_no_message_breaks_the_reader(role: str, info: dict[str, object], parts: list[object]) -> None:
    """Any JSON in place of messages and parts."""
    list(messages.pieces({"id": "m", "info": {**info, "role": role}, "parts": parts}))


@MODEST
@given(part=st.dictionaries(NAMES, VALUES, max_size=8))
def test_every_block_can_be_opened_and_is_fit_for_eyes(tmp_path: Path, part: dict[str, object]) -> None:
    """A part of any shape, in a store, as a row, an outline, bodies and text to search."""
    home = tmp_path / str(abs(hash(json.dumps(part, default=str))))
    env = Environment(str(home), {}, str(home), "linux", 1778770800.0)
    write_tree(data_home(env), user("x"), {"role": "assistant", "time": {"created": 1}, "parts": [part]})
    made = source(env)
    (handle,) = handles(env)
    row = made.summarise(handle)
    assert for_eyes(row.title) == row.title
    for block in made.outline(handle).blocks:
        body = made.body(handle, block)
        assert for_eyes(block.title + block.name + block.outcome + body.text) == block.title + block.name + block.outcome + body.text
    list(made.passages(handle, tools=True))


@MODEST
@given(data=st.binary(max_size=200))
def test_a_sessions_own_file_of_any_bytes_is_a_reason(tmp_path: Path, data: bytes) -> None:
    """It is read, or it is an error of one line."""
    home = tmp_path / data.hex()[:40]
    env = Environment(str(home), {}, str(home), "linux", 1778770800.0)
    own = write_tree(data_home(env), user("x"))
    own.write_bytes(data)
    try:
        source(env).summarise(handles(env)[0])
    except SourceError as error:
        assert "\n" not in str(error)


def test_damaged_parts_cost_their_messages_and_no_session(env: Environment) -> None:
    """With the index the program makes, a message finds its parts without the others."""
    path = write_database(data_home(env) / "opencode.db", *(user(f"{n} " + "q" * 3000) for n in range(20)))
    database = sqlite3.connect(path)
    database.executescript("create index part_message_idx on part (message_id); create index message_session_idx on message (session_id, time_created, id);")
    (root,) = database.execute("select rootpage from sqlite_master where name = 'part'").fetchone()
    database.close()
    pages = bytearray(path.read_bytes())
    at = next(at for at in range(4096, len(pages), 4096) if b"11 qqq" in pages[at : at + 4096] and at // 4096 != root - 1)
    pages[at : at + 4096] = b"\xff" * 4096
    path.write_bytes(bytes(pages))
    made = source(env)
    (handle,) = handles(env)
    outline = made.outline(handle)
    assert 17 <= outline.counts.prompts < 20 and len(outline.damage) == 20 - outline.counts.prompts
    assert (made.summarise(handle).hidden, made.summarise(handle).title[:5]) == ("", "0 qqq")


def test_a_session_whose_messages_are_damaged_is_not_empty(env: Environment) -> None:
    path = write_database(data_home(env) / "opencode.db", user("a"), title="Named")
    database = sqlite3.connect(path)
    database.execute("update message set data = '{torn'")
    database.commit()
    database.close()
    (handle,) = handles(env)
    made = source(env).summarise(handle)
    assert (made.title, made.hidden, made.damaged_lines) == ("Named", "", 1)
