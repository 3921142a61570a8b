"""What of the configuration can't be used, beyond what reading its file shows: saved queries, options of the picker, keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sessionbrowser.commands.options import Refused

if TYPE_CHECKING:
    from sessionbrowser.config import Config
    from sessionbrowser.paths import Environment


def problems(config: Config, env: Environment, *, keys: bool = True) -> list[str]:
    """All of them, lines for eyes. `keys`: those of keys too; for them the screen has to be loaded where any were changed."""
    found = [*config.problems, *_queries(config, env), *_pick(config, env)]
    if keys and config.keys:
        from sessionbrowser.tui.key_check import key_problems

        found += key_problems(config.keys)
    return found


def _queries(config: Config, env: Environment) -> Iterator[str]:
    if not config.queries:
        return
    from sessionbrowser.query import whole
    from sessionbrowser.query.saved import named

    for name, text in config.queries.items():
        for inner in set(named(text)) & set(config.queries):
            yield f"queries: {name}: @{inner} is not written out inside of a saved query"
        problem = whole(text, env.now()).problem if text.strip() else None
        if problem is not None:
            yield f"queries: {name}: {problem.message} (character {problem.start + 1})"


def _pick(config: Config, env: Environment) -> Iterator[str]:
    if config.pick:
        from sessionbrowser.commands import pick_options

        try:
            pick_options.said_in(pick_options.CONFIGURED, config.pick, env)
        except Refused as refused:
            yield str(refused)
