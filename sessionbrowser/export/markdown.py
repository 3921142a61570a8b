"""A session, or a view of it, as Markdown that reads well anywhere, and harms nobody whose viewer renders it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sessionbrowser.export.files import Changed, unified
from sessionbrowser.export.harmless import code, harmless, quoted
from sessionbrowser.export.skeleton import Bone
from sessionbrowser.export.views import WHY_LINES, Read, turns
from sessionbrowser.labels import label
from sessionbrowser.model import (
    Block,
    Body,
    Checklist,
    Code,
    Diff,
    Fields,
    Part,
    Picture,
    Plain,
    Prose,
    Questions,
    Session,
)
from sessionbrowser.text import change, clock, cut, date, one_line, weight

_TICKS = re.compile(r"`{3,}")
_SAFE_TITLE = re.compile(r"([\\`*_\[\]<>#|])")


def document(session: Session, blocks: Sequence[Block], view: str, read: Read) -> Iterator[str]:
    """The session in pieces, each ending in a line break."""
    yield heading_of(session)
    for turn in turns(blocks):
        if turn.prompt is not None:
            yield from _prompt(turn.prompt, read)
        elif turn.number:
            yield f"\n## Turn {turn.number}\n"
        for block in turn.blocks:
            yield from _block(block, view, read)


def heading_of(session: Session) -> str:
    """What the session is."""
    facts = (session.source, session.project, session.branch, session.model, date(session.created), one_line(session.id))
    return f"# {escaped(session.title or session.id)}\n\n" + " · ".join(escaped(str(fact)) for fact in facts if fact) + "\n"


def bones(session: Session, found: Iterable[Bone], *, headed: bool = True) -> Iterator[str]:
    """A skeleton: texts under their times, a line a run of calls."""
    if headed:
        yield heading_of(session)
    agent, listing = "", False
    for bone in found:
        if bone.agent != agent:
            agent, listing = bone.agent, False
        indent = "  " if agent and bone.kind == "tool" else ""
        if bone.kind == "tool":
            yield ("" if listing else "\n") + f"{indent}- {clock(bone.time)} ".replace("-  ", "- ") + escaped(("✗ " if bone.bad else "") + bone.text) + "\n"
        elif bone.kind == "note":
            yield f"\n*{escaped(bone.text)}*\n"
        elif bone.kind == "prompt":
            who = "Task" if bone.blocks[0].what == "subagent" else f"{bone.turn}. {escaped(bone.blocks[0].name) or 'You'}"
            yield f"\n## {who}" + (f" · {date(bone.time)}" if bone.time else "") + f"\n\n{quoted(bone.text)}"
        else:
            yield (f"\n{clock(bone.time)}\n" if bone.time else "") + f"\n{harmless(bone.text.strip())}\n"
        listing = bone.kind == "tool"


def escaped(text: str) -> str:
    """A line of text in which nothing is Markdown."""
    return _SAFE_TITLE.sub(r"\\\1", text.replace("\n", " "))


def fenced(text: str, language: str = "") -> str:
    """Text in a fence long enough for what is in it."""
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def _prompt(block: Block, read: Read) -> Iterator[str]:
    how = {"queued": " (queued)", "bash": " (shell)", "subagent": " (task)"}.get(block.what, "")
    rewound = " (rewound)" if block.branch else ""
    yield f"\n## {block.turn}. {escaped(block.name) or 'You'}{how}{rewound}" + (f" · {date(block.time)}" if block.time else "") + "\n\n"
    yield quoted(read(block).text or block.title)


def _block(block: Block, view: str, read: Read) -> Iterator[str]:
    if block.kind == "text":
        yield "\n" + harmless(read(block).text.strip()) + "\n"
    elif block.kind == "thinking":
        if block.size:
            yield "\n<details><summary>thinking</summary>\n\n" + quoted(read(block).text) + "\n</details>\n"
    elif block.kind == "tool":
        yield from _tool(block, view, read)
    elif block.kind == "note":
        yield f"\n*{escaped(block.title or block.what)}*\n"
    elif block.kind == "image":
        yield f"\n*{escaped(block.title or 'image')}*\n"


def heading(block: Block) -> str:
    """A call on one line."""
    outcome = ""
    if block.ok is False:
        outcome = f" ✗ {f'exit {block.exit_code}' if block.exit_code else block.outcome or 'failed'}"
    elif block.added or block.removed:
        outcome = f" {change(block.added, block.removed)}"
    elif block.outcome:
        outcome = f" {block.outcome}"
    elif block.ok is None:
        outcome = " no result"
    title = f" {code(block.title)}" if block.title else ""
    return f"**{escaped(label(block))}**{title}{escaped(outcome)}"


def _tool(block: Block, view: str, read: Read) -> Iterator[str]:
    if view == "skeleton":
        yield f"\n- {heading(block)}\n"
        return
    yield f"\n{heading(block)}\n"
    body = read(block)
    if view == "errors":
        if body.text:
            yield "\n" + fenced("\n".join(body.text.split("\n")[:WHY_LINES]))
        return
    for part in body.parts or _output(body):
        yield "\n" + part_text(part)


def _output(body: Body) -> tuple[Part, ...]:
    return (Plain(body.text),) if body.text else ()


def part_text(part: Part) -> str:
    """One part of a body."""
    if isinstance(part, Prose):
        return quoted(part.text)
    if isinstance(part, Plain):
        return fenced(part.text)
    if isinstance(part, Code):
        return fenced(part.text, _language(part.language))
    if isinstance(part, Diff):
        lines = [line for hunk in part.hunks for line in hunk.lines]
        return f"{code(part.path)}\n\n" + fenced("\n".join(lines), "diff")
    if isinstance(part, Checklist):
        return "".join(f"- [{'x' if state == 'done' else ' '}] {escaped(text)}\n" for state, text in part.items)
    if isinstance(part, Questions):
        return "".join(_question(item.text, item.options, item.answers) for item in part.items)
    if isinstance(part, Fields):
        return "".join(f"- {escaped(name)}: {_value(value)}" for name, value in part.pairs)
    return f"*{escaped(_picture(part))}*\n"


def _picture(part: Picture) -> str:
    size = f"{part.width}×{part.height}" if part.width and part.height else ""
    return " ".join(filter(None, ("image", part.format, size, weight(part.size) if part.size else "", part.name.strip())))


def _question(text: str, options: Sequence[tuple[str, str]], answers: Sequence[str]) -> str:
    lines = [f"**{escaped(text)}**\n\n"]
    lines += [f"- {escaped(label)}{': ' + escaped(about) if about else ''}\n" for label, about in options]
    return "".join(lines) + "".join(f"\n→ {escaped(answer)}\n" for answer in answers)


def _value(value: str) -> str:
    return f"{escaped(value)}\n" if "\n" not in value else "\n\n" + fenced(value) + "\n"


def _language(name: str) -> str:
    ending = name.rsplit("/", 1)[-1].rsplit(".", 1)[-1]
    return ending if re.fullmatch(r"[\w+#-]{1,20}", ending) else ""


def files_table(touched: Sequence[Changed]) -> str:
    """The view of files as a table."""
    rows = ["| path | read | edited | created | lines |", "| --- | --: | --: | --: | --: |"]
    for item in touched:
        counts = " | ".join(str(count or "") for count in (item.read, item.edited, item.created))
        rows.append(f"| {code(item.path).replace('|', chr(92) + '|')} | {counts} | {change(item.added, item.removed)} |")
    diffs = [f"\n## {code(item.path)}\n\n" + fenced("\n".join(unified(item.final)), "diff") for item in touched if item.final and item.final.edits]
    return "\n".join(rows) + "\n" + "".join(diffs)


def brief_list(lines: Sequence[tuple[str, str]]) -> str:
    """The view of six lines as a list."""
    return "".join(f"- **{name}**: {escaped(cut(text, 400))}\n" if name else f"  - {escaped(cut(text, 400))}\n" for name, text in lines)
