"""What the screen remembers from one start to the next: sizes of panes, earlier queries. In our own cache folder."""

from __future__ import annotations

import json
import os
from typing import NamedTuple

from sessionbrowser.paths import Environment, cache_folder

FILE = "screen.json"


class Memory(NamedTuple):
    """Shares of the screen (0 to 1) and texts typed before, newest first."""

    left: float = 0.47
    agents: float = 0.36
    history: tuple[str, ...] = ()


def recall(environment: Environment) -> Memory:
    """What was remembered; the defaults when there is nothing readable."""
    try:
        with open(os.path.join(cache_folder(environment), FILE), encoding="utf-8") as file:
            kept = json.loads(file.read(200_000))
    except (OSError, ValueError):
        return Memory()
    if not isinstance(kept, dict):
        return Memory()
    history = kept.get("history")
    texts = tuple(text for text in history if isinstance(text, str)) if isinstance(history, list) else ()
    return Memory(_share(kept.get("left"), 0.47), _share(kept.get("agents"), 0.36), texts[:100])


def _share(value: object, default: float) -> float:
    return float(value) if isinstance(value, int | float) and 0.1 <= value <= 0.9 else default


def remember(environment: Environment, memory: Memory) -> None:
    """Keep it for the next start; where nothing can be written nothing is kept."""
    folder = cache_folder(environment)
    path = os.path.join(folder, FILE)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(json.dumps(memory._asdict(), ensure_ascii=True))
        os.replace(path + ".new", path)
    except OSError:
        return


def forget_queries(environment: Environment) -> None:
    """Keep the sizes, but nothing of what was searched for."""
    memory = recall(environment)
    if memory.history:
        remember(environment, memory._replace(history=()))
