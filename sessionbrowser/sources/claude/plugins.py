"""Plugins of Claude Code: what its own registry lists, and what the hooks that ran prove. Either alone can mislead."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping

from sessionbrowser.text import one_line

_MOST = 1 << 20  # bytes of a registry that are read
_INSTALLED = re.compile(r"[/\\]plugins[/\\](?:cache|marketplaces)[/\\][^/\\\s]+[/\\](?:plugins[/\\])?([^/\\\s\"']+)")
_ROOTED = re.compile(r"\$\{?CLAUDE_PLUGIN_ROOT\}?[/\\]([^\s\"']+)")


def listed(home: str) -> list[str]:
    """Plugins that the registry below `home` (the agent's folder, raw) lists: name, version, and whether they are off."""
    registry = _json(os.path.join(home, "plugins", "installed_plugins.json")).get("plugins")
    enabled = _json(os.path.join(home, "settings.json")).get("enabledPlugins")
    switches: Mapping[str, object] = enabled if isinstance(enabled, dict) else {}
    installed: Mapping[str, object] = registry if isinstance(registry, dict) else {}
    return [_line(name, installed.get(name), switches.get(name)) for name in sorted({*installed, *switches})]


def _line(name: str, entry: object, switch: object) -> str:
    first = entry[0] if isinstance(entry, list) and entry else entry
    version = first.get("version") if isinstance(first, dict) else None
    words = [one_line(name, 80), one_line(version, 30) if isinstance(version, str) else ""]
    if entry is None:
        words.append("(switched on, not installed)" if switch is True else "(not installed)")
    elif switch is False:
        words.append("(switched off)")
    return " ".join(word for word in words if word)


def _json(path: str) -> dict[str, object]:
    """A registry; {} when it is not there, too big, or no JSON."""
    try:
        with open(path, "rb") as file:
            value = json.loads(file.read(_MOST))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def proved(record: Mapping[str, object]) -> Iterator[str]:
    """The plugins whose hooks a row says it ran: by name, or by the script where the row hides the name."""
    for command in _commands(record):
        if found := _INSTALLED.search(command):
            yield one_line(found[1], 80)
        elif rooted := _ROOTED.search(command):
            yield f"one with {one_line(rooted[1], 80)}"


def _commands(record: Mapping[str, object]) -> Iterator[str]:
    infos = record.get("hookInfos")
    holders = [record.get("attachment"), *(infos if isinstance(infos, list) else ())]
    for holder in holders:
        command = holder.get("command") if isinstance(holder, dict) else None
        if isinstance(command, str):
            yield command
