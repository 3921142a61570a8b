"""The door: finds the command, imports its module and no other, and turns what goes wrong into one line.

A command is a module of `commands/` with `add(subparsers)`, which puts its options on a parser of its own, and
`run(args, env)`, which returns the exit status: 0 done, 1 nothing matched, 2 wrong use or an error, 130 cancelled. One
with an option whose value may be left out, or may begin with a minus, also has `spelled_out(arguments)`, which puts the
value to it: argparse would take whatever stands behind the option for it, or for another option.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from sessionbrowser.commands.names import BROWSE, COMMANDS, VALUED, Command
from sessionbrowser.paths import Environment, environment

if TYPE_CHECKING:
    import argparse

HELP = """\
usage: sb [options]                      open the screen
       sb COMMAND [options] [arguments]  sb COMMAND --help says more

Every coding-agent session on this machine: find it, read it, resume it.

commands:
{commands}

options:
  --root PATH     look in a copy of a store instead: a folder, or a name (mirror, snapshot-1w, …); may be repeated
  --source NAME   only sessions of one source (claude, codex, …); may be repeated
  --demo          open invented sessions
  --no-cache      neither read nor write the cache
  --config FILE   another configuration file
  --version       print the version
  -h, --help      print this

A session is named by its id or the beginning of it, or by @last, @prev, @here.
Exit status: 0 done, 1 nothing matched, 2 wrong use or an error, 130 cancelled."""


def run(arguments: Sequence[str], env: Environment | None = None) -> int:
    """Run `sb` with `arguments`; the exit status. Prints one line for whatever goes wrong."""
    if None in (sys.stdin, sys.stdout, sys.stderr) and not _fill_gaps():
        return complain("standard output is closed")
    try:
        code = _dispatch(list(arguments), env or environment())
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # whoever read our output had enough
        _forget_stdout()
        return 0
    except KeyboardInterrupt:
        return 130
    except SystemExit as leaving:  # argparse
        return leaving.code if isinstance(leaving.code, int) else 2
    except OSError as error:
        from sessionbrowser.library.places import why
        from sessionbrowser.paths import shown

        where = f"{shown(os.fsdecode(error.filename))}: " if error.filename else ""
        _forget_stdout()
        return complain(f"{where}{why(error)}")
    except _refusals() as refused:
        return complain(str(refused), getattr(refused, "code", 2))
    except Exception as error:  # noqa: BLE001 - a mistake of ours: one line and its own status, never those of "nothing matched"
        return _unforeseen(error, arguments)


def complain(message: str, code: int = 2) -> int:
    """One line on stderr; returns `code`."""
    from sessionbrowser.text import one_line

    try:
        print(f"sb: {one_line(message, 1000)}", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        pass
    return code


def _unforeseen(error: Exception, arguments: Sequence[str]) -> int:
    """One line about an error nobody foresaw, all of it kept for `sb doctor`; with SB_DEBUG all of it here."""
    env = environment()
    from sessionbrowser.library import failure

    if env.get("SB_DEBUG"):
        import traceback

        traceback.print_exception(error)
        return 2
    failure.keep(env, error, "sb " + " ".join(arguments[:1]))
    return complain(f"something went wrong that should not have: {failure.described(error)} (SB_DEBUG=1 tells where)")


def _dispatch(arguments: list[str], env: Environment) -> int:
    at = _first_word(arguments)
    word = arguments[at] if at < len(arguments) else ""
    before = arguments[:at]
    if not word or word.startswith("-"):
        if any(option in ("-h", "--help") for option in before):
            return _say(_help())
        if "--version" in before:
            from sessionbrowser import __version__

            return _say(f"sb {__version__}")
        return _run(BROWSE, [*before, *arguments[at:]], env)  # what stands behind -- is a query
    rest = arguments[at + 1 :]
    if word == "help":
        if not rest:
            return _say(_help())
        word, rest = rest[0], ["--help"]
    command = next((item for item in COMMANDS if item.name == word), None)
    if command is None:
        return complain(_no_command(word))
    return _run(command, [*before, *rest], env)


def _no_command(word: str) -> str:
    """What somebody who typed `word` may have meant."""
    if word.startswith("@") or (len(word) >= 6 and all(char in "0123456789abcdef-" for char in word.lower())):
        return f'"{word}" is no command: sb show {word} prints that session, sb resume {word} resumes it, sb browse {word} looks for it on the screen'
    import difflib

    close = difflib.get_close_matches(word, [item.name for item in COMMANDS], 1, 0.7)
    meant = f", did you mean sb {close[0]}?" if close else ""
    return f'there is no command "{word}"{meant} (sb --help lists them, sb list {word} and sb browse {word} look for sessions)'


def _first_word(arguments: Sequence[str]) -> int:
    """Where the command stands: behind options, with their values, that any command takes."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-") and arguments[at] != "--":
        at += 2 if arguments[at] in VALUED else 1
    return at


