"""Options that every command reading sessions has, and what they mean."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sessionbrowser.paths import Environment, cache_folder

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.config import Config
    from sessionbrowser.library import Library
    from sessionbrowser.model import Session

DEMO_CLOCK = 1778770800.0  # 2026-05-14 15:00 UTC: the invented sessions end shortly before


NAMED = 20  # sessions that are named when a name could be any of them


class Refused(Exception):
    """A command that can't do what was asked; the message is one line for eyes, `code` the exit status."""

    def __init__(self, message: str, code: int = 2) -> None:
        super().__init__(message)
        self.code = code


def common(parser: argparse.ArgumentParser, *, every: bool = True) -> None:
    """Put the options on a parser: where to look, and (`every`) whether hidden sessions count."""
    group = parser.add_argument_group("where to look")
    group.add_argument("--root", action="append", default=[], metavar="PATH", help="a copy of a store instead of the live ones: a folder, or a name (mirror, snapshot-24h, snapshot-1w, snapshot-1mo, your own); may be repeated")
    group.add_argument("--source", action="append", default=[], metavar="NAME", help="only sessions of this source (claude, codex, …); may be repeated")
    if every:
        group.add_argument("--all", action="store_true", help="also what is hidden: subagents, headless runs, empty files, duplicates, …")
    group.add_argument("--demo", action="store_true", help="invented sessions instead of yours")
    group.add_argument("--no-cache", action="store_true", help="neither read nor write the cache")
    group.add_argument("--config", metavar="FILE", help="another configuration file")


def with_signs(arguments: Sequence[str], option: str) -> list[str]:
    """The command line with `option` and a number below zero, which argparse would take for an option, as one word."""
    words: list[str] = []
    for word in arguments:
        if words and words[-1] == option and word[:1] == "-" and word[1:2].isdecimal():
            words[-1] += f"={word}"
        else:
            words.append(word)
    return words


def careful(parser: argparse.ArgumentParser) -> None:
    """Put the options on a parser that make an answer fit for another program."""
    group = parser.add_argument_group("for other programs")
    group.add_argument("--safe", action="store_true", help="secrets masked, no thinking, no raw tool input and output, and without the session that asks")
    group.add_argument("--exclude-current", action="store_true", help="without the session that asks, and its subagents")


def spared(args: argparse.Namespace, library: Library, sessions: Iterable[Session]) -> list[Session]:
    """The sessions that may be told of: without the one that asks where that is wanted, masked under --safe."""
    env = library.environment
    found = [session for session in sessions if not ((args.safe or args.exclude_current) and is_asking(session, env))]
    if not args.safe:
        return found
    from sessionbrowser.export.safely import safe_session

    return [safe_session(session) for session in found]


def surroundings(args: argparse.Namespace, env: Environment) -> Environment:
    """The environment that the options ask for: the demo has a home, a clock and a cache of its own."""
    return demo(env) if args.demo else env


def demo(env: Environment) -> Environment:
    """The home of the invented sessions. Raises Refused when it was not installed."""
    home = demo_home()
    kept = ("PATH", "SHELL", "TERM", "COLORTERM", "LANG", "LC_ALL", "LC_CTYPE", "NO_COLOR", "TMUX", "SSH_TTY", "EDITOR", "PAGER", "TZ", "PWD")
    variables = {name: value for name in kept if (value := env.get(name))}
    variables["SB_CACHE_DIR"] = os.path.join(cache_folder(env), "demo")
    variables["SB_RECORDS_STORE"] = os.path.join(home, ".local", "share", "ada", "records")
    return Environment(home, variables, os.path.join(home, "src", "api"), env.platform, DEMO_CLOCK)


def demo_home() -> str:
    """Where the invented sessions are: in the installed package, or in the checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for path in (os.path.join(package, "_fixtures", "home"), os.path.join(os.path.dirname(package), "fixtures", "home")):
        if os.path.isdir(path):
            return path
    raise Refused("the invented sessions were not installed")


def destination(path: str, env: Environment) -> str:
    """A file or folder to write to, raw: never in the demo's own folder, but where the command was started."""
    if not env.clock:
        return env.expand(path)
    return os.path.normpath(os.path.join(env.get("PWD") or env.cwd, os.path.expanduser(path)))


