"""An invented agent whose files are lines of plain records, and a library over it."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from collections.abc import Iterator, Sequence
from pathlib import Path

import orjson
import pytest

from sessionbrowser import sources
from sessionbrowser.index import worker
from sessionbrowser.index.search import Hit, Options, Searcher
from sessionbrowser.model import (
    Block,
    Body,
    Counts,
    Handle,
    Passage,
    Place,
    Root,
    Session,
    SetAside,
    Transcript,
    Unreadable,
)
from sessionbrowser.paths import Environment
from sessionbrowser.query import parse
from sessionbrowser.sources import Entry
from sessionbrowser.sources.base import Source
from sessionbrowser.sources.forms import action
from sessionbrowser.sources.jsonl import lines, read

NOW = 1778770800.0
KINDS = ("prompt", "text", "thinking")


class FakeSource(Source):
    """`~/.fake/ID.jsonl`; a subagent is `~/.fake/PARENT/ID.jsonl`. A record: kind, text, time, and name, input, output."""

    name, tag, label, program = "fake", "fk", "Fake", ""

    def roots(self) -> list[Root]:
        return [Root("fake", self.environment.under_home(".fake"))]

    def discover(self, root: Root, *, deep: bool = True) -> Iterator[Handle | SetAside | Unreadable]:
        if (Path(root.path) / "unreadable").exists():
            yield Unreadable("fake", root.path, "permission denied")
            return
        for path in sorted(Path(root.path).rglob("*.jsonl")):
            stat = path.stat()
            parent = path.parent.name if path.parent != Path(root.path) else ""
            yield Handle("fake", root, str(path), "", path.stem, stat.st_size, stat.st_mtime_ns, stat.st_ino, "subagent" if parent else "", parent)

    def _records(self, handle: Handle, offset: int = 0) -> Iterator[tuple[int, dict[str, object]]]:
        for line in lines(handle.path, offset):
            for record in read(line.data).records:
                yield line.offset, record

    def summarise(self, handle: Handle, previous: Session | None = None) -> Session:
        records = [record for _, record in self._records(handle)]
        times = [time for record in records if isinstance(time := record.get("time"), float)]
        head = records[0] if records else {}
        return Session(handle.id, "fake", handle.path, title=str(head.get("title", handle.id)), cwd=str(head.get("cwd", "/home/ada/src/api")),
                       project=str(head.get("project", "api")), created=min(times, default=None), updated=max(times, default=None),
                       hidden=handle.hidden, parent=handle.parent or None, size=handle.size)  # fmt: skip

    def passages(self, handle: Handle, offset: int = 0, *, tools: bool = False) -> Iterator[Passage]:
        for start, record in self._records(handle, offset):
            kind, time = str(record.get("kind")), record.get("time")
            if kind in KINDS or (tools and kind == "tool"):
                text = str(record.get("text", "")) if kind in KINDS else f"{record.get('input')}\n{record.get('output')}"
                yield Passage(kind, start, text, time if isinstance(time, float) else None)

    def outline(self, handle: Handle, since: Transcript | None = None) -> Transcript:
        blocks, turn = [], 0
        for start, record in self._records(handle):
            kind = str(record.get("kind"))
            turn += kind == "prompt"
            if kind in (*KINDS, "tool"):
                blocks.append(Block(kind, Place(start), turn, str(record.get("text", record.get("input", "")))[:80], what=action(str(record.get("name", ""))), name=str(record.get("name", ""))))
        return Transcript(blocks, Counts(prompts=turn))

    def body(self, handle: Handle, block: Block) -> Body:
        record = dict(self._records(handle, block.place.start))[block.place.start]
        if block.kind == "tool":
            return Body(str(record.get("output", "")), (), {"value": record.get("input")})
        return Body(str(record.get("text", "")))


class FakeLibrary:
    """What a search needs of the library."""

    def __init__(self, env: Environment, source: Source | None = None) -> None:
        self.environment = env
        self._source = source or FakeSource(env)

    def source(self, name: str) -> Source:
        return self._source

    def _handles(self) -> list[Handle]:
        return [thing for thing in self._source.discover(self._source.roots()[0]) if isinstance(thing, Handle)]

    def sessions(self) -> list[Session]:
        return [self._source.summarise(handle) for handle in self._handles()]

    def handle(self, session: Session) -> Handle:
        return next(handle for handle in self._handles() if handle.path == session.path)


class Desk:
    """A home with invented sessions, its index, and the ways to ask it."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.folder = Path(env.home) / ".fake"
        self.folder.mkdir()
        self.searcher: Searcher | None = None

    def write(self, name: str, *records: dict[str, object], parent: str = "") -> Path:
        """Append records to a session; times count up from an hour before now unless they are given."""
        folder = self.folder / parent if parent else self.folder
        folder.mkdir(exist_ok=True)
        path = folder / f"{name}.jsonl"
        with path.open("ab") as file:
            for number, record in enumerate(records):
                file.write(orjson.dumps({"time": NOW - 3600 + number, **record}) + b"\n")
        return path

    def say(self, name: str, text: str, kind: str = "text", **more: object) -> Path:
        return self.write(name, {"kind": kind, "text": text, **more})

    def update(self, **options: object) -> None:
        worker.bring_up_to_date(self.env, **options)  # type: ignore[arg-type]

    def hits(self, query: str, *, sessions: Sequence[Session] | None = None, **options: object) -> list[Hit]:
        """Hits after the index was brought up to date."""
        self.update()
        return self.ask(query, sessions=sessions, **options)

    def ask(self, query: str, *, sessions: Sequence[Session] | None = None, **options: object) -> list[Hit]:
        """Hits with the index as it is."""
        self.searcher = Searcher(FakeLibrary(self.env))  # type: ignore[arg-type]
        parsed = parse(query, NOW)
        assert parsed.problem is None
        found = list(self.searcher.search(parsed, sessions=sessions, options=Options(**options)))  # type: ignore[arg-type]
        self.searcher.close()
        return found

    def found(self, query: str, **options: object) -> list[str]:
        """The sessions that a query finds, in order, each once."""
        return list(dict.fromkeys(hit.session for hit in self.hits(query, **options)))  # type: ignore[arg-type]


@pytest.fixture
def desk(env: Environment, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """An empty home of the invented agent, which is the only one there is."""
    module = types.ModuleType("sessionbrowser.sources.fake")
    module.SOURCE = FakeSource  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sessionbrowser.sources.fake", module)
    monkeypatch.setattr(sources, "REGISTRY", (Entry("fake", "fk", "Fake", "fake", (), ("~/.fake",)),))
    return Desk(env)


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated history with its manifest: 200 sessions, 60 MB, some of it damaged. Skips where there is no generator."""
    generator = Path(__file__).resolve().parents[2].parent / "shared" / "bench" / "make_corpus.py"
    if not generator.exists():
        pytest.skip("the generator of histories is not here")
    out = tmp_path_factory.mktemp("generated") / "home"
    subprocess.run([sys.executable, str(generator), "--out", str(out), "--sessions", "200", "--bytes", "60M", "--seed", "1", "--damage", "0.02"],
                   check=True, capture_output=True)  # fmt: skip
    return out


@pytest.fixture
def generated_env(generated: Path, tmp_path: Path) -> Environment:
    """The surroundings of the generated history, with a cache of its own."""
    return Environment(str(generated), {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": os.environ.get("PATH", "")}, str(generated), sys.platform)
