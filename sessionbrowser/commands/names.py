"""The commands there are: for the door, and for the completions of shells."""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    """A line of `sb --help`, and the module behind it."""

    name: str
    module: str
    help: str


BROWSE = Command("browse", "browse", "the screen: find a session, read it, resume it (what plain sb does)")

COMMANDS: tuple[Command, ...] = (
    BROWSE,
    Command("list", "list", "print the sessions: a table, TSV, JSON or a format of your own"),
    Command("show", "show", "print one session: a transcript, or one view of it"),
    Command("search", "search", "search the text of all sessions"),
    Command("pick", "pick", "choose a session and print how to resume it, for scripts and key bindings"),
    Command("tree", "tree", "print the subagents of a session"),
    Command("path", "path", "print the file of a session"),
    Command("resume", "resume", "resume a session, or print the command that does"),
    Command("export", "export", "write sessions as Markdown, HTML or JSON"),
    Command("doctor", "doctor", "say what was found where, what was hidden and why, and what is wrong"),
    Command("whoami", "whoami", "print the id of the session this shell runs in"),
    Command("stats", "stats", "count sessions, prompts, tools, tokens and cost"),
    Command("timeline", "timeline", "print what happened when"),
    Command("report", "report", "sum up how long it took: wall, working and attention time"),
    Command("diff", "diff", "print two sessions or subagents side by side"),
    Command("digest", "digest", "pick the few sessions that a question is about, as short files"),
    Command("init", "init", "print key bindings and completions for a shell, or a television channel"),
    Command("index", "index", "build, show or delete the full-text index"),
    Command("skill", "skill", "print how another program should use all this"),
)

VALUED = ("--root", "--source", "--config", "--theme")  # options of every command that take a value and may stand before it
