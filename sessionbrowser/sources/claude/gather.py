"""What the records of a head or a tail say of their session: first wins for how it began, last wins for how it stands."""

from __future__ import annotations

from sessionbrowser.sources.claude import rows
from sessionbrowser.sources.jsonl import Record
from sessionbrowser.text import parse_time

_DAY = 86400.0
_KEPT = 400  # records kept for the judgement of the tail


class Gathered:
    """Facts of one piece of a file, its records seen in order."""

    def __init__(self, subagent: bool) -> None:
        self.subagent = subagent
        self.records: list[Record] = []
        self.damaged = 0
        self.conversation = False
        self.main = self.aside = False  # rows of the conversation itself, rows of side chains
        self.modern = False  # bookkeeping rows of builds that append titles again near the end
        self.created: float | None = None
        self._guessed = True  # no row that surely belongs to this session gave `created`
        self.updated: float | None = None
        self.cwd: str | None = None
        self.last_cwd = self.relocated = self.original = ""
        self.folders: list[str] = []
        self.branch: str | None = None
        self.model = ""
        self.version: str | None = None
        self.entrypoint = self.kind = self.team = self.session = self.forked_from = self.continued = self.slug = ""
        self.ai = self.summary = self.last_prompt_row = ""
        self.custom: str | None = None  # names: "" for one that was taken away, None where nothing is said of it
        self.agent: str | None = None
        self.summary_leaf = ""
        self.summary_late = False
        self.first_prompt = self.last_prompt = self.command = self.bash = self.first_answer = ""
        self.first_uuid = self.last_prompt_uuid = ""
        self.last_uuids: list[str] = []
        self.mode = self.worktree = self.pull_request = ""
        self.tag: str | None = None  # as with names
        self.bridge = False
        self.copied = False  # whether the newest row (the newest prompt, once there is one) came from another session
        self.cost: float | None = None
        self.answers = 0

    @property
    def name(self) -> str:
        """The name somebody gave it."""
        return self.agent or self.custom or ""

    @property
    def summary_is_own(self) -> bool:
        """A summary before all rows is the title of another session (old builds), unless it names a row of this one."""
        if not self.summary:
            return False
        if self.summary_late or not self.summary_leaf or not self.conversation:
            return True
        return self.summary_leaf in self.last_uuids or not (self.version or "1.").startswith(("0.", "1."))

    @property
    def only_commands(self) -> bool:
        """Nothing was said and nothing run: local commands of the program at most."""
        return not (self.answers or self.first_prompt or self.bash)

    def see(self, record: Record) -> None:
        kind = record.get("type")
        if kind in ("user", "assistant", "system", "attachment"):
            self._row(record, kind)
        elif isinstance(kind, str) and (handler := _METADATA.get(kind)):
            handler(self, record)
            if kind == "queue-operation":
                self._time(record, created=False)
        if kind in ("user", "assistant", "system", "attachment", "ended-by-model"):
            self.records.append(record)
            if len(self.records) > _KEPT:
                del self.records[: _KEPT // 2]

    def see_title(self, record: Record) -> None:
        """A title row from the middle of the file: only where nothing later was seen."""
        kind = record.get("type")
        if kind in ("custom-title", "agent-name", "ai-title", "summary"):
            _METADATA[str(kind)](self, record)
            self.summary_late = True

    def see_prompt(self, record: Record) -> None:
        """A row from before the piece: only for the prompt in it."""
        if record.get("isSidechain") is True and not self.subagent:
            return
        if record.get("type") == "user":
            self._user(record, record.get("uuid"))
        elif record.get("type") == "attachment":
            self._queued(record, record.get("uuid"))

    def see_time(self, time: float | None) -> None:
        """The time of the last row that was passed over: what a call reports while it runs is activity, too."""
        if time is not None and (self.updated is None or time > self.updated):
            self.updated = time

    # ── rows ──

    def _row(self, record: Record, kind: object) -> None:
        message = record.get("message")
        talk = kind in ("user", "assistant") and isinstance(message, dict | str)
        aside = record.get("isSidechain") is True and not self.subagent
        self._time(record, created=talk and record.get("isMeta") is not True)
        self._envelope(record)
        key = record.get("uuid")
        if isinstance(key, str):
            self.last_uuids.append(key)
            if not self.first_uuid and talk and record.get("isMeta") is not True:
                self.first_uuid = key
        if talk:
            self.conversation = True
            self.aside |= aside
            self.main |= not aside
        if aside:
            return
        if talk and not self.last_prompt:
            self.copied = isinstance(record.get("forkedFrom"), dict)
        if kind == "user" and talk:
            self._user(record, key)
        elif kind == "assistant" and isinstance(message, dict):
            self.answers += 1
            if not self.first_answer and not self.first_prompt:
                self.first_answer = rows.text_of(message.get("content"))[:1000]
            model = message.get("model")
            if isinstance(model, str) and model and model != rows.SYNTHETIC:
                self.model = model
        elif kind == "attachment":
            self._queued(record, key)

    def _user(self, record: Record, key: object) -> None:
        for piece in rows.user_pieces(record, subagent=self.subagent):
            if piece.kind != "prompt":
                continue
            if piece.what == "slash":
                self.command = self.command or piece.text
            elif piece.what == "bash":
                self.bash = self.bash or piece.text
            else:
                self.copied = isinstance(record.get("forkedFrom"), dict)
                self._prompt(piece.text, key)

    def _queued(self, record: Record, key: object) -> None:
        attachment = record.get("attachment")
        if isinstance(attachment, dict) and attachment.get("type") == "queued_command":
            piece = rows.queued_piece(attachment)
            if piece is not None and piece.kind == "prompt":
                self._prompt(piece.text, key)

    def _prompt(self, text: str, key: object) -> None:
        self.first_prompt = self.first_prompt or text[:1000]
        self.last_prompt = text[:1000]
        self.last_prompt_uuid = key if isinstance(key, str) else ""

    def _time(self, record: Record, *, created: bool) -> None:
        time = parse_time(record.get("timestamp"))
        if time is None:
            return
        self.see_time(time)
        if self.created is None or (self._guessed and created and abs(time - self.created) > _DAY):
            self.created = time  # a note carried over from an older session keeps that session's time
        self._guessed &= not created

    def _envelope(self, record: Record) -> None:
        cwd, branch, version = record.get("cwd"), record.get("gitBranch"), record.get("version")
        if isinstance(cwd, str) and cwd:
            self.cwd = self.cwd or cwd
            self.last_cwd = cwd
            if cwd not in self.folders and len(self.folders) < 20:
                self.folders.append(cwd)
        if isinstance(branch, str):
            self.branch = "" if branch == "HEAD" else branch
        elif self.branch is None and (isinstance(cwd, str) or record.get("uuid")):
            self.branch = ""  # builds before 1.0.55 wrote none
        if isinstance(version, str):
            self.version = version
        if not self.session:  # a member's session begins in its team; one that made a team later is a person's
            self.team = _text(record, "teamName")
        for name, field in _ENVELOPE:
            value = record.get(name)
            if isinstance(value, str) and value and not getattr(self, field):
                setattr(self, field, value)
        forked = record.get("forkedFrom")
        if isinstance(forked, dict) and isinstance(origin := forked.get("sessionId"), str):
            self.forked_from = self.forked_from or origin

    # ── metadata ──

    def _custom_title(self, record: Record) -> None:
        self.custom = _text(record, "customTitle")

    def _agent_name(self, record: Record) -> None:
        self.agent = _text(record, "agentName")

    def _ai_title(self, record: Record) -> None:
        self.modern = True
        self.ai = _text(record, "aiTitle") or self.ai

    def _summary(self, record: Record) -> None:
        self.summary = _text(record, "summary")
        self.summary_leaf = _text(record, "leafUuid")
        self.summary_late = self.conversation

    def _last_prompt(self, record: Record) -> None:
        self.modern = True
        self.last_prompt_row = _text(record, "lastPrompt") or self.last_prompt_row

    def _relocated(self, record: Record) -> None:
        self.relocated = _text(record, "relocatedCwd")

    def _worktree(self, record: Record) -> None:
        state = record.get("worktreeSession")
        if isinstance(state, dict):
            self.original = _text(state, "originalCwd") or _text(state, "preEnterOriginalCwd")
            self.worktree = _text(state, "worktreeName")

    def _pr_link(self, record: Record) -> None:
        self.pull_request = _text(record, "prUrl")

    def _mode(self, record: Record) -> None:
        self.modern = True
        self.mode = _text(record, "permissionMode") or self.mode

    def _continued(self, record: Record) -> None:
        self.continued = _text(record, "continuedInSessionId")

    def _tag(self, record: Record) -> None:
        self.tag = _text(record, "tag")

    def _bridge(self, record: Record) -> None:
        self.bridge = True

    def _cost(self, record: Record) -> None:
        value = record.get("totalCostUSD")
        if isinstance(value, int | float) and not isinstance(value, bool):
            self.cost = round(float(value), 6)

    def _nothing(self, record: Record) -> None:
        """Only its time counts."""


_ENVELOPE = (("entrypoint", "entrypoint"), ("sessionKind", "kind"), ("sessionId", "session"), ("slug", "slug"))
_METADATA = {
    "custom-title": Gathered._custom_title, "agent-name": Gathered._agent_name, "ai-title": Gathered._ai_title, "summary": Gathered._summary,
    "last-prompt": Gathered._last_prompt, "relocated": Gathered._relocated, "worktree-state": Gathered._worktree,
    "pr-link": Gathered._pr_link, "permission-mode": Gathered._mode, "mode": Gathered._mode, "continued-in": Gathered._continued,
    "tag": Gathered._tag, "bridge-session": Gathered._bridge, "cost-state": Gathered._cost, "queue-operation": Gathered._nothing,
}  # fmt: skip


def _text(record: Record, name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else ""
