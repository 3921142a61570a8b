"""A mistake of ours ends the screen: with one line and a status of its own, all of it kept for `sb doctor`."""

from __future__ import annotations

import pytest
from fakelibrary import FakeLibrary, seven
from screenlines import app_of, settled

from sessionbrowser.tui import app as app_module


async def test_a_mistake_of_ours_is_one_line_and_exit_2(monkeypatch: pytest.MonkeyPatch) -> None:
    """No traceback with the values of variables, which are people's words."""
    kept: list[str] = []
    monkeypatch.setattr(app_module.failure, "keep", lambda env, error, what: kept.append(f"{what}: {error}"))
    app = app_of(FakeLibrary(seven()))
    said: list[str] = []
    monkeypatch.setattr(app, "panic", lambda text: (said.append(text.plain), type(app).panic(app, text)))
    with pytest.raises(ZeroDivisionError):
        async with app.run_test() as pilot:
            await settled(pilot)
            app.call_later(lambda: 1 // 0)
            await pilot.pause(0.2)
    assert app.return_code == 2
    assert said == ["sb: something went wrong that should not have: ZeroDivisionError: integer division or modulo by zero (SB_DEBUG=1 tells where)"]
    assert kept == ["the screen: integer division or modulo by zero"]
