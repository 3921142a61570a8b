"""`sb doctor`: what was found where, what was hidden and why, what is wrong; and what one file holds."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING

from sessionbrowser.commands import options, output
from sessionbrowser.model import Root, Session, Unreadable
from sessionbrowser.paths import Environment, shown
from sessionbrowser.text import folded, one_line, plural

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from sessionbrowser.library import Library

NAMED = 3  # damaged sessions that are named
SOON = 7  # days: a session that its agent deletes within so many is at risk

Json = dict[str, object]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "doctor", help="say what was found and what is wrong", allow_abbrev=False,
        description="Say what was found where, what was hidden or set aside and why, what could not be read, what its "
        "agent is about to delete, and what this terminal can do. With ID: what that session's file holds.",
    )  # fmt: skip
    parser.add_argument("id", nargs="?", metavar="ID", help="look into one session's file")
    parser.add_argument("--json", action="store_true", help="print as JSON")
    options.common(parser, every=False)


def run(args: argparse.Namespace, env: Environment) -> int:
    library = options.open_library(args, env)
    if args.id:
        from sessionbrowser.commands.anatomy import examine, told

        session = options.one_session(library, args.id)
        found = examine(session, library)
        if args.json:
            output.write_json(found)
        else:
            _write(told(found, library.environment.home), library)
        return 0
    report = examined(library) | {"configuration": _configuration(library)}
    if args.json:
        output.write_json(report)
    else:
        _write(_told(report, library), library)
    return 2 if options.nothing_readable(library) else 0


def examined(library: Library) -> Json:
    """The report as the contract says."""
    sessions = library.sessions(deep=True)
    return {
        "schema": 1,
        "sources": [_source(name, library, sessions) for name in _names(library)],
        "hidden": dict(library.hidden()),
        "unreadable": [{"path": item.path, "reason": item.reason} for item in library.trouble],
        "sessions_unreadable": [
            {"id": session.id, "path": session.path, "reason": session.unreadable} for session in sessions if session.unreadable
        ],
        "parse_errors": library.damaged() + len(library.trouble),
        "damaged_lines": sum(session.damaged_lines for session in sessions),
        "damaged": [session.id for session in sorted(sessions, key=lambda one: -one.damaged_lines) if session.damaged_lines],
        "index": _index(library),
        "terminal": _terminal(library.environment),
        "clipboard": {"way": _clipboard(library.environment)},
        "last_failure": _last_failure(library.environment),
    }


def _configuration(library: Library) -> Json:
    """The file of the configuration, None without one, and what of it can't be used."""
    from sessionbrowser.commands import config_check
    from sessionbrowser.paths import config_file

    path = library.config.path or config_file(library.environment)
    return {"path": path if os.path.exists(path) else None, "problems": config_check.problems(library.config, library.environment)}


def _last_failure(env: Environment) -> Json | None:
    """What ended in the background that should not have, the last time it did."""
    from sessionbrowser.library import failure

    found = failure.last(env)
    return None if found is None else {"said": found.said, "path": found.path}


def _names(library: Library) -> list[str]:
    """The sources to tell of: those that were looked for; in a copy of a store, those that are there."""
    found = [root.source for root in library.roots()]
    return list(dict.fromkeys(found if library.asked else [*library.wanted(), *found]))


def _source(name: str, library: Library, sessions: list[Session]) -> Json:
    roots = [root for root in library.roots() if root.source == name]
    shut = [] if roots else [item for item in library.trouble if item.source == name]
    if shut:
        return {"name": name, "roots": [_shut(item) for item in shut], "retention": None}
    if not roots and name not in library.shelf.present():
        from sessionbrowser.sources import looked

        places, variables = looked(name, library.environment)
        return {"name": name, "roots": [], "retention": None, "looked": places, "variables": list(variables)}
    live = next((root for root in roots if root.live), None)
    days, setting = library.source(name).retention(live) if live else (None, "")
    end = library.environment.now() + SOON * 86400
    risk = sum(s.source == name and s.expires is not None and s.expires < end and not s.hidden for s in sessions)
    return {
        "name": name,
        "roots": [_root(root, library, sessions) for root in roots],
        "retention": {"days": days, "setting": setting or None, "at_risk": risk},
    }


