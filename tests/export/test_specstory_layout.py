"""SpecStory's layout and file names: slugs, headers, blocks that read back, and files of other sessions left alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionbrowser.export import specstory
from sessionbrowser.model import Block, Body, Code, Diff, Hunk, Place, Plain, Prose, Session, Usage
from sessionbrowser.sources import specstory_text

SESSION = Session("1f2e3d4c-0000-4000-8000-000000000000", "codex", "/x", title="Fix it", created=1778767325.4, tokens=Usage())
AT = 1778767325.0  # 2026-05-14 14:02:05 UTC


def prompt(turn: int, title: str = "", what: str = "typed") -> Block:
    return Block("prompt", Place(turn * 100), turn, title, what, AT)


def text(turn: int, start: int) -> Block:
    return Block("text", Place(start), turn, "", "", AT, "gpt-5.2")


def tool(turn: int, start: int, what: str = "shell", ok: bool = True, **more: object) -> Block:
    return Block("tool", Place(start), turn, "ls", what, AT, "gpt-5.2", name="Bash", ok=ok, call="c", **more)  # type: ignore[arg-type]


def written(blocks: list[Block], bodies: dict[int, Body] | None = None, default: str = "words") -> str:
    """The file, with bodies by place."""
    known = bodies or {}
    return "".join(specstory.document(SESSION, blocks, lambda block: known.get(block.place.start, Body(default))))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Make the login test deterministic", "make-the-login-test"),
        ("## Fix it now", "fix-it-now"),
        ("#login is broken", "hash-login-is-broken"),
        ("ask @ada & bob", "ask-at-ada-and"),
        ("Crème brûlée für alle", "creme-brulee-fur-alle"),
        ("<ide_opened_file>a.py</ide_opened_file> explain this", "explain-this"),
        ("don't stop", "don-t-stop"),
        ("日本語のテスト", ""),
        ("", ""),
    ],
)
def test_slugs(words: str, expected: str) -> None:
    """Four words of a-z and 0-9, accents off, tags gone, one heading mark gone."""
    assert specstory.slug(words) == expected


def test_the_name_is_made_of_the_time_in_utc_and_the_slug() -> None:
    assert specstory.file_name(SESSION, "fix the login") == "2026-05-14_14-02-05Z-fix-the-login.md"
    assert specstory.file_name(SESSION, "日本語") == "2026-05-14_14-02-05Z.md"


def test_a_session_without_a_time_is_of_the_year_one() -> None:
    assert specstory.file_name(SESSION._replace(created=None), "hi") == "0001-01-01_00-00-00Z-hi.md"


def test_the_preamble() -> None:
    found = specstory_text.preamble(written([prompt(1)]).encode())
    assert (found.agent, found.id, found.title, found.begun) == ("Codex CLI", SESSION.id, "", AT)


def test_one_header_a_record_and_rules_between_roles() -> None:
    out = written([prompt(1), text(1, 1), text(1, 2), prompt(2)])
    assert out.count("_**User (2026-05-14 14:02:05Z)**_") == 2
    assert out.count("_**Agent (gpt-5.2 2026-05-14 14:02:05Z)**_") == 2
    assert out.count("\n---\n") == 2


def test_a_subagents_task_is_a_sidechain() -> None:
    assert "_**User - sidechain (" in written([prompt(1, what="subagent")])


def test_a_command_reads_back(tmp_path: Path) -> None:
    """Command, output, failure and exit code."""
    body = Body("no such file", (Code("ls /x", "bash"), Plain("no such file")))
    out = written([tool(1, 1, ok=False, exit_code=2)], {1: body})
    data = out.encode()
    chunk = next(specstory_text.chunks(data, specstory_text.sections(data)[0]))
    call, result = specstory_text.tool(data[chunk.start : chunk.end].decode())
    assert (call.arguments, result.ok, result.exit_code) == ({"command": "ls /x"}, False, 2)
    assert result.text.startswith("no such file")


def test_an_edit_is_written_as_a_diff() -> None:
    body = Body("", (Diff("a.py", (Hunk(3, 3, (" x", "-y", "+z")),)),))
    assert "```diff\n@@ -3,2 +3,2 @@\n x\n-y\n+z\n```" in written([tool(1, 1, "edit")], {1: body})


def test_fences_are_longer_than_what_they_hold() -> None:
    body = Body("```\nin here\n```", (Plain("```\nin here\n```"),))
    assert "````text\n```\nin here\n```\n````" in written([tool(1, 1, "search")], {1: body})


def test_rewound_branches_are_left_out() -> None:
    assert "**User" not in written([prompt(1)._replace(branch=1)])


def test_notes_and_empty_records_leave_no_bare_header() -> None:
    assert "_**" not in written([text(1, 1), Block("note", Place(2), 1, "x", "hook")], default="")


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from([
    "_**User**_", "_**Agent (m)**_", '<tool-use data-tool-type="shell" data-tool-name="Bash"><details>', "</details></tool-use>", "```", "---",
    "<!-- Claude Code Session other (2026-05-01 10:00Z) -->", "words",
]), min_size=1, max_size=10))  # fmt: skip
def test_a_text_that_looks_like_the_layout_makes_no_turns(lines: list[str]) -> None:
    """In prompts, answers, thinking and output alike."""
    quoted = "\n".join([*lines, "end"])
    bodies = {n: Body(quoted, (Prose(quoted),)) for n in (1, 2, 100)} | {3: Body(quoted, (Code("ls", "bash"), Plain(quoted)))}
    thinking = Block("thinking", Place(2), 1, "", "", AT)
    data = written([prompt(1), text(1, 1), thinking, tool(1, 3), prompt(2)], {**bodies, 200: Body("bye")}).encode()
    sections = specstory_text.sections(data)
    assert [section.role for section in sections].count("User") == 2
    chunks = [chunk.kind for section in sections if section.role == "Agent" for chunk in specstory_text.chunks(data, section)]
    assert chunks.count("tool") == 1
    assert specstory_text.preamble(data).id == SESSION.id


def test_a_file_of_another_session_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    specstory.write(str(path), SESSION, ["<!-- Codex CLI Session other (2026-05-01 10:00:00Z) -->\n"])
    with pytest.raises(specstory.OtherSession, match="belongs to session other"):
        specstory.write(str(path), SESSION, [written([prompt(1)])])
    assert "other" in path.read_text()


def test_the_sessions_own_file_is_brought_up_to_date(tmp_path: Path) -> None:
    """And left alone when it already says the same."""
    path = tmp_path / "history" / "a.md"
    assert specstory.write(str(path), SESSION, [written([prompt(1)])])
    assert not specstory.write(str(path), SESSION, [written([prompt(1)])])
    assert specstory.write(str(path), SESSION, [written([prompt(1), text(1, 1)])])
    assert [entry.name for entry in path.parent.iterdir()] == ["a.md"]


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("precious")
    (tmp_path / "a.md").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(specstory.OtherSession, match="no regular file"):
        specstory.write(str(tmp_path / "a.md"), SESSION, ["x"])
    assert (tmp_path / "elsewhere").read_text() == "precious"


def test_a_failure_halfway_leaves_nothing(tmp_path: Path) -> None:
    def pieces() -> object:
        yield "a"
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        specstory.write(str(tmp_path / "a.md"), SESSION, pieces())  # type: ignore[arg-type]
    assert list(tmp_path.glob("a.md*")) == []
