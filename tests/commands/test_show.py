"""`sb show`: one session, one view of it, in one of four forms."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sessionbrowser.export.views import VIEWS, BadRange, turn_range
from sessionbrowser.paths import Environment

LOGIN = "e2e674a8"  # an agent is running in it, a test failed in it
RETRIES = "f584bf9b"  # something was rewound in it

ACTIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(autouse=True)
def _home(demo_home: Path) -> None:
    """The invented sessions."""


def test_a_session_is_printed_as_text(sb) -> None:
    """Title, prompts with their numbers, answers, calls with their output."""
    ran = sb("show", LOGIN)
    assert ran.code == 0
    assert ran.out.startswith("Fix the flaky login test\n")
    assert "1   You" in ran.out and "AssertionError: assert None == 'ada'" in ran.out


def test_text_that_is_piped_has_no_escapes(sb) -> None:
    """Nor trailing blanks."""
    lines = sb("show", LOGIN).out.split("\n")
    assert not any(ACTIVE.search(line) or line != line.rstrip() for line in lines)


def test_colours_can_be_asked_for(sb) -> None:
    """SGR and nothing else."""
    out = sb("show", LOGIN, "--color", "always").out
    assert "\x1b[" in out and not ACTIVE.search(re.sub("\x1b\\[[0-9;]*m", "", out))


def test_an_unknown_id_is_one_line_and_exit_1(sb) -> None:
    """Nothing on standard output."""
    ran = sb("show", "zzzz")
    assert (ran.code, ran.out) == (1, "") and ran.err.startswith("sb: ") and ran.err.count("\n") == 1


def test_the_json_is_what_the_contract_says(sb) -> None:
    """Schema, session, turns with a prompt and blocks."""
    found = sb("show", LOGIN, "--format", "json").json()
    assert found["schema"] == 1 and found["session"]["id"].startswith(LOGIN)
    first = found["turns"][0]
    assert first["prompt"] == {
        "kind": "typed", "via": "row", "text": "make the login test deterministic", "time": "2026-05-14T14:02:05Z",
    }  # fmt: skip
    bash = next(block for block in first["blocks"] if block.get("name") == "Bash")
    assert bash["kind"] == "tool" and bash["ok"] is False and bash["exit_code"] == 1
    assert bash["input"]["command"].startswith("pytest") and "FAILURES" in bash["output"]


def test_an_open_call_has_neither_output_nor_verdict(sb) -> None:
    """Both are null."""
    found = sb("show", LOGIN, "--format", "json").json()
    call = found["turns"][-1]["blocks"][-1]
    assert call["ok"] is None and call["output"] is None


def test_a_call_under_way_runs_as_its_header_says(sb, env: Environment, demo_home: Path) -> None:
    """With its age, in full and in a skeleton, and in the picker's preview."""
    assert "general-purpose: write the fix  running 3m" in sb("show", LOGIN, "--last", "1").out
    assert sb("show", LOGIN, "--view", "skeleton").out.endswith("Agent general-purpose: write the fix -> running\n")
    from sessionbrowser.commands.pick_screen import preview
    from sessionbrowser.library import Library
    from sessionbrowser.render.glyphs import UNICODE

    library = Library(env._replace(home=str(demo_home), clock=1778770800.0))
    (found,) = library.find(LOGIN)
    assert any("running 3m" in row.text for row in preview(library, UNICODE, found, 80, 40))


def test_a_call_names_the_subagent_it_started(sb) -> None:
    """By its id."""
    found = sb("show", LOGIN, "--format", "json").json()
    assert any(block.get("subagent") for turn in found["turns"] for block in turn["blocks"])


def test_rewound_branches_are_in_the_json(sb) -> None:
    """With the number of their branch."""
    found = sb("show", RETRIES, "--format", "json").json()
    marked = [turn for turn in found["turns"] if turn["prompt"] and turn["prompt"].get("branch")]
    assert [turn["prompt"]["text"] for turn in marked] == ["five times, for everything"]


