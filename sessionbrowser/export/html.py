"""One session as one self-contained web page: collapsible blocks, light and dark, nothing fetched, nothing run.

Everything that came from a file is escaped; Markdown is rendered with raw HTML off and pictures only from the
session itself; a content security policy forbids scripts and every address but data for pictures. Written in pieces,
so that a long session costs no more memory than its longest block.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING

from sessionbrowser.labels import label
from sessionbrowser.model import (
    REMARK,
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
    Question,
    Questions,
    Session,
    Span,
)
from sessionbrowser.text import amount, date, duration, for_eyes, iso, plural, weight

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

Read = Callable[[Block], Body]

PICTURE_LIMIT = 4_000_000  # bytes; a bigger picture stays a card
_DRAWN = ("png", "jpeg", "jpg", "gif", "webp")


def page(session: Session, blocks: Sequence[Block], read: Read) -> Iterator[str]:
    """The page in pieces. `read` gives the body of a block and may raise OSError, which is said in its place."""
    title = escape(for_eyes(session.title or session.id))
    yield _HEAD.replace("{title}", title)
    yield f"<header><h1>{title}</h1><p>{_facts(session)}</p></header>\n<main>\n"
    turn = -1
    for block in blocks:
        if block.turn != turn:
            yield ("</section>\n" if turn >= 0 else "") + f'<section id="turn-{block.turn}">\n'
            turn = block.turn
        yield from _block(block, read)
    yield ("</section>\n" if turn >= 0 else "<p class=note>This session has no turns.</p>\n") + "</main>\n</html>\n"


def sheet(session: Session, pieces: Iterable[str]) -> Iterator[str]:
    """A page of Markdown of our own making: tables, lists, a skeleton."""
    title = escape(for_eyes(session.title or session.id))
    yield _HEAD.replace("{title}", title) + f"<header><h1>{title}</h1><p>{_facts(session)}</p></header>\n<main class=prose>\n"
    yield _rendered("".join(pieces))
    yield "</main>\n</html>\n"


def _facts(session: Session) -> str:
    facts = [session.source, session.project, session.branch, session.model, date(session.created), session.id]
    if session.tokens and session.tokens.total:
        facts.append(f"{amount(session.tokens.total)} tokens")
    return " · ".join(escape(for_eyes(fact)) for fact in facts if fact)


def _block(block: Block, read: Read) -> Iterator[str]:
    try:
        body = read(block)
    except OSError as error:
        yield f"<p class=note>not readable any more: {escape(for_eyes(str(error.strerror or error)))}</p>\n"
        return
    inner = "".join(_said(part) if block.kind in ("prompt", "note") else _part(part) for part in body.parts) or (f"<pre>{escape(body.text)}</pre>" if body.text else "")
    faded = " rewound" if block.branch else ""
    if block.kind == "prompt":
        yield f"<article class='prompt{faded}'><h2><a href='#turn-{block.turn}'>{block.turn}</a> {_who(block)} {_time(block)}</h2>{inner}</article>\n"
    elif block.kind == "text":
        yield f"<article class='answer{faded}'><h3>{escape(block.model)} {_time(block)}</h3>{inner}</article>\n"
    elif block.kind == "note" and not inner:
        yield f"<p class='note{faded}'>{escape(block.title)}</p>\n"
    else:
        yield f"<details class='{block.kind}{faded}'{_opened(block)}><summary>{_summary(block)}</summary>{inner}</details>\n"


def _opened(block: Block) -> str:
    return " open" if block.kind == "image" or (block.kind == "tool" and block.ok is False) else ""


def _who(block: Block) -> str:
    if block.name:
        return escape(block.name)
    return {"subagent": "Task", "bash": "You, in the shell"}.get(block.what, "You") + (" (queued)" if block.what == "queued" else "")


def _time(block: Block) -> str:
    return f"<time datetime='{iso(block.time)}'>{date(block.time)}</time>" if block.time else ""


def _summary(block: Block) -> str:
    if block.kind == "thinking":
        return "<i>thinking</i> " + (plural(block.lines, "line") if block.lines else escape(block.what))
    if block.kind != "tool":
        return escape(block.title or block.what or block.kind)
    outcome = f"exit {block.exit_code}" if block.exit_code else block.outcome or ("" if block.ok else "failed" if block.ok is False else "no result")
    mark = "✗ " if block.ok is False else ""
    changed = (f" <ins>+{block.added}</ins>" if block.added else "") + (f" <del>−{block.removed}</del>" if block.removed else "")
    took = duration(block.ended - block.time) if block.ended and block.time and block.ended - block.time >= 1 else ""
    facts = escape(" · ".join(filter(None, (outcome, took))))
    return (f"<b>{escape(label(block))}</b> <code>{escape(block.title)}</code>{changed} "
            f"<span class='{'bad' if block.ok is False else 'dim'}'>{mark}{facts}</span>")  # fmt: skip


# ── parts ──


def _said(part: Part) -> str:
    """A part of what was typed, or told in passing: line by line, unless it has fenced code in it."""
    if isinstance(part, Prose) and "```" not in part.text:
        return f"<div class=said>{escape(part.text)}</div>"
    return _part(part)


def _part(part: Part) -> str:
    if isinstance(part, Prose):
        return f"<div class=prose>{_rendered(part.text)}</div>"
    if isinstance(part, Plain):
        label = f"<p class=dim>{escape(part.label)}</p>" if part.label else ""
        return f"{label}<pre class='{'bad' if part.error else 'out'}'>{_coloured(part.text, part.spans)}</pre>"
    if isinstance(part, Code):
        return f"<pre class=code>{_numbered(part)}</pre>"
    if isinstance(part, Diff):
        return _diff(part)
    if isinstance(part, Checklist):
        marks = {"done": "☑", "active": "▶", "dropped": "☒"}
        return "<ul class=todo>" + "".join(f"<li class={state}>{marks.get(state, '☐')} {escape(words)}</li>" for state, words in part.items) + "</ul>"
    if isinstance(part, Questions):
        return "".join(_question(item) for item in part.items)
    if isinstance(part, Fields):
        return "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd><pre>{escape(value)}</pre></dd>" for name, value in part.pairs) + "</dl>"
    return _picture(part)


def _numbered(code: Code) -> str:
    if not code.start:
        return escape(code.text)
    return "\n".join(f"<i>{number:>5}</i> {escape(line)}" for number, line in enumerate(code.text.split("\n"), code.start))


def _coloured(text: str, spans: Iterable[Span]) -> str:
    pieces, at = [], 0
    for span in spans:
        css = _css(span.style)
        pieces.append(escape(text[at : span.start]))
        inside = escape(text[span.start : span.end])
        pieces.append(f'<span style="{css}">{inside}</span>' if css else inside)
        at = span.end
    return "".join(pieces) + escape(text[at:])


_INK = {"black": "#5a6270", "red": "#d5525f", "green": "#4f9f4f", "yellow": "#b58320", "blue": "#4a78d6", "magenta": "#9a6fd0",
        "cyan": "#3a9ba0", "white": "#a8b0bd"}  # fmt: skip
_WORDS = {"bold": "font-weight:bold", "dim": "opacity:.65", "italic": "font-style:italic", "underline": "text-decoration:underline",
          "strike": "text-decoration:line-through"}  # fmt: skip


@cache
def _css(style: str) -> str:
    """CSS for a style in words; what is not known is left out."""
    rules, paper = [], False
    for word in style.split():
        colour = _INK.get(word.removeprefix("bright_"), word if _is_hex(word) else "")
        if word == "on":
            paper = True
        elif word in _WORDS:
            rules.append(_WORDS[word])
        elif colour:
            rules.append(f"{'background' if paper else 'color'}:{colour}")
            paper = False
    return ";".join(rules)


def _is_hex(word: str) -> bool:
    return len(word) == 7 and word[0] == "#" and all(char in "0123456789abcdef" for char in word[1:])


def _diff(diff: Diff) -> str:
    rows: list[str] = []
    for hunk in diff.hunks:
        old, new = hunk.old_start, hunk.new_start
        if rows:
            rows.append("<i>      ⋯</i>")
        for line in hunk.lines:
            sign = line[:1]
            if sign == REMARK:
                rows.append(f"<i>      {escape(line)}</i>")
                continue
            number = old if sign == "-" else new
            old += sign != "+"
            new += sign != "-"
            tag = {"-": "del", "+": "ins"}.get(sign, "span")
            shown = f"{number:>5} " if hunk.new_start else ""
            rows.append(f"<{tag}><i>{shown}</i>{escape(line)}</{tag}>")
    state = " (created)" if diff.created else " (deleted)" if diff.deleted else ""
    return f"<p class=dim>{escape(diff.path)}{state}</p><pre class=diff>" + "\n".join(rows) + "</pre>"


def _question(question: Question) -> str:
    options = "".join(
        f"<li class={'done' if label in question.answers else 'pending'}>{escape(label)} <span class=dim>{escape(about)}</span></li>"
        for label, about in question.options
    )
    known = {label for label, _ in question.options}
    others = "".join(f"<li class=done>{escape(answer)}</li>" for answer in question.answers if answer not in known)
    return f"<div class=question><p><b>{escape(question.text)}</b></p><ul>{options}{others}</ul></div>"


def _picture(picture: Picture) -> str:
    size = f"{picture.width}×{picture.height}, " if picture.width else ""
    card = f"{escape(picture.name or 'picture')} · {escape(picture.format)} · {size}{weight(picture.size)}"
    kind = picture.format.lower().removeprefix("image/")
    if picture.data is None or len(picture.data) > PICTURE_LIMIT or kind not in _DRAWN:
        return f"<p class=card>{card}</p>"
    from base64 import b64encode

    data = b64encode(picture.data).decode()
    return f'<figure><img alt="" src="data:image/{kind.replace("jpg", "jpeg")};base64,{data}"><figcaption class=dim>{card}</figcaption></figure>'


_TASK = re.compile(r"(<li>(?:\n<p>)?)\[([ xX])\] ")


def _rendered(text: str) -> str:
    return _TASK.sub(lambda found: f"{found[1]}{'☐' if found[2] == ' ' else '☑'} ", str(_markdown().render(text)))


@cache
def _markdown() -> MarkdownIt:
    """CommonMark with tables: raw HTML shown as text, pictures named and not fetched, links only to the web, lines kept."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    parser.add_render_rule("image", lambda _, tokens, at, options, env: f"<span class=dim>image: {escape(tokens[at].content) or 'picture'}</span>")
    parser.validateLink = lambda url: url.lower().startswith(("http://", "https://", "mailto:", "#"))  # type: ignore[method-assign]
    return parser


