"""Render screenshots/*.png from the invented sessions: `python tests/screenshots/make.py [NAME …]`.

Textual draws each screen as SVG under a stopped clock; a headless Chromium with Fira Code makes a PNG of it. The
pictures go into the README and are there to be looked at.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(REPOSITORY))
os.environ.update(COLORTERM="truecolor", TERM="xterm-256color", TZ="UTC")

from sessionbrowser.commands.options import DEMO_CLOCK, demo_home  # noqa: E402
from sessionbrowser.library import Library  # noqa: E402
from sessionbrowser.paths import Environment  # noqa: E402
from sessionbrowser.render.glyphs import ASCII, UNICODE  # noqa: E402
from sessionbrowser.tui.app import SessionBrowserApp  # noqa: E402
from sessionbrowser.tui.browser import Browser  # noqa: E402

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")


class Shot(NamedTuple):
    """One picture: its size in cells, the keys pressed before it, the theme, and where the sessions are."""

    name: str
    size: tuple[int, int]
    keys: tuple[str, ...] = ()
    look: str = "dark"
    empty: bool = False
    ascii: bool = False
    query: str = ""


SHOTS = (
    Shot("wide", (140, 40)),
    Shot("narrow", (80, 24), ("down",)),
    Shot("diff", (140, 40), ("enter", "d", "enter"), query="login"),
    Shot("agents", (140, 40), ("tab",), query="has:subagents"),
    Shot("help", (110, 42), ("question_mark",)),
    Shot("details", (110, 42), ("i",)),
    Shot("find", (140, 24), ("slash", *"login")),
    Shot("first-run", (100, 30), empty=True),
    Shot("light", (140, 40), look="light"),
    Shot("ansi", (110, 30), look="ansi"),
    Shot("ascii", (100, 24), look="none", ascii=True),
)


def demo_copy(folder: str) -> str:
    """The invented home with its files as old as the stopped clock has them: agents delete by a file's age."""
    home = os.path.join(folder, "home")
    if not os.path.isdir(home):
        shutil.copytree(demo_home(), home)
        for path in Path(home).rglob("*"):
            os.utime(path, (DEMO_CLOCK - 20.5 * 86400,) * 2)
    return home


async def svg_of(shot: Shot, cache: str) -> str:
    """The screen of one shot as SVG."""
    home = os.path.join(cache, "nobody") if shot.empty else demo_copy(cache)
    variables = {"SB_CACHE_DIR": cache, "PATH": os.environ.get("PATH", "")}
    environment = Environment(home, variables, os.path.join(home, "src", "api"), "linux", DEMO_CLOCK)
    app = SessionBrowserApp(
        Library(environment),
        look=shot.look,
        glyphs=ASCII if shot.ascii else UNICODE,
        query=shot.query,
        full_text=not shot.empty,
    )
    async with app.run_test(size=shot.size) as pilot:
        browser = app.screen
        assert isinstance(browser, Browser)
        while not browser.listing.is_complete:
            await pilot.pause(0.05)
        await pilot.pause(1.5 if not shot.empty else 0.2)
        for key in shot.keys:
            await pilot.press(key)
            await pilot.pause(0.3)
        await pilot.pause(0.6)
        return app.export_screenshot()


def png_of(svg: str, path: Path) -> None:
    """Make a PNG of an SVG. Raises RuntimeError without a Chromium."""
    chromium = next((found for name in CHROMIUM if (found := shutil.which(name))), None)
    if chromium is None:
        raise RuntimeError("no Chromium is installed")
    svg = re.sub(r"url\(.?https[^)]*\)[^,;]*", 'local("Fira Code")', svg)
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert size is not None
    width, height = (int(float(side)) + 1 for side in size.groups())
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        page.write_text(f'<meta charset="utf-8"><body style="margin:0;overflow:hidden">{svg}</body>', encoding="utf-8")
        subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--default-background-color=00000000",
             f"--window-size={width},{height}", f"--screenshot={path}", str(page)],
            check=True, capture_output=True, timeout=60,
        )  # fmt: skip


def main(names: list[str]) -> int:
    """Render all pictures, or those named."""
    folder = REPOSITORY / "screenshots"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as cache:
        for shot in SHOTS:
            if names and shot.name not in names:
                continue
            png_of(asyncio.run(svg_of(shot, cache)), folder / f"{shot.name}.png")
            print(folder / f"{shot.name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
