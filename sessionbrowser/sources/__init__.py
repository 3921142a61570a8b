"""The registry of sources: one line an agent, modules imported only where their files are.

An agent that was never used here costs a `stat` or two, not an import.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import NamedTuple

from sessionbrowser.paths import Environment
from sessionbrowser.sources.base import Source


class Entry(NamedTuple):
    """A source before it is imported: what the list and the help need, and where a first look is worth it."""

    name: str
    tag: str
    label: str
    module: str
    variables: tuple[str, ...]  # environment variables that move its store
    places: tuple[str, ...]  # folders or files, ~ {data} {config} {support} expanded, ^: here or above; none existing: not imported
    follows: bool = False  # its files lie in the directories of other sources' sessions: see Source.roots_for


REGISTRY: tuple[Entry, ...] = (
    Entry("claude", "cc", "Claude Code", "claude", ("CLAUDE_CONFIG_DIR",), ("~/.claude", "{config}/claude/projects")),
    Entry("codex", "cx", "Codex", "codex", ("CODEX_HOME",), ("~/.codex",)),
    Entry("opencode", "oc", "OpenCode", "opencode", ("OPENCODE_DB",), ("{data}/opencode", "^.opencode/opencode.db")),
    Entry("gemini", "gm", "Gemini CLI", "gemini", ("GEMINI_CLI_HOME",), ("~/.gemini/tmp",)),
    Entry(
        "cursor", "cu", "Cursor", "cursor", ("CURSOR_CONFIG_DIR",),
        ("~/.cursor/chats", "~/.cursor/projects", "~/.cursor/acp-sessions", "{config}/cursor/chats", "{support}/Cursor/User/globalStorage"),
    ),
    Entry("droid", "dr", "Factory Droid", "droid", ("FACTORY_HOME_OVERRIDE",), ("~/.factory/sessions",)),
    Entry("specstory", "ss", "SpecStory", "specstory", ("SPECSTORY_HISTORY_DIRS",), ("^.specstory/history",), True),
    Entry(
        "records", "sk", "Skill records", "records",
        ("SB_RECORDS_STORE", "SB_RECORDS_MIRROR", "CLAUDE_PLUGIN_DATA", "SB_CONFIG"), ("{config}/sessionbrowser/config.toml",),
    ),
    Entry("copilot", "cp", "Copilot CLI", "copilot", ("COPILOT_HOME", "XDG_STATE_HOME"), ("~/.copilot/session-state", "~/.copilot/history-session-state")),
    Entry("pi", "pi", "Pi", "pi", ("PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR"), ("~/.pi/agent/sessions", "~/.omp/agent/sessions")),
    Entry("qwen", "qw", "Qwen Code", "qwen", ("QWEN_RUNTIME_DIR", "QWEN_HOME"), ("~/.qwen/projects", "~/.qwen/tmp")),
    Entry("kimi", "ki", "Kimi Code", "kimi", ("KIMI_CODE_HOME",), ("~/.kimi-code/sessions", "~/.kimi/sessions")),
    Entry("amp", "am", "Amp", "amp", (), ("{data}/amp/threads",)),
    Entry("crush", "cr", "Crush", "crush", ("CRUSH_GLOBAL_DATA",), ("{data}/crush/projects.json", "^.crush/crush.db")),
    Entry("antigravity", "ag", "Antigravity", "antigravity", ("GEMINI_CLI_HOME",), ("~/.gemini/antigravity-cli", "~/.gemini/antigravity", "~/.gemini/antigravity-ide")),
)


def entry(name: str) -> Entry | None:
    """The registry's line for a source, by name or tag."""
    return next((item for item in REGISTRY if name in (item.name, item.tag)), None)


def present(environment: Environment) -> list[Entry]:
    """The sources whose files may be on this machine."""
    return [item for item in REGISTRY if _somewhere(item, environment)]


def looked(name: str, environment: Environment) -> tuple[list[str], tuple[str, ...]]:
    """Where a first look for a source goes: paths (raw; "./x" is looked for here and above), and variables that move it."""
    found = entry(name)
    if found is None:
        return [], ()
    return [f".{os.sep}{place[1:]}" if place[0] == "^" else _place(place, environment) for place in found.places], found.variables


def _somewhere(item: Entry, environment: Environment) -> bool:
    if any(environment.get(name) for name in item.variables):
        return True
    return any(_is_there(place, environment) for place in item.places)


def _is_there(place: str, environment: Environment) -> bool:
    if not place.startswith("^"):
        return os.path.exists(_place(place, environment))
    at = environment.cwd
    while not os.path.exists(os.path.join(at, place[1:])):
        above = os.path.dirname(at)
        if above == at:
            return False
        at = above
    return True


def _place(place: str, environment: Environment) -> str:
    place = place.replace("{data}", environment.data_home()).replace("{config}", environment.config_home())
    return environment.expand(place.replace("{support}", environment.app_support()))


def load(name: str, environment: Environment) -> Source:
    """The source called `name`, imported now. Raises KeyError for a name nobody registered."""
    found = entry(name)
    if found is None:
        raise KeyError(name)
    module = import_module(f"sessionbrowser.sources.{found.module}")
    source: Source = module.SOURCE(environment)
    return source
