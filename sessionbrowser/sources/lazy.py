"""Modules imported when something of them is first used: scanning a store must not cost the import of its readers."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING


class Lazy:
    """Stands for a module until it is needed, and for good: what was asked for once is kept."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, attribute: str) -> object:
        value = getattr(import_module(self.__name__), attribute)
        setattr(self, attribute, value)
        return value


def lazily(package: str, *names: str) -> tuple[Lazy, ...]:
    """Modules of `package`, to be unpacked into their names. For type checkers import them as usual beside it."""
    return tuple(Lazy(f"{package}.{name}") for name in names)


if TYPE_CHECKING:
    import orjson as orjson
else:
    orjson = Lazy("orjson")  # which takes 10 ms: a list of unchanged sessions parses nothing
