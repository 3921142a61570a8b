"""What `sb pick` prints of a session."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sessionbrowser import resume as way_back
from sessionbrowser.commands import options, output, rows
from sessionbrowser.commands.options import Refused
from sessionbrowser.model import ResumeOptions, Session
from sessionbrowser.paths import is_possible, shown

if TYPE_CHECKING:
    from sessionbrowser.commands.pick_options import Wishes
    from sessionbrowser.library import Library

FIELDS = ("command", "id", "path", "cwd", "title", "specstory", "json")
SAID = 3  # sessions that are named one by one when nothing of them can be printed


class Printer:
    """Makes lines of sessions. Raises Refused for a form there is not."""

    def __init__(self, library: Library, wishes: Wishes) -> None:
        self._library = library
        self._end = "\0" if wishes.print0 else "\n"
        self._copies = wishes.copy
        self._what = wishes.print
        self._template = ""
        if self._what not in FIELDS:
            if "{" not in self._what:
                raise Refused(f"--print takes {', '.join(FIELDS[:-1])}, {FIELDS[-1]} or a template with {{fields}}")
            self._template = rows.unescaped(self._what)
            self._check()

    def _check(self) -> None:
        try:
            rows.formatted(self._template, Session("", "none", "")._replace(root="none"), self._library)
        except KeyError as missing:
            raise Refused(f"there is no field {missing} for --print") from None
        except rows.BadTemplate as wrong:
            raise Refused(f"--print: {wrong}") from None

    def lines(self, sessions: Iterable[Session], *, fork: bool = False) -> list[str]:
        """A line for each session that has what is asked for; the others are named on stderr."""
        found: list[str] = []
        without: list[Session] = []
        for session in sessions:
            line = self.line(session, fork=fork, warn=True)
            if line:
                found.append(line)
            else:
                without.append(session)
        for session in without[:SAID]:
            options.warn(f"{self._missing(session)}: {session.title or session.id}")
        if len(without) > SAID:
            options.warn(f"and {len(without) - SAID} more")
        return found

    def line(self, session: Session, *, fork: bool = False, warn: bool = False) -> str:
        """What is printed of one session, "" when there is nothing."""
        if self._template:
            return rows.formatted(self._template, session, self._library)
        if self._what == "command":
            return self._command(session, fork, warn)
        if self._what == "json":
            return output.json_bytes(rows.session_json(session, self._library)).decode()
        if self._what == "title":
            return session.title
        value = {"id": session.id, "path": session.path, "cwd": session.cwd, "specstory": session.specstory}[self._what] or ""
        if not is_possible(value):
            return ""
        return shown(value) if output.on_terminal() else value

    def _command(self, session: Session, fork: bool, warn: bool) -> str:
        resume = self._library.resume(session, ResumeOptions(fork=fork))
        if resume is None:
            return ""
        if warn:
            for words in resume.warnings:
                options.warn(words)
            if resume.cwd and not os.path.isdir(resume.cwd):
                options.warn(f"its directory is gone: {shown(resume.cwd, self._library.environment.home)} (sb resume {session.id} says what can be done)")
        return way_back.command(resume, self._library.environment)

    def _missing(self, session: Session) -> str:
        if self._what == "command":
            return "nothing can resume this session"
        return {"cwd": "no directory is known of this session", "specstory": "this session has no SpecStory file"}.get(
            self._what, f"this session has no {self._what}"
        )

    def write(self, lines: Sequence[str]) -> None:
        """Print lines, each with its end; or copy them, and say on stderr what became of that."""
        if lines and self._copies:
            self._copy("\n".join(lines))
        elif lines:
            output.write_text("".join(line + self._end for line in lines))

    def _copy(self, text: str) -> None:
        from sessionbrowser import clipboard

        done = clipboard.copy(text, self._library.environment)
        options.warn(done.message)
        if done.by_hand:
            output.write_text(text + "\n")
