"""`sb tree`: the subagents of a session, its forks and continuations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sessionbrowser.commands import options, output
from sessionbrowser.model import Agent, Session
from sessionbrowser.paths import Environment, shown
from sessionbrowser.text import amount, duration, iso, one_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from sessionbrowser.render.glyphs import Glyphs


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "tree", help="print the subagents of a session", allow_abbrev=False,
        description="Print the tree of subagents that a session started, each with its state, tokens, calls and time.",
    )  # fmt: skip
    parser.add_argument("id", metavar="ID", help="an id, the beginning of one, @last, @prev or @here")
    parser.add_argument("--json", action="store_true", help="print the tree as JSON")
    options.common(parser, every=False)


def run(args: argparse.Namespace, env: Environment) -> int:
    library = options.open_library(args, env)
    session = options.one_session(library, args.id)
    handle = library.handle(session)
    tree = library.agents(handle)
    if args.json:
        root = agent_json(tree)
        root["status"] = session.status
        output.write_json({"schema": 1, "root": root})
        return 0
    from sessionbrowser.render import glyphs

    here = library.environment
    signs = glyphs.choose(ascii=library.config.glyphs == "ascii" or glyphs.needs_ascii(here.variables, here.platform))
    output.write_text("\n".join(drawn(tree, session, signs)) + "\n")
    return 0


def agent_json(agent: Agent) -> dict[str, object]:
    """A node and everything below it, as the contract says."""
    return {
        "id": agent.id,
        "kind": agent.kind,
        "type": agent.type or None,
        "description": agent.description,
        "status": agent.status,
        "model": agent.model or None,
        "tokens": agent.tokens._asdict() if agent.tokens is not None else None,
        "tool_calls": agent.tool_calls,
        "started": iso(agent.started),
        "ended": iso(agent.ended),
        "path": agent.path or None,
        "children": [agent_json(child) for child in agent.children],
    }


def drawn(tree: Agent, session: Session, signs: Glyphs) -> Iterator[str]:
    """The tree as lines for eyes."""
    yield _line(tree._replace(status=session.status, description=session.title or tree.description), signs)
    yield from _children(tree, "", signs)


def _children(agent: Agent, indent: str, signs: Glyphs) -> Iterator[str]:
    for index, child in enumerate(agent.children):
        last = index == len(agent.children) - 1
        yield indent + (signs.last if last else signs.branch) + _line(child, signs)
        yield from _children(child, indent + (signs.blank if last else signs.trunk), signs)


def _line(agent: Agent, signs: Glyphs) -> str:
    kind = agent.kind if agent.kind in ("fork", "continuation") else ""
    name = " ".join(filter(None, (kind, agent.type, one_line(agent.description, 80) or shown(agent.id))))
    facts = []
    if agent.tokens is not None and agent.tokens.total:
        facts.append(f"{amount(agent.tokens.total)} tok")
    if agent.tool_calls:
        facts.append(f"{agent.tool_calls} calls")
    if agent.started and agent.ended and agent.ended >= agent.started:
        facts.append(duration(agent.ended - agent.started))
    return f"{signs.status(agent.status)} {name}" + (f"  {f' {signs.dot} '.join(facts)}" if facts else "")
