"""The registry of running processes is believed only while the process is alive, and is the same one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sessionbrowser.model import Live, Root

from .log import SESSION, source

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


def entry(home: Path, name: str = "1.json", **values: object) -> list[Live]:
    folder = home / ".claude" / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(values))
    return source(home).live(Root("claude", str(home / ".claude")))


def own_start() -> str:
    return Path(f"/proc/{os.getpid()}/stat").read_text().rsplit(")", 1)[1].split()[19]


@pytest.mark.parametrize(
    ("status", "more", "expected"),
    [
        ("busy", {}, ("running", "at work")),
        ("waiting", {"waitingFor": "permission prompt"}, ("waiting", "permission prompt")),
        ("idle", {}, ("open", "at its prompt")),
        ("shell", {}, ("open", "at its prompt, a background shell is running")),
        (None, {}, ("open", "")),
        ("dancing", {}, ("open", "")),
    ],
)
def test_the_registrys_words_become_a_status(home: Path, status: str | None, more: dict[str, object], expected: tuple[str, str]) -> None:
    live = entry(home, pid=os.getpid(), sessionId=SESSION, status=status, **more)
    assert [(item.id, item.status, item.why) for item in live] == [(SESSION, *expected)]


def test_an_entry_left_behind_by_a_crash_says_that_its_process_is_gone(home: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert [item.status for item in entry(home, pid=process.pid, sessionId=SESSION, status="busy")] == ["gone"]


@LINUX
def test_a_process_that_took_over_the_number_does_not_count(home: Path) -> None:
    assert [item.status for item in entry(home, pid=os.getpid(), sessionId=SESSION, procStart=own_start())] == ["open"]
    assert [item.status for item in entry(home, pid=os.getpid(), sessionId=SESSION, procStart="1")] == ["gone"]


@LINUX
@pytest.mark.parametrize("domain", ["linux:another-machine:pid:[1]", "linux::pid:[1]"])
def test_a_process_of_another_container_does_not_count(home: Path, domain: str) -> None:
    assert entry(home, pid=os.getpid(), sessionId=SESSION, pidDomain=domain) == []


def test_the_old_registry_has_its_number_in_the_name(home: Path) -> None:
    live = entry(home, f"pid-{os.getpid()}.json", session_id=SESSION, cwd="/w")
    assert [item.id for item in live] == [SESSION]


@pytest.mark.parametrize("values", [{}, {"pid": "x"}, {"pid": -1, "sessionId": "a"}, {"pid": 2**70, "sessionId": "a"}, {"pid": True, "sessionId": "a"}])
def test_entries_that_make_no_sense_are_passed_over(home: Path, values: dict[str, object]) -> None:
    assert entry(home, "x.json", **values) == []


def test_a_folder_among_the_entries_hides_none_of_them(home: Path) -> None:
    (home / ".claude" / "sessions" / "0.json").mkdir(parents=True)
    assert [item.id for item in entry(home, pid=os.getpid(), sessionId=SESSION)] == [SESSION]


def test_the_newest_of_two_processes_speaks_for_a_session(home: Path) -> None:
    entry(home, "1.json", pid=os.getpid(), sessionId=SESSION, status="idle", statusUpdatedAt=1777000000000)
    live = entry(home, "2.json", pid=os.getpid(), sessionId=SESSION, status="busy", statusUpdatedAt=1777000009000)
    assert [item.status for item in live] == ["running"]


def test_a_process_that_runs_speaks_louder_than_one_that_is_gone(home: Path) -> None:
    entry(home, "1.json", pid=os.getpid(), sessionId=SESSION, status="idle", statusUpdatedAt=1777000000000)
    live = entry(home, "2.json", pid=(1 << 31) - 1, sessionId=SESSION, status="busy", statusUpdatedAt=1777000009000)
    assert [item.status for item in live] == ["open"]


def test_a_copy_of_a_store_runs_nothing(home: Path) -> None:
    entry(home, pid=os.getpid(), sessionId=SESSION)
    assert source(home).live(Root("claude", str(home / ".claude"), "copy", live=False)) == []


# ── background sessions ──


def job(home: Path, state: dict[str, object], **worker: object) -> list[Live]:
    """What is live when the daemon's roster names one worker, whose state file says `state`."""
    folder = home / ".claude" / "jobs" / "5e551011"
    folder.mkdir(parents=True)
    (folder / "state.json").write_text(json.dumps({"sessionId": SESSION, **state}))
    daemon = home / ".claude" / "daemon"
    daemon.mkdir()
    (daemon / "roster.json").write_text(json.dumps({"workers": {"5e551011": {"pid": os.getpid(), "sessionId": SESSION, **worker}}}))
    return source(home).live(Root("claude", str(home / ".claude")))


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({"state": "working", "tempo": "active", "detail": "running the tests"}, ("running", "running the tests")),
        ({"state": "blocked", "needs": "a yes to the plan"}, ("waiting", "a yes to the plan")),
        ({"state": "working", "tempo": "blocked"}, ("waiting", "a background session, blocked")),
        ({"state": "running", "tempo": "idle"}, ("open", "a background session, at rest")),
        ({"state": "done", "tempo": "idle", "detail": "merged"}, ("open", "merged")),
        ({}, ("running", "at work in the background")),
    ],
)
def test_a_background_session_is_what_its_state_file_says(home: Path, state: dict[str, object], expected: tuple[str, str]) -> None:
    assert [(item.id, item.status, item.why) for item in job(home, state)] == [(SESSION, *expected)]


def test_a_background_session_whose_worker_died_is_gone(home: Path) -> None:
    assert [item.status for item in job(home, {"state": "working"}, pid=(1 << 31) - 1)] == ["gone"]


def test_a_background_process_that_speaks_for_itself_knows_best(home: Path) -> None:
    entry(home, pid=os.getpid(), sessionId=SESSION, status="idle")
    assert [item.status for item in job(home, {"state": "working", "updatedAt": "2030-01-01T00:00:00Z"})] == ["open"]


def test_a_state_file_without_a_worker_is_not_believed(home: Path) -> None:
    assert job(home, {"state": "working"}, pid="x") == []


def test_a_roster_cannot_lead_out_of_its_folder(home: Path) -> None:
    (home / "state.json").write_text(json.dumps({"state": "blocked"}))
    daemon = home / ".claude" / "daemon"
    daemon.mkdir(parents=True)
    (daemon / "roster.json").write_text(json.dumps({"workers": {"../..": {"pid": os.getpid(), "sessionId": SESSION}}}))
    assert [item.status for item in source(home).live(Root("claude", str(home / ".claude")))] == ["running"]
