"""`sb resume` whatever happened: by title, while it is open elsewhere, in tmux, without its program."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sessionbrowser.model import Resume, Session
from sessionbrowser.panes import Pane
from sessionbrowser.paths import Environment
from sessionbrowser.resume import Way
from sessionbrowser.tui.dialogs.resume import plans, resume_menu

from .test_list_watch import ID, OTHER, TMUX, variables, write

RESUME = Resume(("claude", "--resume", ID), "/srv/api")
ENV = Environment("/home/ada", {"SHELL": "/bin/bash"}, "/home/ada", "linux")


def sb(home: Path, *arguments: str, **more: str) -> tuple[int, str, str]:
    done = subprocess.run([sys.executable, "-m", "sessionbrowser", "resume", *arguments], capture_output=True, env=variables(home) | more)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def register(home: Path, id: str = ID) -> None:
    """Say that this process has the session open."""
    folder = home / ".claude" / "sessions"
    folder.mkdir()
    (folder / f"{os.getpid()}.json").write_text(json.dumps({"pid": os.getpid(), "sessionId": id, "status": "busy"}))


def in_folder(home: Path, path: Path) -> None:
    """Let the session have run in a directory that is there."""
    path.write_text(path.read_text().replace("/srv/api", str(home)))


@pytest.mark.parametrize("name", ["fix the flaky login", "FIX THE FLAKY LOGIN", "flaky"])
def test_a_title_or_a_part_of_it_names_a_session(home: Path, name: str) -> None:
    """Where no id begins with it; the id is said."""
    in_folder(home, write(home, ID, "fix the flaky login"))
    code, out, err = sb(home, name, "--print")
    assert (code, out.split(" && ")[1]) == (0, f"claude --resume {ID}\n")
    assert ID in err


def test_a_whole_title_before_a_part_of_another(home: Path) -> None:
    """The more exact one is meant."""
    in_folder(home, write(home, ID, "fix login"))
    write(home, OTHER, "fix login and more")
    assert ID in sb(home, "fix login", "--print")[1]


def test_a_part_of_two_titles_is_not_enough(home: Path) -> None:
    """Both are named."""
    write(home, ID, "fix login one")
    write(home, OTHER, "fix login two")
    code, out, err = sb(home, "fix login", "--print")
    assert (code, out) == (2, "")
    assert ID in err
    assert OTHER in err


def test_a_session_that_is_open_elsewhere_is_not_opened_a_second_time(home: Path) -> None:
    """Two writers damage its file; what can be done instead is said."""
    in_folder(home, write(home))
    register(home)
    code, _, err = sb(home, ID)
    assert code == 2
    assert f"open elsewhere (process {os.getpid()})" in err
    assert "--fork" in err


@pytest.fixture
def tmux(tmp_path: Path) -> list[str]:
    """A tmux server of its own; skipped where there is none."""
    if TMUX is None:
        pytest.skip("tmux is not installed")
    return [TMUX, "-S", str(tmp_path / "tmux"), "-f", "/dev/null"]


def test_in_a_new_window_of_tmux(home: Path, tmp_path: Path, tmux: list[str]) -> None:
    """The agent runs there, in its directory, although a name in it would be run by tmux."""
    folder = home / "#(touch hit) src"
    folder.mkdir()
    path = write(home)
    path.write_text(path.read_text().replace("/srv/api", str(folder)))
    stub = tmp_path / "bin" / "claude"
    stub.parent.mkdir()
    stub.write_text(f"#!/bin/sh\n{{ pwd -P; printf '%s\\n' \"$@\"; }} > '{tmp_path}/said'\n")
    stub.chmod(0o755)
    more = {"PATH": f"{stub.parent}:{os.environ['PATH']}", "TMUX": f"{tmp_path}/tmux,1,0"}
    subprocess.run([*tmux, "new-session", "-d", "sleep", "60"], check=True, env=variables(home) | {"PATH": more["PATH"]})
    try:
        assert sb(home, ID, "--tmux", **more)[:2] == (0, "")
        end = time.monotonic() + 10
        while not ((tmp_path / "said").exists() and (tmp_path / "said").read_text()) and time.monotonic() < end:
            time.sleep(0.05)
        assert (tmp_path / "said").read_text().split("\n")[:3] == [str(folder), "--resume", ID]
        assert not list(tmp_path.rglob("hit"))
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)


def test_tmux_outside_of_tmux_is_refused(home: Path) -> None:
    """With the reason."""
    in_folder(home, write(home))
    code, _, err = sb(home, ID, "--tmux")
    assert (code, err.splitlines()[-1]) == (2, "sb: --tmux opens a window of the tmux it is run in, and this is none")


# ── the dialog ──


def session(**changes: object) -> Session:
    return Session(ID, "claude", "/a.jsonl", title="Fix it", cwd="/srv/api")._replace(**changes)  # type: ignore[arg-type]


def test_each_way_around_a_missing_directory_is_shown_as_its_command() -> None:
    """What a person chooses is what runs."""
    again = ("git", "-C", "/src/api", "worktree", "add", "--", "/srv/api", "fix")
    around = [Way("recreate the worktree from fix", "/srv/api", (again,)), Way("the repository", "/src/api")]
    made = plans(RESUME, {}, around, ENV, fork=False, gone=True)
    assert [(plan.key, plan.detail) for plan in made[:2]] == [
        ("1", f"git -C /src/api worktree add -- /srv/api fix && cd /srv/api && claude --resume {ID}"),
        ("2", f"cd /src/api && claude --resume {ID}"),
    ]


def test_without_the_program_only_its_command_can_be_copied() -> None:
    """And which program is missing is said."""
    made = plans(RESUME, {}, [], ENV, fork=False, installed=False)
    menu = resume_menu(session(), RESUME, made, ENV, gone=False, installed=False)
    assert [plan.name for plan in made] == ["copy"]
    assert ("claude is not installed (it is not on PATH)", "bad") in menu.said


def test_without_program_and_directory_the_command_can_be_copied_for_places_that_are_there() -> None:
    """As it is printed for other agents; nothing is run."""
    made = plans(RESUME, {}, [Way("the nearest folder that is left, /srv", "/srv")], ENV, fork=False, gone=True, installed=False)
    assert [(plan.name, plan.copied, plan.detail) for plan in made] == [
        ("way1", True, f"cd /srv && claude --resume {ID}"), ("copy", True, "as recorded: works once that is back")]  # fmt: skip


def test_what_would_fail_is_not_offered() -> None:
    """No directory, and no other one either: the command as recorded is all there is."""
    made = plans(RESUME, {"fork": RESUME._replace(argv=("claude", "--fork"))}, [], ENV, fork=False, gone=True)
    assert [plan.name for plan in made] == ["copy"]


def test_approvals_are_skipped_only_when_that_line_is_chosen() -> None:
    """Never first, and marked."""
    skipping = Resume((*RESUME.argv, "--dangerously-skip-permissions"), RESUME.cwd)
    made = plans(RESUME, {"skip": skipping}, [], ENV, fork=False)
    assert [plan.name for plan in made if plan.resume == skipping] == ["skip"]
    assert (made[0].name, made[0].resume) == ("resume", RESUME)
    assert next(plan for plan in made if plan.name == "skip").style == "warn"


def test_a_session_in_a_pane_is_gone_to_first() -> None:
    """Before a second writer."""
    pane = Pane("%3", 1, "work:0.1")
    made = plans(RESUME, {}, [], ENV, fork=False, pane=pane)
    assert (made[0].key, made[0].pane, made[0].detail) == ("g", pane, "tmux pane work:0.1")
    assert all(plan.pane is None for plan in plans(RESUME, {}, [], ENV, fork=True, pane=pane))


def test_an_archived_session_is_unarchived_first() -> None:
    """Shown as the command it is."""
    resume = RESUME._replace(before=(("codex", "unarchive", "x y"),))
    menu = resume_menu(session(archived=True), resume, plans(resume, {}, [], ENV, fork=False), ENV, gone=False)
    assert ("it is archived: codex unarchive 'x y' runs first", "warn") in menu.said


def test_a_fresh_dialog_for_a_directory_that_is_gone(tmp_path: Path) -> None:
    """Where git is, recreating the worktree that is offered really brings it back."""
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed")
    main, gone = tmp_path / "main", tmp_path / "gone"
    author = ["-c", "user.name=ada", "-c", "user.email=ada@example.org"]
    for arguments in (["init", "-q", str(main)], ["-C", str(main), *author, "commit", "-q", "--allow-empty", "-m", "begin"],
                      ["-C", str(main), "worktree", "add", "-q", "-b", "fix", str(gone)]):  # fmt: skip
        subprocess.run([git, *arguments], check=True, capture_output=True)
    shutil.rmtree(gone)
    from sessionbrowser.resume import ways

    found = ways(str(gone), session(cwd=str(gone), branch="fix"), Environment(str(tmp_path), {}, str(tmp_path), "linux"))
    assert found[0].words == "recreate the worktree from fix"
    subprocess.run(found[0].before[0], check=True, capture_output=True)
    assert gone.is_dir()
