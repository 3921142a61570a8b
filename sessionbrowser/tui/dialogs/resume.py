"""The resume dialog: the command, what speaks against it, and every other way in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sessionbrowser.model import Live, Resume, Session
from sessionbrowser.panes import Pane
from sessionbrowser.paths import Environment, shown
from sessionbrowser.resume import Way, command, join, shell_of, through
from sessionbrowser.text import for_eyes, one_line
from sessionbrowser.tui.dialogs.menu import Choice, Menu


class Plan(NamedTuple):
    """One line of the dialog and what it would do."""

    name: str
    key: str
    label: str
    resume: Resume
    detail: str = ""
    style: str = "text"
    copied: bool = False  # only copy the command
    window: bool = False  # in a new window of tmux
    pane: Pane | None = None  # where the session runs already: go there


def plans(
    resume: Resume, others: Mapping[str, Resume | None], around: Sequence[Way], environment: Environment, *, fork: bool,
    pane: Pane | None = None, gone: bool = False, installed: bool = True,
) -> list[Plan]:  # fmt: skip
    """Everything one can do: where it runs, as it is, elsewhere when its directory is gone, forked, without approvals,
    copied. Without the program all that is left is to copy the command, for one of these places."""
    made: list[Plan] = []
    if pane is not None and not fork:
        made.append(Plan("pane", "g", "go to where it runs", resume, f"tmux pane {shown(pane.name)}", pane=pane))
    for number, way in enumerate(around, 1):
        by = through(resume, way)
        made.append(Plan(f"way{number}", str(number), way.words, by, for_eyes(command(by, environment)), copied=not installed))
    if installed and not gone:
        label = "fork it" if fork else "resume it"
        made.append(Plan("resume", "f" if fork else "r", label, resume))
        forked, skipping = others.get("fork"), others.get("skip")
        if forked is not None and not fork and forked.argv != resume.argv:
            made.append(Plan("fork", "f", "fork it", forked, "a new session with the same past"))
        if skipping is not None and skipping.argv != resume.argv:
            flag = " ".join(word for word in skipping.argv if word not in resume.argv)
            made.append(Plan("skip", "s", "without approvals", skipping, for_eyes(flag), "warn"))
        if environment.get("TMUX"):
            made.append(Plan("window", "w", "in a new tmux window", resume, window=True))
    detail = "as recorded: works once that is back" if gone else ""
    made.append(Plan("copy", "c", "copy the command", resume, detail, copied=True))
    return made


def chosen(made: Sequence[Plan], name: str | None) -> Plan | None:
    """The plan a person chose."""
    return next((plan for plan in made if plan.name == name), None)


def resume_menu(
    session: Session, resume: Resume, made: Sequence[Plan], environment: Environment, *, gone: bool, installed: bool = True,
    live: Live | None = None, title: str = "resume",
) -> Menu:  # fmt: skip
    """The dialog for these plans."""
    said = [(session.title or one_line(session.id), "strong"), (for_eyes(command(resume, environment)), "dim")]
    if not installed:
        said.append((f"{shown(resume.argv[0])} is not installed (it is not on PATH)", "bad"))
    if gone:
        said.append((f"its directory is gone: {shown(resume.cwd or '', environment.home)}", "warn"))
    if session.status_from == "registry" and session.status in ("running", "waiting", "open"):
        said.append((f"it is open elsewhere{_process(live)}: two writers of one file damage it; a fork does not", "warn"))
    if session.archived:
        first = f": {join(resume.before[0], shell_of(environment))} runs first" if resume.before else ""
        said.append((f"it is archived{for_eyes(first)}", "warn"))
    said += [(for_eyes(warning), "warn") for warning in resume.warnings]
    choices = [Choice(plan.name, plan.key, plan.label, plan.detail, plan.style, plan.name.startswith("way")) for plan in made]
    return Menu(title, choices, said)


def _process(live: Live | None) -> str:
    return f" (process {live.pid})" if live is not None and live.pid else ""
