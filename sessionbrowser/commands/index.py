"""`sb index`: build, show or delete the full text of the conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sessionbrowser.commands import options, output
from sessionbrowser.commands.options import Refused
from sessionbrowser.paths import Environment

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.index.fulltext import State


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "index", help="build, show or delete the full-text index", allow_abbrev=False,
        description="Bring the full text of all conversations up to date (what sb does by itself while it runs).",
    )  # fmt: skip
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--rebuild", action="store_true", help="build it anew; words of deleted sessions leave it")
    what.add_argument("--purge", action="store_true", help="delete it, with the rows of the list: nothing of your words is kept, nor what you searched for")
    what.add_argument("--status", action="store_true", help="only say how far it is")
    parser.add_argument("--json", action="store_true", help="say it as JSON")
    parser.add_argument("--demo", action="store_true", help="the index of the invented sessions instead of yours")
    parser.add_argument("--config", metavar="FILE", help="another configuration file")


def run(args: argparse.Namespace, env: Environment) -> int:
    from sessionbrowser.index import worker

    env = options.surroundings(args, env)
    if args.purge:
        return _purge(env)
    if not args.status:
        _build(args, env)
    _say(worker.state(env), env, as_json=args.json)
    return 0


def _purge(env: Environment) -> int:
    from sessionbrowser.index import worker
    from sessionbrowser.tui.memory import forget_queries

    try:
        there = worker.purge(env)
    except worker.Busy:
        raise Refused("the process that builds the index does not end; try again") from None
    forget_queries(env)
    output.write_text("the index was deleted\n" if there else "there was no index\n")
    return 0


def _build(args: argparse.Namespace, env: Environment) -> None:
    import sqlite3

    from sessionbrowser.commands.finding import WAIT
    from sessionbrowser.commands.progress import progress
    from sessionbrowser.index import store, worker

    exclude = options.settings(args, env).exclude
    try:
        with progress("indexing") as line:
            worker.bring_up_to_date(env, exclude=exclude, rebuild=args.rebuild, settled=0.0, report=line, wait=WAIT)
    except worker.Busy:
        raise Refused("another process is still building the index") from None
    except (store.NoCache, sqlite3.Error) as error:
        raise Refused(f"the index can't be used: {error}") from error


def _say(state: State, env: Environment, *, as_json: bool) -> None:
    from sessionbrowser.index.store import store_path
    from sessionbrowser.paths import shown
    from sessionbrowser.text import plural

    if as_json:
        output.write_json({"schema": 1, "path": store_path(env), **state._asdict()})
        return
    lines = [
        shown(store_path(env), env.home),
        f"{plural(state.sessions, 'session or subagent', 'sessions and subagents')}, {plural(state.rows, 'passage')}, {state.bytes / 1e6:,.1f} MB",
    ]
    if state.dead:
        lines.append(f"{plural(state.dead, 'passage')} of sessions that went away (gone with the next rebuild)")
    if state.working:
        lines.append(f"being built: {state.done:,} of {state.total:,}")
    output.write_text("\n".join(lines) + "\n")
