"""Writes the invented Claude Code sessions of ada below fixtures/home/.claude. Run it after changing it.

The files it writes are committed; tests read those and never this script.
"""

from __future__ import annotations

import base64
import json
import struct
import uuid
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

HOME = Path(__file__).resolve().parents[3] / "fixtures" / "home" / ".claude"
SONNET, HAIKU, OPUS = "claude-sonnet-4-5", "claude-haiku-4-5", "claude-opus-4-5"
API, WEB = "/home/ada/src/api", "/home/ada/src/web"


def identity(*words: object) -> str:
    """A UUID that is the same on every run."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "ada/" + "/".join(map(str, words))))


class Writer:
    """One session file, written row by row like the program does, with a clock that moves on its own."""

    def __init__(self, name: str, cwd: str, start: str, *, branch: str = "main", agent: str = "", **envelope: object) -> None:
        self.name, self.agent = name, agent
        self.session = identity(name)
        self.cwd, self.branch = cwd, branch
        self.now = datetime.fromisoformat(start).replace(tzinfo=UTC)
        self.envelope = envelope
        self.rows: list[dict[str, object]] = []
        self.parent: str | None = None
        self.model = SONNET
        self.count = 0
        self.mode = "default"

    # ── time and ids ──

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def stamp(self) -> str:
        return self.now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.now.microsecond // 1000:03d}Z"

    def new(self, what: str) -> str:
        self.count += 1
        return identity(self.name, self.agent, what, self.count)

    # ── rows ──

    def meta(self, kind: str, **values: object) -> None:
        self.rows.append({"type": kind, **values, "sessionId": self.session})

    def row(self, kind: str, **values: object) -> dict[str, object]:
        key = self.new("row")
        made: dict[str, object] = {"parentUuid": self.parent, "isSidechain": bool(self.agent)}
        if self.agent:
            made["agentId"] = self.agent
        made |= {**({} if kind == "assistant" else {"type": kind}), **values}
        if kind == "assistant":
            made["type"] = kind
        made |= {"uuid": key, "timestamp": self.stamp(), "userType": "external", "entrypoint": "cli", "cwd": self.cwd,
                 "sessionId": self.session, "version": "2.1.332", "gitBranch": self.branch}  # fmt: skip
        made |= self.envelope
        self.rows.append(made)
        self.parent = key
        return made

    def user(self, text: object, after: float = 40, **more: object) -> dict[str, object]:
        self.wait(after)
        origin = {} if self.agent else {"permissionMode": self.mode, "origin": {"kind": "human"}, "promptSource": "typed"}
        return self.row("user", message={"role": "user", "content": text}, promptId=self.new("prompt"), **(origin | more))

    def injected(self, text: object, **more: object) -> None:
        self.row("user", message={"role": "user", "content": text}, isMeta=True, **more)

    def answer(self, *blocks: dict[str, object], after: float = 4, stop: str | None = None, tokens: tuple[int, int, int] = (12, 240, 18400),
               **more: object) -> None:  # fmt: skip
        """One response, one row a block; the last row has the final usage."""
        message = "msg_" + self.new("message").replace("-", "")[:20]
        for index, block in enumerate(blocks):
            self.wait(after)
            last = index == len(blocks) - 1
            fresh, out, cached = tokens
            usage = {"input_tokens": fresh, "cache_creation_input_tokens": 900, "cache_read_input_tokens": cached,
                     "output_tokens": out if last else 3}  # fmt: skip
            calls = block["type"] == "tool_use"
            reason = (stop or ("tool_use" if calls else "end_turn")) if last else None
            self.row("assistant", message={"id": message, "type": "message", "role": "assistant", "model": self.model,
                     "content": [block], "stop_reason": reason, "usage": usage}, requestId="req_" + message[4:], **more)  # fmt: skip

    def result(self, call: dict[str, object], text: object, detail: object = None, after: float = 1.5, error: bool = False, **more: object) -> None:
        self.wait(after)
        content = {"tool_use_id": call["id"], "type": "tool_result", "content": text}
        if error:
            content["is_error"] = True
        self.row("user", message={"role": "user", "content": [content]}, toolUseResult=text if detail is None else detail,
                 sourceToolAssistantUUID=self.parent, **more)  # fmt: skip

    def call(self, name: str, **arguments: object) -> dict[str, object]:
        return {"type": "tool_use", "id": "toolu_" + self.new("call").replace("-", "")[:22], "name": name, "input": arguments}

    def use(self, name: str, arguments: dict[str, object], text: object, detail: object = None, *, say: str = "", think: str = "",
            error: bool = False, after: float = 1.5, **more: object) -> dict[str, object]:  # fmt: skip
        """A call and its result, said and thought about before when there is something to say."""
        call = self.call(name, **arguments)
        blocks = [*([thinking(think)] if think else []), *([words(say)] if say else []), call]
        self.answer(*blocks)
        self.result(call, text, detail, after, error, **more)
        return call

    def done(self, seconds: int = 30) -> None:
        self.row("system", subtype="turn_duration", durationMs=seconds * 1000, messageCount=len(self.rows), isMeta=False)

    # ── files ──

    @property
    def folder(self) -> Path:
        return HOME / "projects" / "".join(c if c.isascii() and c.isalnum() else "-" for c in self.cwd)

    def write(self, path: Path | None = None) -> None:
        if path is None:
            path = self.folder / f"{self.session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in self.rows), "utf-8")

    def write_agent(self, agent_type: str, description: str, call: dict[str, object], *, depth: int = 1, parent: str = "") -> None:
        folder = self.folder / self.session / "subagents"
        self.write(folder / f"agent-{self.agent}.jsonl")
        about = {"agentType": agent_type, "description": description, "toolUseId": call["id"], "spawnDepth": depth}
        if parent:
            about["parentAgentId"] = parent
        (folder / f"agent-{self.agent}.meta.json").write_text(json.dumps(about), "utf-8")


def words(text: str) -> dict[str, object]:
    return {"type": "text", "text": text}


def thinking(text: str) -> dict[str, object]:
    return {"type": "thinking", "thinking": text, "signature": "EvQBaW52ZW50ZWQ="}


def shell(stdout: str, stderr: str = "", **more: object) -> dict[str, object]:
    return {"stdout": stdout, "stderr": stderr, "interrupted": False, "isImage": False, "noOutputExpected": False, **more}


def hunk(old: int, new: int, *lines: str) -> dict[str, object]:
    return {"oldStart": old, "oldLines": sum(line[0] != "+" for line in lines), "newStart": new,
            "newLines": sum(line[0] != "-" for line in lines), "lines": list(lines)}  # fmt: skip


def edited(path: str, old: str, new: str, *hunks: dict[str, object]) -> dict[str, object]:
    return {"filePath": path, "oldString": old, "newString": new, "originalFile": None, "structuredPatch": list(hunks),
            "userModified": False, "replaceAll": False}  # fmt: skip


def file_read(path: str, text: str, start: int = 1, total: int = 0) -> dict[str, object]:
    count = text.count("\n") + 1
    return {"type": "text", "file": {"filePath": path, "content": text, "numLines": count, "startLine": start, "totalLines": total or count}}


def numbered(text: str, start: int = 1) -> str:
    return "\n".join(f"{number:6}→{line}" for number, line in enumerate(text.split("\n"), start))


def picture(width: int, height: int) -> str:
    """A small PNG, a gradient, as base64."""
    raw = b"".join(b"\x00" + bytes(v for x in range(width) for v in (x * 255 // width, y * 255 // height, 160)) for y in range(height))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b"")).decode()


# ── the sessions ──

TEST = f"{API}/tests/test_login.py"
TEST_TEXT = '''import pytest

from api.login import refresh, sign_in


async def test_token_expires(clock):
    token = await sign_in("ada", "difference")
    assert token.valid
    sleep(2)
    assert not token.valid


async def test_refresh_keeps_the_user(clock):
    token = await refresh(await sign_in("ada", "difference"))
    assert token.user == "ada"'''


def flaky_login() -> None:
    """The one everybody looks at first: still running, with two subagents, one of which has one of its own."""
    s = Writer("flaky-login", API, "2026-05-14T14:02:05", branch="feat/login")
    s.meta("ai-title", aiTitle="Fix the flaky login test")
    s.meta("mode", mode="normal")
    s.user("make the login test deterministic", after=0)
    s.row("attachment", attachment={"type": "skill_listing", "content": "- review: look over a change\n- release: cut a release", "skillCount": 2})
    listing = f"{TEST}:9:    sleep(2)\n{API}/tests/test_session.py:41:    sleep(0.5)"
    s.use("Grep", {"pattern": "sleep\\(", "path": "tests", "output_mode": "content"}, listing,
          {"mode": "content", "numFiles": 0, "filenames": [], "content": listing, "numLines": 2},
          think="The test sleeps for two seconds and hopes that the token has expired by then.\nOn a slow machine the clock "
          "of the token starts later than the clock of the test.\nA fake clock would make this exact. Is there one in the "
          "fixtures already?\nI should look at who else sleeps first.", say="I'll look for sleeps in the tests first.")  # fmt: skip
    s.use("Read", {"file_path": TEST}, numbered(TEST_TEXT), file_read(TEST, TEST_TEXT))
    items = [("Find every sleep", "completed"), ("Use the fake clock", "in_progress"), ("Run the suite ten times", "pending")]
    todos = [{"content": text, "status": state, "activeForm": text} for text, state in items]
    s.use("TodoWrite", {"todos": todos}, "Todos have been modified successfully.", {"oldTodos": [], "newTodos": todos})
    s.use("Edit", {"file_path": TEST, "old_string": "    sleep(2)\n", "new_string": "    await clock.tick(121)\n", "replace_all": False},
          f"The file {TEST} has been updated.",
          edited(TEST, "    sleep(2)\n", "    await clock.tick(121)\n",
                 hunk(1, 1, " import pytest", " ", "-from api.login import refresh, sign_in", "+from api.login import TOKEN_LIFE, refresh, sign_in", " ", " "),
                 hunk(6, 6, " async def test_token_expires(clock):", '     token = await sign_in("ada", "difference")', "     assert token.valid",
                      "-    sleep(2)", "+    await clock.tick(TOKEN_LIFE + 1)", "     assert not token.valid", " ", " ")),
          say="The test slept for the token to expire; the fixture already has a fake clock.")  # fmt: skip
    failed = ("\x1b[1m============================= test session starts ==============================\x1b[0m\n"
              "collected 14 items\n\n"
              "tests/test_login.py \x1b[32m.\x1b[0m\x1b[31mF\x1b[0m\x1b[32m............\x1b[0m                                    [100%]\n\n"
              "=================================== FAILURES ===================================\n"
              "\x1b[31m\x1b[1m_________________________ test_refresh_keeps_the_user __________________________\x1b[0m\n\n"
              "    async def test_refresh_keeps_the_user(clock):\n"
              "        token = await refresh(await sign_in(\"ada\", \"difference\"))\n"
              "\x1b[1m\x1b[31m>       assert token.user == \"ada\"\x1b[0m\n"
              "\x1b[1m\x1b[31mE       AssertionError: assert None == 'ada'\x1b[0m\n\n"
              "\x1b[1m\x1b[31mtests/test_login.py\x1b[0m:15: AssertionError\n"
              "\x1b[31m========================= \x1b[31m\x1b[1m1 failed\x1b[0m, \x1b[32m13 passed\x1b[0m\x1b[31m in 0.61s\x1b[0m\x1b[31m =========================\x1b[0m")  # fmt: skip
    s.use("Bash", {"command": "pytest -q --color=yes tests/test_login.py", "description": "Run the login tests"},
          f"Error: Exit code 1\n{failed}", f"Error: Exit code 1\n{failed}", error=True, after=2.4)  # fmt: skip
    s.user("check who else calls refresh before you touch it", after=95)
    explore = s.call("Agent", subagent_type="Explore", description="find the callers", prompt="Find every caller of refresh() in this repository.")
    s.answer(thinking("Two things can go on at once: finding the callers, and reading refresh itself."), explore)
    started = s.now
    report = "refresh() is called in three places:\n\n* `api/middleware.py:58`, for every request with an old token\n* `api/ws.py:112`, on reconnect\n* `tests/test_login.py`\n\nAll of them expect the **user** to survive."
    first_agent(s, explore, started)
    s.result(explore, [words(report), words("agentId: a1f3c07b2d9e4c518 (for resuming to continue this agent's work if needed)")],
             {"status": "completed", "prompt": "Find every caller of refresh() in this repository.", "agentId": "a1f3c07b2d9e4c518", "agentType": "Explore",
              "content": [words(report)], "totalDurationMs": 26500, "totalTokens": 50124, "totalToolUseCount": 2,
              "usage": {"input_tokens": 40, "output_tokens": 610, "cache_read_input_tokens": 11200, "cache_creation_input_tokens": 560}}, after=26.2)  # fmt: skip
    s.wait(17.8)
    s.answer(words("Three callers, and all of them expect the user to survive a refresh. `refresh` drops it:\n\n"
                   "```python\ndef refresh(token):\n    return Token(life=TOKEN_LIFE)  # the user is lost here\n```\n\n"
                   "| caller | expects |\n|---|---|\n| middleware | user |\n| ws | user, scopes |\n\nShall I fix `refresh` itself, or only the test?"))  # fmt: skip
    s.done(75)
    s.user("refresh itself. let an agent write it and look at it yourself afterwards", after=3095)
    writer = s.call("Agent", subagent_type="general-purpose", description="write the fix",
                    prompt="Make refresh() keep user and scopes. Add a test for both. Run the suite ten times.")  # fmt: skip
    s.answer(words("I'll have it written, then read the change."), writer)
    second_agent(s, writer, s.now)
    s.meta("last-prompt", lastPrompt="refresh itself. let an agent write it and look at it yourself afterwards", leafUuid=s.parent)
    s.write()


def first_agent(s: Writer, call: dict[str, object], start: datetime) -> None:
    a = Writer(s.name, API, start.strftime("%Y-%m-%dT%H:%M:%S"), branch=s.branch, agent="a1f3c07b2d9e4c518")
    a.model = HAIKU
    a.user("Find every caller of refresh() in this repository.", after=0)
    found = f"{API}/api/middleware.py:58:    token = await refresh(token)\n{API}/api/ws.py:112:    self.token = await refresh(self.token)"
    a.use("Grep", {"pattern": "refresh\\(", "output_mode": "content"}, found, {"mode": "content", "numFiles": 0, "filenames": [], "content": found, "numLines": 2})
    inner = a.call("Agent", subagent_type="Explore", description="read the websocket code", prompt="What does api/ws.py need from a refreshed token?")
    a.answer(words("The websocket one is not obvious; somebody should read around it."), inner)
    b = Writer(s.name, API, a.now.strftime("%Y-%m-%dT%H:%M:%S"), branch=s.branch, agent="a77be01c5f2a94d03")
    b.model = HAIKU
    b.user("What does api/ws.py need from a refreshed token?", after=0)
    code = "async def reconnect(self):\n    self.token = await refresh(self.token)\n    self.user = self.token.user\n    await self.join(self.token.scopes)"
    b.use("Read", {"file_path": f"{API}/api/ws.py", "offset": 111, "limit": 4}, numbered(code, 111), file_read(f"{API}/api/ws.py", code, 111, 240))
    b.answer(words("It needs `user` and `scopes`."), tokens=(8, 60, 3100))
    b.write_agent("Explore", "read the websocket code", inner, depth=2, parent=a.agent)
    a.result(inner, [words("It needs `user` and `scopes`.")], {"status": "completed", "agentId": b.agent, "agentType": "Explore", "prompt": "…",
             "content": [words("It needs `user` and `scopes`.")], "totalDurationMs": 9100, "totalTokens": 23620, "totalToolUseCount": 1}, after=9)  # fmt: skip
    a.answer(words("refresh() is called in three places; all of them expect the **user** to survive."), tokens=(10, 310, 9800))
    a.write_agent("Explore", "find the callers", call)


def second_agent(s: Writer, call: dict[str, object], start: datetime) -> None:
    a = Writer(s.name, API, "2026-05-14T14:57:10", branch=s.branch, agent="a9d20e6b81c3f5a47")
    a.user("Make refresh() keep user and scopes. Add a test for both. Run the suite ten times.", after=0)
    path = f"{API}/api/login.py"
    a.use("Edit", {"file_path": path, "old_string": "    return Token(life=TOKEN_LIFE)", "new_string": "    return Token(token.user, token.scopes, life=TOKEN_LIFE)"},
          f"The file {path} has been updated.",
          edited(path, "", "", hunk(71, 71, " def refresh(token):", "-    return Token(life=TOKEN_LIFE)", "+    return Token(token.user, token.scopes, life=TOKEN_LIFE)")))  # fmt: skip
    a.wait(60)
    a.answer(a.call("Bash", command="for i in $(seq 10); do pytest -q || break; done", description="Run the suite ten times"), tokens=(30, 420, 30800))
    a.write_agent("general-purpose", "write the fix", call)
    s.now = a.now


def bump_node() -> None:
    """Waits for an answer to a question."""
    s = Writer("bump-node", WEB, "2026-05-14T14:50:11")
    s.meta("ai-title", aiTitle="Bump Node to 22")
    s.user("bump node to 22 everywhere: CI, Dockerfile, package.json", after=0)
    found = ".github/workflows/ci.yml\nDockerfile\npackage.json"
    s.use("Glob", {"pattern": "**/{ci.yml,Dockerfile,package.json}"}, found,
          {"filenames": found.split("\n"), "durationMs": 14, "numFiles": 3, "truncated": False}, say="Looking for the places that name a version.")  # fmt: skip
    s.use("Edit", {"file_path": f"{WEB}/Dockerfile", "old_string": "FROM node:20-slim", "new_string": "FROM node:22-slim"},
          "The file has been updated.", edited(f"{WEB}/Dockerfile", "FROM node:20-slim", "FROM node:22-slim",
          hunk(1, 1, "-FROM node:20-slim", "+FROM node:22-slim", " WORKDIR /app", " COPY package*.json ./")))  # fmt: skip
    asked = [{"question": "Should `engines` still allow Node 20?", "header": "engines", "multiSelect": False,
              "options": [{"label": "Only 22", "description": "Fail early on older machines"}, {"label": "20 and 22", "description": "Keep both for one release"}]}]  # fmt: skip
    s.answer(words("One thing I can't decide for you."), s.call("AskUserQuestion", questions=asked))
    s.meta("last-prompt", lastPrompt="bump node to 22 everywhere: CI, Dockerfile, package.json")
    s.meta("permission-mode", permissionMode="acceptEdits")
    s.write()


def add_retries() -> None:
    """Finished: a rewound prompt, a compaction, a pull request, a failed hook. Also the trunk of a fork."""
    s = Writer("add-retries", API, "2026-05-14T12:20:00")
    s.meta("ai-title", aiTitle="Add retries to the HTTP client")
    s.user("add retries to the http client", after=0)
    s.answer(words("How many, and for which errors?"))
    s.done(6)
    asked = s.parent
    s.user("five times, for everything", after=20)
    s.answer(words("Retrying a POST five times can book an order five times. Really for everything?"))
    s.done(5)
    s.parent = asked  # Esc Esc: the prompt is taken back and written anew
    s.user("three times, with backoff, only for 502 503 504", after=50)
    path = f"{API}/api/http.py"
    code = 'async def get(url):\n    return await session.get(url)\n'
    s.use("Read", {"file_path": path}, numbered(code), file_read(path, code))
    new = 'RETRY = {502, 503, 504}\n\n\nasync def get(url, tries=3):\n    for wait in backoff(tries):\n        answer = await session.get(url)\n        if answer.status not in RETRY:\n            return answer\n        await sleep(wait)\n    return answer\n'
    s.use("Write", {"file_path": path, "content": new}, f"The file {path} has been updated.",
          {"type": "update", "filePath": path, "content": new, "originalFile": code, "userModified": False,
           "structuredPatch": [hunk(1, 1, "-async def get(url):", "-    return await session.get(url)", *("+" + line for line in new.rstrip("\n").split("\n")))]})  # fmt: skip
    s.row("attachment", attachment={"type": "hook_non_blocking_error", "hookName": "PostToolUse:Write", "hookEvent": "PostToolUse", "toolUseID": "toolu_x",
          "stderr": "ruff: command not found", "stdout": "", "exitCode": 127, "command": "ruff format", "durationMs": 31})  # fmt: skip
    s.answer(words("Done: three tries, waiting 0.2, 0.4 and 0.8 seconds."))
    s.done(48)
    s.wait(300)
    last = s.parent
    s.parent = None
    s.row("system", subtype="compact_boundary", content="Conversation compacted", logicalParentUuid=last, level="info", isMeta=False,
          compactMetadata={"trigger": "manual", "preTokens": 154200, "postTokens": 8100, "durationMs": 21000})  # fmt: skip
    s.row("user", message={"role": "user", "content": "This session is being continued from a previous conversation that ran out of context. "
          "The conversation is summarized below:\nThe HTTP client now retries 502, 503 and 504 three times."}, isCompactSummary=True, isVisibleInTranscriptOnly=True)  # fmt: skip
    s.user("open a pull request", after=30)
    s.use("Bash", {"command": "gh pr create --fill", "description": "Open a pull request"}, "https://github.com/ada/api/pull/41",
          shell("https://github.com/ada/api/pull/41"), after=3)  # fmt: skip
    s.meta("pr-link", prNumber=41, prUrl="https://github.com/ada/api/pull/41", prRepository="ada/api", timestamp=s.stamp())
    s.answer(words("Opened as [#41](https://github.com/ada/api/pull/41)."))
    s.done(12)
    s.meta("last-prompt", lastPrompt="open a pull request", leafUuid=s.parent)
    s.meta("cost-state", totalCostUSD=0.84, totalAPIDuration=61000, totalDuration=590000, totalLinesAdded=10, totalLinesRemoved=2,
           modelUsage={SONNET: {"inputTokens": 60, "outputTokens": 1440, "cacheReadInputTokens": 110400, "cacheCreationInputTokens": 5400, "costUSD": 0.84}})  # fmt: skip
    s.write()
    fork_of(s)


def fork_of(s: Writer) -> None:
    f = Writer("retries-with-jitter", API, "2026-05-14T12:40:00")
    rows = [row for row in s.rows if "uuid" in row]
    shared = [*rows[:3], *rows[6:11]]  # the way to the leaf, without what was rewound
    for row in shared:
        f.rows.append({**row, "sessionId": f.session, "forkedFrom": {"sessionId": s.session, "messageUuid": row["uuid"]}})
    f.meta("custom-title", customTitle="retries with jitter")
    f.meta("agent-name", agentName="retries with jitter")
    f.parent = str(shared[-1]["uuid"])
    f.user("try it with full jitter instead", after=0)
    f.answer(words("With full jitter the waits are drawn from 0 to 0.2, 0.4 and 0.8 seconds."))
    f.done(9)
    f.write()


def broken_deploy() -> None:
    """Ended in an API error after retries."""
    s = Writer("broken-deploy", WEB, "2026-05-14T11:31:00", branch="deploy")
    s.user("why does the deploy preview show a blank page?", after=0)
    s.use("Bash", {"command": "npm run build", "description": "Build"}, "vite v6.1.0 building for production...\n✓ 214 modules transformed.\ndist/index.html  0.46 kB",
          shell("vite v6.1.0 building for production...\n✓ 214 modules transformed.\ndist/index.html  0.46 kB"), after=9, say="Building it the way CI does.")  # fmt: skip
    for attempt in (1, 2):
        s.wait(4)
        s.row("system", subtype="api_error", level="error", error={"status": 529, "message": "Overloaded"}, retryAttempt=attempt, maxRetries=2, retryInMs=4000)
    s.wait(8)
    s.row("assistant", message={"id": identity("api-error"), "type": "message", "role": "assistant", "model": "<synthetic>",
          "content": [words("API Error: 529 Overloaded. Please try again later.")], "stop_reason": "stop_sequence",
          "usage": {"input_tokens": 0, "output_tokens": 0}}, isApiErrorMessage=True, error="server_error", apiErrorStatus=529)  # fmt: skip
    s.meta("last-prompt", lastPrompt="why does the deploy preview show a blank page?")
    s.write()


def dark_mode() -> None:
    """Interrupted in the middle of a call; a pasted picture, a slash command, a ! command and a queued prompt before that."""
    s = Writer("dark-mode", WEB, "2026-05-13T09:12:00", branch="dark-mode")
    s.meta("ai-title", aiTitle="Dark mode for the settings page")
    s.injected("<local-command-caveat>Caveat: The messages below were generated by the user while running local commands.</local-command-caveat>")
    s.user("<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args>opus</command-args>", after=0)
    s.user("<local-command-stdout>Set model to opus</local-command-stdout>", after=0, origin=None)
    s.model = OPUS
    s.user("<bash-input>git status --short</bash-input>", after=8)
    s.user("<bash-stdout> M src/Settings.tsx</bash-stdout><bash-stderr></bash-stderr>", after=1, origin=None)
    shot = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": picture(48, 32)}}
    s.user([words("the settings page ignores dark mode, see [Image #1]"), shot], after=20, imagePasteIds=[1])
    s.injected([words("[Image: source: /tmp/claude-1000/images/1.png]")])
    css = f"{WEB}/src/settings.css"
    s.use("Edit", {"file_path": css, "old_string": "color: #222;", "new_string": "color: var(--ink);"}, f"The file {css} has been updated.",
          edited(css, "color: #222;", "color: var(--ink);", hunk(14, 14, " .settings h2 {", "-  color: #222;", "+  color: var(--ink);", " }")),
          think="The headings use a fixed colour.", effort="high")  # fmt: skip
    s.meta("queue-operation", operation="enqueue", timestamp=s.stamp(), content="and the borders too")
    s.meta("queue-operation", operation="remove", timestamp=s.stamp(), reason="absorbed_mid_turn")
    s.row("attachment", attachment={"type": "queued_command", "prompt": "and the borders too", "commandMode": "prompt", "origin": {"kind": "human"}, "humanTurn": True})
    borders = s.call("Bash", command="npm run storybook -- --ci", description="Build the component book")
    s.answer(words("Borders as well. I'll check it in the component book."), borders)
    rejected = ("The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT "
                "written to the file). STOP what you are doing and wait for the user to tell you how to proceed.")  # fmt: skip
    s.result(borders, rejected, "User rejected tool use", error=True, toolDenialKind="user-rejected")
    s.row("user", message={"role": "user", "content": [words("[Request interrupted by user for tool use]")]})
    s.meta("last-prompt", lastPrompt="and the borders too")
    s.write()


def nightly_review() -> None:
    """A headless run, hidden by default."""
    s = Writer("nightly-review", API, "2026-05-12T02:00:04", entrypoint="sdk-cli", promptSource="sdk")
    s.user("Review yesterday's commits and list anything risky.", after=0, origin=None)
    s.use("Bash", {"command": "git log --since=yesterday --oneline"}, "4be1f02 Retry 502, 503, 504\n9d7730a Keep the user on refresh",
          shell("4be1f02 Retry 502, 503, 504\n9d7730a Keep the user on refresh"))  # fmt: skip
    s.answer(words("Two commits, nothing risky."))
    s.write()


def big_log() -> None:
    """Output too big for the transcript, kept in a file beside it; web pages, an MCP call, a plan, a question with its answer, a skill."""
    s = Writer("slow-start", API, "2026-05-09T16:03:00", branch="startup")
    s.meta("ai-title", aiTitle="Find out why the server starts slowly")
    s.mode = "plan"
    s.user("the server takes 11 seconds to start. find out why", after=0)
    s.row("attachment", attachment={"type": "plan_mode", "reminderType": "full", "planFilePath": "/home/ada/.claude/plans/calm-brewing-otter.md"})
    lines = [f"2026-05-09 16:03:{n // 40 % 60:02d} import {name} {n % 7 * 13 + 2} ms" for n, name in enumerate(["api.http", "api.login", "api.ws", "api.db", "orm.mapper"] * 90)]
    name = "toolu_slowstart"
    folder = s.folder / s.session / "tool-results"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    spilled = f"/home/ada/.claude/projects/{s.folder.name}/{s.session}/tool-results/{name}.txt"
    preview = "\n".join(lines[:8])
    s.use("Bash", {"command": "python -X importtime -m api 2>&1 | head -450", "description": "Time the imports"},
          f"<persisted-output>\nOutput too large (19.4KB). Full output saved to: {spilled}\n\nPreview (first 2KB):\n{preview}\n...\n</persisted-output>",
          shell(preview, persistedOutputPath=spilled, persistedOutputSize=19400), think="Import time is the usual suspect.")  # fmt: skip
    s.use("WebFetch", {"url": "https://docs.example.org/orm/startup", "prompt": "How can mapping be deferred?"}, "Set `lazy=True` on the registry.",
          {"url": "https://docs.example.org/orm/startup", "code": 200, "codeText": "OK", "bytes": 48211, "result": "Set `lazy=True` on the registry.", "durationMs": 1830})  # fmt: skip
    s.use("mcp__tracker__find_issue", {"query": "slow start", "limit": 3}, [words('{"issues": [{"id": 118, "title": "Startup over 10 s"}]}')],
          [words('{"issues": [{"id": 118, "title": "Startup over 10 s"}]}')])  # fmt: skip
    asked = [{"question": "Which one first?", "header": "Order", "multiSelect": False,
              "options": [{"label": "Lazy mapping", "description": "saves about 8 s"}, {"label": "Smaller imports", "description": "saves about 2 s"}]}]  # fmt: skip
    s.use("AskUserQuestion", {"questions": asked}, 'User has answered your questions: "Which one first?"="Lazy mapping".',
          {"questions": asked, "answers": {"Which one first?": "Lazy mapping"}}, after=25)  # fmt: skip
    plan = "# Start in under two seconds\n\n1. Map lazily (`lazy=True`)\n2. Import the admin pages on first use\n3. Measure again\n"
    s.use("ExitPlanMode", {"plan": plan}, "User has approved your plan. You can now start coding.", {"plan": plan, "isAgent": False, "filePath": "/home/ada/.claude/plans/calm-brewing-otter.md"}, after=40)
    s.mode = "acceptEdits"
    s.use("Skill", {"skill": "review"}, "Launching skill: review", {"success": True, "commandName": "review", "allowedTools": []})
    s.injected([words("Base directory for this skill: /home/ada/.claude/skills/review\n\nLook over a change.")])
    s.answer(words("Starts in 1.9 s now: the mapper took 8.2 s on its own."), attributionSkill="review")
    s.done(160)
    s.write()


def worktree() -> None:
    """Worked in a worktree that is gone; the file was moved back."""
    s = Writer("changelog-script", API, "2026-04-25T10:00:00", branch="worktree-changelog")
    s.cwd = f"{API}/.claude/worktrees/changelog"
    state = {"originalCwd": API, "worktreePath": s.cwd, "worktreeName": "changelog", "worktreeBranch": "worktree-changelog", "originalBranch": "main"}
    s.meta("worktree-state", worktreeSession=state)
    s.user("write a script that turns merged pull requests into a changelog", after=0)
    s.use("Write", {"file_path": f"{s.cwd}/scripts/changelog.py", "content": "print('changelog')\n"}, "File created successfully.",
          {"type": "create", "filePath": f"{s.cwd}/scripts/changelog.py", "content": "print('changelog')\n", "structuredPatch": []})  # fmt: skip
    s.answer(words("It is in `scripts/changelog.py`."))
    s.done(20)
    s.meta("worktree-state", worktreeSession=None)
    s.meta("relocated", relocatedCwd=API)
    s.cwd = API
    s.write()


def leftovers() -> None:
    """What is no session: bookkeeping only, a warm-up, a sidecar folder whose session is gone."""
    s = Writer("opened-and-left", WEB, "2026-05-11T08:00:00")
    s.meta("mode", mode="normal")
    s.meta("permission-mode", permissionMode="default")
    s.write()
    w = Writer("dark-mode", WEB, "2026-05-13T09:11:58", agent="3f9a10cc")
    w.user("Warmup", after=0)
    w.answer(words("I'm ready."))
    w.write(w.folder / "agent-3f9a10cc.jsonl")
    gone = HOME / "projects" / "-home-ada-src-web" / identity("gone") / "tool-results"
    gone.mkdir(parents=True, exist_ok=True)
    (gone / "toolu_old.txt").write_text("what is left of a session that is gone\n", "utf-8")
    (HOME / "settings.json").write_text('{"cleanupPeriodDays": 30, "model": "sonnet"}\n', "utf-8")


def write_all() -> None:
    """Every session, below HOME."""
    for write in (flaky_login, bump_node, add_retries, broken_deploy, dark_mode, nightly_review, big_log, worktree, leftovers):
        write()


if __name__ == "__main__":
    import shutil

    shutil.rmtree(HOME / "projects", ignore_errors=True)
    write_all()
