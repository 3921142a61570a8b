"""A writer that does to session files whatever agents, crashes and people do to them, at random but repeatably."""

from __future__ import annotations

import json
import os
import random
import time
from pathlib import Path

from .following import answer, prompt

PROJECTS = ("/srv/api", "/srv/web", "/srv/api--worktrees-fix")


class Writer:
    """Writes Claude Code sessions below `home`. Each `step` is one thing done to one file."""

    def __init__(self, home: Path, seed: int, sessions: int = 6) -> None:
        self.random = random.Random(seed)
        self.top = home / ".claude" / "projects"
        self.now = time.time() - 3600
        self.torn: dict[Path, str] = {}  # what is still to come of a last line
        self.count = 0
        self.done: dict[str, int] = {}
        for _ in range(sessions):
            self._begin()

    @property
    def files(self) -> list[Path]:
        return sorted(path for path in self.top.glob("*/*.jsonl"))

    def step(self) -> str:
        """Do something; what it was."""
        actions = [(self._append, 40), (self._tear, 12), (self._many, 5), (self._rewrite, 4), (self._cut, 3), (self._move, 3),
                   (self._delete, 1), (self._begin, 3), (self._subagent, 8)]  # fmt: skip
        act = self.random.choices([action for action, _ in actions], [weight for _, weight in actions])[0]
        act()
        name = act.__name__.strip("_")
        self.done[name] = self.done.get(name, 0) + 1
        return name

    def settle(self) -> None:
        """Finish every torn line."""
        for path in list(self.torn):
            self._mend(path)

    # ── what is done ──

    def _pick(self) -> Path:
        files = self.files
        return self.random.choice(files) if files else self._begin()

    def _line(self, path: Path) -> str:
        self.count += 1
        self.now += self.random.random() * 3
        cwd = PROJECTS[0]
        kind = self.random.random()
        if kind < 0.3:
            return prompt(f"prompt {self.count} ünïcödé 日本語", path.stem, cwd, self.now)
        if kind < 0.9:
            return answer(f"answer {self.count} " + "word " * self.random.randrange(40), path.stem, cwd, self.now)
        return json.dumps({"type": "file-history-snapshot", "messageId": str(self.count), "snapshot": {}}) + "\n"

    def _mend(self, path: Path) -> None:
        rest = self.torn.pop(path, "")
        if rest and path.exists():
            with open(path, "ab") as file:
                file.write(rest.encode("utf-8", "surrogateescape"))

    def _append(self) -> None:
        path = self._pick()
        self._mend(path)
        with open(path, "ab") as file:
            file.write(self._line(path).encode())

    def _tear(self) -> None:
        path = self._pick()
        self._mend(path)
        line = self._line(path).encode()
        at = self.random.randrange(1, len(line) - 1)
        with open(path, "ab") as file:
            file.write(line[:at])
        self.torn[path] = line[at:].decode("utf-8", "surrogateescape")

    def _many(self) -> None:
        path = self._pick()
        self._mend(path)
        with open(path, "ab") as file:
            file.write("".join(self._line(path) for _ in range(60)).encode())

    def _rewrite(self) -> None:
        """Another file in its place, as compaction by some tools does."""
        path = self._pick()
        self.torn.pop(path, None)
        other = path.with_suffix(".tmp")
        other.write_text("".join(self._line(path) for _ in range(self.random.randrange(1, 30))), encoding="utf-8")
        os.replace(other, path)

    def _cut(self) -> None:
        """Cut and written anew, in place."""
        path = self._pick()
        self.torn.pop(path, None)
        with open(path, "r+b") as file:
            file.truncate(0)
            file.write(self._line(path).encode())

    def _move(self) -> None:
        path = self._pick()
        place = self.top / self.random.choice(PROJECTS).replace("/", "-")
        place.mkdir(parents=True, exist_ok=True)
        target = place / path.name
        if target != path:
            os.rename(path, target)
            if (rest := self.torn.pop(path, None)) is not None:
                self.torn[target] = rest

    def _delete(self) -> None:
        if len(self.files) > 3:
            path = self._pick()
            self.torn.pop(path, None)
            path.unlink()

    def _begin(self) -> Path:
        place = self.top / self.random.choice(PROJECTS).replace("/", "-")
        place.mkdir(parents=True, exist_ok=True)
        path = place / f"{self.random.getrandbits(32):08x}-1111-4222-8333-{self.random.getrandbits(48):012x}.jsonl"
        path.write_text(prompt(f"begin {self.count}", path.stem, PROJECTS[0], self.now), encoding="utf-8")
        return path

    def _subagent(self) -> None:
        """A subagent begins or goes on, beside its session."""
        path = self._pick()
        folder = path.with_suffix("") / "subagents"
        folder.mkdir(parents=True, exist_ok=True)
        line = json.loads(answer(f"from below {self.count}", path.stem, PROJECTS[0], self.now)) | {"isSidechain": True, "agentId": "a1"}
        with open(folder / f"agent-{self.random.randrange(3):08x}.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