def _run(command: Command, arguments: list[str], env: Environment) -> int:
    import argparse
    import gc
    from importlib import import_module

    class Parser(argparse.ArgumentParser):
        """One line for wrong use, like every other error."""

        def error(self, message: str) -> NoReturn:
            takes_query = any(action.dest in ("query", "words") for action in self._actions)
            said = _query_meant(message, arguments) if takes_query else message
            self.exit(complain(f"{said} ({self.prog} --help says more)"))

        def _get_formatter(self) -> argparse.HelpFormatter:
            raw = self.formatter_class is argparse.RawDescriptionHelpFormatter
            made = argparse.RawDescriptionHelpFormatter if raw else argparse.HelpFormatter
            return made(self.prog, width=_help_width())  # without a width argparse imports shutil

    try:
        module = import_module(f"sessionbrowser.commands.{command.module}")
    except ModuleNotFoundError as missing:
        if missing.name != f"sessionbrowser.commands.{command.module}":
            raise
        return complain(f'"{command.name}" is not there yet')
    parsers = Parser(prog="sb", allow_abbrev=False).add_subparsers(dest="command", metavar="COMMAND", prog="sb", parser_class=Parser)
    module.add(parsers)
    parser = parsers.choices[command.name]
    spelled = getattr(module, "spelled_out", list)(arguments)
    if asked := next((word for word in _options(spelled) if word.startswith("-h") and word != "-h"), ""):
        parser.error(f"unrecognized arguments: {asked}")  # for `-has:error` argparse prints the help, from Python 3.13 on
    args, left = parser.parse_known_args(spelled)
    if left and not _took(args, left):
        parser.error(f"unrecognized arguments: {' '.join(left)}")
    gc.freeze()
    gc.set_threshold(200_000, 50, 100)  # what is read is kept, or gone at once: looking at it again and again finds no garbage
    code: int = module.run(args, env)
    return code


def _query_meant(message: str, arguments: Sequence[str]) -> str:
    """What is said of a part of a query that was taken for an option; another complaint of argparse's as it is."""
    for word in _options(arguments):
        taken = "ignored explicit argument" in message and ":" in word
        if word[:1] == "-" and word[1:2].isalpha() and (taken or message.endswith(f" {word}")):
            return f"{word} is no option; a query that begins with a minus stands behind --"
    return message


def _options(arguments: Sequence[str]) -> Sequence[str]:
    """The arguments among which options may stand."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def _took(args: argparse.Namespace, left: Sequence[str]) -> bool:
    """Add words behind options to those before them, where a command takes any number; argparse leaves them over."""
    words = next((found for name in ("query", "words") if isinstance(found := getattr(args, name, None), list)), None)
    end = left.index("--") if "--" in left else len(left)
    if words is None or any(word.startswith("-") and word != "-" for word in left[:end]):
        return False
    words += [*left[:end], *left[end + 1 :]]
    return True


def _help_width() -> int:
    try:
        return min(120, os.get_terminal_size(1).columns - 2)
    except (OSError, ValueError):
        return 100


def _help() -> str:
    from importlib.util import find_spec

    here = [item for item in COMMANDS if find_spec(f"sessionbrowser.commands.{item.module}")]
    return HELP.format(commands="\n".join(f"  {item.name:<14}  {item.help}" for item in here))


def _say(text: str) -> int:
    print(text)
    return 0


def _refusals() -> tuple[type[Exception], ...]:
    """What means "not like this" rather than a mistake of ours; asked only when something was raised."""
    from sessionbrowser.commands.options import Refused
    from sessionbrowser.library.places import UnknownSource
    from sessionbrowser.sources.base import SourceError

    return (Refused, UnknownSource, SourceError)


def _fill_gaps() -> bool:
    """Put something behind standard streams that are closed, so that no file takes their number; whether there is output."""
    there = sys.stdout is not None
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    return there


def _forget_stdout() -> None:
    """Let nothing more be written to a stream that is closed, at exit neither."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError:
        return
