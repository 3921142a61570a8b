"""A session in six labelled lines."""

from __future__ import annotations

from collections.abc import Sequence

from sessionbrowser.export.files import Changed, changed
from sessionbrowser.export.nested import owner
from sessionbrowser.export.views import Read, keep
from sessionbrowser.model import Agent, Block, Session, is_call
from sessionbrowser.text import amount, change, one_line, plural


def brief(session: Session, blocks: Sequence[Block], read: Read, agents: Sequence[Agent] = ()) -> list[tuple[str, str]]:
    """What a session was, in six labelled lines. `agents` are its subagents, as the tree has them."""
    here = [block for block in blocks if not block.branch]
    prompts = [block for block in here if block.kind == "prompt"]
    tools = [block for block in here if is_call(block)]
    last = keep("final", [block for block in here if owner(block) is None])
    edited = [item for item in changed(here, read, session.cwd or "") if item.edited or item.created]
    state = session.status + (f", {session.status_why}" if session.status_why else "")
    where = " ".join(filter(None, (session.project, session.branch)))
    return [
        ("session", "  ".join(filter(None, (one_line(session.id), session.source, where, state)))),
        ("intent", _intent(prompts, read)),
        ("answer", one_line(read(last[0]).text, 300) if last else "no answer"),
        ("edits", _edits(edited)),
        ("tools", _calls(tools)),
        ("subagents", _agents(agents)),
    ]


def _intent(prompts: Sequence[Block], read: Read) -> str:
    """The first prompt that says what is wanted: a bare command or a line for the shell does not."""
    if not prompts:
        return "no prompt"
    wanted = next((block for block in prompts if block.what != "bash" and (block.what != "slash" or " " in block.title.strip())), prompts[0])
    return one_line(read(wanted).text or wanted.title, 300)


def _edits(edited: Sequence[Changed]) -> str:
    if not edited:
        return "no file changed"
    named = ", ".join(f"{item.path} {change(item.added, item.removed)}".rstrip() for item in edited[:5])
    return f"{plural(len(edited), 'file')}: {named}" + (f", {len(edited) - 5} more" if len(edited) > 5 else "")


def _calls(tools: Sequence[Block]) -> str:
    if not tools:
        return "no tool called"
    names: dict[str, int] = {}
    for block in tools:
        names[block.name or block.what] = names.get(block.name or block.what, 0) + 1
    most = sorted(names.items(), key=lambda item: -item[1])[:6]
    wrong = sum(block.ok is False for block in tools)
    return f"{plural(len(tools), 'call')} ({', '.join(f'{name} {count}' for name, count in most)}), {plural(wrong, 'error')}"


def _agents(agents: Sequence[Agent]) -> str:
    if not agents:
        return "none"
    named = [": ".join(filter(None, (agent.type, one_line(agent.description, 80)))) or one_line(agent.id) for agent in agents[:4]]
    return f"{amount(len(agents))}: " + ", ".join(named) + (", …" if len(agents) > 4 else "")
