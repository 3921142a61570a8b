"""Stores that are there and may not be entered: they are not absent, and whoever looks for them is told so."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator

from sessionbrowser.model import Unreadable
from sessionbrowser.paths import Environment
from sessionbrowser.sources import REGISTRY, Entry, looked


def locked(environment: Environment, names: Iterable[str]) -> list[Unreadable]:
    """Where sessions of these sources would be and nobody may look; a home that is locked is said once. By `stat` alone."""
    wanted = set(names)
    if _is_locked(environment.home):
        return [Unreadable("", environment.home, os.strerror(errno.EACCES).lower())]
    shared = _shared(environment)
    found: dict[tuple[str, str], Unreadable] = {}
    for item in REGISTRY:
        if item.name not in wanted:
            continue
        for place in _places(item, environment):
            folder = _barrier(place)
            if folder and folder not in shared:
                found.setdefault((item.name, folder), Unreadable(item.name, folder, os.strerror(errno.EACCES).lower()))
    return list(found.values())


def _places(item: Entry, environment: Environment) -> Iterator[str]:
    """Where a source's store is: where variables say, else its usual places."""
    places, variables = looked(item.name, environment)
    moved = [environment.expand(value) for name in variables if name != "SB_CONFIG" and (value := environment.get(name))]
    yield from moved or (place for place in places if not place.startswith("." + os.sep))


def _shared(environment: Environment) -> set[str]:
    """Folders of everybody's: that one is locked says nothing of an agent."""
    found = set()
    for folder in (environment.home, environment.data_home(), environment.config_home(), environment.app_support()):
        while folder not in found:
            found.add(folder)
            folder = os.path.dirname(folder)
    return found


def _barrier(place: str) -> str:
    """The folder on the way to `place`, or itself, that may not be entered; "" when there is none."""
    try:
        os.stat(place)
    except PermissionError:
        while (place := os.path.dirname(place)) != os.path.dirname(place):
            if os.path.exists(place):
                return place
        return ""
    except (OSError, ValueError):
        return ""
    return place if _is_locked(place) else ""


def _is_locked(folder: str) -> bool:
    return os.path.isdir(folder) and not os.access(folder, os.R_OK | os.X_OK)
