"""The same action reads the same, whichever agent called it what."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionbrowser.model import ACTIONS, Checklist, Code, Diff, Fields, Hunk, Plain, Questions
from sessionbrowser.sources import forms

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("name", "action"),
    [("Bash", "shell"), ("run_shell_command", "shell"), ("exec_command", "shell"), ("Read", "read"), ("read_file", "read"),
     ("apply_patch", "edit"), ("MultiEdit", "edit"), ("write_file", "write"), ("Grep", "search"), ("google_web_search", "web"),
     ("TodoWrite", "todo"), ("update_plan", "todo"), ("Task", "agent"), ("AskUserQuestion", "question"),
     ("ExitPlanMode", "plan"), ("Skill", "skill"), ("mcp__github__get_issue", "mcp"), ("frobnicate", "other")],
)  # fmt: skip
def test_names_of_many_agents_sort_into_few_actions(name: str, action: str) -> None:
    assert forms.action(name) == action


@pytest.mark.parametrize(
    ("kind", "arguments", "target"),
    [
        ("shell", {"command": "pytest -q"}, "pytest -q"),
        ("shell", {"command": ["bash", "-lc", "ls | wc"]}, "ls | wc"),
        ("shell", {"cmd": ["git", "commit", "-m", "two words"]}, "git commit -m 'two words'"),
        ("edit", {"file_path": "src/app.py"}, "src/app.py"),
        ("edit", {"input": "*** Begin Patch\n*** Update File: a.py\n*** Add File: b.py\n"}, "a.py, b.py"),
        ("search", {"pattern": "sleep", "path": "tests"}, "sleep in tests"),
        ("todo", {"todos": [{"content": "a", "status": "completed"}, {"content": "b", "status": "in_progress"}]}, "1 of 2 done · b"),
        ("agent", {"subagent_type": "Explore", "description": "find callers"}, "Explore: find callers"),
        ("other", {"a": 1}, '{"a":1}'),
        ("other", {}, ""),
    ],
)
def test_the_argument_that_says_what_it_was_about(kind: str, arguments: dict[str, object], target: str) -> None:
    assert forms.target(kind, arguments) == target


def test_an_edit_becomes_a_diff_with_its_context() -> None:
    diff = forms.diff_of("a.py", "one\ntwo\nthree", "one\n2\nthree")
    assert diff.hunks == (Hunk(1, 1, (" one", "-two", "+2", " three")),)
    assert forms.changed_lines([diff]) == (1, 1)


def test_a_write_is_a_file_created() -> None:
    (diff,) = forms.edits("Write", {"file_path": "n.txt", "content": "a\nb"})
    assert diff.created and forms.changed_lines([diff]) == (2, 0)


def test_a_unified_diff_gives_its_files_and_line_numbers() -> None:
    found = forms.unified("diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -3,2 +3,2 @@ def f():\n-old\n+new\n ctx\n")
    assert found == (Diff("x.py", (Hunk(3, 3, ("-old", "+new", " ctx")),)),)


def test_a_removed_line_that_looks_like_a_header_stays_in_its_hunk() -> None:
    found = forms.unified("--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1 @@\n--- old comment\n select 1\n")
    assert found == (Diff("q.sql", (Hunk(1, 1, ("--- old comment", " select 1")),)),)


def test_a_remark_in_a_diff_is_kept_and_is_no_line() -> None:
    """Wherever it stands, the last line included."""
    remark = "\\ No newline at end of file"
    found = forms.unified(f"--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-old\n{remark}\n+new\n+er\n{remark}\n@@ -9 +10 @@\n-a\n+b\n")
    assert found == (Diff("x", (Hunk(1, 1, ("-old", remark, "+new", "+er", remark)), Hunk(9, 10, ("-a", "+b")))),)
    assert forms.changed_lines(found) == (3, 2)


def test_a_patch_text_gives_every_file_it_names() -> None:
    found = forms.patch("*** Begin Patch\n*** Add File: n.py\n+hi\n*** Update File: o.py\n@@ def f\n-a\n+b\n*** Delete File: d.py\n*** End Patch")
    assert [(d.path, d.created, d.deleted) for d in found] == [("n.py", True, False), ("o.py", False, False), ("d.py", False, True)]


@pytest.mark.parametrize(
    ("name", "arguments", "output", "kinds"),
    [
        ("Bash", {"command": "ls"}, "a\nb", [Code, Plain]),
        ("Edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, "done", [Diff]),
        ("Read", {"file_path": "a.py"}, "content", [Plain]),
        ("TodoWrite", {"todos": [{"content": "x", "status": "pending"}]}, "ok", [Checklist]),
        ("AskUserQuestion", {"questions": [{"question": "Which?", "options": [{"label": "A"}]}]}, "", [Questions]),
        ("mcp__x__y", {"a": 1, "b": "text"}, "out", [Fields, Plain]),
    ],
)
def test_bodies_take_the_form_of_what_was_done(name: str, arguments: dict[str, object], output: str, kinds: list[type]) -> None:
    assert [type(part) for part in forms.tool_body(name, arguments, output).parts] == kinds


def test_a_failed_edit_shows_why() -> None:
    body = forms.tool_body("Edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, "String not found", ok=False)
    assert body.parts[-1] == Plain("String not found", error=True)


def test_answers_stand_with_their_questions() -> None:
    (asked,) = forms.questions({"questions": [{"question": "Which?", "options": ["A", "B"]}]}, {"Which?": "B"})
    assert asked.answers == ("B",)


def test_nothing_hostile_leaves_in_a_body() -> None:
    body = forms.tool_body("Bash\x1b[2J", {"command": "echo \x1b]0;x\x07hi", "\x9bk": "v\x07"}, "\x1b[31mred\x1b[2J")
    assert "\x1b" not in repr(body.parts) + repr(body.input) and body.text == "red"


@given(st.text(max_size=20), st.dictionaries(st.text(max_size=12), JSON, max_size=5), st.text(max_size=40))
@settings(deadline=None, max_examples=150)
def test_no_tool_call_raises_whatever_its_arguments(name: str, arguments: dict[str, object], output: str) -> None:
    assert forms.action(name) in ACTIONS
    forms.tool_body(name, arguments, output)


@given(st.sampled_from(sorted(ACTIONS)), st.dictionaries(st.sampled_from(["todos", "plan", "questions", "edits", "command", "input", "path", "options"]), JSON, max_size=4))
@settings(deadline=None, max_examples=150)
def test_no_target_raises_when_arguments_have_the_wrong_types(kind: str, arguments: dict[str, object]) -> None:
    assert "\n" not in forms.target(kind, arguments)
