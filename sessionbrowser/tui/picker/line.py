"""The line of the box: text, a cursor, and the keys of a shell to change them."""

from __future__ import annotations

import re

from sessionbrowser.text import cells, for_eyes

_WORD = re.compile(r"\w+\W*\Z")
_BLANKED = re.compile(r"\S+\s*\Z")
_NEXT = re.compile(r"\W*\w+")
_WHITE = re.compile(r"\s")


class Line:
    """Text being typed. `cursor` is a place in it."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.cursor = len(text)

    @property
    def before(self) -> str:
        return self.text[: self.cursor]

    @property
    def after(self) -> str:
        return self.text[self.cursor :]

    def set(self, text: str, cursor: int | None = None) -> None:
        self.text = text
        self.cursor = len(text) if cursor is None else cursor

    def insert(self, text: str) -> None:
        """Put in text, on one line and without what would act on a terminal."""
        text = _WHITE.sub(" ", for_eyes(text))
        self.set(self.before + text + self.after, self.cursor + len(text))

    def move(self, by: int) -> None:
        self.cursor = max(0, min(len(self.text), self.cursor + by))

    def move_word(self, sign: int) -> None:
        """Over a word of letters and digits."""
        if sign < 0:
            found = _WORD.search(self.before)
            self.cursor = found.start() if found else 0
        else:
            ahead = _NEXT.match(self.after)
            self.cursor = self.cursor + ahead.end() if ahead else len(self.text)

    def edge(self, sign: int) -> None:
        self.cursor = 0 if sign < 0 else len(self.text)

    def delete(self, by: int) -> None:
        """Delete a character before (-1) or at the cursor."""
        if by < 0:
            self.set(self.before[:-1] + self.after, max(0, self.cursor - 1))
        else:
            self.set(self.before + self.after[1:], self.cursor)

    def delete_word(self, *, blanks: bool = False) -> None:
        """Delete the word before the cursor: of letters and digits, or up to a blank."""
        found = (_BLANKED if blanks else _WORD).search(self.before)
        start = found.start() if found else 0
        self.set(self.text[:start] + self.after, start)

    def delete_next_word(self) -> None:
        ahead = _NEXT.match(self.after)
        self.set(self.before + (self.after[ahead.end() :] if ahead else ""), self.cursor)

    def delete_to(self, sign: int) -> None:
        """Delete everything before (-1) or behind the cursor."""
        self.set(self.after if sign < 0 else self.before, 0 if sign < 0 else None)

    def window(self, width: int) -> tuple[str, int]:
        """The part of the text around the cursor that fits into `width` cells, and the cursor's cell in it."""
        start = 0
        while cells(self.text[start : self.cursor]) >= width and start < self.cursor:
            start += 1
        end = len(self.text)
        while end > self.cursor and cells(self.text[start:end]) > width:
            end -= 1
        return self.text[start:end], cells(self.text[start : self.cursor])
