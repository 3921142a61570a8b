"""What `c` and `Y` copy, and what they ask first."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakelibrary import FakeLibrary, seven
from screenlines import app_of, settled, text
from talking import TalkingLibrary, browser, until

from sessionbrowser.paths import Environment


async def test_a_line_that_cannot_work_is_not_copied_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The directory is gone: the ways that resuming offers are offered as lines to copy."""
    (tmp_path / "src").mkdir()
    rows = [row._replace(cwd=str(tmp_path / "src" / "gone")) for row in seven()]
    library = FakeLibrary(rows, Environment(str(tmp_path), {"SHELL": "/bin/bash"}, str(tmp_path), "linux"))
    async with (app := app_of(library)).run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        copied: list[str] = []
        monkeypatch.setattr(browser(pilot).leaving, "copy_text", lambda line, what: copied.append(line))
        await pilot.press("c")
        await pilot.pause(0.05)
        assert "its directory is gone: ~/src/gone" in text(app)
        assert copied == []
        await pilot.press("1")
        await pilot.pause()
        assert copied == [f"cd {tmp_path}/src && claude --resume {rows[0].id}"]


async def test_the_line_as_recorded_can_be_copied_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For when the directory comes back."""
    rows = [row._replace(cwd=str(tmp_path / "gone")) for row in seven()]
    library = FakeLibrary(rows, Environment(str(tmp_path), {"SHELL": "/bin/bash"}, str(tmp_path), "linux"))
    async with (app := app_of(library)).run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        copied: list[str] = []
        monkeypatch.setattr(browser(pilot).leaving, "copy_text", lambda line, what: copied.append(line))
        await pilot.press("c")
        await pilot.pause(0.05)
        assert "works once that is back" in text(app)
        await pilot.press("c")
        await pilot.pause()
        assert copied == [f"cd {tmp_path}/gone && claude --resume {rows[0].id}"]


def place_with(tmp_path: Path, *programs: str) -> Environment:
    """A home with these programs on its PATH, and no clock that is stopped."""
    for name in programs:
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    return Environment(str(tmp_path), {"SHELL": "/bin/bash", "PATH": str(tmp_path)}, str(tmp_path), "linux")


async def test_resuming_never_offers_a_directory_that_is_gone(tmp_path: Path) -> None:
    """With nothing left above it but the root, the home is offered, and that is where the agent starts."""
    rows = [row._replace(cwd="/no-such-folder-of-ada/api") for row in seven()]
    library = FakeLibrary(rows, place_with(tmp_path, "claude"))
    async with (app := app_of(library)).run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        await pilot.press("r")
        await until(pilot, lambda: "its directory is gone" in text(app))
        shown = text(app)
        assert "your home" in shown and "the nearest folder that is left, /" in shown
        assert "resume it" not in shown and "fork it" not in shown


async def test_without_the_program_its_command_is_copied_for_a_place_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `sb resume --print` gives it."""
    rows = [row._replace(cwd=str(tmp_path / "gone")) for row in seven()]
    library = FakeLibrary(rows, place_with(tmp_path))
    async with (app := app_of(library)).run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        copied: list[str] = []
        monkeypatch.setattr(browser(pilot).leaving, "copy_text", lambda line, what: copied.append(line))
        await pilot.press("r")
        await until(pilot, lambda: "claude is not installed" in text(app))
        await pilot.press("1")
        await pilot.pause()
        assert copied == [f"cd {tmp_path} && claude --resume {rows[0].id}"]


@pytest.mark.parametrize("size", [(120, 30), (80, 24)])
async def test_the_transcript_can_be_copied_from_the_list(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it is not on the screen, and has not been read."""
    library = TalkingLibrary({"one": [("prompt", "why is it slow"), ("text", "Because of the lock.")]})
    async with app_of(library).run_test(size=size) as pilot:
        await settled(pilot)
        copied: list[str] = []
        monkeypatch.setattr(browser(pilot).leaving, "copy_text", lambda line, what: copied.append(line))
        await pilot.press("Y", "M")
        await until(pilot, lambda: copied)
        assert "why is it slow" in copied[0] and "Because of the lock." in copied[0]


@pytest.mark.parametrize("size", [(80, 24), (120, 30)])
async def test_a_long_command_keeps_the_agents_own_words(tmp_path: Path, size: tuple[int, int]) -> None:
    """What goes before them, a long directory, says least of it."""
    deep = tmp_path.joinpath(*["quite-a-long-folder"] * 4)
    deep.mkdir(parents=True)
    rows = [row._replace(cwd=str(deep)) for row in seven()]
    library = FakeLibrary(rows, Environment(str(tmp_path), {"SHELL": "/bin/bash"}, str(tmp_path), "linux"))
    async with (app := app_of(library)).run_test(size=size) as pilot:
        await settled(pilot)
        await pilot.press("Y")
        await pilot.pause(0.05)
        assert f"claude --resume {rows[0].id[:18]}" in text(app)


async def test_a_long_title_takes_one_line_of_the_dialog(tmp_path: Path) -> None:
    """It is there to be known again, not to be read."""
    rows = [row._replace(cwd=str(tmp_path), title="a title that goes on " * 20) for row in seven()]
    library = FakeLibrary(rows, Environment(str(tmp_path), {"SHELL": "/bin/bash"}, str(tmp_path), "linux"))
    async with (app := app_of(library)).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("r")
        await pilot.pause(0.05)
        drawn = [line for line in text(app).split("\n") if "│" in line and "a title that goes on" in line]
        assert len(drawn) == 1 and "…" in drawn[0], text(app)
