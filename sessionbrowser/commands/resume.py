"""`sb resume`: resume a session, or print the command that does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sessionbrowser import resume as way_back
from sessionbrowser.commands import options, output
from sessionbrowser.commands.options import Refused
from sessionbrowser.model import Resume, ResumeOptions, Session
from sessionbrowser.paths import Environment, is_possible, shown
from sessionbrowser.sources.base import Source

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sessionbrowser.commands.list_panes import Running
    from sessionbrowser.library import Library
    from sessionbrowser.panes import Pane


_AN_ID = "00000000-0000-4000-8000-000000000000"
_IN_TMUX = ("window", "pane")


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "resume", help="resume a session", allow_abbrev=False,
        description="Resume a session where it left off, with its own agent and in its own directory.",
    )  # fmt: skip
    parser.add_argument("id", metavar="ID", help="an id, the beginning of one, a title or a part of one, @last, @prev or @here")
    parser.add_argument("--print", action="store_true", dest="only_print", help="print the command for your shell instead of running it")
    parser.add_argument("--json", action="store_true", help="print argument list, directory, command and warnings as JSON")
    parser.add_argument("--fork", action="store_true", help="go on in a copy; the session stays as it is")
    parser.add_argument("--in", dest="folder", metavar="DIR", help="in this directory instead of the recorded one")
    parser.add_argument("--skip-approvals", action="store_true", help="let the agent act without asking, this once")
    parser.add_argument("--tmux", nargs="?", const="window", choices=_IN_TMUX, metavar="window|pane", help="in a new window or pane of tmux; a session that runs in a pane already is gone to")
    parser.add_argument("--anyway", action="store_true", help="although the session is open elsewhere: two writers of one file")
    options.common(parser, every=False)


def spelled_out(arguments: Sequence[str]) -> list[str]:
    """The command line with --tmux alone as --tmux=window: what stands behind it is the session's name."""
    return [
        f"{word}=window" if word == "--tmux" and "".join(arguments[at + 1 : at + 2]) not in _IN_TMUX else word
        for at, word in enumerate(arguments)
    ]


def run(args: argparse.Namespace, env: Environment) -> int:
    library = options.open_library(args, env)
    session = _session(library, args.id)
    wanted = ResumeOptions(fork=args.fork, skip_approvals=args.skip_approvals)
    if args.folder and not is_possible(session.resume_cwd or session.cwd or ""):
        session = session._replace(cwd=None, resume_cwd=None)
    resume = library.resume(session, wanted)
    if resume is None:
        raise Refused(no_way(session, library, wanted))
    here = library.environment
    if args.folder:
        resume = way_back.in_folder(resume, here.expand(args.folder))
    for warning in resume.warnings:
        options.warn(warning)
    if args.json:
        _print_json(resume, session, here)
        return 2 if way_back.is_gone(resume) else 0
    if way_back.is_gone(resume):
        return _say_gone(resume, session, here)
    if args.only_print:
        if not way_back.program_of(resume, here):
            options.warn(f"{resume.argv[0]} is not installed (it is not on PATH)")
        output.write_text(way_back.command(resume, here) + "\n")
        return 0
    if args.demo:
        raise Refused("these sessions are invented: there is nothing to resume (--print shows the command)")
    if not args.fork and (elsewhere := _elsewhere(session, library)) is not None:
        if args.tmux and elsewhere.pane is not None:
            return _go_to(elsewhere.pane, here)
        if not args.anyway:
            raise Refused(_warning(elsewhere))
    if args.tmux:
        return _in_tmux(resume, here, split=args.tmux == "pane")
    return _go(resume, here)


def _session(library: Library, name: str) -> Session:
    """The session that is meant: by its id, else by its title. Raises Refused."""
    try:
        return options.one_session(library, name)
    except Refused as refused:
        if refused.code != 1 or not (found := titled(library.sessions(deep=False), name)):
            raise
    if len(found) > 1:
        for session in found[:20]:
            options.warn(f"{shown(session.id)}  {session.title}")
        raise Refused(f"{len(found)} sessions have this in their titles")
    options.warn(f"{shown(found[0].id)}  {found[0].title}")
    return found[0]


