"""`sb digest`: the few earlier sessions that a question is about, as short files, and an inventory to cite them by."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.commands import options, output, rows
from sessionbrowser.commands.keywords import Candidate
from sessionbrowser.commands.options import Refused
from sessionbrowser.model import Session
from sessionbrowser.paths import Environment, shown
from sessionbrowser.text import iso, plural

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.library import Library
    from sessionbrowser.query import Query

LIMIT = 5
MIN_SIZE = 30_000
MAX_BYTES = 48_000
NOTHING = "no relevant prior sessions"


class Choice(NamedTuple):
    """A session that was picked, and why."""

    found: Candidate
    on_branch: bool

    @property
    def why(self) -> list[str]:
        session, matches, titled = self.found
        reasons = [f"on branch {session.branch}"] if self.on_branch else []
        for word, count in matches.items():
            passages = count - (word in titled)
            places = (["the title"] if word in titled else []) + ([plural(passages, "passage")] if passages else [])
            reasons += [f"“{word}” in {' and '.join(places)}"] if places else []
        return reasons or ["the newest that fit the query"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "digest", help="pick the few sessions that a question is about", allow_abbrev=False,
        description="Pick the earlier sessions that matter for a question: first those of the branch, then by how many of the words "
        "of QUERY they hold and how often, then the newest. Their skeletons go into files of bounded size below DIR; an inventory "
        f"is printed as JSON. Words that any question has (what, did, about, …) count only where there are no others. Nothing found is the line “{NOTHING}” and exit status 1. The session that asks is never among them.",
    )  # fmt: skip
    parser.add_argument("query", nargs="*", metavar="QUERY", help="words (any of them will do), and fields as in the search box")
    parser.add_argument("--to", metavar="DIR", required=True, help="the folder to write into; made if need be")
    parser.add_argument("--limit", metavar="N", type=int, default=LIMIT, help=f"at most N sessions (default: {LIMIT})")
    parser.add_argument("--min-size", metavar="BYTES", type=int, default=MIN_SIZE, help=f"only sessions with a file of at least this size (default: {MIN_SIZE})")
    parser.add_argument("--max-bytes", metavar="BYTES", type=int, default=MAX_BYTES, help=f"of each file written (default: {MAX_BYTES})")
    parser.add_argument("--branch", metavar="NAME", help="the branch that counts (default: the one of this directory's repository)")
    parser.add_argument("--errors", action="store_true", help="also write what failed in each of them")
    options.careful(parser)
    options.common(parser)


def run(args: argparse.Namespace, env: Environment) -> int:
    if args.limit < 1 or args.min_size < 0 or args.max_bytes < 1000:
        raise Refused("--limit wants at least 1, --min-size at least 0, --max-bytes at least 1000")
    library = options.open_library(args, env)
    args.exclude_current = True
    from sessionbrowser.commands import finding, keywords

    query = finding.read_query(" ".join(args.query), library)
    telling, empty = keywords.telling(query)
    branch = args.branch or current_branch(library.environment.cwd)
    every = [session for session in options.spared(args, library, library.sessions(deep=args.all))
             if (args.all or not session.hidden) and not session.unreadable]  # fmt: skip
    fitting = list(_fitting(every, args.min_size))
    picked = _picked(args, library, fitting, telling, branch)
    options.warn_of_trouble(library)
    if not picked:
        output.write_text(NOTHING + "\n")
        return 1
    folder = options.destination(args.to, library.environment)
    os.makedirs(folder, exist_ok=True)
    searched = {
        "query": " ".join(args.query), "keywords": telling, "words_left_out": empty, "branch": branch or None,
        **_searched(every), "unreadable": rows.unreadable_json(library, safe=args.safe),
    }  # fmt: skip
    names: set[str] = set()
    chosen = [_written(args, library, choice, folder, names) for choice in picked[: args.limit]]
    output.write_json({"schema": 1, "searched": searched, "matched": len(picked), "chosen": chosen}, indent=True)
    return 0


def _fitting(sessions: Sequence[Session], smallest: int) -> Iterator[Session]:
    """Those big enough; where many sessions share a file, its size says nothing of one."""
    return (session for session in sessions if session.size >= smallest or (session.key and not session.size))


def _picked(args: argparse.Namespace, library: Library, sessions: list[Session], keywords: Sequence[str], branch: str) -> list[Choice]:
    """The sessions that matter, best first."""
    from sessionbrowser.commands import finding
    from sessionbrowser.commands import keywords as counting

    query = finding.read_query(" ".join(args.query), library)
    here = library.environment.cwd
    exact = {session.identity: session for session in library.exact(query.unknown(sessions, here))}
    sessions = [session for row in sessions if query.admits(session := exact.get(row.identity, row), here)]
    if query.deep_fields:  # tools and files: the conversations have to answer
        sessions = finding.matching(library, _deep(query), sessions, index=not args.no_cache)
    if keywords:
        found = counting.candidates(library, sessions, keywords, index=not args.no_cache)
    else:
        found = [Candidate(session, {}) for session in sessions]
    made = [Choice(item, bool(branch) and item.session.branch == branch) for item in found]
    return sorted(made, key=lambda item: (not item.on_branch, -item.found.distinct, -item.found.total, -(item.found.session.updated or 0.0)))


def _deep(query: Query) -> str:
    """The part of a query that is about tools and files, as a query of its own."""
    from sessionbrowser.query.tree import And, Not, print_tree

    return print_tree(And(tuple(field if wanted else Not(field) for field, wanted in query.deep_fields)))


def _searched(sessions: Sequence[Session]) -> dict[str, object]:
    """What was gone through: sessions by source, the range of their dates."""
    by_source: dict[str, int] = {}
    for session in sessions:
        by_source[session.source] = by_source.get(session.source, 0) + 1
    times = [session.updated for session in sessions if session.updated is not None]
    return {
        "sessions": len(sessions), "by_source": by_source,
        "from": iso(min(times, default=None)), "to": iso(max(times, default=None)),
    }  # fmt: skip


def _written(args: argparse.Namespace, library: Library, choice: Choice, folder: str, names: set[str]) -> dict[str, object]:
    """Write the files of one session, under none of the `names` that others got; its entry in the inventory."""
    from sessionbrowser.export.names import apart, stem

    session = next(iter(library.exact([choice.found.session])))
    fields = rows.session_json(session, library)
    kept = ("id", "source", "path", "key", "title", "branch", "cwd", "project", "created", "updated", "status", "size", "prompts",
            "answers", "tool_calls", "tool_errors", "subagents", "tokens")  # fmt: skip
    return {
        **{name: fields[name] for name in kept}, **choice.found.json(), "why": choice.why,
        "files": list(_files(args, library, session, os.path.join(folder, apart(stem(session), session, names)))),
    }  # fmt: skip


def _files(args: argparse.Namespace, library: Library, session: Session, path: str) -> Iterator[dict[str, object]]:
    """Write what is asked of one session to files of which `path` is the beginning of their names."""
    from sessionbrowser.export import bounded, folding, markdown, safely, views
    from sessionbrowser.export.skeleton import skeleton
    from sessionbrowser.library.places import why
    from sessionbrowser.sources.base import SourceError

    try:
        handle = library.handle(session)
        blocks = list(library.outline(handle).blocks)
    except (OSError, SourceError, KeyError) as error:
        options.warn(f"{shown(session.path)}: {why(error)}")
        return
    read = folding.reader(library, handle)
    if args.safe:
        blocks, read = list(safely.safe_blocks(blocks)), safely.safe_reader(read)
    wanted = [("skeleton", ".md")] + ([("errors", ".errors.md")] if args.errors else [])
    for view, ending in wanted:
        kept = views.keep(view, blocks)
        if view == "errors" and not kept:
            continue
        pieces = markdown.bones(session, skeleton(kept, read)) if view == "skeleton" else markdown.document(session, kept, view, read)
        notice = f"left out to stay within {args.max_bytes:,} bytes; sb show {session.id} --view {view} prints all of it"
        data, cut = bounded.within(pieces, args.max_bytes, notice)
        _put(path + ending, data)
        yield {"path": path + ending, "view": view, "bytes": len(data), "cut": cut}


def _put(path: str, data: bytes) -> None:
    """Write a file of ours; never through a link, never over something that is no file. Raises Refused."""
    if os.path.lexists(path) and (os.path.islink(path) or not os.path.isfile(path)):
        raise Refused(f"{shown(path)} is there and is no regular file")
    beside = f"{path}.{os.getpid()}.part"
    with open(beside, "xb") as file:
        file.write(data)
    os.replace(beside, path)


def current_branch(cwd: str) -> str:
    """The branch of the repository that a directory belongs to, read from its files; "" when there is none."""
    top = cwd
    while not os.path.lexists(os.path.join(top, ".git")):
        parent = os.path.dirname(top)
        if parent == top:
            return ""
        top = parent
    folder = os.path.join(top, ".git")
    if os.path.isfile(folder):
        folder = os.path.join(top, _line(folder).removeprefix("gitdir:").strip())
    head = _line(os.path.join(folder, "HEAD"))
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else ""


def _line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline(4096).strip()
    except OSError:
        return ""
