"""`sb pick`: choose sessions on the terminal and print how to go on with them, as fzf would."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.commands import options, pick_options
from sessionbrowser.commands.options import Refused
from sessionbrowser.commands.pick_options import Wishes
from sessionbrowser.commands.pick_print import Printer
from sessionbrowser.paths import Environment
from sessionbrowser.text import plural

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.config import Config
    from sessionbrowser.library import Library
    from sessionbrowser.model import Session
    from sessionbrowser.tui.picker.app import Outcome
    from sessionbrowser.tui.picker.choice import Choice

CANCELLED, NO_MATCH = 130, 1


class Ground(NamedTuple):
    """What a run stands on."""

    library: Library
    settings: Config
    wishes: Wishes
    printer: Printer


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    import argparse

    parser = subparsers.add_parser(
        "pick", help="choose a session", allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter,
        description=pick_options.DESCRIPTION, epilog=pick_options.EPILOG,
    )  # fmt: skip
    pick_options.put(parser)
    options.common(parser)


spelled_out = pick_options.spelled_out


def run(args: argparse.Namespace, env: Environment) -> int:
    here = options.surroundings(args, env)
    settings = options.settings(args, here)
    wishes = pick_options.wishes(args, settings, here)
    from sessionbrowser.library import Library

    library = Library(here, config=settings, roots=wishes.root, sources=wishes.source, cache=not wishes.no_cache)
    if wishes.source:
        library.places()  # raises for a name nobody knows
    ground = Ground(library, settings, wishes, Printer(library, wishes))
    pick_options.names_of(wishes.expect)  # refuses what is no key, whether a screen is drawn or not
    if wishes.filter is not None:
        return _filter(ground)
    return _pick(ground)


# ── without a screen ──


def _choice(ground: Ground) -> Choice:
    from sessionbrowser.tui.picker.choice import Choice, Order
    from sessionbrowser.tui.store import Store

    wishes = ground.wishes
    store = Store()
    store.set_show_hidden(wishes.all)
    if wishes.here:
        from sessionbrowser.tui.scope import scopes

        found = scopes(ground.library.environment)
        store.set_scope(found[1 if len(found) > 2 else -1])
    order = Order(ranked=wishes.sort, reverse=wishes.tac, limit=wishes.multi)
    wanted: list[str] | None = [] if wishes.reads_ids else None
    return Choice(store, ground.library.environment, order, wanted, ground.settings.queries)


def _everything(ground: Ground) -> Choice:
    """The choice with every session and every name there is."""
    from sessionbrowser.commands.pick_ids import ids

    choice = _choice(ground)
    choice.store.fold(ground.library.sessions(deep=ground.wishes.all))
    if choice.wanted is not None:
        choice.wanted += list(ids())
        if not choice.pool():
            options.warn(_nameless(len(choice.wanted)))
    return choice


def _nameless(names: int) -> str:
    """What is said of standard input that leaves nothing to choose."""
    return f"standard input names no session that is here ({plural(names, 'line')})" if names else "standard input names no session"


def _ask(ground: Ground, choice: Choice, text: str) -> list[Session]:
    """The rows for a query, what the index knows of the conversations included. Raises Refused."""
    if not choice.read(text) and choice.problem is not None:
        raise Refused(f"{choice.problem.message} (character {choice.problem.start + 1} of the query)")
    _count(ground, choice)
    if choice.is_worth_searching and ground.wishes.full_text:
        import sqlite3

        from sessionbrowser.index.search import Options, Searcher

        query, pool = choice.query, choice.searched()
        how = Options(per_session=1, unindexed=query.needs_deep, here=ground.library.environment.cwd)
        try:
            with closing(Searcher(ground.library)) as searcher:
                refused = frozenset(searcher.refused(query, pool, how)) if query.unwanted else frozenset()
                choice.take(searcher.search(query, sessions=pool, options=how), refused)
        except sqlite3.Error as error:
            options.warn(f"the index can't be used ({error})")
    choice.refresh(keep=False)
    return list(choice.rows)


def _count(ground: Ground, choice: Choice) -> None:
    """Read what the query asks of sessions that their rows do not know (`turns:`, `tokens:`, `has:`)."""
    from sessionbrowser.index.settle import settle

    here = ground.library.environment.cwd
    if choice.query.unknown(choice.pool(), here):
        choice.store.fold(settle(choice.query, ground.library, choice.pool(), here))


def _filter(ground: Ground) -> int:
    from sessionbrowser.commands.finding import read_query

    wishes, printer = ground.wishes, ground.printer
    choice = _everything(ground)
    if read_query(wishes.filter or "", ground.library).hidden_wanted:
        choice.store.set_show_hidden(True)
    rows = _ask(ground, choice, wishes.filter or "")
    options.warn_of_trouble(ground.library)
    lines = printer.listed(rows)
    printer.write([*([wishes.filter or ""] if wishes.print_query else []), *lines])
    return 0 if lines else 2 if rows else NO_MATCH  # 2: it was said why


# ── on the terminal ──


def _pick(ground: Ground) -> int:
    wishes = ground.wishes
    choice = None
    if wishes.select_1 or wishes.exit_0:
        choice = _everything(ground)
        rows = _ask(ground, choice, wishes.query)
        if (wishes.exit_0 and not rows) or (wishes.select_1 and len(rows) == 1):
            from sessionbrowser.tui.picker.app import Outcome

            return _finish(ground, Outcome(0 if rows else NO_MATCH, rows, query=wishes.query))
    return _finish(ground, _shown(ground, choice))


def _shown(ground: Ground, choice: Choice | None) -> Outcome:
    """What came of the screen; `choice` when every session is read already."""
    from sessionbrowser.commands.pick_screen import shown

    return shown(ground.library, ground.settings, ground.wishes, choice or _choice(ground), ground.printer, loaded=choice is not None)


def _finish(ground: Ground, outcome: Outcome) -> int:
    """Print what was chosen, as fzf does: the query, the key, the choice."""
    wishes, printer = ground.wishes, ground.printer
    if outcome.code == CANCELLED:
        return CANCELLED
    if outcome.query_only:
        printer.write([outcome.query])
        return 0
    first = [outcome.query] if wishes.print_query else []
    if wishes.expect:
        first.append(outcome.key)
    lines = printer.chosen(outcome.sessions, fork=outcome.fork)
    printer.write([*first, *lines])
    if outcome.sessions and not lines:
        return 2  # it was said why
    return outcome.code if outcome.sessions else NO_MATCH
