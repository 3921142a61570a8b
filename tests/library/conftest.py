"""A library over plain text files, and a way to write them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sessionbrowser.library import Library
from sessionbrowser.paths import Environment

from .plain import PlainShelf

Write = Callable[..., Path]


@pytest.fixture
def shelf(env: Environment) -> PlainShelf:
    return PlainShelf(env)


@pytest.fixture
def library(env: Environment, shelf: PlainShelf) -> Library:
    return Library(env, shelf=shelf)


@pytest.fixture
def write(home: Path) -> Write:
    """Write a session: `write("id", updated=5, title="…")`; `below` puts it beside a session as its subagent."""

    def write(name: str, *, folder: str = ".plain", below: str = "", **values: object) -> Path:
        place = home / folder
        if below:
            place = place / below / "agents"
        place.mkdir(parents=True, exist_ok=True)
        path = place / f"{name}.txt"
        path.write_text("".join(f"{key}: {value}\n" for key, value in values.items()), encoding="utf-8")
        moment = int(float(str(values.get("updated", 1))) * 1e9)
        os.utime(path, ns=(moment, moment))
        if below:  # a folder that changed just now would be looked into again
            os.utime(place, ns=(10**9, 10**9))
        return path

    return write