def _shut(item: Unreadable) -> Json:
    """A store that is there and can't be entered."""
    counts: Json = {"sessions": 0, "hidden": {}, "set_aside": {}, "unreadable": [{"path": item.path, "reason": item.reason}]}
    return {"path": item.path, "label": None, "state": "unreadable", **counts}


def _root(root: Root, library: Library, sessions: list[Session]) -> Json:
    below = os.path.join(root.path, "")
    here = [item for item in library.unreadable() if item.source == root.source and (item.path + os.sep).startswith(below)]
    aside = Counter(item.reason for item in library.aside if item.source == root.source and item.path.startswith(below))
    mine = [s for s in sessions if s.source == root.source and s.root == root.label and (s.path + os.sep).startswith(below)]
    return {
        "path": root.path,
        "label": root.label or None,
        "state": "unreadable" if any(item in library.trouble for item in here) else "ok" if os.path.exists(root.path) else "missing",
        "sessions": len(mine),
        "hidden": dict(Counter(s.hidden for s in mine if s.hidden)),
        "set_aside": dict(aside),
        "unreadable": [{"path": item.path, "reason": item.reason} for item in here],
    }


def _index(library: Library) -> Json:
    from sessionbrowser.index.store import store_path

    path = store_path(library.environment)
    size = 0
    for ending in ("", "-wal", "-shm"):
        try:
            size += os.stat(path + ending).st_size
        except OSError:
            continue
    state = f"not used: {library.without_cache}" if library.without_cache else "ok"
    return {"path": path, "state": state, "sessions": library.total(), "bytes": size, "full_text": _full_text(library)}


def _full_text(library: Library) -> Json | None:
    """How far the full text is; None without one."""
    from sessionbrowser.index.search import Searcher

    if library.without_cache:
        return None
    with closing(Searcher(library)) as searcher:
        return dict(searcher.state()._asdict())


def _terminal(env: Environment) -> Json:
    from sessionbrowser.render import glyphs

    try:
        size: tuple[int, int] | None = os.get_terminal_size(1)
    except (OSError, ValueError):
        size = None
    deep = env.get("COLORTERM") in ("truecolor", "24bit")
    return {
        "term": env.get("TERM") or None,
        "is_terminal": output.on_terminal(),
        "size": list(size) if size else None,
        "colours": "none" if env.get("NO_COLOR") else "16 million" if deep else "256" if "256" in env.get("TERM") else "16",
        "utf8": not glyphs.needs_ascii(env.variables, env.platform),
        "tmux": bool(env.get("TMUX")),
        "ssh": bool(env.get("SSH_TTY") or env.get("SSH_CONNECTION")),
    }


def _clipboard(env: Environment) -> str:
    from sessionbrowser import clipboard

    return clipboard.way(env)


# ── for people ──


def _write(lines: Iterable[str], library: Library) -> None:
    from sessionbrowser.commands.table import columns, write_lines

    width = columns(library.environment)
    write_lines((part for line in lines for part in folded(line, width)), library)


