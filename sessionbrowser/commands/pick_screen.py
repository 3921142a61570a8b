"""The screen of `sb pick`: the terminal is taken first, rows are on it before anything else is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sessionbrowser.commands import pick_options
from sessionbrowser.commands.options import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sessionbrowser.commands.pick_options import Wishes
    from sessionbrowser.commands.pick_print import Printer
    from sessionbrowser.config import Config
    from sessionbrowser.library import Library
    from sessionbrowser.model import Block, Body, Session
    from sessionbrowser.render.glyphs import Glyphs
    from sessionbrowser.render.rows import Row
    from sessionbrowser.tui.picker.app import Outcome, Picker
    from sessionbrowser.tui.picker.choice import Choice

BIG = 4_000_000  # bytes from which on the end of a file is enough for a preview
LINES = 400  # rows of a preview at most


def shown(library: Library, settings: Config, wishes: Wishes, choice: Choice, printer: Printer, *, loaded: bool) -> Outcome:
    """Show the picker until it ends. Raises Refused when there is no terminal to draw on."""
    import sys

    from sessionbrowser.tui.picker.terminal import Terminal

    env = library.environment
    if env.get("TERM") in ("", "dumb"):
        raise Refused(f"this terminal cannot show a screen (TERM={env.get('TERM') or 'is not set'}); sb pick -f TEXT draws nothing")
    expect = pick_options.names_of(wishes.expect)
    try:
        terminal = Terminal(wishes.height, mouse=settings.mouse)
        terminal.begin()
    except OSError as error:
        raise Refused("there is no terminal to draw on; sb pick -f TEXT draws nothing") from error
    sys.setswitchinterval(0.001)  # threads that read give way to the one that draws
    try:
        picker = _picker(library, settings, wishes, choice, printer, terminal, expect, loaded=loaded)
        if not loaded:
            choice.store.fold(library.cached(limit=None if wishes.query or choice.wanted is not None else terminal.measure()[1] + 8))
            if choice.wanted is not None:
                _read_ids(picker)
        outcome = picker.run()
    finally:
        terminal.release()
    _remember(library, outcome)
    return outcome


def _picker(library: Library, settings: Config, wishes: Wishes, choice: Choice, printer: Printer, terminal: object,
            expect: dict[str, str], *, loaded: bool) -> Picker:  # fmt: skip
    from sessionbrowser import clipboard
    from sessionbrowser.render import glyphs, palette
    from sessionbrowser.tui.memory import recall
    from sessionbrowser.tui.picker.app import Picker, Settings, Tools
    from sessionbrowser.tui.picker.draw import Drawing
    from sessionbrowser.tui.picker.pen import Pen
    from sessionbrowser.tui.picker.terminal import Terminal
    from sessionbrowser.tui.scope import scopes

    assert isinstance(terminal, Terminal)
    env = library.environment
    plain = wishes.ascii or settings.glyphs == "ascii" or (settings.glyphs == "auto" and glyphs.needs_ascii(env.variables, env.platform))
    signs = glyphs.choose(ascii=plain)
    theme = wishes.theme or settings.theme
    if terminal.is_inline and theme in ("", "auto"):  # among the lines of a shell its own colours are the ones that fit
        theme = "ansi"
    look = palette.palette(palette.chosen(env.variables, theme))
    pen = Pen(look, deep=env.get("COLORTERM").lower() in ("truecolor", "24bit"), ellipsis=signs.ellipsis)

    def copy(text: str) -> str:
        done = clipboard.copy(text, env, terminal.write)
        return done.message if not done.by_hand else "nothing here takes a copy; choose it to have it printed"

    tools = Tools(
        lambda session, width, height: preview(library, signs, session, width, height),
        lambda session, width, height: facts(library, session, width), printer.line, copy,
    )  # fmt: skip
    how = Settings(
        query=_typed(wishes.query), preview=wishes.preview, expect=expect, keys=settings.keys, full_text=wishes.full_text,
        loaded=loaded, scopes=scopes(env), history=recall(env).history, header=wishes.header,
    )  # fmt: skip
    return Picker(library, choice, terminal, Drawing(pen, signs, env, whole=not terminal.is_inline), signs, tools, how)


def _typed(query: str) -> str:
    """A query from the command line as it could have been typed."""
    from sessionbrowser.tui.picker.line import Line

    line = Line()
    line.insert(query)
    return line.text


def _read_ids(picker: Picker) -> None:
    """Take names from standard input as they come."""
    from sessionbrowser.commands.pick_ids import as_they_come
    from sessionbrowser.tui.picker.work import start

    def work() -> None:
        try:
            for batch in as_they_come():
                picker.post(lambda batch=batch: picker.named(batch, ended=False))  # type: ignore[misc]
        except OSError:
            pass
        picker.post(lambda: picker.named([], ended=True))

    picker.ids_pending = True
    start(work, "ids")


def preview(library: Library, glyphs: Glyphs, session: Session, width: int, height: int) -> Sequence[Row]:
    """The newest turns of a session, as many as there is an interest in. Raises KeyError, OSError, SourceError."""
    from itertools import islice

    from sessionbrowser.commands import show_text
    from sessionbrowser.model import Body
    from sessionbrowser.render.going import under_way
    from sessionbrowser.render.rows import Look, folders_of

    handle = library.handle(session)
    source = library.source(handle.source)
    outline = source.opening(handle) if handle.size >= BIG else None
    if outline is None or not outline.blocks:
        outline = library.outline(handle)

    def read(block: Block) -> Body:
        try:
            return source.body(handle, block)
        except OSError as error:
            return Body(f"could not be read: {error.strerror or error}")

    here, open_calls = library.environment, under_way(outline.blocks, session.status)
    look = Look(max(20, width), glyphs, now=here.now(), limit=max(8, height), folders=folders_of(session.cwd, here.home))
    if session.counts is None:
        session = session._replace(counts=outline.counts, tokens=outline.tokens)
    return list(islice(show_text.lines(session, outline.blocks, "preview", read, look, under_way=open_calls), LINES))


def facts(library: Library, session: Session, width: int) -> Sequence[Row]:
    """Everything that is known of a session once all of it was read. Raises KeyError, OSError, SourceError."""
    from sessionbrowser.tui.picker.panels import details

    outline = library.outline(library.handle(session))
    exact = session._replace(counts=outline.counts, tokens=outline.tokens, damaged_lines=len(outline.damage))
    return details(exact, outline, library.environment, width)


def _remember(library: Library, outcome: Outcome) -> None:
    """Keep the query that led to a choice, as the browser does."""
    from sessionbrowser.tui.memory import recall, remember

    query = outcome.query.strip()
    if not query or outcome.code or library.environment.clock:
        return
    memory = recall(library.environment)
    history = [query, *(old for old in memory.history if old != query)][:100]
    remember(library.environment, memory._replace(history=tuple(history)))
