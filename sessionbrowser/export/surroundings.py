"""What a session ran in: agent and versions, models, modes, effort, hooks, skills, plugins. One fact a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from sessionbrowser.model import Block, Session, Transcript
from sessionbrowser.sources import entry
from sessionbrowser.text import deep_for_eyes, one_line, plural

# The facts that answer each question, whatever the agent calls them; the first that is there wins.
_ASKED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("permission modes", ("modes", "mode", "approval", "autonomy", "permission_mode")),
    ("sandbox", ("sandbox",)),
    ("effort", ("efforts", "effort")),
    ("profile", ("profile", "agent", "agent_type")),
    ("provider", ("provider",)),
    ("started by", ("originator", "entrypoint_raw")),
)
_ALWAYS = ("agent", "models", "permission modes", "effort", "hooks", "skills", "plugins listed", "plugins proved")


class Fact(NamedTuple):
    """A question and its answers; none: the format holds nothing of the kind, or nothing happened."""

    name: str
    values: tuple[str, ...]


def surroundings(session: Session, outline: Transcript, listed: Sequence[str] | None) -> list[Fact]:
    """The facts in order; `listed` are the plugins of the agent's registry as it is now, None where there is none."""
    facts = {**session.facts, **outline.facts}
    found = {
        "agent": _agent(session, facts),
        "models": _models(outline, facts, session),
        "skills": _skills(outline.blocks, facts),
        "plugins listed": tuple(listed or ()),
        "plugins proved": _proved(facts),
        "hooks": _hooks(facts.get("hooks")),
    }
    for name, keys in _ASKED:
        found[name] = next((values for key in keys if (values := _values(facts.get(key)))), ())
    order = [*_ALWAYS[:4], "sandbox", "profile", "provider", "started by", *_ALWAYS[4:]]
    return [Fact(name, found[name]) for name in order if found[name] or name in _ALWAYS]


def _agent(session: Session, facts: Mapping[str, object]) -> tuple[str, ...]:
    known = entry(session.source)
    label = known.label if known else session.source
    versions = _values(facts.get("versions")) or ((one_line(session.version),) if session.version else ())
    return (" ".join([label, ", ".join(versions)]).strip(),)


def _models(outline: Transcript, facts: Mapping[str, object], session: Session) -> tuple[str, ...]:
    if isinstance(known := facts.get("models"), Mapping) and known:
        return tuple(f"{one_line(str(name))} ({plural(count, 'answer')})" for name, count in known.items() if isinstance(count, int))
    counted = Counter(block.model for block in outline.blocks if block.model)
    if counted:
        return tuple(f"{one_line(name)} ({plural(count, 'block')})" for name, count in counted.most_common())
    return (one_line(session.model),) if session.model else ()


def _skills(blocks: Sequence[Block], facts: Mapping[str, object]) -> tuple[str, ...]:
    """Skills that were called, and those that answers are owed to."""
    called = Counter(block.title.split(" ", 1)[0] for block in blocks if block.kind == "tool" and block.what == "skill" and block.title)
    invoked = facts.get("invoked_skills")
    if isinstance(invoked, Mapping):  # by a person, or told by an event: where a call tells it, too, that one counts
        called.update({one_line(str(name)): count for name, count in invoked.items() if isinstance(count, int) and name not in called})
    made = [f"{name} ({plural(count, 'call')})" for name, count in called.most_common()]
    owed = facts.get("skills")
    if isinstance(owed, Mapping):
        made += [f"{one_line(str(name))} ({plural(count, 'answer')})" for name, count in owed.items() if isinstance(count, int) and name not in called]
    return tuple(made)


def _proved(facts: Mapping[str, object]) -> tuple[str, ...]:
    made = []
    for key, word in (("hook_plugins", "hook run"), ("call_plugins", "call"), ("plugins", "answer")):
        counts = facts.get(key)
        if isinstance(counts, Mapping):
            made += [f"{one_line(str(name))} ({plural(count, word)})" for name, count in counts.items() if isinstance(count, int)]
    return tuple(made)


def _hooks(value: object) -> tuple[str, ...]:
    """Hooks by their events, some agents say no more of them than how often they ran."""
    if not isinstance(value, Mapping):
        return _values(value)
    return _values({name: plural(item, "run") if isinstance(item, int) else item for name, item in value.items()})


def _values(value: object) -> tuple[str, ...]:
    """A fact as lines for eyes."""
    value = deep_for_eyes(value)
    if isinstance(value, dict):
        return tuple(f"{one_line(str(name))}: {one_line(str(item))}" for name, item in value.items())
    if isinstance(value, list):
        return tuple(one_line(str(item)) for item in value)
    return () if value is None or value == "" else (one_line(str(value)),)


def lines(facts: Sequence[Fact], tells: Collection[str], listed: Sequence[str] | None) -> list[tuple[str, str]]:
    """The facts as labelled lines, several values one below the other; the agent's files have those that it `tells` (see Source)."""
    made: list[tuple[str, str]] = []
    for fact in facts:
        values = fact.values or (_nothing(fact.name, tells, listed),)
        made += [(fact.name if index == 0 else "", value) for index, value in enumerate(values)]
    return made


def _nothing(name: str, tells: Collection[str], listed: Sequence[str] | None) -> str:
    """Why there is no answer."""
    if name == "plugins listed":
        return "none" if listed is not None else "this agent keeps no registry of plugins"
    if name not in tells:
        return "not recorded by this agent"
    return "none" if name in ("hooks", "skills", "plugins proved") else "not told in this session"