def titled(sessions: Sequence[Session], name: str) -> list[Session]:
    """Of the sessions that are shown, those called `name`; without any, those with it in their titles."""
    name = name.casefold()
    listed = [session for session in sessions if not session.hidden and not session.root]
    return [session for session in listed if session.title.casefold() == name] or [
        session for session in listed if name in session.title.casefold()
    ]


def _elsewhere(session: Session, library: Library) -> Running | None:
    """Where the session is open now, None when it is not."""
    from sessionbrowser.commands.list_panes import running

    return next(iter(running(library, [session])), None)


def _warning(found: Running) -> str:
    where = f", tmux pane {shown(found.pane.name)}" if found.pane else ""
    go = "; --tmux goes there" if found.pane else ""
    return f"it is open elsewhere (process {found.pid}{where}): --fork goes on in a copy, --anyway makes two writers of one file{go}"


def _go_to(pane: Pane, env: Environment) -> int:
    from sessionbrowser import launch, panes

    argv = panes.go_to(pane, env)
    try:
        if env.get("TMUX"):
            launch.quiet(argv)
        else:
            launch.become(argv, None, env)
    except launch.NotStarted as error:
        raise Refused(str(error)) from error
    return 0


def _in_tmux(resume: Resume, env: Environment, *, split: bool) -> int:
    from sessionbrowser import launch

    if not env.get("TMUX"):
        raise Refused("--tmux opens a window of the tmux it is run in, and this is none")
    try:
        launch.in_tmux(resume.argv, resume.cwd, resume.before, split=split)
    except launch.NotStarted as error:
        raise Refused(str(error)) from error
    return 0


def no_way(session: Session, library: Library, wanted: ResumeOptions) -> str:
    """Why nothing resumes a session."""
    if not is_possible(session.resume_cwd or session.cwd or ""):
        return "the recorded directory has a NUL in its name: there can be none like that; --in DIR takes another one"
    if session.root:
        return f"this session is read from a copy ({session.root}): its agent would not find it"
    source = library.source(session.source)
    if type(source).resume is Source.resume:
        return f"sessions of {source.label} can't be resumed from a command line"
    if session.unreadable:
        return f"this session could not be read: {session.unreadable}"
    if session.parent:
        return f"this is a subagent: sb resume {shown(session.parent)} resumes the session it belongs to"
    if wanted.fork and library.resume(session) is not None:
        return f"{source.label} can't go on in a copy of a session: without --fork it goes on in this one"
    if library.resume(session._replace(id=_AN_ID)) is not None:
        return f'{source.label} takes no session whose id is "{shown(session.id)}": its own ids are UUIDs'
    hidden = f" ({session.hidden})" if session.hidden else ""
    return f"this session of {source.label}{hidden} can't be resumed from a command line"


def _print_json(resume: Resume, session: Session, env: Environment) -> None:
    ways = way_back.ways(resume.cwd or "", session, env) if way_back.is_gone(resume) else []
    output.write_json({
        "schema": 1, "id": session.id, "argv": resume.argv, "cwd": resume.cwd, "before": resume.before,
        "command": way_back.command(resume, env), "warnings": resume.warnings, "gone": way_back.is_gone(resume),
        "ways": [{"what": way.words, "cwd": way.cwd, "command": way_back.command(way_back.through(resume, way), env)} for way in ways],
    })  # fmt: skip


def _say_gone(resume: Resume, session: Session, env: Environment) -> int:
    """The directory is no longer there: what could be done instead, to copy and run."""
    options.warn(f"the session's directory is gone: {shown(resume.cwd or '', env.home)}; --in DIR takes another one")
    warn_of_ways(resume, session, env)
    return 2


def warn_of_ways(resume: Resume, session: Session, env: Environment) -> None:
    """Say what could be done where the directory of a session is gone, a line to copy each."""
    for way in way_back.ways(resume.cwd or "", session, env):
        options.warn(f"  {way.words}:")
        options.warn(f"    {way_back.command(way_back.through(resume, way), env)}")


def _go(resume: Resume, env: Environment) -> int:
    from sessionbrowser import launch

    try:
        for argv in resume.before:
            if status := launch.run(argv):
                raise Refused(f"{way_back.join(argv)} ended with {status}")
        launch.become(resume.argv, resume.cwd, env)
    except launch.NotStarted as error:
        raise Refused(str(error)) from error
