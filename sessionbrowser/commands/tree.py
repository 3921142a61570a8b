"""`sb tree`: the subagents of a session, its forks and continuations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sessionbrowser.commands import options, output
from sessionbrowser.model import Agent, Session
from sessionbrowser.paths import Environment, shown
from sessionbrowser.text import amount, cells, cut, duration, iso, one_line, plural

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from sessionbrowser.export.deeds import Deeds
    from sessionbrowser.render.glyphs import Glyphs


SHORTEST = 12  # cells that what an agent was for gets at least


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "tree", help="print the subagents of a session", allow_abbrev=False,
        description="Print the tree of subagents that a session started, each with its state, tokens, calls and time.",
    )  # fmt: skip
    parser.add_argument("id", metavar="ID", help="an id, the beginning of one, @last, @prev or @here")
    parser.add_argument("--json", action="store_true", help="print the tree as JSON")
    parser.add_argument("--finals", action="store_true", help="with the last answer of each")
    parser.add_argument("--tools", action="store_true", help="with the tools each called, how often, and how many calls failed")
    parser.add_argument("--files", action="store_true", help="with the files each read and changed")
    parser.add_argument("--safe", action="store_true", help="secrets masked, and not of the session that asks")
    options.common(parser, every=False)


def run(args: argparse.Namespace, env: Environment) -> int:
    library = options.open_library(args, env)
    session = options.one_session(library, args.id)
    handle = library.handle(session)
    tree = library.agents(handle)
    if args.safe:
        from sessionbrowser.export.safely import safe_agent, safe_session

        options.refuse_asking(session, library.environment)
        session, tree = safe_session(session), safe_agent(tree)
    more: Deeds | None = None
    if args.finals or args.tools or args.files:
        from sessionbrowser.export.deeds import Deeds

        more = Deeds(library, session, finals=args.finals, tools=args.tools, files=args.files, safe=args.safe)
        more.root = handle
    if args.json:
        root = agent_json(tree, more)
        root["status"] = session.status
        output.write_json({"schema": 1, "root": root})
        return 0
    from sessionbrowser.commands.table import columns, signs_of, write_lines

    write_lines(drawn(tree, session, signs_of(library), more, columns(library.environment)), library)
    return 0


def agent_json(agent: Agent, more: Deeds | None = None) -> dict[str, object]:
    """A node and everything below it, as the contract says; with `more`, what each did."""
    return {
        "id": agent.id,
        "kind": agent.kind,
        "type": agent.type or None,
        "description": agent.description,
        "status": agent.status,
        "model": agent.model or None,
        "tokens": agent.tokens.recorded() if agent.tokens is not None else None,
        "tool_calls": agent.tool_calls,
        "started": iso(agent.started),
        "ended": iso(agent.ended),
        "path": agent.path or None,
        **(more.of(agent).json() if more is not None else {}),
        "children": [agent_json(child, more) for child in agent.children],
    }


def drawn(tree: Agent, session: Session, signs: Glyphs, more: Deeds | None = None, width: int = 0) -> Iterator[str]:
    """The tree as lines for eyes, each agent's within `width` cells (0: whatever it takes); with `more`, what each did below its line."""
    yield _line(tree._replace(status=session.status, description=session.title or tree.description), "", signs, width)
    yield from _told(tree, signs.trunk if tree.children else signs.blank, more)
    yield from _children(tree, "", signs, more, width)


def _told(agent: Agent, indent: str, more: Deeds | None) -> Iterator[str]:
    if more is not None:
        yield from (f"{indent}  {line}".rstrip() for line in more.of(agent).lines())


def _children(agent: Agent, indent: str, signs: Glyphs, more: Deeds | None, width: int) -> Iterator[str]:
    for index, child in enumerate(agent.children):
        last = index == len(agent.children) - 1
        yield _line(child, indent + (signs.last if last else signs.branch), signs, width)
        below = indent + (signs.blank if last else signs.trunk)
        yield from _told(child, below + (signs.trunk if child.children else signs.blank), more)
        yield from _children(child, below, signs, more, width)


def _line(agent: Agent, lead: str, signs: Glyphs, width: int) -> str:
    kind = agent.kind if agent.kind in ("fork", "continuation") else ""
    name = " ".join(filter(None, (kind, agent.type, one_line(agent.description, 80) or shown(agent.id))))
    facts = []
    if agent.tokens is not None and agent.tokens.total:
        facts.append(f"{amount(agent.tokens.total)} tok")
    if agent.tool_calls:
        facts.append(plural(agent.tool_calls, "call"))
    if agent.started and agent.ended and agent.ended >= agent.started:
        facts.append(duration(agent.ended - agent.started))
    lead += f"{signs.status(agent.status)} "
    told = f"  {f' {signs.dot} '.join(facts)}" if facts else ""
    return lead + (cut(name, max(SHORTEST, width - cells(lead + told)), signs.ellipsis) if width else name) + told
