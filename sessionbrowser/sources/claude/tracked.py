"""What a whole transcript says of its session: models, modes, skills, hooks, files, links, and kinds of records."""

from __future__ import annotations

from collections import defaultdict

from sessionbrowser.model import Block
from sessionbrowser.sources.claude import notes, plugins
from sessionbrowser.sources.jsonl import Record
from sessionbrowser.text import duration, for_eyes, iso, one_line, plural

_MANY = 400  # entries kept of a list that grows with the file


class Hook:
    """The runs of one hook."""

    def __init__(self) -> None:
        self.runs = 0
        self.failed = 0
        self.took = 0.0  # milliseconds
        self.exits: dict[int, int] = {}

    def join(self, later: Hook) -> None:
        """Count the runs of `later` as well."""
        self.runs += later.runs
        self.failed += later.failed
        self.took += later.took
        for code, count in later.exits.items():
            self.exits[code] = self.exits.get(code, 0) + count

    def words(self) -> str:
        """"3 runs, 1 failed (exit 127), 0.2s"."""
        said = plural(self.runs, "run")
        codes = ", ".join(f"exit {code}" for code in sorted(self.exits) if code)
        if self.failed or codes:
            said += f", {self.failed} failed" + (f" ({codes})" if codes else "")
        return said + (f", {duration(self.took / 1000)}" if self.took else "")


