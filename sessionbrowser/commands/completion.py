"""What a shell can complete a command line of `sb` with: commands, options, values, ids, fields of the box."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple, NoReturn

from sessionbrowser.commands import options, output
from sessionbrowser.commands.names import BROWSE, COMMANDS, VALUED
from sessionbrowser.library import Library
from sessionbrowser.model import Session
from sessionbrowser.paths import Environment, shown
from sessionbrowser.text import one_line

MANY = 200  # candidates handed to a shell at most
_FILES = ("FILE", "PATH", "DIR", "ID|FILE|-")
_QUERIES = ("--query", "--filter", "-q", "-f")
_BREAKS = ":="


class Candidate(NamedTuple):
    """A word, and a few words about it."""

    word: str
    help: str = ""


def run(args: argparse.Namespace, env: Environment) -> int:
    """Print the candidates for the words of `args`, the last of which is being typed."""
    words = _split(args.words[0]) if args.shell == "bash" and args.words else list(args.words)
    here = words[-1] if words else ""
    found = list(candidates(words[1:] if len(words) > 1 else [""], env))[:MANY]
    cut = _broken(here, args.breaks)
    lines = []
    for item in found:
        word = item.word[cut:] if item.word.startswith(here[:cut]) else item.word
        if args.shell == "bash":
            lines.append(shlex.quote(word))
        else:
            lines.append(f"{word}\t{one_line(item.help, 80)}" if item.help else word)
    output.write_text("".join(line + "\n" for line in lines))
    return 0


def _split(line: str) -> list[str]:
    """A command line as words; the last one is "" behind a blank, and may be open in quotes."""
    for closing in ("", "'", '"'):
        try:
            words = shlex.split(line + closing)
        except ValueError:
            continue
        return [*words, ""] if not closing and line[-1:].isspace() else words
    return line.split()


def _broken(word: str, breaks: str) -> int:
    """How much of `word` bash does not replace: what stands before the last character it breaks words at."""
    places = [word.rfind(char) + 1 for char in _BREAKS if char in breaks]
    return max(places, default=0)


def candidates(words: Sequence[str], env: Environment) -> Iterator[Candidate]:
    """What the last of `words` (those behind `sb`) could become."""
    *before, typed = words
    at = 0
    while at < len(before) and before[at].startswith("-"):
        at += 2 if before[at] in VALUED else 1
    if at < len(before):
        name, rest = before[at], before[at + 1 :]
    elif before and before[-1] in VALUED:
        name, rest = BROWSE.name, before
    else:
        yield from _starting((Candidate(item.name, item.help) for item in COMMANDS if _exists(item.module)), typed)
        name, rest = BROWSE.name, before
        if not typed.startswith("-"):
            return
    command = next((item for item in COMMANDS if item.name == name and _exists(item.module)), None)
    if command is not None:
        yield from _of_command(_parser(command.module, name), rest, typed, env)


def _exists(module: str) -> bool:
    return find_spec(f"sessionbrowser.commands.{module}") is not None


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise options.Refused(message)


def _parser(module: str, name: str) -> argparse.ArgumentParser:
    subparsers = _Parser(prog="sb").add_subparsers(parser_class=_Parser)
    import_module(f"sessionbrowser.commands.{module}").add(subparsers)
    found: argparse.ArgumentParser = subparsers.choices[name]
    return found


def _of_command(parser: argparse.ArgumentParser, before: Sequence[str], typed: str, env: Environment) -> Iterator[Candidate]:
    known = {name: action for action in parser._actions for name in action.option_strings}
    option, equals, value = typed.partition("=")
    if equals and option.startswith("--") and option in known:
        for item in _values(known[option], value, env):
            yield Candidate(f"{option}={item.word}", item.help)
        return
    last = known.get(before[-1]) if before and "--" not in before else None
    if last is not None and last.nargs != 0 and last.nargs != "?":
        yield from _values(last, typed, env)
        return
    if typed.startswith("-") and "--" not in before:
        shown_ = (action for action in parser._actions if action.option_strings and action.help != argparse.SUPPRESS)
        yield from _starting((Candidate(action.option_strings[-1], action.help or "") for action in shown_), typed)
        return
    for action in parser._actions:
        if not action.option_strings and action.help != argparse.SUPPRESS:
            yield from _values(action, typed, env)


def _values(action: argparse.Action, typed: str, env: Environment) -> Iterator[Candidate]:
    """What may stand where an option wants its value, or for a positional argument."""
    metavar = str(action.metavar or action.dest.upper())
    if action.choices is not None:
        yield from _starting((Candidate(str(choice)) for choice in action.choices if choice != "complete"), typed)
    elif action.dest == "source":
        from sessionbrowser.sources import REGISTRY

        yield from _starting((Candidate(item.name, item.label) for item in REGISTRY), typed)
    elif action.dest == "print" and action.nargs != 0:
        from sessionbrowser.commands.pick_print import FIELDS

        yield from _starting((Candidate(name) for name in FIELDS), typed)
    elif set(action.option_strings) & set(_QUERIES) or metavar == "QUERY":
        yield from _query(typed, env)
    elif metavar.startswith("ID"):
        yield from _ids(typed, env)
        if "FILE" in metavar and ("/" in typed or typed.startswith(("~", "."))):
            yield from _paths(typed, env)
    elif metavar in _FILES:
        if action.dest == "root":
            yield from _starting((Candidate(name) for name in ("mirror", "snapshot-24h", "snapshot-1w", "snapshot-1mo")), typed)
        yield from _paths(typed, env)


def _starting(found: Iterable[Candidate], typed: str) -> Iterator[Candidate]:
    return (item for item in found if item.word.startswith(typed))


def _sessions(env: Environment) -> list[Session]:
    """The rows of the last load: completions do not wait for a scan."""
    from sessionbrowser import config

    return Library(env, config=options.usable(config.load(env), env)).cached()


def _ids(typed: str, env: Environment) -> Iterator[Candidate]:
    yield from _starting((Candidate("@last", "the newest session"), Candidate("@prev", "the one before it"),
                          Candidate("@here", "the newest of this repository")), typed)  # fmt: skip
    for session in _sessions(env):
        if session.id.startswith(typed) and shown(session.id) == session.id:
            yield Candidate(session.id, f"{session.project}  {session.title}".strip())


def _query(typed: str, env: Environment) -> Iterator[Candidate]:
    from sessionbrowser.query import complete

    if typed.startswith("-") and len(typed) > 1:
        for item in complete(typed[1:], len(typed) - 1, _sessions(env)):
            yield Candidate("-" + typed[1 : item.start + 1] + item.text, item.help)
        return
    for item in complete(typed, len(typed), _sessions(env)):
        yield Candidate(typed[: item.start] + item.text, item.help)


def _paths(typed: str, env: Environment) -> Iterator[Candidate]:
    folder, _, begin = typed.rpartition("/")
    lead = f"{folder}/" if "/" in typed else ""
    try:
        with os.scandir(env.expand(lead or ".")) as entries:
            names = sorted((entry.name, entry.is_dir()) for entry in entries)
    except OSError:
        return
    for name, is_folder in names:
        if name.startswith(begin) and (begin or not name.startswith(".")) and shown(name) == name:
            yield Candidate(lead + name + ("/" if is_folder else ""))
