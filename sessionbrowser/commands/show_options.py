"""What `sb show` can be asked, and which of it goes together: an option that a view has no use for is refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sessionbrowser.commands import options
from sessionbrowser.commands.options import Refused
from sessionbrowser.export.selection import ROLES, Selection
from sessionbrowser.export.views import EXCHANGES, VIEWS
from sessionbrowser.paths import Environment
from sessionbrowser.text import one_line, parse_time

if TYPE_CHECKING:
    import argparse

FORMATS = ("text", "markdown", "json", "html")
TABLES = ("files", "brief", "environment")  # views that are not made of blocks

# Options by view: those a view has no use for, and why.
_WHOLE = "is about the whole session"
_FIXED = "keeps one kind of block by itself"
_UNUSED = {
    "environment": (("turns", "last", "since", "until", "role", "tool", "agents"), _WHOLE),
    "brief": (("role", "tool"), "says what was asked, answered and done"),
    "files": (("role",), _FIXED),
    "prompts": (("role", "tool"), _FIXED),
    "final": (("role", "tool"), _FIXED),
    "conversation": (("tool",), "leaves tool calls out"),
    "tools": (("role",), _FIXED),
    "advisor": (("role", "tool"), _FIXED),
    "before-compaction": (("turns",), "has its own range; --last says how many exchanges"),
}  # fmt: skip
_ONLY = (("bound", ("skeleton",)), ("diff", ("files",)), ("file", ("files",)))
_ZONED = re.compile(r"\d{4}-\d\d-\d\d[T ].*(?:Z|[+-]\d\d:?\d\d)")


def add(parser: argparse.ArgumentParser) -> None:
    """Put the options of `sb show` on its parser."""
    parser.add_argument("id", metavar="ID|FILE|-", help="an id, the beginning of one, @last, @prev, @here, a file, or -")
    parser.add_argument("--view", choices=tuple(VIEWS), help="what to show (default: full)")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to write it (default: text)")
    chosen = parser.add_argument_group("which part of it")
    chosen.add_argument("--turns", metavar="A..B", default="", help="only these turns; A.., ..B, A, and -2.. for the last two")
    chosen.add_argument("--last", metavar="N", type=int, help=f"only the last N turns (before-compaction: {EXCHANGES})")
    chosen.add_argument("--since", metavar="TIME", help="from this time on: 2h, yesterday, 14:30, 2026-05-01, 2026-05-01T10:00Z")
    chosen.add_argument("--until", metavar="TIME", help="before this time")
    chosen.add_argument("--role", action="append", choices=tuple(ROLES), default=[], help="only what this one said or did; may be repeated")
    chosen.add_argument("--tool", action="append", metavar="NAME", default=[], help="only calls of this tool (Bash), or of its kind (shell); may be repeated")
    chosen.add_argument("--agents", action="store_true", help="with the subagents' transcripts behind the calls that started them")
    chosen.add_argument("--bound", metavar="N", type=int, help="in a skeleton, characters of a prompt or an answer; 0: all of them")
    chosen.add_argument("--diff", action="store_true", help="in the view of files, what became of each file over the session")
    chosen.add_argument("--file", metavar="PATH", help="in the view of files, only this one, with its diff")
    chosen.add_argument("--safe", action="store_true", help="for other programs: no thinking, no raw tool input and output, secrets masked")
    where = parser.add_argument_group("where to write")
    where.add_argument("--output", metavar="FILE", help="into this new file; then only one line of JSON is printed")
    where.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="colours in text (default: on a terminal)")
    where.add_argument("--width", metavar="N", type=int, default=0, help="columns (default: the preview's, the terminal's, or 100)")
    where.add_argument("--ascii", action="store_true", help="signs of ASCII only")
    where.add_argument("--preview", action="store_true", help="the newest turns, as many as fit; the default inside fzf's preview")
    where.add_argument("--no-pager", action="store_true", help="write to the terminal without $PAGER")


def spelled_out(arguments: Sequence[str]) -> list[str]:
    """The command line as argparse understands it: --turns may count from the end."""
    return options.with_signs(arguments, "--turns")


def check(args: argparse.Namespace) -> None:
    """Refuse what does not go together, in one line."""
    view = args.view or "full"
    if args.last is not None and args.last < 1:
        raise Refused("--last wants a number of turns, 1 or more")
    args.last = args.last or 0
    if args.bound is not None and args.bound < 0:
        raise Refused("--bound wants a number of characters")
    if args.width < 0:
        raise Refused("--width wants a number of columns")
    if args.preview:
        _check_preview(args)
    unused, why = _UNUSED.get(view, ((), ""))
    for name in unused:
        if getattr(args, name):
            raise Refused(f"--{name} does not go with --view {view}, which {why}")
    for name, views in _ONLY:
        if getattr(args, name) not in (None, False) and view not in views:
            raise Refused(f"--{name} goes only with --view {' or '.join(views)}")
    if args.safe and (args.diff or args.file):
        raise Refused("--safe leaves out what tools wrote: --diff and --file have nothing to show")
    if args.format != "text":
        for name in ("width", "ascii"):
            if getattr(args, name):
                raise Refused(f"--{name} goes only with --format text")
        if args.color == "always":
            raise Refused("--color goes only with --format text")


def _check_preview(args: argparse.Namespace) -> None:
    if args.view or args.format != "text":
        raise Refused("--preview is a view of its own, as text")
    for name in ("since", "until", "role", "tool", "agents", "output"):
        if getattr(args, name):
            raise Refused(f"--{name} does not go with --preview")


def selection(args: argparse.Namespace, env: Environment) -> Selection:
    """The part of the session that is asked for. Raises Refused for a time that can't be read."""
    last = 0 if args.view == "before-compaction" else args.last
    since, until = moment(args.since, env, "--since"), moment(args.until, env, "--until")
    if since is not None and until is not None and until <= since:
        raise Refused("--until has to be later than --since")
    return Selection(args.turns, last, since, until, tuple(args.role), tuple(args.tool))


def moment(text: str | None, env: Environment, option: str) -> float | None:
    """A time as people write it, as the moment it begins; None for no text. Raises Refused."""
    if not text:
        return None
    if _ZONED.fullmatch(text.strip()) and (exact := parse_time(text.strip().replace(" ", "T"))) is not None:
        return exact
    from sessionbrowser.query import times

    try:
        window = times.window(text, env.now(), instant=True)
    except ValueError as error:
        raise Refused(f"{option}: {error}") from error
    if window is None or ".." in text:
        raise Refused(f"{option}: “{one_line(text, 40)}” is no moment: try 2h, yesterday, 14:30, 2026-05-01")
    return window[0]