class Tracked:
    """Facts gathered row by row."""

    def __init__(self) -> None:
        self.models: dict[str, int] = {}
        self.model = ""
        self.mode = ""
        self._first_model = self._first_mode = ""
        self.modes: list[tuple[str | None, str]] = []
        self.efforts: list[tuple[str | None, str]] = []
        self.skills: dict[str, int] = {}
        self.plugins: dict[str, int] = {}
        self.hooks: dict[str, Hook] = {}
        self.hook_plugins: dict[str, int] = {}
        self.images = 0
        self.planned = False
        self.files: dict[str, list[int]] = {}
        self.links: list[str] = []
        self.versions: list[str] = []
        self.folders_raw: list[str] = []
        self.branches: list[str] = []
        self.records: defaultdict[str, int] = defaultdict(int)  # how many there are of each kind
        self.single: dict[str, object] = {}
        self._said: tuple[object, ...] = ()

    def envelope(self, record: Record) -> None:
        """What every row says: version, directory, branch."""
        said = record.get("version"), record.get("cwd"), record.get("gitBranch")
        if said != self._said:  # they seldom change
            self._said = said
            for seen, value in zip((self.versions, self.folders_raw, self.branches), said, strict=True):
                _once(seen, value)

    def new_mode(self, value: object, time: float | None) -> str:
        """Note a permission mode; "before → after" when it changed."""
        if not isinstance(value, str) or not value or value == self.mode:
            return ""
        before, self.mode = self.mode, value
        self._first_mode = self._first_mode or value
        if len(self.modes) < _MANY:
            self.modes.append((iso(time), one_line(value, 40)))
        return f"{before} → {value}" if before else ""

    def answered(self, record: Record, time: float | None, *, fresh: bool) -> None:
        """What a row of an answer says of how it was made: the effort; the skill and the plugin it is owed to, counted with
        the `fresh` first row."""
        if effort := record.get("effort"):
            self._effort(effort, time)
        if not fresh:
            return
        if skill := record.get("attributionSkill"):
            _counted(self.skills, skill)
        if plugin := record.get("attributionPlugin"):
            _counted(self.plugins, plugin)

    def _effort(self, value: object, time: float | None) -> None:
        if isinstance(value, str) and (not self.efforts or self.efforts[-1][1] != value) and len(self.efforts) < _MANY:
            self.efforts.append((iso(time), one_line(value, 40)))

    def answer_of(self, model: str, *, fresh: bool) -> None:
        """Count an answer of a model with its first row."""
        self.models[model] = self.models.get(model, 0) + fresh

    def new_model(self, value: str) -> str:
        """Note the model of an answer; "before → after" when it changed."""
        if value == self.model:
            return ""
        before, self.model = self.model, value
        self._first_model = self._first_model or value
        return f"{before} → {value}" if before else ""

    def hook(self, attachment: object) -> None:
        run = notes.hook_run(attachment) if isinstance(attachment, dict) else None
        if run is not None and isinstance(attachment, dict):
            self._hook(*run)
            code = attachment.get("exitCode")
            if isinstance(code, int) and not isinstance(code, bool):
                exits = self.hooks[run[0]].exits
                exits[code] = exits.get(code, 0) + 1

    def stop_hooks(self, record: Record) -> None:
        infos, errors = record.get("hookInfos"), record.get("hookErrors")
        failed = bool(errors) if isinstance(errors, list) else False
        for info in infos if isinstance(infos, list) else ():
            if isinstance(info, dict):
                took = info.get("durationMs")
                self._hook("Stop", not failed, took if isinstance(took, int | float) else 0.0)

    def proved(self, record: Record) -> None:
        """Plugins whose hooks a row says it ran."""
        for name in plugins.proved(record):
            self.hook_plugins[name] = self.hook_plugins.get(name, 0) + 1

    def _hook(self, name: str, ok: bool, took: float) -> None:
        seen = self.hooks.setdefault(name, Hook())
        seen.runs += 1
        seen.failed += not ok
        seen.took += took

    def edited(self, block: Block) -> None:
        """A closed edit: its file, and the lines it added and removed."""
        if block.what in ("edit", "write") and block.title and block.ok:
            seen = self.files.setdefault(block.title, [0, 0])
            seen[0] += block.added
            seen[1] += block.removed

    def costs(self, record: Record) -> None:
        """What all of it cost so far, in money and in time."""
        for name, key in (("cost_usd", "totalCostUSD"), ("api_ms", "totalAPIDuration"), ("total_ms", "totalDuration")):
            value = record.get(key)
            if isinstance(value, int | float) and not isinstance(value, bool):
                self.single[name] = value

    def link(self, record: Record) -> str:
        """A pull request: its line when it is new."""
        url, repository, number = record.get("prUrl"), record.get("prRepository"), record.get("prNumber")
        shown = for_eyes(url) if isinstance(url, str) else ""
        if not shown or shown in self.links:
            return ""
        self.links.append(shown)
        return f"{repository}#{number}" if isinstance(repository, str) and number else shown

    # ── read apart ──

    def fits(self, behind: Tracked) -> bool:
        """Whether what was read apart behind this begins as this ends, and says nothing as news that was told here."""
        model, mode = behind._first_model, behind._first_mode
        told = "continued_in_raw" in self.single and "continued_in_raw" in behind.single
        return (
            (not self.model or model in ("", self.model)) and (not self.mode or mode in ("", self.mode))
            and not told and set(self.links).isdisjoint(behind.links)
        )  # fmt: skip

    def join(self, behind: Tracked) -> None:
        """Take in what was read apart behind this."""
        self.modes += behind.modes[bool(self.mode and behind._first_mode) :]
        same = bool(self.efforts and behind.efforts) and self.efforts[-1][1] == behind.efforts[0][1]
        self.efforts += behind.efforts[same:]
        del self.modes[_MANY:], self.efforts[_MANY:]
        self.model, self.mode = behind.model or self.model, behind.mode or self.mode
        for mine, more in ((self.models, behind.models), (self.skills, behind.skills), (self.plugins, behind.plugins),
                           (self.hook_plugins, behind.hook_plugins), (self.records, behind.records)):  # fmt: skip
            for name, count in more.items():
                mine[name] = mine.get(name, 0) + count
        for name, hook in behind.hooks.items():
            self.hooks.setdefault(name, Hook()).join(hook)
        for title, (added, removed) in behind.files.items():
            seen = self.files.setdefault(title, [0, 0])
            seen[0] += added
            seen[1] += removed
        self.images += behind.images
        self.planned |= behind.planned
        self.links += behind.links
        self.single |= behind.single
        for listed, others in ((self.versions, behind.versions), (self.folders_raw, behind.folders_raw), (self.branches, behind.branches)):
            for value in others:
                _once(listed, value)

    def facts(self) -> dict[str, object]:
        """Everything, JSON-able, empty things left out. Keys ending in _raw are not for eyes."""
        eyes = _for_eyes
        found: dict[str, object] = {
            "models": eyes(self.models), "modes": _over_time(self.modes), "efforts": _over_time(self.efforts),
            "skills": eyes(self.skills), "plugins": eyes(self.plugins),
            "hook_plugins": dict(self.hook_plugins),
            "hooks": {for_eyes(name): hook.words() for name, hook in self.hooks.items()},
            "files": {name: f"+{added} −{removed}" for name, (added, removed) in self.files.items()},
            "images": self.images, "plan": self.planned,
            "links": list(self.links), "versions": [for_eyes(version) for version in self.versions],
            "branches": [for_eyes(branch) for branch in self.branches], "folders_raw": list(self.folders_raw),
            "records": {for_eyes(name): count for name, count in self.records.items()},
            **self.single,
        }  # fmt: skip
        return {name: value for name, value in found.items() if value not in ({}, [], "", None)}


def _over_time(changes: list[tuple[str | None, str]]) -> list[str]:
    return [f"{value} ({time})" if time else value for time, value in changes]


def _for_eyes(table: dict[str, int]) -> dict[str, int]:
    return {for_eyes(name): count for name, count in table.items()}


def _counted(table: dict[str, int], value: object) -> None:
    if isinstance(value, str):
        table[value] = table.get(value, 0) + 1


def _once(seen: list[str], value: object) -> None:
    if isinstance(value, str) and value and value not in seen and len(seen) < _MANY:
        seen.append(value)