def test_json_costs_no_screen(env: Environment, demo_home: Path) -> None:
    """Neither Rich nor Textual is imported for it."""
    code = (
        "import sys; from sessionbrowser.cli import run\n"
        f"code = run(['show', '{LOGIN}', '--format', 'json'])\n"
        "print('\\n' + ' '.join(m for m in ('rich', 'textual', 'markdown_it', 'pygments', 'asyncio') if m in sys.modules), file=sys.stderr)\n"
        "sys.exit(code)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"HOME": str(demo_home), "PATH": ""}, check=True)
    assert ran.stderr.strip() == "" and json.loads(ran.stdout)["schema"] == 1


@pytest.mark.parametrize(
    ("view", "kinds"),
    [("prompts", set()), ("conversation", {"text"}), ("tools", {"tool"}), ("errors", {"tool"}), ("final", {"text"}), ("skeleton", {"text", "tool"})],
)
def test_a_view_keeps_what_its_name_says(sb, view: str, kinds: set[str]) -> None:
    """And nothing else."""
    found = sb("show", LOGIN, "--format", "json", "--view", view).json()
    assert {block["kind"] for turn in found["turns"] for block in turn["blocks"]} == kinds


def test_the_view_of_errors_holds_failed_calls_only(sb) -> None:
    """With the beginning of why."""
    found = sb("show", LOGIN, "--format", "json", "--view", "errors").json()
    assert [block["name"] for turn in found["turns"] for block in turn["blocks"]] == ["Bash"]


def test_the_view_of_files_counts_what_was_done_to_each(sb) -> None:
    """Read, edited, created, and by how many lines."""
    files = sb("show", LOGIN, "--format", "json", "--view", "files").json()["files"]
    assert files == [{"path": "tests/test_login.py", "read": 1, "edited": 1, "created": 0, "added": 2, "removed": 2}]


def test_the_brief_is_six_lines(sb) -> None:
    """Labelled."""
    lines = sb("show", LOGIN, "--view", "brief").out.strip().split("\n")
    assert [line.split()[0] for line in lines] == ["session", "intent", "answer", "edits", "tools", "subagents"]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_every_view_has_every_form(sb, view: str, form: str) -> None:
    """None is refused; one that the session has nothing for says so."""
    ran = sb("show", LOGIN, "--view", view, "--format", form)
    if view == "before-compaction":
        assert (ran.code, ran.err) == (1, "sb: this session was never compacted\n")
    elif view in ("advisor", "special"):
        assert ran.code == 1 and (ran.out.strip() or "the session holds no" in ran.err)
    else:
        assert ran.code == 0 and ran.out.strip()


def test_a_page_of_html_can_be_had(sb) -> None:
    """Of every view."""
    for view in ("full", "conversation", "skeleton", "errors", "brief", "files", "environment"):
        ran = sb("show", LOGIN, "--format", "html", "--view", view)
        assert ran.code == 0 and "<html" in ran.out and ran.out.endswith("</html>\n")


def test_turns_can_be_chosen(sb) -> None:
    """By range, or counted from the end."""
    only = sb("show", LOGIN, "--turns", "2..2", "--view", "prompts").out
    last = sb("show", LOGIN, "--last", "1", "--view", "prompts").out
    assert "check who else" in only and "deterministic" not in only
    assert "refresh itself" in last and "check who" not in last


def test_turns_can_be_counted_from_the_end(sb) -> None:
    """As the help says it; a range that begins with a minus is no option."""
    last = sb("show", LOGIN, "--last", "2", "--view", "prompts")
    assert last.out.count("\n") > 1
    for words in (("--turns", "-2.."), ("--turns=-2..",)):
        ran = sb("show", LOGIN, *words, "--view", "prompts")
        assert (ran.code, ran.out) == (0, last.out)
    assert sb("show", LOGIN, "--turns", "--view", "prompts").code == 2


def test_turns_that_are_not_there_are_exit_1(sb) -> None:
    """And say so."""
    assert sb("show", LOGIN, "--turns", "90..").code == 1


@pytest.mark.parametrize(
    ("text", "want"), [("3..5", (3, 5)), ("3..", (3, 9)), ("..5", (1, 5)), ("7", (7, 7)), ("-2..", (8, 9)), ("-1", (9, 9))]
)
def test_ranges_of_turns(text: str, want: tuple[int, int]) -> None:
    """As `--help` says."""
    assert turn_range(text, 9) == want


@pytest.mark.parametrize("text", ["", "..", "a", "1-3", "3...5"])
def test_ranges_that_are_none(text: str) -> None:
    """They are refused in one line."""
    with pytest.raises(BadRange):
        turn_range(text, 9)


def test_markdown_quotes_prompts_and_fences_code(sb) -> None:
    """And marks what was rewound."""
    out = sb("show", RETRIES, "--format", "markdown").out
    assert "## 2. You (rewound)" in out and "> five times, for everything" in out and "```diff" in out


def test_as_a_preview_it_is_the_newest_turns_within_the_width(sb, env: Environment, home: Path) -> None:
    """Inside fzf nothing need be asked for."""
    inside = env._replace(variables={**env.variables, "FZF_PREVIEW_COLUMNS": "40", "FZF_PREVIEW_LINES": "12"})
    out = re.sub("\x1b\\[[0-9;]*m", "", sb("show", LOGIN, env=inside).out)
    assert "refresh itself" in out and "deterministic" not in out
    assert max(map(len, out.split("\n"))) <= 40


def test_the_width_can_be_given(sb) -> None:
    """Whatever the terminal's is."""
    assert max(map(len, sb("show", LOGIN, "--width", "50").out.split("\n"))) <= 50


def test_signs_of_ascii_can_be_asked_for(sb) -> None:
    """For the frame; text stays what it is."""
    out = sb("show", LOGIN, "--ascii", "--view", "skeleton").out
    assert "Grep sleep" in out and not set("▸▍×→·") & set(out)


def test_a_file_of_no_store_is_recognised(sb, home: Path, tmp_path: Path) -> None:
    """By what is in it."""
    source = next(home.glob(f".claude/projects/*/{LOGIN}*.jsonl"))
    copy = tmp_path / "elsewhere.jsonl"
    copy.write_bytes(source.read_bytes())
    found = sb("show", str(copy), "--format", "json").json()
    assert found["session"]["source"] == "claude" and found["session"]["resume"] is None
    assert found["turns"][0]["prompt"]["text"] == "make the login test deterministic"


def test_a_record_can_be_pasted(sb, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written over several lines, as an editor shows it."""
    record = {"type": "user", "uuid": "a", "parentUuid": None, "sessionId": "s", "isSidechain": False, "timestamp": "2026-05-01T10:00:00Z",
              "message": {"role": "user", "content": "pasted prompt"}}  # fmt: skip
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(record, indent=2).encode())))
    assert "pasted prompt" in sb("show", "-").out


def test_a_file_that_is_no_session_is_refused(sb, tmp_path: Path) -> None:
    """In one line, exit 2."""
    stray = tmp_path / "notes.md"
    stray.write_text("nothing of the kind\n")
    ran = sb("show", str(stray))
    assert ran.code == 2 and "holds no session" in ran.err


def test_nothing_in_a_session_reaches_the_terminal(sb, write) -> None:
    """Escapes in prompts and answers, entities included."""
    evil = "\x1b]52;c;aGk=\x07\x1b[2J\u202eabc\x9b31m &#x1b;[31m `\x1b[1m`"
    write("33333333-3333-4333-8333-333333333333", prompt=evil, answer=f"# {evil}\n\n{evil}")
    for form in ("text", "markdown", "json", "html"):
        out = sb("show", "33333333", "--format", form).out
        assert not ACTIVE.search(out), form
