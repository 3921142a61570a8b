"""The options of `sb pick`, and where their defaults come from: the configuration, SB_PICK_OPTS, the command line, in this order."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.commands.options import Refused, with_signs
from sessionbrowser.paths import Environment

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.config import Config
    from sessionbrowser.tui.picker.terminal import Height

PREVIEWS = ("on", "off", "right", "bottom")
CONFIGURED, DEFAULTS = "configuration, [pick] options", "SB_PICK_OPTS"

DESCRIPTION = """\
Choose a session on the terminal and print how to go on with it. The screen is drawn on the
terminal itself; standard output carries the choice and nothing else."""

EPILOG = """\
what --print takes:
  command   the line that resumes the session in its directory (the default); when that is gone
            there is none, exit status 2, and what can be done is said on standard error
  way       the same; when the directory is gone the line to resume it by the first way that is
            left: for a line that is looked at before it is run
  id, path, cwd, title, specstory     one field
  json      one JSON object a line, as in sb list --jsonl
  TEMPLATE  fields in braces, as in '{id}\\t{title}'; a title is no word for a shell: quote it

Names of sessions on standard input (ids, their beginnings, rows of sb list) are chosen among
instead of all sessions. Defaults are taken from [pick] options in the configuration, then from
SB_PICK_OPTS, as in SB_PICK_OPTS='--height 40% --preview bottom'.

  eval "$(sb pick)"                       resume a session
  cd "$(sb pick --print cwd)"             go to its directory
  sb pick -m --print path --print0 | xargs -0 wc -l
  sb list is:waiting | sb pick -1 -0

