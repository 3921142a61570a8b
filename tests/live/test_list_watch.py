"""`sb list --watch` and `--panes`, as another program reads them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from threading import Thread

import pytest
from soak.following import answer, prompt

from sessionbrowser import panes
from sessionbrowser.paths import Environment

ID, OTHER = "11111111-2222-4333-8444-555555555555", "66666666-2222-4333-8444-555555555555"
TMUX = shutil.which("tmux")


def write(home: Path, id: str = ID, text: str = "begin") -> Path:
    path = home / ".claude" / "projects" / "-srv-api" / f"{id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(prompt(text, id, "/srv/api", time.time()) + answer("done", id, "/srv/api", time.time()))
    return path


def variables(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


class Watch:
    """`sb list --watch` in a process of its own, its lines as they come."""

    def __init__(self, home: Path, *arguments: str) -> None:
        argv = [sys.executable, "-m", "sessionbrowser", "list", "--watch", *arguments]
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, env=variables(home))
        self._lines: Queue[bytes] = Queue()
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def line(self) -> dict:  # type: ignore[type-arg]
        return json.loads(self._lines.get(timeout=10))

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def watch(home: Path) -> Iterator[Watch]:
    write(home)
    watch = Watch(home)
    assert watch.line() == {"event": "ready", "total": 1}
    yield watch
    watch.close()


def test_what_changes_is_a_line(home: Path, watch: Watch) -> None:
    """Found, changed, gone, each with the session as --json has it."""
    other = write(home, OTHER, "another")
    found = watch.line()
    assert (found["event"], found["session"]["id"], found["session"]["title"]) == ("found", OTHER, "another")
    with open(other, "a") as file:
        file.write(prompt("more", OTHER, "/srv/api", time.time()))
    changed = watch.line()
    assert (changed["event"], changed["was"], changed["session"]["status"]) == ("changed", "finished", "running")
    other.unlink()
    assert watch.line() == {"event": "gone", "id": OTHER, "source": "claude", "path": str(other)}


def test_an_interrupt_ends_it(watch: Watch) -> None:
    """With the status of an interrupted program."""
    watch.process.send_signal(signal.SIGINT)
    assert watch.process.wait(10) == 130


def test_only_what_a_query_finds(home: Path) -> None:
    """The others are silent."""
    write(home)
    watch = Watch(home, "title:another")
    assert watch.line() == {"event": "ready", "total": 0}
    write(home, OTHER, "another")
    assert watch.line()["session"]["id"] == OTHER
    watch.close()


def test_what_is_watched_safely_is_masked(home: Path) -> None:
    """As in every other answer for other programs."""
    write(home)
    watch = Watch(home, "--safe")
    assert watch.line()["event"] == "ready"
    write(home, OTHER, "use ghp_abcdefghijklmnopqrstuvwxyz0123456789 here")
    title = watch.line()["session"]["title"]
    assert title.startswith("use ") and "ghp_abcdef" not in title
    watch.close()


def panes_of(home: Path, **more: str) -> dict:  # type: ignore[type-arg]
    argv = [sys.executable, "-m", "sessionbrowser", "list", "--panes", "--json"]
    return json.loads(subprocess.run(argv, capture_output=True, env=variables(home) | more).stdout)


def test_no_session_runs(home: Path) -> None:
    """Nothing is listed."""
    write(home)
    assert panes_of(home) == {"schema": 1, "panes": []}


def test_a_registered_session_has_its_process_and_state(home: Path) -> None:
    """Busy, waiting or idle."""
    write(home)
    registry = home / ".claude" / "sessions"
    registry.mkdir()
    (registry / f"{os.getpid()}.json").write_text(json.dumps({"pid": os.getpid(), "sessionId": ID, "status": "busy"}))
    (found,) = panes_of(home)["panes"]
    assert (found["pid"], found["state"], found["session"]["id"]) == (os.getpid(), "busy", ID)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc: who writes a file can't be told")
def test_who_writes_a_file_has_its_session_open(home: Path) -> None:
    """For agents without a registry; a reader does not count."""
    path = write(home)
    with open(path):
        assert panes_of(home)["panes"] == []
    with open(path, "a"):
        (found,) = panes_of(home)["panes"]
    assert found["pid"] == os.getpid()


@pytest.mark.skipif(TMUX is None, reason="tmux is not installed")
def test_the_pane_of_a_process_below_the_shell_of_the_pane(home: Path, tmp_path: Path) -> None:
    """Found through its parents."""
    path = write(home)
    socket = str(tmp_path / "tmux")
    server = [str(TMUX), "-S", socket, "-f", "/dev/null"]
    script = f"exec 3>>'{path}'; sleep 60; true"
    subprocess.run([*server, "new-session", "-d", "-s", "work", "sh", "-c", f"sh -c \"{script}\"; true"], check=True, env=variables(home))
    try:
        end = time.monotonic() + 10
        while not panes.writers([str(path)]) and time.monotonic() < end:
            time.sleep(0.05)
        (found,) = panes_of(home, TMUX=f"{socket},1,0")["panes"]
        assert found["pane"] == {"id": "%0", "name": "work:0.0"}
    finally:
        subprocess.run([*server, "kill-server"], check=False)


def test_a_pane_is_reached_by_its_own_id() -> None:
    """By switching from inside tmux, by attaching from outside; never by a name that a person chose."""
    pane = panes.Pane("%3", 1, "#(rm -rf ~):0.0")
    assert panes.go_to(pane, Environment("/", {"TMUX": "x"}, "/")) == ["tmux", "switch-client", "-t", "%3"]
    assert panes.go_to(pane, Environment("/", {}, "/")) == ["tmux", "attach-session", "-t", "%3"]


def test_the_pane_of_a_process_is_that_of_its_nearest_ancestor() -> None:
    """And none when no ancestor is a pane's."""
    known = [panes.Pane("%1", 10, "a:0.0"), panes.Pane("%2", 20, "a:0.1")]
    parents = {30: 20, 20: 10, 10: 1, 40: 1}
    assert panes.pane_of(30, known, parents) == known[1]
    assert panes.pane_of(40, known, parents) is None
