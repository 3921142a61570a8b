"""Keys, one after the other: none is looked at before what the one before it led to has happened.

Textual puts a key into the queue of the widget with the focus, and runs what it is bound to only when it came up again
to the app. Of keys that come at once (pasted, a macro, fast fingers) the later ones would reach that widget before the
first had opened the prompt they are meant for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from textual import events
from textual.message_pump import MessagePump
from textual.timer import Timer

LONGEST = 0.5  # seconds a key is waited for: its widget may have gone away with it

Typed = events.Key | events.Paste


class InOrder:
    """Hands keys and pastes on, each as soon as the one before it has come to rest."""

    def __init__(self, app: MessagePump, hand_on: Callable[[Typed], Awaitable[None]]) -> None:
        self._app = app
        self._hand_on = hand_on
        self._waiting: deque[Typed] = deque()
        self._under_way: Typed | None = None
        self._limit: Timer | None = None
        self._then: Callable[[], object] | None = None

    def then(self, do: Callable[[], object]) -> None:
        """Do something once, as soon as no key is under way."""
        self._then = do
        self._come_to_rest()

    def _come_to_rest(self) -> None:
        if self._then is not None and self._under_way is None and not self._waiting:
            do, self._then = self._then, None
            do()

    @property
    def text_follows(self) -> bool:
        """Whether the next key waits already, and is a letter."""
        first = self._waiting[0] if self._waiting else None
        return isinstance(first, events.Key) and first.is_printable

    async def take(self, event: Typed) -> None:
        """Hand a key on, now or when its turn comes."""
        self._waiting.append(event)
        if self._under_way is None:
            await self._next()
        elif self._limit is None:
            self._limit = self._app.set_timer(LONGEST, self._give_up)

    async def _next(self) -> None:
        while self._waiting and self._under_way is None:
            event = self._waiting.popleft()
            self._under_way = event
            target: Any = getattr(self._app, "focused", None) or getattr(self._app, "screen", None)
            await self._hand_on(event)
            if event.is_forwarded and target is not None:
                self._follow(event, target)
            else:
                self._under_way = None
        self._stop_waiting()
        self._come_to_rest()

    def _follow(self, event: Typed, node: MessagePump | None) -> None:
        """Stand in the queue of `node` behind the key, then in those it bubbles to, until it comes to rest."""
        if self._under_way is not event:
            return
        if node is not None and not event._stop_propagation:
            above = None if node is self._app else node._parent
            if node.post_message(events.Callback(callback=lambda: self._follow(event, above))):
                return
        self._under_way = None
        if self._waiting:
            self._app.post_message(events.Callback(callback=self._next))
        self._come_to_rest()

    async def _give_up(self) -> None:
        self._limit = self._under_way = None
        await self._next()

    def _stop_waiting(self) -> None:
        if self._limit is not None and not self._waiting:
            self._limit.stop()
            self._limit = None
