"""The subagents of the session under the cursor, as a tree with tokens and times, on the line API."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from sessionbrowser.model import Agent
from sessionbrowser.render.glyphs import Glyphs
from sessionbrowser.text import ago, amount, cells, cut, duration, fit
from sessionbrowser.tui.look import look_of
from sessionbrowser.tui.scrolling import Scrolling

TYPE_WIDTH = 15  # "general-purpose" is the most common
RELATIVES = {"fork": "fork", "continuation": "went on in", "origin": "began as", "here": "this session"}


class Line(NamedTuple):
    """One agent on one line: what is drawn before it, the agent, how wide its siblings' types are."""

    prefix: str
    agent: Agent
    type_width: int
    folded: int  # how many agents are folded away below it


def lines_of(root: Agent, glyphs: Glyphs, folded: frozenset[str] | set[str] = frozenset()) -> list[Line]:
    """The tree from its root down, in the order it is drawn."""
    lines: list[Line] = []
    _add(lines, root, "", "", 0, glyphs, folded)
    return lines


def _add(
    lines: list[Line], agent: Agent, prefix: str, below: str, width: int, glyphs: Glyphs, folded: frozenset[str] | set[str]
) -> None:
    hidden = count(agent) if agent.id in folded else 0
    lines.append(Line(prefix, agent, width, hidden))
    if hidden or len(below) > 120:  # a tree forty deep is a damaged one
        return
    siblings = min(TYPE_WIDTH, max((cells(name(child)) for child in agent.children), default=0))
    for child in agent.children:
        last = child is agent.children[-1]
        joint, trunk = (glyphs.last, glyphs.blank) if last else (glyphs.branch, glyphs.trunk)
        _add(lines, child, below + joint, below + trunk, siblings, glyphs, folded)


def count(agent: Agent) -> int:
    """How many agents are below this one."""
    return sum(1 + count(child) for child in agent.children)


def name(agent: Agent) -> str:
    """What an agent is called before its description."""
    return RELATIVES.get(agent.kind) or agent.type or "agent"


def spent(agent: Agent, now: float) -> str:
    """How long it took, or takes so far."""
    if agent.started is None:
        return ""
    ended = agent.ended if agent.ended is not None else now if agent.status == "running" else None
    return duration(ended - agent.started) if ended is not None and ended >= agent.started else ""


def _without_relatives(root: Agent) -> Agent:
    """The session with its agents alone: its forks and continuations are told above it already."""
    return root._replace(children=tuple(child for child in root.children if child.kind not in ("fork", "continuation")))


