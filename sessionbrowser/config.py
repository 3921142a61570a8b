"""The configuration file: read only when it is there; what it does not know is reported and never fatal."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

from sessionbrowser.paths import Environment, config_file, shown
from sessionbrowser.text import one_line

THEMES = ("auto", "dark", "light", "ansi", "none")
GLYPHS = ("auto", "unicode", "ascii")

Made = TypeVar("Made")


class NamedRoot(NamedTuple):
    """A copy of a store, opened by `--root NAME`; with `always` it is part of the list without being asked for."""

    name: str
    path: str  # raw
    always: bool = False


class Price(NamedTuple):
    """What a model costs, for a million tokens each. `model` is its name or the beginning of it."""

    model: str
    input: float = 0.0
    output: float = 0.0
    cache_read: float = 0.0
    cache_write: float = 0.0


class Config(NamedTuple):
    """What a person settled. `problems` are lines for eyes about what in the file could not be used."""

    theme: str = "auto"
    glyphs: str = "auto"
    keys: Mapping[str, str] = {}  # binding id -> keys, as in "transcript.fold": "space,enter"
    roots: tuple[NamedRoot, ...] = ()
    sources: tuple[str, ...] = ()  # only these; empty: all
    exclude: tuple[str, ...] = ()  # directories and projects kept out of the full text
    queries: Mapping[str, str] = {}  # saved queries by name
    mouse: bool = True
    problems: tuple[str, ...] = ()
    records_store: str = ""  # raw; where skill records are written; only an absolute path counts
    records_mirror: str = ""  # raw; a folder with copies of them
    pick: tuple[str, ...] = ()  # options that `sb pick` begins with
    bell: bool = False  # ring when a session begins to need its person, or ends
    notify: bool = False  # the same as a notification of the terminal
    prices: tuple[Price, ...] = ()
    currency: str = "$"
    path: str = ""  # raw; the file it was read from, when one was named


def load(env: Environment, path: str | None = None) -> Config:
    """The configuration at `path`, or where it belongs. A file that can't be read is a problem, not an error."""
    file = env.expand(path) if path else config_file(env)
    try:
        with open(file, "rb") as opened:
            raw = opened.read(1 << 20)
    except FileNotFoundError:
        return Config(problems=(f"{shown(file, env.home)}: no such file",) if path else ())
    except OSError as error:
        return Config(problems=(f"{shown(file, env.home)}: {(error.strerror or str(error)).lower()}",))
    import tomllib  # 5 ms that only those pay who have a file

    try:
        values = tomllib.loads(raw.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return Config(problems=(f"{shown(file, env.home)}: {one_line(str(error))}",))
    config, problems = read(values, env)
    return config._replace(path=file if path else "", problems=tuple(f"{shown(file, env.home)}: {problem}" for problem in problems))


def read(values: Mapping[str, object], env: Environment) -> tuple[Config, list[str]]:
    """The configuration that parsed TOML holds, and what of it could not be used."""
    problems: list[str] = []
    found: dict[str, object] = {}
    for name, value in values.items():
        reader = _READERS.get(name)
        if reader is None:
            problems.append(f"unknown key {one_line(name, 60)!r}")
            continue
        try:
            found.update(reader(value, env))
        except _Wrong as wrong:
            problems += (f"{name}: {message}" for message in wrong.args)
            found.update(wrong.usable)
    return Config(**found), problems  # type: ignore[arg-type]


class _Wrong(Exception):
    """A value that can't be used: each message says why; `usable` is what is left of it."""

    def __init__(self, *messages: str, usable: Mapping[str, object] | None = None) -> None:
        super().__init__(*messages)
        self.usable = usable or {}


def _each(table: Mapping[str, object], made: Callable[[str, object], Made]) -> tuple[dict[str, Made], list[str]]:
    """What `made` makes of each entry of a table, and why it could make nothing of the others: they don't spoil it."""
    found: dict[str, Made] = {}
    messages: list[str] = []
    for name, item in table.items():
        try:
            found[name] = made(name, item)
        except _Wrong as wrong:
            messages += wrong.args
    return found, messages


def _rest(found: dict[str, object], messages: list[str]) -> dict[str, object]:
    if messages:
        raise _Wrong(*messages, usable=found)
    return found


Reader = Callable[[object, Environment], dict[str, object]]


def _choice(name: str, choices: tuple[str, ...]) -> Reader:
    def read(value: object, env: Environment) -> dict[str, object]:
        if value not in choices:
            raise _Wrong(f"must be one of {', '.join(choices)}")
        return {name: value}

    return read


def _switch(name: str) -> Reader:
    def read(value: object, env: Environment) -> dict[str, object]:
        if not isinstance(value, bool):
            raise _Wrong("must be true or false")
        return {name: value}

    return read


def _words(value: object, name: str = "") -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _Wrong(f"{name}must be a list of strings")
    return tuple(value)


def _table(value: object) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise _Wrong("must be a table of strings")
    return value


def _keys(value: object, env: Environment) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _Wrong("must be a table")
    flat: dict[str, object] = {}
    for name, keys in value.items():
        flat |= {f"{name}.{below}": text for below, text in keys.items()} if isinstance(keys, dict) else {name: keys}
    found, messages = _each(flat, lambda name, text: _string(text, f"{one_line(name, 60)} must be a string of keys"))
    return _rest({"keys": found}, messages)


def _string(value: object, otherwise: str) -> str:
    if not isinstance(value, str):
        raise _Wrong(otherwise)
    return value


def _roots(value: object, env: Environment) -> dict[str, object]:
    if isinstance(value, list):
        return {"roots": tuple(NamedRoot(os.path.basename(p.rstrip("/")) or p, env.expand(p), True) for p in _words(value))}
    if not isinstance(value, dict):
        raise _Wrong("must be a list of folders or a table of names and folders")
    found, messages = _each(value, lambda name, item: _root(name, item, env))
    return _rest({"roots": tuple(found.values())}, messages)


def _root(name: str, item: object, env: Environment) -> NamedRoot:
    if isinstance(item, str):
        return NamedRoot(one_line(name, 40), env.expand(item))
    if isinstance(item, dict) and isinstance(item.get("path"), str):
        return NamedRoot(one_line(name, 40), env.expand(item["path"]), item.get("always") is True)
    raise _Wrong(f"{one_line(name, 40)} must be a folder")


def _sources(value: object, env: Environment) -> dict[str, object]:
    return {"sources": _words(value)}


def _privacy(value: object, env: Environment) -> dict[str, object]:
    if not isinstance(value, dict) or set(value) - {"exclude"}:
        raise _Wrong("holds only exclude, a list of directories and projects")
    return {"exclude": _words(value.get("exclude", []), "exclude ")}


def _records(value: object, env: Environment) -> dict[str, object]:
    if not isinstance(value, dict) or set(value) - {"store", "mirror"}:
        raise _Wrong("holds only store and mirror, two folders")
    folders = _table(value)
    for name, path in folders.items():
        if not os.path.isabs(path) and not path.startswith("~/"):
            raise _Wrong(f"{name} must be an absolute path")
    return {f"records_{name}": env.expand(path) for name, path in folders.items()}


def _queries(value: object, env: Environment) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _Wrong("must be a table of strings")
    found, messages = _each(value, lambda name, text: _string(text, f"{one_line(name, 40)} must be a string"))
    return _rest({"queries": {one_line(name, 40): text for name, text in found.items()}}, messages)


def _pick(value: object, env: Environment) -> dict[str, object]:
    if not isinstance(value, dict) or set(value) != {"options"}:
        raise _Wrong("holds only options, as on a command line")
    options = value["options"]
    if not isinstance(options, str):
        return {"pick": _words(options, "options ")}
    import shlex

    try:
        return {"pick": tuple(shlex.split(options))}
    except ValueError as wrong:
        raise _Wrong(f"options: {wrong}") from None


def _live(value: object, env: Environment) -> dict[str, object]:
    if not isinstance(value, dict) or set(value) - {"bell", "notify"}:
        raise _Wrong("holds only bell and notify")
    if not all(isinstance(item, bool) for item in value.values()):
        raise _Wrong("bell and notify must be true or false")
    return dict(value)


def _prices(value: object, env: Environment) -> dict[str, object]:
    """`currency`, and a table a model; what is cached costs what input does unless it says otherwise."""
    if not isinstance(value, dict):
        raise _Wrong("must be a table of models")
    currency = value.get("currency", "$")
    found, messages = _each({name: item for name, item in value.items() if name != "currency"}, _price)
    if not isinstance(currency, str):
        currency = "$"
        messages.append("currency must be a string")
    return _rest({"currency": one_line(currency, 8), "prices": tuple(found.values())}, messages)


def _price(name: str, item: object) -> Price:
    if not isinstance(item, dict) or set(item) - set(Price._fields[1:]):
        raise _Wrong(f"{one_line(name, 40)} holds only input, output, cache_read and cache_write, for a million tokens")
    numbers = {key: float(amount) for key, amount in item.items() if isinstance(amount, int | float) and not isinstance(amount, bool) and amount >= 0}
    if len(numbers) < len(item) or not {"input", "output"} <= set(numbers):
        raise _Wrong(f"{one_line(name, 40)} needs input and output, numbers that are not below zero")
    return Price(name, **{"cache_read": numbers["input"], "cache_write": numbers["input"], **numbers})


_READERS: Mapping[str, Reader] = {
    "theme": _choice("theme", THEMES),
    "glyphs": _choice("glyphs", GLYPHS),
    "mouse": _switch("mouse"),
    "keys": _keys,
    "roots": _roots,
    "sources": _sources,
    "privacy": _privacy,
    "queries": _queries,
    "records": _records,
    "prices": _prices,
    "pick": _pick,
    "live": _live,
}
