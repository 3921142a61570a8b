"""The page of a session with hostile text, in a real browser: nothing runs, nothing is fetched, everything can be read."""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from test_html import PARTS

from sessionbrowser.export import html
from sessionbrowser.model import Block, Body, Part, Place, Plain, Prose, Session

CHROMIUM = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: the page is not tried in a browser")


class Server:
    """Hears whether anything is fetched."""

    def __init__(self) -> None:
        heard: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                heard.append(self.path)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *arguments: object) -> None:
                pass

        self.heard = heard
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


def hostile(address: str) -> str:
    """What somebody may have written into a session to harm its reader."""
    run = "document.title='RAN';document.documentElement.setAttribute('data-ran',1)"
    return (
        f"</pre></article></style></title><script>{run}</script><img src={address}/img onerror=\"{run}\">"
        f"<link rel=stylesheet href={address}/css><iframe src={address}/frame></iframe><svg onload=\"{run}\"></svg>"
        f"<meta http-equiv=refresh content='0;url={address}/gone'><base href={address}/>"
        f"<style>@import url({address}/import);body{{background:url({address}/bg)}}</style>"
        f"<form action={address}/form><input autofocus onfocus=\"{run}\"></form><details open ontoggle=\"{run}\">x</details>"
        f"![p]({address}/md.png) [x](javascript:{run}) <{address}/auto> <!-- --> ]]> &lt;b&gt; \u202e\x1b[31m"
    )


def browsed(page: Path, *options: str, profile: Path) -> str:
    """The document after the browser had its time with it."""
    ran = subprocess.run(
        [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}", "--disable-background-networking",
         "--no-first-run", "--virtual-time-budget=2000", "--window-size=900,1400", *options, page.as_uri()],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    return ran.stdout


def ran_something(document: str) -> bool:
    return bool(re.search(r"<title>RAN</title>|<html[^>]*data-ran", document))


@pytest.fixture
def page(server: Server, tmp_path: Path) -> Path:
    """A session with hostile text in its title, every kind of block and every kind of part."""
    evil = hostile(server.address)
    parts: list[Part] = [Prose(evil), Plain(evil, label=evil), *PARTS]
    kinds = [("prompt", "typed"), ("text", ""), ("thinking", ""), ("tool", "shell"), ("note", "error"), ("image", "")]
    blocks, bodies = [], {}
    for number, part in enumerate(parts * 2):
        kind, what = kinds[number % len(kinds)]
        place = Place(number)
        blocks.append(Block(kind, place, number // 6 + 1, evil, what, 1778770800.0 + number, evil, 9, 9, name=evil, ok=False, outcome=evil))
        bodies[place] = Body(evil, (part,))
    session = Session(evil, "claude", "/x", title=evil, project=evil, branch=evil, model=evil)
    path = tmp_path / "page.html"
    path.write_text("".join(html.page(session, blocks, lambda block: bodies[block.place])), encoding="utf-8", errors="replace")
    return path


def test_the_same_text_on_a_careless_page_does_harm(server: Server, tmp_path: Path) -> None:
    """Else the next test would show nothing."""
    careless = tmp_path / "careless.html"
    careless.write_text(f"<!doctype html><title>x</title>{hostile(server.address).replace('http-equiv=refresh', '')}", encoding="utf-8", errors="replace")
    assert ran_something(browsed(careless, "--dump-dom", profile=tmp_path / "profile"))
    assert server.heard


def test_nothing_runs_and_nothing_is_fetched(server: Server, page: Path, tmp_path: Path) -> None:
    """And the hostile text is there to be read."""
    document = browsed(page, "--dump-dom", profile=tmp_path / "profile")
    assert document.rstrip().endswith("</html>")
    assert not ran_something(document)
    assert server.heard == []
    assert "&lt;script&gt;document.title=" in document
    assert document.count('<section id="turn-') == page.read_text(encoding="utf-8").count('<section id="turn-') > 2


def test_the_page_can_be_seen(page: Path, tmp_path: Path) -> None:
    """A picture of it is not blank."""
    picture = tmp_path / "page.png"
    browsed(page, f"--screenshot={picture}", profile=tmp_path / "profile")
    assert picture.stat().st_size > 20_000
