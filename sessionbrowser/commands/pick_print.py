"""What `sb pick` prints of a session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sessionbrowser import resume as way_back
from sessionbrowser.commands import options, output, rows
from sessionbrowser.commands.options import Refused
from sessionbrowser.model import Resume, ResumeOptions, Session
from sessionbrowser.paths import Environment, is_possible, shown

if TYPE_CHECKING:
    from sessionbrowser.commands.pick_options import Wishes
    from sessionbrowser.library import Library

FIELDS = ("command", "way", "id", "path", "cwd", "title", "specstory", "json")
BACK = ("command", "way")  # lines that resume
SAID = 3  # sessions that are named one by one when nothing of them can be printed


def check(what: str, env: Environment) -> None:
    """Refuse a form there is not. Raises Refused."""
    from sessionbrowser.library import Library

    if what in FIELDS:
        return
    if "{" not in what:
        raise Refused(f"--print takes {', '.join(FIELDS[:-1])}, {FIELDS[-1]} or a template with {{fields}}")
    try:
        rows.formatted(rows.unescaped(what), Session("", "none", "")._replace(root="none"), Library(env))
    except KeyError as missing:
        raise Refused(f"there is no field {missing} for --print") from None
    except rows.BadTemplate as wrong:
        raise Refused(f"--print: {wrong}") from None


class Printer:
    """Makes lines of sessions. Raises Refused for a form there is not."""

    def __init__(self, library: Library, wishes: Wishes) -> None:
        self._library = library
        self._end = "\0" if wishes.print0 else "\n"
        self._copies = wishes.copy
        self._what = wishes.print
        self._template = ""
        check(self._what, library.environment)
        if self._what not in FIELDS:
            self._template = rows.unescaped(self._what)

    def listed(self, sessions: Iterable[Session]) -> list[str]:
        """A line for each session that matches, commands as recorded; those without what is asked for are named on stderr."""
        found: list[str] = []
        without: list[Session] = []
        gone = 0
        for session in sessions:
            line = self.line(session)
            if line:
                found.append(line)
            else:
                without.append(session)
            gone += self._what == "command" and (resume := self._library.resume(session)) is not None and way_back.is_gone(resume)
        self._warn_without(without)
        if gone:
            whose = "its directory is" if gone == len(found) == 1 else f"{gone} of their directories {'is' if gone == 1 else 'are'}"
            options.warn(f"{whose} gone: {self._resume_of('ID')} says what can be done")
        return found

    def chosen(self, sessions: Iterable[Session], *, fork: bool = False) -> list[str]:
        """A line for each session that was chosen. Commands are for running: where they can't be, the ways that are left are
        said on stderr instead, as `sb resume` does."""
        found: list[str] = []
        without: list[Session] = []
        for session in sessions:
            resume = self._library.resume(session, ResumeOptions(fork=fork)) if self._what in BACK else None
            if resume is not None and self._what == "command" and way_back.is_gone(resume):
                self._warn_of_gone(session, resume)
                continue
            for words in resume.warnings if resume is not None else ():
                options.warn(words)
            line = self.line(session, fork=fork)
            if line:
                found.append(line)
            else:
                without.append(session)
        self._warn_without(without, fork=fork)
        return found

    def _warn_without(self, sessions: Sequence[Session], *, fork: bool = False) -> None:
        for session in sessions[:SAID]:
            options.warn(f"{session.title or shown(session.id)}: {self._missing(session, fork=fork)}")
        if len(sessions) > SAID:
            options.warn(f"and {len(sessions) - SAID} more")

    def _warn_of_gone(self, session: Session, resume: Resume) -> None:
        from sessionbrowser.commands.resume import warn_of_ways

        env = self._library.environment
        options.warn(f"its directory is gone: {shown(resume.cwd or '', env.home)} ({self._resume_of(shown(session.id))} --in DIR takes another one)")
        warn_of_ways(resume, session, env)

    def _resume_of(self, name: str) -> str:
        return f"sb resume {'--demo ' if self._library.environment.clock else ''}{name}"

    def line(self, session: Session, *, fork: bool = False) -> str:
        """What is printed of one session, "" when there is nothing."""
        if self._template:
            return rows.formatted(self._template, session, self._library)
        if self._what in BACK:
            return self._line_back(session, fork)
        if self._what == "json":
            return output.json_bytes(rows.session_json(session, self._library)).decode()
        if self._what == "title":
            return session.title
        value = {"id": session.id, "path": session.path, "cwd": session.cwd, "specstory": session.specstory}[self._what] or ""
        if not is_possible(value):
            return ""
        return shown(value) if output.on_terminal() else value

    def _line_back(self, session: Session, fork: bool) -> str:
        """The line that resumes a session as recorded, or by the first way that is left when that is asked for."""
        env = self._library.environment
        resume = self._library.resume(session, ResumeOptions(fork=fork))
        if resume is not None and self._what == "way" and way_back.is_gone(resume):
            resume = next((way_back.through(resume, way) for way in way_back.ways(resume.cwd or "", session, env)), resume)
        return "" if resume is None else way_back.command(resume, env)

    def _missing(self, session: Session, *, fork: bool) -> str:
        if self._what in BACK:
            from sessionbrowser.commands.resume import no_way

            return no_way(session, self._library, ResumeOptions(fork=fork))
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