def new_file(path: str, env: Environment, otherwise: str = "") -> str:
    """A file to write to, raw. Raises Refused where a folder is named; `otherwise` says what to do then."""
    from sessionbrowser.paths import shown

    found = destination(path, env)
    if path.endswith(("/", os.sep)) or os.path.isdir(found):
        raise Refused(f"{shown(found, env.home)} is a folder and no file{otherwise}")
    folder = os.path.dirname(found)
    if folder and not os.path.isdir(folder):
        raise Refused(f"{shown(folder, env.home)} is no folder")
    return found


def settings(args: argparse.Namespace, env: Environment) -> Config:
    """The configuration; what of it can't be used is said on stderr. Raises Refused as `configuration` does."""
    found = configuration(args, env)
    for problem in found.problems:
        warn(problem)
    return found


def configuration(args: argparse.Namespace, env: Environment) -> Config:
    """The configuration, nothing said about it. Raises Refused when one that was named can't be read."""
    from sessionbrowser import config

    found = config.load(env, args.config)
    if args.config and not found.path:
        raise Refused(found.problems[0])
    return usable(found, env)


def usable(found: Config, env: Environment) -> Config:
    """`found` without the sources that nobody knows, which become problems of it."""
    if not found.sources:
        return found
    from sessionbrowser import sources
    from sessionbrowser.paths import config_file, shown
    from sessionbrowser.text import one_line

    place = shown(found.path or config_file(env), env.home)
    unknown = [name for name in found.sources if sources.entry(name) is None]
    problems = [f"{place}: sources: no source is called {one_line(name, 40)}" for name in unknown]
    known = tuple(name for name in found.sources if name not in unknown)
    return found._replace(sources=known, problems=(*found.problems, *problems))


def open_library(args: argparse.Namespace, env: Environment) -> Library:
    """The library that the options ask for. Raises UnknownSource for a source nobody knows."""
    from sessionbrowser.library import Library

    here = surroundings(args, env)
    return Library(here, config=settings(args, here), roots=args.root, sources=args.source, cache=not args.no_cache)


def one_session(library: Library, name: str) -> Session:
    """The session called `name`. Raises Refused: 1 when there is none, 2 with the list when there are several."""
    from sessionbrowser.paths import shown
    from sessionbrowser.text import one_line

    found = library.find(name)
    if len(found) == 1:
        return found[0]
    warn_of_trouble(library)
    if not found:
        raise Refused(nobody(name), 1)
    for session in found[:NAMED]:
        warn(f"{shown(session.id)}  {session.source}  {session.title or shown(session.path, library.environment.home)}")
    rest = f" (and {len(found) - NAMED} more)" if len(found) > NAMED else ""
    raise Refused(f'"{one_line(name, 80)}" is the beginning of {len(found)} sessions{rest}')


_NOBODY = {
    "@last": "there is no session that @last could be",
    "@prev": "there is no session before the last one",
    "@here": "there is no session of this repository",
}


def nobody(name: str) -> str:
    """What is said of a name that is no session's."""
    from sessionbrowser.text import one_line

    if name.startswith("@"):
        return _NOBODY.get(name) or f'there is no "{one_line(name, 80)}", only {", ".join(_NOBODY)}'
    return f'no session is called "{one_line(name, 80)}"'


def is_asking(session: Session, env: Environment) -> bool:
    """Whether the command was started from this session, or this is one of its subagents."""
    from sessionbrowser.library import names

    asking = names.current_id(env)
    return bool(asking) and asking in (session.id, session.parent)


def refuse_asking(session: Session, env: Environment) -> None:
    """Refuse, under --safe, the session that the command was started from. Raises Refused."""
    if is_asking(session, env):
        raise Refused("this is the session that asks: --safe leaves it out", 1)


def warn(message: str) -> None:
    """One line on stderr, never into the data."""
    from sessionbrowser.text import one_line

    print(f"sb: {one_line(message, 1000)}", file=sys.stderr)


def warn_of_trouble(library: Library) -> None:
    """Say which places could not be read, a line each."""
    from sessionbrowser.paths import shown

    for line in dict.fromkeys(f"{shown(item.path, library.environment.home)}: {item.reason}" for item in library.trouble):
        warn(line)


def nothing_readable(library: Library) -> bool:
    """Whether all there was to read could not be read."""
    return bool(library.trouble) and not library.total()
