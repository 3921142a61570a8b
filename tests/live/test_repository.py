"""Worktrees of one repository belong together, as git's own files say."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from sessionbrowser.library import repository
from sessionbrowser.paths import Environment
from sessionbrowser.tui.scope import scopes
from sessionbrowser.tui.store import Scope

GIT = shutil.which("git")


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A repository `main` with a linked worktree `linked` beside it, made by git."""
    if GIT is None:
        pytest.skip("git is not installed")
    main = tmp_path / "main"
    author = ["-c", "user.name=ada", "-c", "user.email=ada@example.org"]
    for arguments in (["init", "-q", str(main)], ["-C", str(main), *author, "commit", "-q", "--allow-empty", "-m", "begin"],
                      ["-C", str(main), "worktree", "add", "-q", "-b", "fix", str(tmp_path / "linked")]):  # fmt: skip
        subprocess.run([GIT, *arguments], check=True, capture_output=True)
    repository.home_of.cache_clear()
    return main


def test_a_linked_worktree_belongs_to_its_repository(made: Path, tmp_path: Path) -> None:
    """From either, the same folders."""
    linked = tmp_path / "linked"
    assert repository.folders_of(str(linked / "src")) == (str(linked), str(made))
    assert repository.folders_of(str(made)) == (str(made), str(linked))


def test_both_have_one_home(made: Path, tmp_path: Path) -> None:
    """By which they are grouped."""
    assert repository.home_of(str(tmp_path / "linked")) == repository.home_of(str(made)) == str(made)


def test_a_worktree_that_is_gone_below_its_repository(made: Path) -> None:
    """What is left above it decides."""
    assert repository.home_of(str(made / ".claude" / "worktrees" / "gone")) == str(made)


def test_outside_of_a_repository(tmp_path: Path) -> None:
    """A directory is by itself."""
    assert repository.folders_of(str(tmp_path / "notes")) == (str(tmp_path / "notes"),)
    assert repository.home_of(str(tmp_path / "notes")) == str(tmp_path / "notes")


def test_a_bare_repository_with_worktrees(tmp_path: Path) -> None:
    """The home is the bare repository's folder."""
    common = tmp_path / "api.git"
    (common / "worktrees" / "fix").mkdir(parents=True)
    linked = tmp_path / "fix"
    linked.mkdir()
    (linked / ".git").write_text(f"gitdir: {common}/worktrees/fix\n")
    (common / "worktrees" / "fix" / "gitdir").write_text(f"{linked}/.git\n")
    (common / "worktrees" / "fix" / "commondir").write_text("../..\n")
    repository.home_of.cache_clear()
    assert repository.folders_of(str(linked)) == (str(linked), str(common))


def test_a_damaged_marker_is_no_error(tmp_path: Path) -> None:
    """The worktree alone is left."""
    (tmp_path / ".git").write_bytes(b"\xff\x00 nonsense")
    assert repository.folders_of(str(tmp_path)) == (str(tmp_path),)


def test_here_is_the_repository_with_its_worktrees(made: Path, tmp_path: Path) -> None:
    """What one key goes round."""
    env = Environment(str(tmp_path), {}, str(tmp_path / "linked"), "linux")
    everything, here, folder = scopes(env)
    linked = str(tmp_path / "linked")
    assert (everything.folders, here.folders, folder.folders) == ((), (linked, str(made)), (linked,))
    assert here.project == "main"


def test_a_session_of_a_removed_worktree_is_still_of_its_repository() -> None:
    """Its own records say where the worktree was made from."""
    from sessionbrowser.model import Session

    session = Session("a", "claude", "/a", cwd="/elsewhere/gone", facts={"original_raw": "/src/api/sub"})
    assert Scope("in this repository", ("/src/api",)).holds(session)
    assert not Scope("in this repository", ("/src/web",)).holds(session)
