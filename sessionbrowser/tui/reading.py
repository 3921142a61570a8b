"""What is being read: the session under the cursor or one of its subagents, its agents tree and its facts."""

from __future__ import annotations

from collections.abc import Sequence
from os.path import dirname
from typing import TYPE_CHECKING

from sessionbrowser.library import Changed, Event, Found, Gone
from sessionbrowser.model import Agent, Handle, Session, Transcript
from sessionbrowser.paths import shown
from sessionbrowser.tui.agent_tree import RELATIVES, AgentTree, summary
from sessionbrowser.tui.background import Latest
from sessionbrowser.tui.facts_line import FactsLine
from sessionbrowser.tui.lineage import family
from sessionbrowser.tui.snippets import Snippet
from sessionbrowser.tui.transcript_following import Goal, Spot

if TYPE_CHECKING:
    from sessionbrowser.index.search import Hit
    from sessionbrowser.tui.browser import Browser

BIG = 1_500_000  # bytes from which on a file is not read a second time for its agents
TRIES, PAUSE = 6, 0.15  # times and seconds until a session that cannot be found counts as gone


class Reading:
    """Follows the cursor of the list. Whatever was overtaken by a newer session is dropped."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self.session: Session | None = None
        self._opened: tuple[str, str, str] | None = None  # identity of the session whose transcript is shown
        self._hit: Hit | None = None  # the line found that was gone to last
        self._trail: list[Agent] = []  # subagents opened one out of the other
        self._spots: dict[tuple[str, str], Spot] = {}  # by path and key: where the reader was in what they came from
        self._agents: Latest[Agent] = Latest(browser)
        self._tree_handle: Handle | None = None  # of the session whose tree is shown
        self._tree_stale = False  # whether the session was written to since
        self._orphaned = False  # whether the session that is read was deleted meanwhile
        self._wanted: tuple[str, str] | None = None  # id and call of an agent to open as soon as the tree is there

    def show(self, session: Session | None, snippet: Snippet | None, *, now: bool = False) -> None:
        """Show a session: its facts at once, its transcript and its agents as they come.

        While only the list is on screen nothing else is read, unless it is wanted `now`. A session that was deleted
        while it is read stays until its reader goes on.
        """
        if self._orphaned and not now and self._browser.active != "sessions":
            return
        self._orphaned = False
        self.session = session
        for line in self._browser.query(FactsLine):
            line.show(session)
        if session is None:
            self._show_nothing()
            return
        if not now and self._browser.is_narrow and self._browser.active == "sessions":
            return
        if self._opened != session.identity or self._trail:
            self._open(session, goal=_goal(snippet))
        if snippet is not None:
            self.go_to_hit(snippet)

    def visible_again(self) -> None:
        """The space was shared anew: what was not read while its pane was away is read now."""
        session = self.session
        if session is not None and self._opened != session.identity:
            self.show(session, None)

    def news(self, events: Sequence[Event]) -> None:
        """The session that is shown grew, moved or is gone; or its subagents did."""
        session = self.session
        if session is None:
            return
        for event in events:
            if isinstance(event, Changed | Found):
                for changed in event.sessions:
                    if changed.identity == self._opened:
                        self._grew(changed)
                    elif changed.hidden == "subagent":
                        self._subagent_grew(changed)
            elif isinstance(event, Gone) and self._opened in event.identities:
                self._went_away(session)

    def _went_away(self, session: Session) -> None:
        """Its file is not where it was: elsewhere (a worktree was moved), or deleted. What is on screen stays."""
        moved = self._browser.listing.store.find_id(session.id)
        if moved is not None and moved.source == session.source and self._browser.list.go_to_session(moved.identity):
            self._browser.say(f"this session's file was moved to {shown(dirname(moved.path), self._browser.environment.home)}")
        else:
            self._orphaned = True
            self._browser.say("this session's file was deleted; what was read of it stays here", "warn")

    def _subagent_grew(self, subagent: Session) -> None:
        """A subagent began or went on: its transcript when it is the one shown, and the tree."""
        transcript = self._browser.transcript
        handle = transcript.handle
        if handle is None or self._opened is None:
            return
        if self._trail and handle.path == subagent.path:
            transcript.refresh_outline()
        if self._tree_handle is not None and subagent.source == self._opened[0] and _is_below(subagent, self._tree_handle):
            self._load_agents(self._tree_handle)

    def _grew(self, session: Session) -> None:
        session = self._browser.listing.store.get(session.identity) or session  # with the counts that are known
        self.session = session
        for line in self._browser.query(FactsLine):
            line.show(session)
        if not self._trail:
            self._browser.transcript.set_live(_live(session))
            self._tree_stale = True  # looked at once what came was read
            self._browser.transcript.refresh_outline()
        elif self._tree_handle is not None:
            self._load_agents(self._tree_handle)

    def loaded(self, outline: Transcript, partial: bool) -> None:
        """The transcript was read: what its row did not know is known now."""
        session = self.session
        if session is None or partial or self._trail or self._opened != session.identity:
            return
        handle = self._browser.transcript.handle
        if handle is not None and (self._tree_stale or self._tree_handle is None):
            self._load_agents(handle, outline)
        session = self._browser.listing.store.get(session.identity) or session  # what came meanwhile is newer
        exact = session._replace(counts=outline.counts, tokens=outline.tokens, damaged_lines=len(outline.damage))
        if exact != session or exact != self.session:
            self.session = exact
            self._browser.listing.learned(exact)
            for line in self._browser.query(FactsLine):
                line.show(exact)

    def labelled(self, title: str, right: str) -> None:
        """The transcript says where its reader is."""
        if self.session is not None:
            self._browser.pane("reading").label(right=right)

    def _show_nothing(self) -> None:
        self._opened = self._tree_handle = None
        self._trail.clear()
        self._agents.drop()
        self._browser.tree_pane.show(None)
        self._browser.pane("agents").label(right="")
        self._browser.pane("reading").label("", "")
        self._browser.transcript.clear()

    def _open(self, session: Session, tries: int = TRIES, goal: Goal | None = None, *, back: bool = False) -> None:
        browser = self._browser
        if not back:
            self._spots.clear()
        if self._opened != session.identity:
            self._wanted = self._tree_handle = None
            browser.tree_pane.show(None)
            browser.pane("agents").label(right="")
        self._opened = session.identity
        self._hit = None
        self._trail.clear()
        browser.pane("reading").label(session.title or session.id, "")
        try:
            handle = browser.library.handle(session)
        except KeyError:  # said, but not yet kept by the load that is under way
            browser.transcript.clear()
            self._try_again(session, tries)
            return
        browser.transcript.show(browser.library, handle, session.title, live=_live(session), cwd=session.cwd, goal=goal,
                                spot=self._spot_in(handle) if back else None)  # fmt: skip
        self.mark()
        if handle.size < BIG:  # else as soon as the transcript was read, from the same reading
            self._load_agents(handle)

    def _try_again(self, session: Session, tries: int) -> None:
        """Wait until it is kept; when nothing is under way, somebody emptied the cache: everything is looked for again."""
        listing = self._browser.listing
        if not listing.is_loading and tries == TRIES:
            listing.look_again("the cache was emptied: reading the sessions again …")
        elif not tries:
            self._browser.say("this session is not there any more", "warn")
            return
        self._browser.set_timer(PAUSE, lambda: self._open_if_current(session, tries if listing.is_loading else tries - 1))

    def _open_if_current(self, session: Session, tries: int) -> None:
        if self.session is not None and self.session.identity == session.identity and not self._trail:
            self._open(session, tries)

    def _load_agents(self, handle: Handle, outline: Transcript | None = None) -> None:
        browser = self._browser
        self._tree_handle, self._tree_stale = handle, False
        self._agents.ask(lambda: browser.library.agents(handle, outline), self._agents_came)

    def _agents_came(self, root: Agent | None, wrong: str) -> None:
        browser = self._browser
        session = self.session
        if root is not None and session is not None:
            root = root._replace(
                description=session.title, status=session.status, tokens=root.tokens or session.tokens
            )
        browser.tree_pane.show(root)
        browser.tree_pane.show_family(family(session, browser.listing.store) if session is not None else None)
        browser.pane("agents").label(right="cannot be read" if wrong else summary(root))
        browser.fit_agents()
        if self._wanted and root is not None:
            wanted, self._wanted = self._wanted, None
            self.open_agent_id(*wanted)

    # ── hits ──

    def mark(self) -> None:
        """Mark the words of the box in what is shown."""
        self._browser.transcript.mark(self._browser.listing.finder.marked)

    def hits_came(self) -> None:
        """The conversations were searched: go to the line found in the session that is shown, unless one is there."""
        snippet = self._browser.list.snippet
        if snippet is not None and snippet.hit != self._hit and not self._browser.transcript.has_focus:
            self.show(self.session, snippet)

    def go_to_hit(self, snippet: Snippet) -> None:
        """Be at the line that was found, in the session or in the subagent it is of."""
        hit = snippet.hit
        if hit is None or hit == self._hit:
            return
        self._hit = hit
        if hit.subagent and hit.handle is not None:
            agent = self._browser.tree_pane.find(hit.subagent) or Agent(hit.subagent, "subagent", handle=hit.handle)
            self._trail = [agent]
            self._show_agent(agent, hit.handle, Goal(hit.start, hit.kind))
        elif self._opened == hit.identity:
            self._browser.transcript.goto(*_place_of(hit))

    # ── subagents ──

    def open_agent_id(self, agent_id: str, call: str = "") -> None:
        """Open the subagent with this id, or started by this call; when the tree is not there yet, as soon as it is."""
        tree: AgentTree = self._browser.tree_pane
        if tree.root is None:
            self._wanted = (agent_id, call)
            return
        agent = tree.find(agent_id, call)
        if agent is None:
            self._browser.say("no transcript of this agent was kept", "warn")
        else:
            self.open_agent(agent)

    def open_agent(self, agent: Agent) -> None:
        """Show an agent's transcript in place of the session's; the session itself, or a relative, when it is one."""
        browser = self._browser
        tree = browser.tree_pane
        if tree.root is not None and agent.id in (tree.root.id, self.session.id if self.session else ""):
            self.back(to_session=True)
            browser.show_pane("reading")
            return
        if agent.kind in RELATIVES and self._open_relative(agent):
            return
        handle = agent.handle or self._kept_elsewhere(agent)
        if handle is None:
            browser.say("no transcript of this agent was kept", "warn")
            return
        if agent in self._trail:
            del self._trail[self._trail.index(agent) :]
        self._trail.append(agent)
        self._show_agent(agent, handle)
        browser.show_pane("reading")

    def _kept_elsewhere(self, agent: Agent) -> Handle | None:
        """The transcript of an agent that lies with another session: with the one this history was copied from."""
        row = self._browser.listing.store.find_id(agent.id)
        try:
            return self._browser.library.handle(row) if row is not None else None
        except KeyError:
            return None

    def _open_relative(self, agent: Agent) -> bool:
        browser = self._browser
        relative = browser.listing.store.find_id(agent.id)
        if relative is None:
            return False
        if not browser.list.go_to_session(relative.identity):  # hidden, or not what the box asks for
            try:
                handle = browser.library.handle(relative)
            except KeyError:
                return False
            self._trail.append(agent)
            self._show_agent(agent._replace(type=""), handle)
        browser.show_pane("reading")
        return True

    def _show_agent(self, agent: Agent, handle: Handle, goal: Goal | None = None, *, back: bool = False) -> None:
        browser = self._browser
        spot = self._spot_in(handle) if back else None
        if not back:
            self._keep_spot()
        words = f"{agent.type}  {agent.description}".strip() or "subagent"
        above = browser.list.current
        browser.transcript.show(browser.library, handle, words, cwd=above.cwd if above else None, goal=goal, spot=spot)
        self.mark()
        browser.pane("reading").label(words, "")
        browser.tree_pane.select(agent.id)
        browser.show_keys()

    def _keep_spot(self) -> None:
        """Remember where the reader is in what is shown, to bring them back there."""
        transcript = self._browser.transcript
        if transcript.handle is not None and (spot := transcript.spot) is not None:
            self._spots[transcript.handle.path, transcript.handle.key] = spot

    def _spot_in(self, handle: Handle) -> Spot | None:
        return self._spots.get((handle.path, handle.key))

    def back(self, *, to_session: bool = False) -> bool:
        """From a subagent to what it was opened from; whether there was anything to come back from."""
        if not self._trail:
            return False
        self._trail.pop()
        if to_session:
            self._trail.clear()
        self._browser.status.unsay()
        if self._trail and (handle := self._trail[-1].handle) is not None:
            self._show_agent(self._trail[-1], handle, back=True)
        elif self.session is not None:
            self._trail.clear()
            self._open(self.session, back=True)
            self._browser.tree_pane.select(self.session.id)
        self._browser.show_keys()
        return True

    @property
    def path(self) -> str:
        """The file on screen, raw; "" for none. May be asked from another thread."""
        handle = self._browser.transcript.handle if self._opened is not None else None
        return handle.path if handle is not None else ""

    @property
    def outline(self) -> Transcript | None:
        """The outline of the session, when its own transcript is the one shown and read."""
        shown = None if self._trail else getattr(self._browser.transcript, "outline", None)
        return shown if isinstance(shown, Transcript) else None

    @property
    def agent(self) -> Agent | None:
        """The subagent whose transcript is shown, when it is one."""
        return self._trail[-1] if self._trail else None


def _is_below(subagent: Session, handle: Handle) -> bool:
    """Whether a subagent belongs to the session of `handle`, as far as its row tells."""
    return subagent.parent == handle.id or subagent.path.startswith(handle.path.removesuffix(".jsonl") + "/")


def _live(session: Session) -> str | None:
    """Whether a session is at work or waits for its person; None when its file has to tell."""
    if session.status == "waiting" or session.status_from == "registry":
        return session.status if session.status in ("running", "waiting") else ""
    return None


def _goal(snippet: Snippet | None) -> Goal | None:
    """The place in the session's own files that a snippet leads to."""
    hit = snippet.hit if snippet is not None else None
    return _place_of(hit) if hit is not None and not hit.subagent else None


def _place_of(hit: Hit) -> Goal:
    return Goal(hit.start, hit.kind, hit.path if hit.path != hit.identity[1] else "")