Exit status: 0 chosen, 1 no match, 2 wrong use or an error, 130 cancelled."""


class Wishes(NamedTuple):
    """What was asked for."""

    query: str = ""
    filter: str | None = None
    select_1: bool = False
    exit_0: bool = False
    multi: int | None = None  # None: one session; 0: any number; else at most so many
    print0: bool = False
    print_query: bool = False
    expect: tuple[str, ...] = ()
    print: str = "command"
    copy: bool = False
    preview: str = "on"
    height: Height | None = None
    sort: bool = True
    tac: bool = False
    here: bool = False
    reads_ids: bool = False
    header: str = ""
    theme: str = ""
    ascii: bool = False
    all: bool = False
    root: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    no_cache: bool = False

    @property
    def full_text(self) -> bool:
        """Whether conversations may be asked: an index knows the live stores only."""
        return not self.no_cache and not self.root


def put(parser: argparse.ArgumentParser) -> None:
    """Put the options on a parser. All defaults are None, so that what was said can be told from what was not."""
    from sessionbrowser.commands.browse import THEMES

    def flag(*names: str, help: str, dest: str, value: bool = True, group: argparse._ArgumentGroup) -> None:
        group.add_argument(*names, dest=dest, action="store_const", const=value, default=None, help=help)

    parser.add_argument("words", nargs="*", metavar="QUERY", help="what to put in the box")
    search = parser.add_argument_group("search")
    search.add_argument("-q", "--query", metavar="TEXT", help="what to put in the box")
    search.add_argument("-f", "--filter", metavar="TEXT", help="draw nothing: print the sessions that match, best first")
    flag("-1", "--select-1", dest="select_1", help="when one session matches, choose it at once", group=search)
    flag("-0", "--exit-0", dest="exit_0", help="when none matches, end at once", group=search)
    flag("--no-sort", dest="sort", value=False, help="keep the order, however well rows match", group=search)
    flag("--sort", dest="sort", help="best first (the default)", group=search)
    flag("--tac", dest="tac", help="reverse the order", group=search)
    flag("--here", dest="here", help="only sessions of this repository", group=search)
    flag("--stdin", dest="reads_ids", help="choose among the sessions named on standard input (the default for a pipe or a file)", group=search)
    flag("--no-stdin", dest="reads_ids", value=False, help="leave standard input alone", group=search)
    result = parser.add_argument_group("result")
    result.add_argument("-m", "--multi", nargs="?", const="0", metavar="N", help="choose several, at most N; tab marks")
    result.add_argument("--no-multi", dest="multi", action="store_const", const="one", help="choose one")
    result.add_argument("--print", metavar="WHAT", help="what is printed: command, way, id, path, cwd, json or a template")
    flag("--copy", dest="copy", help="copy it to the clipboard instead of printing it", group=result)
    flag("--print0", dest="print0", help="end lines with NUL instead of a line feed", group=result)
    flag("--print-query", dest="print_query", help="print what stands in the box first", group=result)
    result.add_argument("--expect", metavar="KEYS", action="append", help="keys that choose too, as in ctrl-v,alt-enter; the key is printed first")
    look = parser.add_argument_group("look")
    look.add_argument("--preview", choices=PREVIEWS, help="the transcript beside or below the list; ctrl+o folds it away")
    look.add_argument("--height", metavar="N[%]", help="draw on N lines below the prompt; negative: all but N")
    look.add_argument("--header", metavar="TEXT", help="words at the bottom")
    look.add_argument("--theme", choices=THEMES, help="colours: dark, light, the terminal's sixteen, none")
    flag("--ascii", dest="ascii", help="draw with ASCII signs only", group=look)


_TEXTS = {"-q": "--query", "--query": "--query", "-f": "--filter", "--filter": "--filter", "--header": "--header"}


def spelled_out(arguments: Sequence[str]) -> list[str]:
    """The command line as argparse understands it: -m alone as --multi=0 (what stands behind it is a query unless it is a
    number); a height below zero, and a text that begins with a minus, in one word with their options. Raises Refused."""
    arguments = with_signs(arguments, "--height")
    found: list[str] = []
    words = iter(enumerate(arguments))
    for at, word in words:
        if word == "--":
            return [*found, *arguments[at:]]
        following = "".join(arguments[at + 1 : at + 2])
        if word in _TEXTS and following.startswith("-"):
            next(words)
            found.append(f"{_TEXTS[word]}={following}")
            continue
        if word in ("-m", "--multi"):
            number = following
            if number.isdecimal():
                next(words)
            found.append(f"--multi={number if number.isdecimal() else 0}")
            continue
        number = word.removeprefix("--multi=") if word.startswith("--multi=") else word[2:] if word[:2] == "-m" else "0"
        if not number.isdecimal():
            raise Refused(f"{word}: -m takes a number, or nothing")
        found.append(word)
    return found


def wishes(args: argparse.Namespace, config: Config, env: Environment) -> Wishes:
    """All that was asked for, in whichever place. Raises Refused."""
    said: dict[str, object] = {}
    for where, words in ((CONFIGURED, config.pick), (DEFAULTS, _split(env.get(DEFAULTS), DEFAULTS))):
        if words:
            said.update(said_in(where, words, env))
    said.update(_given(args))
    return _made(said, env)


def said_in(where: str, words: Sequence[str], env: Environment) -> dict[str, object]:
    """What options that stand in `where` say, by names of Wishes. Raises Refused, which names the place."""
    from sessionbrowser.commands import pick_print

    try:
        said = _given(_parse(words, where))
        made = _made(said, env)
        pick_print.check(made.print, env)
        names_of(made.expect)
    except Refused as refused:
        raise Refused(f"{where}: {str(refused).removeprefix(f'{where}: ')}") from None
    return said


def names_of(expect: Sequence[str]) -> dict[str, str]:
    """Our names of the keys of --expect, and what to print for each. Raises Refused."""
    from sessionbrowser.tui.picker.keys import expected

    found: dict[str, str] = {}
    for said in expect:
        try:
            found[expected(said)] = said
        except ValueError as wrong:
            raise Refused(f"--expect: {wrong}") from None
    return found


def _given(args: argparse.Namespace) -> dict[str, object]:
    """What was said, by names of Wishes."""
    found = {name: value for name, value in vars(args).items() if value not in (None, False, [])}
    for name in ("sort", "reads_ids"):
        if getattr(args, name) is False:
            found[name] = False
    words = list(args.words)
    found.pop("words", None)
    if words:
        found["query"] = " ".join([*([args.query] if args.query else []), *words])
    return found


def _split(text: str, where: str) -> list[str]:
    import shlex

    try:
        return shlex.split(text) if text.strip() else []
    except ValueError as wrong:
        raise Refused(f"{where}: {wrong}") from None


def _parse(words: Sequence[str], where: str) -> argparse.Namespace:
    import argparse
    from typing import NoReturn

    from sessionbrowser.commands import options

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            raise Refused(f"{where}: {message}")

    parser = Parser(prog="sb pick", add_help=False, allow_abbrev=False)
    put(parser)
    options.common(parser)
    return parser.parse_args(spelled_out(words))


def _made(said: dict[str, object], env: Environment) -> Wishes:
    made = {name: said[name] for name in Wishes._fields if name in said}
    if "multi" in made:
        made["multi"] = None if made["multi"] == "one" else int(str(made["multi"]))
    if "height" in made:
        made["height"] = _height(str(made["height"]))
    expect = said.get("expect")
    if isinstance(expect, list):
        made["expect"] = tuple(key for keys in expect for key in _keys(keys))
    for name in ("root", "source"):
        if isinstance(value := made.get(name), list):
            made[name] = tuple(value)
    if "reads_ids" not in made:
        made["reads_ids"] = _is_given()
    return Wishes(**made)  # type: ignore[arg-type]


def _keys(text: str) -> list[str]:
    """Names of keys between commas; a comma itself is a key as in fzf's ",,"."""
    found = [key for key in text.split(",") if key]
    return [*found, ","] if ",," in f",{text},".replace(",,,", ",,") and text in (",", ",,") else found


def _height(text: str) -> Height:
    from sessionbrowser.tui.picker.terminal import Height

    number = text.removeprefix("~")
    percent = number.endswith("%")
    number = number.removesuffix("%")
    if not number.removeprefix("-").isdecimal() or (percent and not 0 < int(number) <= 100) or int(number) == 0:
        raise Refused("--height takes lines or a share, as in 12 or 40%")
    return Height(int(number), percent)


def _is_given() -> bool:
    """Whether standard input is a pipe or a file: what a shell puts there, and nothing else does."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)
