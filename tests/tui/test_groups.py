"""Rows in groups: by repository, folder, source or day, foldable."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakelibrary import DAY, NOW, FakeLibrary, session, seven
from screenlines import app_of, settled, shown

from sessionbrowser.paths import Environment
from sessionbrowser.tui import groups
from sessionbrowser.tui.app import SessionBrowserApp
from sessionbrowser.tui.groups import group, namer

ENV = Environment("/home/ada", {}, "/home/ada", "linux", NOW)


def test_groups_stand_in_the_order_of_their_first_rows() -> None:
    """And rows in theirs."""
    rows = [session(number, source=source) for number, source in enumerate(("codex", "claude", "codex", "gemini", "claude"))]
    made = group(rows, namer("source", ENV), set())
    assert made.places == [0, 2, 1, 4, 3]
    assert [(place, header.label, header.size) for place, header in made.headers.items()] == [
        (0, "Codex", 2), (2, "Claude Code", 2), (4, "Gemini CLI", 1),
    ]  # fmt: skip


def test_of_a_folded_group_only_the_first_is_left() -> None:
    """The cursor needs a session to stand on."""
    rows = [session(number, source=source) for number, source in enumerate(("codex", "claude", "codex"))]
    made = group(rows, namer("source", ENV), {"codex"})
    assert made.places == [0, 1]
    assert made.headers[0].size == 2


@pytest.mark.parametrize(("ago", "words"), [(0.0, "today"), (DAY, "yesterday"), (3 * DAY, "Monday, 2026-05-11"), (30 * DAY, "2026-04-14")])
def test_days_as_people_say_them(ago: float, words: str) -> None:
    """The newest by name."""
    assert groups.day_of(NOW - ago, NOW)[1] == words


def test_sessions_without_a_directory_are_a_group_of_their_own() -> None:
    """Nothing is lost."""
    assert namer("folder", ENV)(session(0, cwd=None)) == ("", "no directory")


def test_worktrees_are_grouped_with_their_repository(tmp_path: Path) -> None:
    """By git's own files."""
    main, linked = tmp_path / "api", tmp_path / "fix"
    (main / ".git" / "worktrees" / "fix").mkdir(parents=True)
    linked.mkdir()
    (linked / ".git").write_text(f"gitdir: {main}/.git/worktrees/fix\n")
    name = namer("repository", ENV)
    assert name(session(0, cwd=str(linked)))[0] == name(session(0, cwd=str(main / "src")))[0] == str(main)


def listed(app: SessionBrowserApp) -> list[str]:
    return [line.strip() for line in shown(app.screen_stack[0].list) if line.strip()]  # type: ignore[attr-defined]


async def test_o_goes_round_the_groupings() -> None:
    """Repository, folder, source, day, and none again."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(80, 30)) as pilot:
        await settled(pilot)
        heads = []
        for _ in range(5):
            await pilot.press("o")
            heads.append(listed(app)[0].split("  ")[0])
    assert heads[:4] == ["▾ api", "▾ ~/src/api", "▾ Claude Code", "▾ today"]
    assert heads[4].startswith("● cc api")


async def test_a_group_is_folded_and_unfolded_by_a_key() -> None:
    """What is folded is one line."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(80, 30)) as pilot:
        await settled(pilot)
        await pilot.press("o", "o", "o")
        before = listed(app)
        await pilot.press("left")
        folded = listed(app)
        await pilot.press("enter")
        assert listed(app) == before
    assert folded[0].startswith("▸ Claude Code")
    assert folded[1].startswith("▾ Codex")


async def test_the_cursor_stays_on_its_session_when_rows_are_grouped() -> None:
    """By identity, not by line."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(80, 30)) as pilot:
        await settled(pilot)
        await pilot.press("down", "down", "down", "o", "o", "o")
        assert app.screen_stack[0].list.current == seven()[3]  # type: ignore[attr-defined]


async def test_a_click_on_a_header_folds_its_group() -> None:
    """As a key would."""
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=(80, 30)) as pilot:
        await settled(pilot)
        await pilot.press("o", "o", "o")
        await pilot.click(app.screen_stack[0].list, offset=(3, 0))  # type: ignore[attr-defined]
        await pilot.pause()
        assert listed(app)[0].startswith("▸ Claude Code")
