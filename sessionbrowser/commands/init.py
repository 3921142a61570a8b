"""`sb init`: what makes sb at home in a shell, in fzf and in television."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from sessionbrowser.commands import options, output
from sessionbrowser.commands.options import Refused
from sessionbrowser.paths import Environment, shown

if TYPE_CHECKING:
    import argparse

FILES = {"bash": "bash.sh", "zsh": "zsh.zsh", "fish": "fish.fish", "fzf": "fzf.sh", "television": "television.toml"}
CHECKED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")  # ids that mean nothing to a shell

EPILOG = """\
  bash         in ~/.bashrc:                  eval "$(sb init bash)"
  zsh          in ~/.zshrc, after compinit:   eval "$(sb init zsh)"
  fish         in ~/.config/fish/config.fish: sb init fish | source
  fzf          in bash or zsh:                eval "$(sb init fzf)"
  television   sb init television --write, then: tv sb

bash, zsh and fish get completions (commands, options, ids, fields and values of the box), a key
(alt-s: the line that resumes a session, or on a line with words in it a session's id) and two
functions: sbgo resumes a session that is chosen, sbcd goes to its directory.

For television, "rows" prints sb list's rows with ids that are safe in its templates."""


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    import argparse

    parser = subparsers.add_parser(
        "init", help="print key bindings and completions", allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Print what makes sb at home in a shell, in fzf or in television.", epilog=EPILOG,
    )  # fmt: skip
    parser.add_argument("what", nargs="?", default="", metavar="WHAT", help=", ".join((*FILES, "rows")))
    parser.add_argument("words", nargs="*", help=argparse.SUPPRESS)
    parser.add_argument("--key", metavar="KEY", default="alt-s", help="the key, as in alt-s or ctrl-g; none for no key")
    parser.add_argument("--write", action="store_true", help="television: write the channel to where it is looked for")
    parser.add_argument("--force", action="store_true", help="with --write: replace a file that is there")
    parser.add_argument("--shell", choices=("bash", "zsh", "fish"), default="bash", help=argparse.SUPPRESS)
    parser.add_argument("--breaks", default="", help=argparse.SUPPRESS)
    options.common(parser)


def run(args: argparse.Namespace, env: Environment) -> int:
    if args.words[:1] == ["--"]:
        args.words = args.words[1:]
    if args.what == "complete":
        from sessionbrowser.commands import completion

        return completion.run(args, env)
    if args.what == "rows":
        return _rows(args, env)
    if args.words or args.what not in FILES:
        raise Refused(f"sb init takes one of {', '.join((*FILES, 'rows'))} (sb init --help says what each is for)")
    text = script(args.what, args.key, env)
    if not args.write:
        output.write_text(text)
        return 0
    if args.what != "television":
        raise Refused("only the television channel is written; put the others into your shell's own file (sb init --help)")
    return _write(text, env, force=args.force)


def script(what: str, key: str, env: Environment) -> str:
    """The file for a shell or program, with the key and the name of this program in it. Raises Refused."""
    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "shell")
    with open(os.path.join(folder, FILES[what]), encoding="utf-8") as file:
        text = file.read()
    program = _program(env)
    text = text.replace("@SB@", _quoted(program, what)).replace("@INNER@", _quoted(program, "fish").replace("'", "'\\''"))
    if what == "television":
        return text.replace("@SOURCES@", _sources(program))
    bind = "" if key == "none" else _binding(what, key)
    return text.replace("@KEY@", f"'{key if bind else ''}'").replace("@BIND@", bind or "''")


def _program(env: Environment) -> str:
    """How a shell calls this program: by its name where that is found, else by its path."""
    from shutil import which

    if which("sb", path=env.get("PATH") or None):
        return "sb"
    path = os.path.abspath(sys.argv[0])
    return path if os.path.basename(path) == "sb" and os.access(path, os.X_OK) else "sb"


def _quoted(program: str, what: str) -> str:
    from sessionbrowser import resume

    if program == "sb":
        return "command sb" if what in ("bash", "zsh") else "sb"
    return resume.quote(program, resume.FISH if what == "fish" else resume.POSIX)


def _sources(program: str) -> str:
    from sessionbrowser.sources import REGISTRY

    command = f"{_quoted(program, 'television')} init rows"
    lines = [command, *(f"{_quoted(program, 'television')} init rows --source {item.name}" for item in REGISTRY)]
    return "\n".join(f"  '''{line}'''," for line in lines)


def _binding(what: str, key: str) -> str:
    """A key as a shell wants it, quoted. Raises Refused for one it can't have."""
    found = re.fullmatch(r"(alt|ctrl)-([a-z0-9])", key.lower())
    if found is None or (found[1] == "ctrl" and not found[2].isalpha()):
        raise Refused("--key takes alt- or ctrl- and one letter, as in alt-s or ctrl-g; or none")
    alt, letter = found[1] == "alt", found[2]
    if what == "bash":
        return "'\"" + ("\\e" if alt else "\\C-") + f"{letter}\": __sb_insert'"
    if what == "zsh":
        return f"'^[{letter}'" if alt else f"'^{letter.upper()}'"
    return f"\\e{letter}" if alt else f"\\c{letter}"


def _rows(args: argparse.Namespace, env: Environment) -> int:
    """The contract's rows, those whose id is safe where nothing quotes it."""
    from sessionbrowser.commands import list as listing
    from sessionbrowser.commands import rows

    library = options.open_library(args, env)
    found = listing.select(library, " ".join(args.words), every=args.all, here=False)
    safe = [session for session in found if CHECKED.fullmatch(session.id)]
    output.write_text("".join("\t".join(rows.tsv(session, library)) + "\n" for session in safe))
    options.warn_of_trouble(library)
    return 0


def _write(text: str, env: Environment, *, force: bool) -> int:
    folder = os.path.join(env.get("TELEVISION_CONFIG") or os.path.join(env.config_home(), "television"), "cable")
    path = os.path.join(folder, "sb.toml")
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            there = file.read()
    except FileNotFoundError:
        there = ""
    if there and there != text and not force:
        raise Refused(f"{shown(path, env.home)} is there already and differs (--force replaces it)")
    os.makedirs(folder, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    print(shown(path, env.home))
    return 0
