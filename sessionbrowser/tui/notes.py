"""Screens for when there is nothing to show: what happened, and what to press next."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.widgets import Static

from sessionbrowser.model import Unreadable
from sessionbrowser.paths import Environment, shown
from sessionbrowser.sources import REGISTRY
from sessionbrowser.text import cells, plural
from sessionbrowser.tui.dialogs.wrap import wrapped
from sessionbrowser.tui.look import look_of

Lines = Sequence[tuple[str, str]]  # a line each: text and style name


class Note(Static):
    """Stands where the rows would be."""

    DEFAULT_CSS = "Note { height: 1fr; width: 1fr; padding: 1 2; overflow: hidden; }"

    def __init__(self, id: str | None = None) -> None:
        super().__init__("", markup=False, id=id)
        self._lines: Lines = ()

    def say(self, lines: Lines) -> None:
        """Show these lines; where they do not all fit, say how many more there are."""
        self._lines = lines
        palette, _ = look_of(self)
        width, room = self.content_size
        folded = [(_folded(line, width) if width else [line], style) for line, style in lines]
        left = 0
        while room and folded and sum(len(pieces) for pieces, _ in folded) + (left > 0) > room:
            folded.pop()
            left += 1
        if left:
            folded.append(([f"  and {left} more"], "dim"))
        text = Text(no_wrap=True)
        for pieces, style in folded:
            text.append("\n".join(pieces) + "\n", style=palette.style(style))
        text.right_crop(1)
        self.update(text)

    def on_resize(self) -> None:
        self.redraw()

    def redraw(self) -> None:
        self.say(self._lines)

    @property
    def words(self) -> str:
        """What it says, as plain text."""
        return "\n".join(line for line, _ in self._lines)


def _folded(line: str, width: int) -> list[str]:
    """A line over lines of at most `width` cells, all of them behind its indent."""
    if cells(line) <= width:
        return [line]
    words = line.lstrip(" ")
    indent = " " * min(len(line) - len(words), width // 2)
    return [indent + piece for piece in wrapped(words, width - len(indent))]


def loading(done: int, total: int) -> Lines:
    progress = f"{done:,} of {total:,}" if total else ""
    return [("Looking for sessions …", "text"), (progress, "dim")]


def failed(reason: str) -> Lines:
    """Looking for sessions came to an end that nobody foresaw."""
    return [
        ("Looking for sessions failed:", "strong"),
        (f"  {reason}", "bad"),
        ("", ""),
        ("R    looks again", "text"),
        ("sb doctor says what is known of it", "text"),
    ]


def shut(trouble: Sequence[Unreadable], environment: Environment) -> str:
    """One line about places that can't be read, beside the list of what can."""
    first = trouble[0]
    more = f"  (and {len(trouble) - 1} more: sb doctor)" if len(trouble) > 1 else ""
    return f"{shown(first.path, environment.home)} could not be read: {first.reason}{more}"


def first_run(environment: Environment, trouble: Sequence[Unreadable]) -> Lines:
    """Nobody has used an agent here yet, or nothing of it can be read."""
    lines = [("No sessions on this machine yet.", "strong"), ("", "")]
    if trouble:
        lines = [("Sessions are here, but they cannot be read:", "strong"), ("", "")]
        for item in trouble[:8]:
            lines.append((f"  {shown(item.path, environment.home)}", "text"))
            lines.append((f"    {item.reason}", "bad"))
        lines.append(("", ""))
    lines += [
        ("See how it looks:       sb --demo", "text"),
        ("Sessions elsewhere?     sb --root FOLDER", "text"),
        ("What was found where:   sb doctor", "text"),
        ("q leaves", "text"),
        ("", ""),
        ("sb shows what coding agents leave behind. It looked for:", "dim"),
    ]
    lines += [(f"  {entry.label:<14} {place}", "dim") for entry in REGISTRY if (place := _place(entry.places))]
    return lines


def nothing_there(asked: Sequence[str], environment: Environment) -> Lines:
    """A root that was asked for, a store all right, holds no session."""
    return [
        ("No sessions there:", "strong"),
        *((f"  {shown(path, environment.home)}", "text") for path in asked[:8]),
        ("", ""),
        ("What was found where:   sb doctor --root FOLDER", "text"),
        ("q leaves", "text"),
    ]


def _place(places: Sequence[str]) -> str:
    """Where a source looks, as people write it; "" for one that has no place of its own."""
    place = next((place for place in places if place.startswith(("~", "{data}", "{support}"))), "")
    return place.replace("{data}", "~/.local/share").replace("{support}", "~/.config")


def no_match(query: str, hidden: int, outside: int, scope: str, full_text: bool = False, tools: str = "") -> Lines:
    """A query without a result; `tools` is the key that looks into tools as well, where that was not done."""
    lines = [("Looking into the conversations …" if full_text else "Nothing matches", "strong"), (f"  {query}", "warn"), ("", "")]
    if hidden:
        lines.append((f"x    shows {plural(hidden, 'match', 'matches')} among the hidden sessions", "text"))
    if outside:
        lines.append((f"a    looks everywhere: {plural(outside, 'match', 'matches')} outside {scope.removeprefix('in ')}", "text"))
    if tools and not full_text:
        lines.append((f"{tools}  looks into what tools were given and said, too", "text"))
    lines += [("esc  clears the box", "text"), ("f1   shows what can be asked for", "text")]
    return lines


def nothing_in_scope(scope: str, total: int) -> Lines:
    """There are sessions, but none of this directory."""
    return [
        (f"No sessions {scope}.", "strong"),
        ("", ""),
        (f"a    looks everywhere ({plural(total, 'session')})", "text"),
    ]


def all_hidden(hidden: int) -> Lines:
    """Everything there is is hidden by default."""
    what = "It is a run of a script, an empty file or a copy of another." if hidden == 1 else "They are runs of scripts, empty files, copies of others."
    return [
        (f"{plural(hidden, 'session')}, hidden by default.", "strong"),
        ("", ""),
        (what, "dim"),
        (f"x    shows {'it' if hidden == 1 else 'them'}", "text"),
    ]
