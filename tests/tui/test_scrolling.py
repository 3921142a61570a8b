"""A surface's own scrollbar is Textual's, drawn without what it does not need."""

from __future__ import annotations

import pytest
from fakelibrary import FakeLibrary, session
from screenlines import app_of, settled
from textual.scrollbar import ScrollBar


@pytest.mark.parametrize("look", ["dark", "light", "ansi", "none"])
@pytest.mark.parametrize("at", [0, 17, 200])
async def test_the_scrollbar_looks_like_textuals(look: str, at: int) -> None:
    async with (app := app_of(FakeLibrary([session(number) for number in range(60)]), look=look)).run_test(size=(90, 20)) as pilot:
        await settled(pilot)
        listed = app.screen.list  # type: ignore[attr-defined]
        listed.scroll_to(y=at, animate=False, immediate=True)
        await pilot.pause(0.05)
        bar = listed.vertical_scrollbar
        ours, theirs = bar.render_lines(bar.size.region), ScrollBar.render_lines(bar, bar.size.region)
        assert len(ours) == bar.size.height > 5
        assert [list(strip) for strip in ours] == [list(strip) for strip in theirs]