class AgentTree(Scrolling, can_focus=True):
    """The tree of one session; `enter` opens an agent's transcript."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "AgentTree { overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; }"
    HELP = "The session and the subagents it started; enter reads one of them, backspace comes back."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Down", show=False, id="agents.down"),
        Binding("up,k", "move(-1)", "Up", show=False, id="agents.up"),
        Binding("pagedown", "move(10)", "Ten down", show=False, id="agents.page_down"),
        Binding("pageup", "move(-10)", "Ten up", show=False, id="agents.page_up"),
        Binding("home,g", "move(-100000)", "First", show=False, id="agents.first"),
        Binding("end,G", "move(100000)", "Last", show=False, id="agents.last"),
        Binding("left,h", "fold(True)", "Fold", show=False, id="agents.fold"),
        Binding("right,l", "fold(False)", "Unfold", show=False, id="agents.unfold"),
        Binding("enter", "open", "Read", id="agents.open"),
    ]

    class Opened(Message):
        """An agent's transcript is wanted."""

        def __init__(self, agent: Agent) -> None:
            self.agent = agent
            super().__init__()

    def __init__(self, *, now: Callable[[], float], id: str | None = None) -> None:
        super().__init__(id=id)
        self._now = now
        self._root: Agent | None = None
        self._family: Agent | None = None
        self._lines: list[Line] = []
        self._folded: set[str] = set()
        self._above = 0  # lines of the family, above those of the agents
        self._cursor = 0
        self.shown_agent = ""  # id of the agent whose transcript is open

    @property
    def root(self) -> Agent | None:
        return self._root

    @property
    def current(self) -> Agent | None:
        """The agent under the cursor."""
        return self._lines[self._cursor].agent if self._cursor < len(self._lines) else None

    def show(self, root: Agent | None) -> None:
        """Show the tree of a session; None while there is none."""
        same = root is not None and self._root is not None and root.id == self._root.id
        held = self.current.id if same and self.current else ""
        held_above = same and self._cursor < self._above
        self._root = root
        if root is None:
            self._family = None
        if not same:
            self._folded.clear()
            self.shown_agent = root.id if root else ""
        self._lay_out()
        places = [at for at, line in enumerate(self._lines) if line.agent.id == held and (at < self._above) == held_above]
        self._cursor = places[0] if places else min(self._above, max(0, len(self._lines) - 1))
        if not same:
            self.scroll_to(y=0, animate=False)

    def show_family(self, family: Agent | None) -> None:
        """Show above the agents the sessions that this one came from and that went on from it; None for none."""
        if family == self._family:
            return
        before = self._above
        self._family = family
        self._lay_out()
        self._cursor = max(0, min(self._cursor - before + self._above, len(self._lines) - 1))
        self.refresh()

    @property
    def is_alone(self) -> bool:
        """Whether there is nothing but the session itself."""
        return self._family is None and (self._root is None or not self._root.children)

    def select(self, agent_id: str) -> None:
        """Put the cursor on an agent, and say that its transcript is the one shown."""
        self.shown_agent = agent_id
        for at, line in enumerate(self._lines):
            if line.agent.id == agent_id:
                self._cursor = at
        self.refresh()

    def find(self, agent_id: str, call: str = "") -> Agent | None:
        """The agent with this id, or started by this call, wherever it is in the tree."""
        waiting = [self._root] if self._root else []
        while waiting:
            agent = waiting.pop()
            if (agent_id and agent.id == agent_id) or (call and agent.call == call):
                return agent
            waiting.extend(agent.children)
        return None

    def redraw(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        _, glyphs = look_of(self)
        above = lines_of(self._family, glyphs) if self._family and self._root else []
        self._above = len(above)
        root = _without_relatives(self._root) if above and self._root else self._root
        self._lines = [*above, *(lines_of(root, glyphs, self._folded) if root else ())]
        self.set_lines(len(self._lines))
        self.refresh()

    # ── the cursor ──

    def action_move(self, by: int) -> None:
        self._cursor = max(0, min(self._cursor + by, len(self._lines) - 1))
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        if self._cursor < top:
            self.scroll_to(y=self._cursor, animate=False)
        elif self._cursor >= top + height:
            self.scroll_to(y=self._cursor - height + 1, animate=False)
        self.refresh()

    def action_fold(self, fold: bool) -> None:
        agent = self.current
        if agent is None or not agent.children:
            return
        (self._folded.add if fold else self._folded.discard)(agent.id)
        self._lay_out()

    def action_open(self) -> None:
        agent = self.current
        if agent is not None:
            self.post_message(self.Opened(agent))

    def on_click(self, event: events.Click) -> None:
        line = event.y + self.scroll_offset.y
        if 0 <= line < len(self._lines):
            self._cursor = line
            self.refresh()
            self.action_open()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    # ── drawing ──

    def render_line(self, y: int) -> Strip:
        palette, _ = look_of(self)
        width = self.scrollable_content_region.width
        place = y + self.scroll_offset.y
        if place >= len(self._lines):
            return Strip.blank(width, palette.style("screen"))
        at_cursor = self.has_focus and place == self._cursor
        return self._draw(self._lines[place], place == self._above, at_cursor, width)

    def _draw(self, line: Line, is_root: bool, at_cursor: bool, width: int) -> Strip:
        palette, glyphs = look_of(self)
        agent = line.agent
        base = palette.style("screen cursor" if at_cursor else "screen")
        right = self._right(agent)
        open_here = bool(agent.id) and agent.id == self.shown_agent
        bright = agent.status in ("running", "waiting")
        ink = palette.style("text bold" if is_root or open_here else "text" if bright else "dim")
        left = [
            Segment(f" {line.prefix}", base + palette.style("line")),
            Segment(glyphs.status(agent.status), base + palette.style(f"status.{agent.status}")),
        ]
        room = max(0, width - cells(right) - 2)
        used = sum(segment.cell_length for segment in left)
        left.append(Segment(cut(f" {self._words(line, is_root)}", room - used, glyphs.ellipsis), base + ink))
        strip = Strip(left).adjust_cell_length(room, base)
        tail = Strip([Segment(f" {right} ", base + palette.style("count"))])
        return Strip.join([strip, tail]).adjust_cell_length(width, base)

    def _words(self, line: Line, is_root: bool) -> str:
        agent, (_, glyphs) = line.agent, look_of(self)
        if is_root:
            words = agent.description or agent.type or "this session"
        else:
            width = max(line.type_width, cells(name(agent)) if agent is self._family else 1)
            words = f"{fit(name(agent), width, ellipsis=glyphs.ellipsis)}  {agent.description}"
        return f"{words}  {glyphs.folded} {line.folded} more" if line.folded else words

    def _right(self, agent: Agent) -> str:
        """Its tokens, and how long it took; of a session in the family above, how long ago that was."""
        tokens = amount(agent.tokens.total) if agent.tokens and agent.tokens.total else ""
        time = spent(agent, self._now())
        if agent.kind in RELATIVES and agent.ended is not None:
            time = ago(max(0.0, self._now() - agent.ended))
        return f"{fit(tokens, 5, right=True)}  {fit(time, 8 if self._above else 4, right=True)}"


def summary(root: Agent | None) -> str:
    """What stands at the right of the pane's title: how many there are."""
    if root is None:
        return ""
    number = count(root)
    return f"{number:,}" if number else "none"

