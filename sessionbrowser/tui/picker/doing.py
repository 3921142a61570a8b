"""What each action of the picker does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sessionbrowser.tui.picker.work import FAILURES, start

if TYPE_CHECKING:
    from sessionbrowser.tui.picker.app import Picker

Do = Callable[["Picker"], None]


def _edit(change: Callable[[Picker], object]) -> Do:
    """A change of the box that may change its text."""

    def do(picker: Picker) -> None:
        before = picker.box.text
        change(picker)
        if picker.box.text != before:
            picker.typed()

    return do


def _mark(by: int) -> Do:
    def do(picker: Picker) -> None:
        if picker.choice.order.limit is None:
            if by < 0 or not picker.complete_box():
                picker.choice.move(by)
            return
        if not picker.choice.toggle():
            picker.say(f"at most {picker.choice.order.limit:,} can be marked", "warn")
            return
        picker.choice.move(by)

    return do


def _page(sign: int) -> Do:
    return lambda picker: picker.choice.move(sign * max(1, picker.layout.list_height - 1))


def _preview(by: int = 0, page: int = 0) -> Do:
    return lambda picker: picker.scroll_preview(by + page * max(1, picker.layout.preview_height - 1))


def _fold_preview(picker: Picker) -> None:
    if picker.layout.preview:
        picker.preview = "off"
        picker.arrange()
    elif not any(map(picker.shows_preview, (picker.folded, "bottom", "right"))):  # where there is little room, as well as it can be done
        picker.say("there is no room for a preview", "warn")


def _next_preview(picker: Picker) -> None:
    if picker.layout.preview:
        picker.details = not picker.details
    else:
        picker.details = True
        _fold_preview(picker)
    picker.scrolled = 0


def _copy(picker: Picker) -> None:
    session = picker.choice.current
    if session is not None:
        _copy_text(picker, picker.tools.text_of(session), "nothing resumes this session")


def _copy_specstory(picker: Picker) -> None:
    session = picker.choice.current
    if session is not None:
        _copy_text(picker, session.specstory or "", "this session has no SpecStory file")


def _copy_text(picker: Picker, text: str, otherwise: str) -> None:
    if not text:
        picker.say(otherwise, "warn")
        return

    def work() -> None:
        try:
            said = picker.tools.copy(text)
        except FAILURES as error:
            said = f"not copied: {error}"
        picker.post(lambda: picker.say(said))

    start(work, "copy")


def _source(picker: Picker) -> None:
    """Round the sources there are."""
    choice = picker.choice
    choice.source, held = "", choice.source
    there = sorted({session.source for session in choice.pool()})
    names = ["", *there]
    at = names.index(held) if held in names else 0
    choice.source = names[(at + 1) % len(names)]
    choice.refresh(keep=False)
    picker.ask()


def _scope(picker: Picker) -> None:
    scopes, store = picker.settings.scopes, picker.choice.store
    if len(scopes) > 1:
        names = [scope.name for scope in scopes]
        at = names.index(store.scope.name) if store.scope.name in names else 0
        store.set_scope(scopes[(at + 1) % len(scopes)])
        picker.choice.refresh(keep=False)
        picker.ask()


def _hidden(picker: Picker) -> None:
    store = picker.choice.store
    store.set_show_hidden(not store.show_hidden)
    picker.choice.refresh()


def _delete_or_cancel(picker: Picker) -> None:
    if picker.box.text:
        _edit(lambda one: one.box.delete(1))(picker)
    else:
        picker.cancel()


def _print_query(picker: Picker) -> None:
    from sessionbrowser.tui.picker.app import Outcome

    picker.outcome = Outcome(0, (), "", picker.box.text, query_only=True)


def _suspend(picker: Picker) -> None:
    if not picker.terminal.suspend():
        picker.say("this can't be suspended here: the shell waits for a choice", "warn")
        return
    picker.terminal.redraw()
    picker.arrange()


def _help(picker: Picker) -> None:
    picker.help = 0


DO: Mapping[str, Do] = {
    "accept": lambda picker: picker.end(),
    "accept_fork": lambda picker: picker.end(fork=True),
    "cancel": lambda picker: picker.cancel(),
    "print_query": _print_query,
    "down": lambda picker: picker.choice.move(1),
    "up": lambda picker: picker.choice.move(-1),
    "page_down": _page(1),
    "page_up": _page(-1),
    "first": lambda picker: picker.choice.move(-len(picker.choice.rows)),
    "last": lambda picker: picker.choice.move(len(picker.choice.rows)),
    "mark_down": _mark(1),
    "mark_up": _mark(-1),
    "mark_all": lambda picker: picker.choice.mark_all(),
    "complete": lambda picker: None if picker.complete_box() else picker.say("nothing to complete here", "dim"),
    "preview": _fold_preview,
    "preview_next": _next_preview,
    "preview_down": _preview(1),
    "preview_up": _preview(-1),
    "preview_page_down": _preview(page=1),
    "preview_page_up": _preview(page=-1),
    "copy": _copy,
    "copy_specstory": _copy_specstory,
    "source": _source,
    "scope": _scope,
    "hidden": _hidden,
    "line_start": _edit(lambda picker: picker.box.edge(-1)),
    "line_end": _edit(lambda picker: picker.box.edge(1)),
    "left": _edit(lambda picker: picker.box.move(-1)),
    "right": _edit(lambda picker: picker.box.move(1)),
    "word_left": _edit(lambda picker: picker.box.move_word(-1)),
    "word_right": _edit(lambda picker: picker.box.move_word(1)),
    "delete_before": _edit(lambda picker: picker.box.delete(-1)),
    "delete_at": _edit(lambda picker: picker.box.delete(1)),
    "delete_or_cancel": _delete_or_cancel,
    "delete_word": _edit(lambda picker: picker.box.delete_word(blanks=True)),
    "delete_word_letters": _edit(lambda picker: picker.box.delete_word()),
    "delete_next_word": _edit(lambda picker: picker.box.delete_next_word()),
    "delete_line": _edit(lambda picker: picker.box.delete_to(-1)),
    "earlier": lambda picker: picker.recall(1),
    "later": lambda picker: picker.recall(-1),
    "redraw": lambda picker: picker.resized(),
    "suspend": _suspend,
    "help": _help,
}