_HEAD = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>{title}</title>
<style>
:root { color-scheme: light dark; --bg: #fbfbfa; --fg: #23272e; --dim: #6b7280; --line: #dfe2e7; --soft: #f1f2f4;
  --accent: #2f5fd0; --bad: #b3261e; --add: #e3f4e3; --gone: #fbe6e6; }
@media (prefers-color-scheme: dark) { :root { --bg: #0f1216; --fg: #d5d9e0; --dim: #8b94a3; --line: #2b313b; --soft: #161a20;
  --accent: #82aaff; --bad: #ef7d87; --add: #13281c; --gone: #2d171b; } }
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1.5rem 6rem; background: var(--bg); color: var(--fg);
  font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 } h2, h3 { font-size: .85rem; font-weight: 600; margin: 0 0 .3rem; color: var(--dim) }
header { border-bottom: 1px solid var(--line); margin-bottom: 2rem } header p, .dim, .note, time { color: var(--dim); font-size: .85rem; font-weight: 400 }
blockquote { border-left: 3px solid var(--accent); margin: .4rem 0 1rem; padding-left: 1rem } main.prose { padding-top: 1rem }
.prose h1, .prose h2, .prose h3 { color: var(--fg); font-size: 1.05rem; margin: 1rem 0 .4rem }
.prompt { border-left: 3px solid var(--accent); padding-left: 1rem; margin: 2.2rem 0 1.2rem } .answer { margin: 1rem 0 }
.said { white-space: pre-wrap } .prompt a { color: var(--accent); text-decoration: none } .note { margin: .4rem 0 }
details { margin: .25rem 0 } details > :not(summary) { margin-left: 1.1rem } summary { cursor: pointer; color: var(--dim) }
summary b { color: var(--fg); font-weight: 600 } pre, code { font: 13px/1.5 ui-monospace, "Fira Code", Menlo, Consolas, monospace }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .6rem .8rem; overflow-x: auto; white-space: pre-wrap; max-height: 40rem }
pre i { color: var(--dim); font-style: normal; user-select: none } pre.bad { border-color: var(--bad) } .bad { color: var(--bad) }
.diff del, .diff ins { display: inline-block; min-width: 100%; text-decoration: none } .diff ins { background: var(--add) } .diff del { background: var(--gone) }
summary :is(ins, del, .bad) { font-size: .85rem; text-decoration: none } .rewound { opacity: .6 } .todo { list-style: none; padding-left: .5rem }
.done { font-weight: 600 } .todo .done { font-weight: 400; color: var(--dim) } table { border-collapse: collapse } td, th { border: 1px solid var(--line); padding: .2rem .6rem }
img { max-width: 100% } dt { color: var(--dim); font-size: .85rem } dd { margin: 0 0 .4rem } dd pre { margin: .1rem 0 } .card { border: 1px solid var(--line); border-radius: 6px; padding: .5rem .8rem; display: inline-block }
</style>
"""
