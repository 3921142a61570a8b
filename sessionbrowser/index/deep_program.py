"""Looking through files with `rg`: which of them hold the letters of a query, as JSON and people write them.

An expression for every spelling of a word costs `rg` seven times what the word itself costs. So files that hold the word
as it is are taken at once; of the others only those are looked through with it in which some accented letter is
followed by what follows it in the word. Both are things `rg` finds at full speed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from sessionbrowser.index.spellings import TAILS, Loose

if TYPE_CHECKING:
    from subprocess import Popen

Cancelled = Callable[[], bool]
Want = tuple[bytes, ...] | Loose  # one of these spellings, in small letters; or an expression
_LOOK = ("--no-config", "-a", "--no-messages", "--no-ignore", "--hidden", "--color=never")
_NAMES = ("-l", "-0", "-i")
_PIECES = ("-o", "-H", "-0", "-N", "--no-heading")
_PIECE = re.compile(rb"([^\0]+)\0([^\n]*)\n")


class Failed(Exception):
    """The program could not tell."""


def holding(program: str, paths: list[str], wants: Sequence[Want], cancelled: Cancelled) -> set[str] | None:
    """Those of `paths` that hold one of each of `wants`; None when the program could not tell."""
    look = _Look(program, cancelled)
    left = paths
    try:
        for want in wants:
            found = look.loosely(want, left) if isinstance(want, Loose) else look.plainly(want, left)
            left = [path for path in left if path in found]
    except Failed:
        return None
    return set(left)


class _Look:
    """Runs of the program, until nobody wants to know any more."""

    def __init__(self, program: str, cancelled: Cancelled) -> None:
        self.program = program
        self.cancelled = cancelled

    def plainly(self, spellings: Iterable[bytes], paths: list[str]) -> set[str]:
        """Files that hold one of `spellings`, whatever the case of ASCII letters."""
        asked = [part for spelling in spellings for part in ("-e", spelling.decode("utf-8", "replace"))]
        return _names(self._run([*_NAMES, "-F", *asked], paths))

    def loosely(self, want: Loose, paths: list[str]) -> set[str]:
        """Files that hold a word in any spelling."""
        found = self.plainly([want.plain], paths) if want.plain else set()
        left = [path for path in paths if path not in found]
        if want.plain:
            near = {os.fsdecode(path) for tail in TAILS for path, rest in set(_PIECE.findall(self._run([*_PIECES, "-e", tail], left)))
                    if want.goes_on(rest)}  # fmt: skip
            left = [path for path in left if path in near]
        return found | _names(self._run([*_NAMES, "-e", f"(?-u){want.pattern}"], left))

    def _run(self, command: list[str], paths: list[str]) -> bytes:
        """What the program prints; nothing when nobody wants to know any more. Raises Failed."""
        import subprocess

        if not paths or self.cancelled():
            return b""
        try:
            run = subprocess.Popen([self.program, *_LOOK, *command, "--", *paths], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   stdin=subprocess.DEVNULL)  # fmt: skip
        except (OSError, ValueError) as error:
            raise Failed from error
        said = _said(run, self.cancelled)
        if run.returncode not in (0, 1) and not said and not self.cancelled():
            raise Failed
        return said


def _names(said: bytes) -> set[str]:
    return {os.fsdecode(name) for name in said.split(b"\0") if name}


def _said(program: Popen[bytes], cancelled: Cancelled) -> bytes:
    """What a program prints; it is ended when nobody wants to know any more."""
    from subprocess import TimeoutExpired

    while True:
        try:
            said, _ = program.communicate(timeout=0.05)
        except TimeoutExpired:
            if cancelled():
                program.kill()
        else:
            return said
