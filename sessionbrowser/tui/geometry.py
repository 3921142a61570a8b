"""How panes share the screen: one set of rules for the browser and for the picture painted before it."""

from __future__ import annotations

from typing import NamedTuple

NARROW = 90  # below this many columns one pane is shown at a time
LOW = 14  # below this many lines there is no room for the agents pane
LEAST_LEFT, LEAST_RIGHT, LEAST_AGENTS, LEAST_LIST = 34, 40, 5, 5


class Geometry(NamedTuple):
    """Cells and lines of the panes, frames included; `left` is the whole width when narrow."""

    narrow: bool
    left: int
    list_height: int
    agents_height: int  # 0: not shown beside the list


def divide(width: int, height: int, left: float, agents: float, *, alone: bool = False) -> Geometry:
    """Share a screen of `width` by `height` cells; `left` and `agents` are the shares people chose.

    Of a session that is `alone`, without agents and relatives, the agents pane takes no more than it needs to say so.
    """
    body = max(1, height - 2)  # the box above, the keys below
    if width < NARROW:
        return Geometry(True, width, body, 0)
    left_cells = max(LEAST_LEFT, min(round(width * left), width - LEAST_RIGHT))
    if body < LOW:
        return Geometry(False, left_cells, body, 0)
    agents_lines = LEAST_AGENTS if alone else max(LEAST_AGENTS, min(round(body * agents), body - LEAST_LIST))
    return Geometry(False, left_cells, body - agents_lines, agents_lines)
