"""What is a session and what is not, by names and stat alone."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sessionbrowser.model import Handle, Root, SetAside, Unreadable
from sessionbrowser.sources.claude.slug import belongs, slug

from .log import FOLDER, SESSION, Log, source


def found(home: Path, *, deep: bool = True, **variables: str) -> tuple[dict[str, Handle], dict[str, str]]:
    reading = source(home, **variables)
    handles: dict[str, Handle] = {}
    aside: dict[str, str] = {}
    for root in reading.roots():
        for item in reading.discover(root, deep=deep):
            assert not isinstance(item, Unreadable)
            if isinstance(item, Handle):
                handles[item.id] = item
            else:
                aside[os.path.basename(item.path)] = item.reason
    return handles, aside


def session(home: Path, name: str = SESSION) -> Path:
    log = Log(home, name)
    log.user("hello")
    return log.write()


def test_no_store_is_no_root(home: Path) -> None:
    assert source(home).roots() == []


def test_the_configured_folder_replaces_the_one_in_the_home(home: Path) -> None:
    session(home)
    other = home / "elsewhere"
    (other / "projects").mkdir(parents=True)
    assert [root.path for root in source(home, CLAUDE_CONFIG_DIR=str(other)).roots()] == [str(other)]


def test_the_xdg_place_is_a_root_when_it_has_projects(home: Path) -> None:
    session(home)
    (home / ".config" / "claude" / "projects").mkdir(parents=True)
    assert len(source(home).roots()) == 2


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_one_store_under_two_names_is_one_root(home: Path) -> None:
    session(home)
    (home / ".config").mkdir()
    (home / ".config" / "claude").symlink_to(home / ".claude")
    assert len(source(home).roots()) == 1


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_projects_that_are_links_are_followed_and_a_file_is_listed_once(home: Path) -> None:
    path = session(home)
    (path.parent.parent / "-linked").symlink_to(path.parent)
    handles, aside = found(home)
    assert list(handles) == [SESSION]
    assert "the same file under another name" in aside.values()


@pytest.mark.parametrize("inside", ["", "projects", f"projects/{FOLDER}"])
def test_a_copy_of_a_store_opens_at_any_of_its_levels(home: Path, inside: str) -> None:
    session(home)
    reading = source(home)
    root = reading.root_at(str(home / ".claude" / inside), "copy")
    assert root is not None
    assert [item.id for item in reading.discover(root) if isinstance(item, Handle)] == [SESSION]
    assert (root.live, root.label) == (False, "copy")


def test_another_folder_is_no_root(home: Path) -> None:
    (home / "pictures").mkdir()
    assert source(home).root_at(str(home / "pictures"), "x") is None
    assert source(home).root_at(str(home / "nowhere"), "x") is None


def test_names_that_are_no_uuid_are_sessions_too(home: Path) -> None:
    session(home, "notes-from-ada")
    assert "notes-from-ada" in found(home)[0]


def test_subagents_of_all_generations_belong_to_their_session(home: Path) -> None:
    path = session(home)
    below = path.with_suffix("") / "subagents"
    (below / "workflows" / "run1").mkdir(parents=True)
    for name in ("agent-a1b2c3d", "workflows/run1/agent-w1"):
        (below / f"{name}.jsonl").write_text("{}\n")
    (path.parent / "agent-3f9a10cc.jsonl").write_text("{}\n")
    handles, _ = found(home)
    hidden = {name: (handle.hidden, handle.parent) for name, handle in handles.items()}
    assert hidden == {
        SESSION: ("", ""), "agent-a1b2c3d": ("subagent", SESSION), "agent-w1": ("subagent", SESSION), "agent-3f9a10cc": ("subagent", ""),
    }  # fmt: skip


def test_without_depth_the_folders_of_sessions_are_not_entered(home: Path) -> None:
    path = session(home)
    below = path.with_suffix("") / "subagents"
    below.mkdir(parents=True)
    (below / "agent-a1.jsonl").write_text("{}\n")
    assert list(found(home, deep=False)[0]) == [SESSION]
    handle = found(home)[0][SESSION]
    assert str(below) in source(home).folders(handle)


def test_internal_forks_are_hidden_as_such(home: Path) -> None:
    path = session(home)
    below = path.with_suffix("") / "subagents"
    below.mkdir(parents=True)
    (below / "agent-acompact-abc123.jsonl").write_text("{}\n")
    assert found(home)[0]["agent-acompact-abc123"].hidden == "internal"


def test_what_is_no_session_is_set_aside_with_its_reason(home: Path) -> None:
    path = session(home)
    run = path.with_suffix("") / "subagents" / "workflows" / "run1"
    run.mkdir(parents=True)
    (run / "journal.jsonl").write_text("{}\n")
    (path.parent / "11111111-1111-4111-8111-111111111111" / "tool-results").mkdir(parents=True)
    (path.parent / "memory").mkdir()
    (path.parent.parent / "stray.jsonl").write_text("{}\n")
    assert found(home)[1] == {
        "journal.jsonl": "workflow journal",
        "11111111-1111-4111-8111-111111111111": "folder without its session",
        "stray.jsonl": "outside a project folder",
    }


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes there")
def test_a_pipe_named_like_a_session_is_set_aside(home: Path) -> None:
    path = session(home)
    os.mkfifo(path.parent / "pipe.jsonl")
    assert found(home)[1]["pipe.jsonl"] == "not a regular file"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="every folder can be read")
def test_an_unreadable_project_is_one_line(home: Path) -> None:
    path = session(home)
    path.parent.chmod(0)
    try:
        items = list(source(home).discover(source(home).roots()[0]))
    finally:
        path.parent.chmod(0o700)
    assert [item.reason for item in items if isinstance(item, Unreadable)] == ["permission denied"]


def test_a_root_that_went_away_is_one_line(home: Path) -> None:
    items = list(source(home).discover(Root("claude", str(home / "gone"))))
    assert [type(item) for item in items] == [Unreadable]
    assert not any(isinstance(item, SetAside) for item in items)


def test_an_archived_session_says_so_and_changes_when_that_changes(home: Path) -> None:
    path = session(home)
    before = found(home)[0][SESSION]
    flag = path.with_suffix("") / "archived.json"
    flag.parent.mkdir()
    flag.write_text(json.dumps({"archived": True}))
    os.utime(flag, (4e9, 4e9))
    after = found(home)[0][SESSION]
    assert (before.hidden, after.hidden) == ("", "archived")
    assert after.mtime_ns != before.mtime_ns


@pytest.mark.parametrize(("settings", "days"), [(None, 30), ({"cleanupPeriodDays": 90}, 90), ({"cleanupPeriodDays": "x"}, 30), ({}, 30)])
def test_retention_comes_from_the_settings(home: Path, settings: dict[str, object] | None, days: int) -> None:
    session(home)
    if settings is not None:
        (home / ".claude" / "settings.json").write_text(json.dumps(settings))
    reading = source(home)
    assert reading.retention(reading.roots()[0])[0] == days


def test_a_copy_of_a_store_deletes_nothing(home: Path) -> None:
    session(home)
    assert source(home).retention(Root("claude", str(home / ".claude"), "copy", live=False)) == (None, "")


# ── the names of project folders ──


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/home/ada/src/api", "-home-ada-src-api"),
        ("/srv/pröj é.v1/日本 x", "-srv-pr-j---v1----x"),
        ("/tmp/🎉", "-tmp---"),
        ("C:\\Users\\a b", "C--Users-a-b"),
    ],
)
def test_a_folder_name_is_a_dash_for_every_unit_that_is_not_alphanumeric(path: str, name: str) -> None:
    assert slug(path) == name
    assert belongs(path, name)


def test_a_long_name_is_cut_and_told_apart_by_any_hash() -> None:
    path = "/" + "a" * 300
    assert slug(path).startswith("-" + "a" * 199 + "-")
    assert belongs(path, "-" + "a" * 199 + "-anotherhash")
    assert not belongs(path, "-" + "a" * 198)


def test_a_prefix_is_not_the_folder() -> None:
    assert not belongs("/w/foo", "-w-foobar")


def test_a_directory_is_found_however_its_accents_are_spelled() -> None:
    """Some file systems take a letter and its accent apart."""
    assert slug("/home/ada/cafe\u0301") == slug("/home/ada/caf\u00e9") == "-home-ada-caf-"
