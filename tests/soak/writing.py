"""`python -m tests.soak.writing [--seconds 60] [--seed N]`: a minute of random writes while a library and a reader follow.

At the end what is shown has to equal a fresh reading, and memory has to be what it was.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

from sessionbrowser.library import Changed, Event, Found, Gone, Library
from sessionbrowser.model import Session, Transcript
from sessionbrowser.paths import Environment
from sessionbrowser.sources.base import SourceError
from sessionbrowser.tui.transcript_load import growth

from .writer import Writer


class Follower:
    """What a screen would hold: rows folded from events, one transcript read on and on."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.rows: dict[tuple[str, str, str], Session] = {}
        self.outline: Transcript | None = None
        self.path = ""
        self.read = 0

    def fold(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Found | Changed):
                self.rows.update((session.identity, session) for session in event.sessions)
            elif isinstance(event, Gone):
                for identity in event.identities:
                    self.rows.pop(identity, None)

    def follow(self, path: str) -> None:
        """Read on in `path`, or begin with it."""
        session = self.rows.get(("claude", path, ""))
        if session is None:
            return
        since = self.outline if path == self.path else None
        try:
            outline = self.library.outline(self.library.handle(session), since)
        except (OSError, SourceError, KeyError):
            return
        if since is not None:
            growth(since.blocks, outline)
        self.path, self.outline = path, outline
        self.read += 1


def fresh(env: Environment) -> dict[tuple[str, str, str], Session]:
    """What is there, read without anything remembered."""
    library = Library(env, cache=False)
    return {session.identity: session for session in library.sessions(deep=True)}


def differences(shown: dict[tuple[str, str, str], Session], truth: dict[tuple[str, str, str], Session]) -> list[str]:
    """What of the rows is not as a fresh reading has it; what only a whole reading knows does not count."""
    found = [f"not shown: {name[1]}" for name in truth.keys() - shown.keys()]
    found += [f"shown, but gone: {name[1]}" for name in shown.keys() - truth.keys()]
    for name in truth.keys() & shown.keys():
        for field in Session._fields:
            if field in ("counts", "tokens", "damaged_lines", "status", "status_why", "facts"):
                continue
            ours, theirs = getattr(shown[name], field), getattr(truth[name], field)
            if ours != theirs:
                found.append(f"{name[1]}: {field}: {ours!r} instead of {theirs!r}")
    return found


def unlike(outline: Transcript, truth: Transcript) -> list[str]:
    """How a transcript that was followed differs from a fresh one."""
    if list(outline.blocks) == list(truth.blocks) and outline.counts == truth.counts:
        return []
    return [f"{len(outline.blocks)} blocks instead of {len(truth.blocks)}, {outline.counts} instead of {truth.counts}"]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.soak.writing", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    args = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="sb-writing-"))
    try:
        wrong = _run(home, args.seconds, args.seed)
    finally:
        shutil.rmtree(home)
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


def _run(home: Path, seconds: float, seed: int) -> list[str]:
    env = Environment(str(home), {"SB_CACHE_DIR": str(home / "cache")}, str(home), "linux")
    writer = Writer(home, seed)
    library = Library(env)
    follower = Follower(library)
    for event in library.load(deep=True):
        follower.fold([event])
    stop = threading.Event()

    def write() -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            writer.step()
            time.sleep(writer.random.random() * 0.02)
        writer.settle()
        time.sleep(6)  # until the last of it was noticed
        stop.set()

    thread = threading.Thread(target=write)
    thread.start()
    memory, reads = _memory(), 0
    for events in library.watch(lambda rest: not stop.wait(rest)):
        follower.fold(events)
        reads += 1
        paths = [name[1] for name in follower.rows if not follower.rows[name].hidden]
        follower.follow(follower.path if follower.path in paths else paths[reads % len(paths)])
        if reads == 50:
            memory = _memory()
    thread.join()
    grown = _memory() - memory
    follower.follow(follower.path)
    wrong = differences(follower.rows, fresh(env))
    if follower.outline is not None and ("claude", follower.path, "") in follower.rows:
        handle = library.handle(follower.rows["claude", follower.path, ""])
        wrong += unlike(follower.outline, Library(env, cache=False).outline(handle))
    print(f"seed {seed}: {writer.done}; {reads} batches, {follower.read} readings of transcripts, {grown:+.1f} MiB")
    return wrong + ([f"memory grew by {grown:.0f} MiB"] if grown > 60 else [])


def _memory() -> float:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096 / 2**20


if __name__ == "__main__":
    main()
