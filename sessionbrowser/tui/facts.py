"""What there is to say of a session, in words: the line under the list, the lineage, the details card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sessionbrowser.model import Counts, Session, Transcript, Usage
from sessionbrowser.paths import Environment, shown
from sessionbrowser.sources import entry
from sessionbrowser.text import ago, amount, date, deep_for_eyes, one_line, plural, weight
from sessionbrowser.tui.columns import short_model

DAY = 86400.0


class Section(NamedTuple):
    """A part of the details card: a heading and its facts, each a name, a value for eyes and a style name."""

    title: str
    facts: tuple[tuple[str, str, str], ...]


def source_label(name: str) -> str:
    """What people call a source: "Claude Code"."""
    found = entry(name)
    return found.label if found else name


def summary(session: Session, environment: Environment) -> list[str]:
    """The few facts that tell one session from the next, most telling first."""
    now = environment.now()
    program = session.source if not session.version else f"{session.source} {session.version}"
    facts = [
        shown(session.cwd, environment.home) if session.cwd else "",
        session.branch or "",
        one_line(program, 40),
        one_line(short_model(session.model or ""), 40),
        plural(session.counts.prompts, "turn") if session.counts else "",
        plural(session.subagents, "agent") if session.subagents else "",
        deletion(session, now),
        f"copy: {one_line(session.root, 40)}" if session.root else "",
        plural(session.damaged_lines, "damaged line") if session.damaged_lines else "",
        f"hidden: {session.hidden}" if session.hidden else "",
        session.status_why if session.status in ("waiting", "failed", "interrupted") else "",
    ]
    return [fact for fact in facts if fact]


def deletion(session: Session, now: float) -> str:
    """When the agent will delete it, "" if never or unknown."""
    if session.expires is None:
        return ""
    days = (session.expires - now) / DAY
    if days < 1:
        return "deleted any time now" if days <= 0 else "deleted today"
    return f"deleted in {int(days)} d"


def status_word(status: str) -> str:
    """A status as a person would say it."""
    return {"waiting": "needs you", "open": "open, idle", "unknown": "state not known"}.get(status, status)


def card(session: Session, outline: Transcript | None, environment: Environment) -> list[Section]:
    """Everything that is known of a session."""
    counts = outline.counts if outline else session.counts
    sections = [
        Section("", _kept(_identity(session, environment))),
        Section("activity", _kept(_status(session, environment.now()))),
        Section("content", _kept(_content(session, counts, outline))),
        Section("tokens", _kept(_tokens(session, outline))),
        Section("file", _kept(_file(session, environment))),
        Section(source_label(session.source), _kept(_own(session, outline))),
        Section("damage", _kept(_damage(session, outline))),
    ]
    return [section for section in sections if section.facts]


def _kept(facts: Sequence[tuple[str, str, str]]) -> tuple[tuple[str, str, str], ...]:
    return tuple(fact for fact in facts if fact[1])


def _identity(session: Session, environment: Environment) -> list[tuple[str, str, str]]:
    home = environment.home
    resume_in = session.resume_cwd if session.resume_cwd != session.cwd else None
    return [
        ("title", session.title, "strong"),
        ("title from", session.title_from, "faint"),
        ("id", one_line(session.id), "text"),
        ("source", source_label(session.source), "text"),
        ("version", one_line(session.version or ""), "text"),
        ("model", one_line(session.model or ""), "text"),
        ("directory", shown(session.cwd, home) if session.cwd else "", "text"),
        ("resumes in", shown(resume_in, home) if resume_in else "", "text"),
        ("project", session.project, "text"),
        ("branch", session.branch or "", "branch"),
        ("parent", one_line(session.parent or ""), "text"),
        ("forked from", one_line(session.forked_from or ""), "text"),
    ]


def _status(session: Session, now: float) -> list[tuple[str, str, str]]:
    how = "from the agent's own registry" if session.status_from == "registry" else "inferred from the end of the file"
    why = f"{session.status_why or session.tail_why}"
    return [
        ("status", status_word(session.status), f"status.{session.status}"),
        ("because", why, "text"),
        ("known", how if session.status != "unknown" else "", "faint"),
        ("started", _moment(session.created, now), "text"),
        ("last active", _moment(session.updated, now), "text"),
        ("deleted", deletion(session, now).removeprefix("deleted "), "warn"),
        ("hidden", session.hidden, "warn"),
        ("origin", "" if session.origin == "interactive" else session.origin, "text"),
        ("archived", "yes" if session.archived else "", "text"),
    ]


def _moment(seconds: float | None, now: float) -> str:
    if seconds is None:
        return ""
    return f"{date(seconds)}  ({ago(max(0.0, now - seconds))})"


def _content(
    session: Session, counts: Counts | None, outline: Transcript | None
) -> list[tuple[str, str, str]]:
    if counts is None:
        return [("counts", "not read yet: open the session", "faint")] if not session.unreadable else []
    failed = plural(counts.tool_errors, "failed call") if counts.tool_errors else ""
    return [
        ("prompts", f"{counts.prompts:,}", "text"),
        ("answers", f"{counts.answers:,}", "text"),
        ("tool calls", f"{counts.tool_calls:,}", "text"),
        ("failures", failed, "bad"),
        ("compactions", f"{counts.compactions:,}" if counts.compactions else "", "text"),
        ("interrupts", f"{counts.interrupts:,}" if counts.interrupts else "", "text"),
        ("subagents", f"{session.subagents:,}" if session.subagents else "", "text"),
        ("first prompt", session.first_prompt, "dim"),
        ("last prompt", session.last_prompt, "dim"),
    ]


def _tokens(session: Session, outline: Transcript | None) -> list[tuple[str, str, str]]:
    total = outline.tokens if outline else session.tokens
    if total is None or not total.total:
        return []
    lines = [("all", _usage(total), "text")]
    by_model: Mapping[str, Usage] = outline.tokens_by_model if outline else {}
    if len(by_model) > 1:
        lines += [(one_line(model, 40), _usage(used), "dim") for model, used in by_model.items()]
    return lines


def _usage(used: Usage) -> str:
    parts = (("in", used.input), ("out", used.output), ("cache read", used.cache_read), ("cache write", used.cache_write))
    split = ", ".join(f"{name} {amount(count)}" for name, count in parts if count)
    return f"{used.total:,}  ({split})" if split else "0"


def _file(session: Session, environment: Environment) -> list[tuple[str, str, str]]:
    return [
        ("path", shown(session.path, environment.home), "text"),
        ("key", one_line(session.key), "text"),
        ("size", weight(session.size) if session.size or not session.key else "", "text"),
        ("copy", one_line(session.root), "text"),
        ("SpecStory", shown(session.specstory, environment.home) if session.specstory else "", "text"),
    ]


def _own(session: Session, outline: Transcript | None) -> list[tuple[str, str, str]]:
    """What only this agent knows; raw values are left out."""
    facts = {**session.facts, **(outline.facts if outline else {})}
    return [
        (one_line(name.replace("_", " "), 24), _value(value), "text")
        for name, value in facts.items()
        if not name.endswith("_raw")
    ]


def _value(value: object) -> str:
    """A JSON value on one line for eyes."""
    value = deep_for_eyes(value)
    if isinstance(value, dict):
        text = ", ".join(f"{name} {_value(item)}" for name, item in value.items())
    elif isinstance(value, list):
        text = ", ".join(_value(item) for item in value)
    elif isinstance(value, bool):
        text = "yes" if value else "no"
    else:
        text = "" if value is None else str(value)
    return one_line(text, 400)


def _damage(session: Session, outline: Transcript | None) -> list[tuple[str, str, str]]:
    lines = [
        ("unreadable", session.unreadable, "bad"),
        ("passed over", plural(session.damaged_lines, "line") if session.damaged_lines else "", "warn"),
    ]
    for damage in (outline.damage if outline else ())[:20]:
        lines.append((f"at {damage.offset:,}", damage.reason, "dim"))
    return lines
