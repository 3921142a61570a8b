"""What is begun and not finished is taken back."""

from __future__ import annotations

import pytest

from sessionbrowser.undo import OrUndo


def test_what_comes_to_its_end_stays() -> None:
    undone: list[str] = []
    with OrUndo(lambda: undone.append("it")):
        pass
    assert undone == []


@pytest.mark.parametrize("end", [ValueError, KeyboardInterrupt, SystemExit])
def test_what_ends_early_is_undone_and_goes_on(end: type[BaseException]) -> None:
    """Also when it is interrupted."""
    undone: list[str] = []
    with pytest.raises(end), OrUndo(lambda: undone.append("it")):
        raise end
    assert undone == ["it"]