def _told(report: Json, library: Library) -> Iterator[str]:
    home = library.environment.home
    sources: list[Json] = report["sources"]  # type: ignore[assignment]
    there = [source for source in sources if source["roots"]]
    for source in there:
        yield library.source(str(source["name"])).label
        for root in source["roots"]:  # type: ignore[attr-defined]
            yield from _told_root(root, home)
        retention = source["retention"]
        if isinstance(retention, dict) and retention["days"]:
            setting = one_line(str(retention["setting"] or "its default"), 300).replace(os.path.join(home, ""), "~" + os.sep)
            yield f"  deleted by the agent after {retention['days']} days ({setting});" \
                  f" {plural(retention['at_risk'], 'session')} within {SOON} days"  # fmt: skip
    at_risk = sum(int(kept["at_risk"]) for source in there if isinstance(kept := source["retention"], dict))
    if at_risk:
        yield f"{plural(at_risk, 'session')} in all will be deleted within {SOON} days: sb list 'expires:<{SOON}d' names them"
    if not there:
        yield "no sessions of any agent were found"
    yield from _told_absent([source for source in sources if not source["roots"]], library, home)
    for item in report["unreadable"]:  # type: ignore[attr-defined]
        yield f"could not be read: {shown(item['path'], home)}: {item['reason']}"
    for item in report["sessions_unreadable"]:  # type: ignore[attr-defined]
        yield f"could not be read: {shown(item['path'], home)}: {item['reason']}"
    if report["damaged_lines"]:
        damaged: list[str] = report["damaged"]  # type: ignore[assignment]
        rest = f" and {len(damaged) - NAMED} more" if len(damaged) > NAMED else ""
        yield f"damaged lines passed over: {report['damaged_lines']}; sb doctor ID tells of each: {', '.join(map(shown, damaged[:NAMED]))}{rest}"
    lost = int(str(report["parse_errors"])) - int(str(report["damaged_lines"]))
    if lost:
        yield f"in all {report['parse_errors']} lines, files and places could not be read (parse_errors of sb list --jsonl)"
    yield ""
    yield from _told_rest(report, home)


def _told_absent(sources: list[Json], library: Library, home: str) -> Iterator[str]:
    """Sources without a single place, and where each was looked for."""
    from sessionbrowser.sources import entry

    if sources:
        yield "looked for and not found:"
    for source in sources:
        found = entry(str(source["name"]))
        places = [shown(place, home) for place in source.get("looked", ())]  # type: ignore[attr-defined]
        named = [f"${name}" for name in source.get("variables", ())]  # type: ignore[attr-defined]
        yield f"  {found.label if found else source['name']}: {', '.join([*places, *named]) or 'nowhere yet'}"


def _told_root(root: Json, home: str) -> Iterator[str]:
    label = f" ({root['label']})" if root["label"] else ""
    unread: list[dict[str, str]] = root["unreadable"]  # type: ignore[assignment]
    partly = root["state"] == "unreadable" and root["sessions"] and root["path"] not in [item["path"] for item in unread]
    state = "unreadable in part" if partly else root["state"]
    yield f"  {shown(str(root['path']), home)}{label}: {state}, {plural(int(str(root['sessions'])), 'session')}"
    for what in ("hidden", "set_aside"):
        counts: dict[str, int] = root[what]  # type: ignore[assignment]
        if counts:
            parts = ", ".join(f"{number} {reason}" for reason, number in sorted(counts.items(), key=lambda item: -item[1]))
            yield f"    {'hidden' if what == 'hidden' else 'set aside'}: {parts}"


def _told_rest(report: Json, home: str) -> Iterator[str]:
    index: Json = report["index"]  # type: ignore[assignment]
    yield f"cache      {shown(str(index['path']), home)}: {index['state']}, {int(str(index['bytes'])):,} bytes"
    text = index["full_text"]
    if isinstance(text, dict):
        how_far = ", ".join(f"{name} {value:,}" for name, value in text.items() if not isinstance(value, bool) and value)
        yield f"full text  {how_far or 'nothing indexed yet'}"
    settled: Json = report["configuration"]  # type: ignore[assignment]
    if settled["path"]:
        problems: list[str] = settled["problems"]  # type: ignore[assignment]
        yield f"settings   {shown(str(settled['path']), home)}: {plural(len(problems), 'problem') if problems else 'ok'}"
        yield from (f"  {problem}" for problem in problems)
    terminal: Json = report["terminal"]  # type: ignore[assignment]
    facts = [f"TERM={terminal['term']}", f"{terminal['colours']} colours", "UTF-8" if terminal["utf8"] else "ASCII only"]
    facts += [name for name in ("tmux", "ssh") if terminal[name]]
    yield f"terminal   {', '.join(facts)}"
    yield f"clipboard  {report['clipboard']['way']}"  # type: ignore[index]
    failed = report["last_failure"]
    if isinstance(failed, dict):
        yield f"last failure  {failed['said']}"
        yield f"  all of it in {shown(str(failed['path']), home)}; delete that file when it is settled"
