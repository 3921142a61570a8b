"""A skill record played back: its lines folded to what holds now, then told in the order a reader wants it.

Lines are appended and never changed: of lines with one id the latest holds, a retired one is gone, and the raw lines
are never shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from sessionbrowser.model import Place
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.pieces import Piece, string, text_of
from sessionbrowser.text import one_line, parse_time

_TEXTS = ("text", "label", "name", "title", "statement", "summary", "description")
_UPWARD = ("means-of", "part-of")
_ACTS = ("acts_on", "acts-on", "actsOn", "acts")
_SEES = ("sees", "sees_", "see", "observes")

_KINDS = ("given", "question", "answer", "skip", "open", "note", "result", "node", "link", "actor")

Fields = Mapping[str, object]


class Item(NamedTuple):
    """A line that still holds, and where it stands."""

    kind: str
    fields: Fields
    place: Place


class Record(NamedTuple):
    """A record file folded: runs in order, and every other item by its id."""

    runs: tuple[Item, ...]
    items: Mapping[str, Item]
    damaged: tuple[tuple[int, str], ...]
    updated: float | None
    retired: frozenset[str] = frozenset()  # ids

    def of(self, kind: str) -> list[Item]:
        return [item for item in self.items.values() if item.kind == kind]

    def open_questions(self) -> list[Item]:
        """Questions with neither an answer nor a skip."""
        return [item for item in self.of("question") if reply(self, item) is None]


def fold(lines: Iterable[jsonl.Line]) -> Record:
    """What `lines` say in the end."""
    runs: list[Item] = []
    found: dict[str, Item] = {}
    damaged: list[tuple[int, str]] = []
    updated: float | None = None
    retired: set[str] = set()
    for line in lines:
        reading = jsonl.read(line.data)
        if reading.damage:
            damaged.append((line.offset, reading.damage))
        for fields in reading.records:
            item = Item(string(fields.get("kind")), fields, Place(line.offset, len(line.data)))
            if (at := parse_time(fields.get("at"))) is not None:
                updated = at if updated is None else max(updated, at)
            if item.kind == "run":
                runs.append(item)
            elif item.kind:
                _put(found, item)
                (retired.add if fields.get("retired") is True else retired.discard)(str(fields.get("id")))
    return Record(tuple(runs), found, tuple(damaged), updated, frozenset(retired))


def _put(found: dict[str, Item], item: Item) -> None:
    key = _key(item)
    if item.fields.get("retired") is True:
        found.pop(key, None)
    else:
        found[key] = item  # a key that was there keeps its place in the order


def _key(item: Item) -> str:
    fields = item.fields
    if item.kind in ("answer", "skip"):
        return f"reply\0{fields.get('q')}"
    if item.kind == "link":
        return f"link\0{fields.get('from')}\0{fields.get('to')}\0{fields.get('rel')}"
    identity = fields.get("id") or (fields.get("name") if item.kind in ("node", "actor") else None)
    return str(identity) if identity else f"\0{item.place.start}"


def reply(record: Record, question: Item) -> Item | None:
    """The answer to a question, or the skip that stands for it."""
    return record.items.get(f"reply\0{question.fields.get('id')}")


def words(fields: Fields) -> str:
    """The text of an item; of several texts a line each."""
    return next((value for name in _TEXTS if (value := text_of(fields.get(name)).strip())), "")


# ── told ──


def told(record: Record) -> Iterator[tuple[Place, Piece]]:
    """The playback: subject, givens, questions with answers, open items, notes, results, the model, the actors."""
    yield from _runs(record)
    yield from _list(record, "given", "Given", _given)
    for question in record.of("question"):
        yield from _question(record, question)
    asked = {str(question.fields.get("id")) for question in record.of("question")} | record.retired
    for item in (*record.of("answer"), *record.of("skip")):
        if str(item.fields.get("q")) not in asked:  # the question was on a damaged line
            yield from _reply(item, string(item.fields.get("q")))
    yield from _list(record, "open", "Open", lambda item: _open(record, item))
    yield from _list(record, "note", "Notes", lambda item: words(item.fields))
    yield from _list(record, "result", "Results", lambda item: words(item.fields))
    yield from _model(record)
    yield from _list(record, "actor", "Actors", lambda item: _actor(record, item))
    for kind in dict.fromkeys(item.kind for item in record.items.values() if item.kind not in _KINDS):
        yield from _list(record, kind, one_line(kind, 40).capitalize(), lambda item: words(item.fields))


def _runs(record: Record) -> Iterator[tuple[Place, Piece]]:
    for index, run in enumerate(record.runs):
        fields, time = run.fields, parse_time(run.fields.get("at"))
        told_as = "Continued" if fields.get("resumed") is True or index else "Started"
        about = " · ".join(filter(None, (string(fields.get(name)) for name in ("skill", "topic", "project"))))
        yield run.place, Piece("note", f"{told_as}: {about}", "run", "run", time)
        subject = string(fields.get("subject")).strip()
        if subject and subject != (string(record.runs[index - 1].fields.get("subject")).strip() if index else ""):
            yield run.place, Piece("text", f"# {subject}", "subject", time=time)


def _list(record: Record, kind: str, heading: str, line: Callable[[Item], str]) -> Iterator[tuple[Place, Piece]]:
    found = record.of(kind)
    rows = [text for item in found if (text := line(item))]
    if rows:
        body = "\n".join("- " + row.replace("\n", "\n  ") for row in rows)
        yield found[0].place, Piece("text", f"## {heading}\n\n{body}", kind, title=f"{heading}: {one_line(rows[0], 120)}")


def _given(item: Item) -> str:
    source = string(item.fields.get("source")).strip()
    return words(item.fields) + (f" *({source})*" if source else "")


def _question(record: Record, question: Item) -> Iterator[tuple[Place, Piece]]:
    text, identity = words(question.fields), string(question.fields.get("id"))
    answer = reply(record, question)
    state = "" if answer else "\n\n*Waiting for an answer.*"
    yield question.place, Piece("text", text + state, f"question {identity}", time=parse_time(question.fields.get("at")))
    if answer is not None:
        yield from _reply(answer, identity)


def _reply(answer: Item, identity: str) -> Iterator[tuple[Place, Piece]]:
    """An answer or a skip, in the name of the question `identity`."""
    time = parse_time(answer.fields.get("at"))
    if answer.kind == "skip":
        reason = string(answer.fields.get("reason")).strip()
        yield answer.place, Piece("note", "Skipped" + (f": {reason}" if reason else ""), f"skip {identity}", "skip", time)
        return
    by = string(answer.fields.get("by")).strip()
    kind = "typed" if by in ("", "user", "person", "human") else "subagent"
    text = words(answer.fields) + (f"\n\n*({by})*" if kind == "subagent" else "")
    yield answer.place, Piece("prompt", text, f"answer {identity}", kind, time)


def _open(record: Record, item: Item) -> str:
    about = item.fields.get("about")
    given = about if isinstance(about, list) else [about]
    names = [_called(record, name) for name in given if isinstance(name, str) and name]
    return words(item.fields) + (f" *(about {', '.join(names)})*" if names else "")


def _actor(record: Record, item: Item) -> str:
    identity = string(item.fields.get("id")) or string(item.fields.get("name"))
    acts = _named(record, item.fields, _ACTS) + _linked(record, identity, _ACTS)
    sees = _named(record, item.fields, _SEES) + _linked(record, identity, _SEES)
    text = f"**{words(item.fields) or identity}**"
    if acts:
        text += f" acts on {', '.join(dict.fromkeys(acts))}"
    if sees:
        text += f"{';' if acts else ''} sees {', '.join(dict.fromkeys(sees))}"
    return text


def _named(record: Record, fields: Fields, names: tuple[str, ...]) -> list[str]:
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value:
            return [_called(record, value)]
        if isinstance(value, list):
            return [_called(record, item) for item in value if isinstance(item, str)]
    return []


def _linked(record: Record, identity: str, rels: tuple[str, ...]) -> list[str]:
    links = [item.fields for item in record.of("link")]
    return [_called(record, string(f.get("to"))) for f in links if f.get("from") == identity and f.get("rel") in rels]


def _called(record: Record, identity: str) -> str:
    """An item by its words rather than by its id."""
    item = record.items.get(identity)
    return one_line(words(item.fields), 80) or identity if item is not None else identity


# ── the model as a tree ──


def _model(record: Record) -> Iterator[tuple[Place, Piece]]:
    nodes = {key: item for key, item in record.items.items() if item.kind == "node"}
    if not nodes:
        return
    below: dict[str, list[tuple[str, str]]] = {}
    beside: dict[str, list[str]] = {}
    has_parent: set[str] = set()
    for link in record.of("link"):
        start, end, rel = (string(link.fields.get(name)) for name in ("from", "to", "rel"))
        if rel in _UPWARD and start in nodes and end in nodes and start != end:
            below.setdefault(end, []).append((start, rel))
            has_parent.add(start)
        elif start in nodes and rel not in (*_ACTS, *_SEES):
            beside.setdefault(start, []).append(f"{rel} {_called(record, end)}")
    lines: list[str] = []
    seen: set[str] = set()
    tops = [key for key in nodes if key not in has_parent]
    for key in [*tops, *nodes]:  # what is left after the tops hangs in a circle
        if key not in seen:
            lines += _branch(key, "", 0, nodes, below, beside, seen)
    first = next(iter(nodes.values()))
    yield first.place, Piece("text", "## Model\n\n" + "\n".join(lines), "model", title=f"Model: {len(nodes)} nodes")


def _branch(key: str, rel: str, depth: int, nodes: Mapping[str, Item], below: Mapping[str, list[tuple[str, str]]],
            beside: Mapping[str, list[str]], seen: set[str]) -> list[str]:  # fmt: skip
    lines: list[str] = []
    waiting = [(key, rel, depth)]
    while waiting:
        key, rel, depth = waiting.pop()
        text = one_line(words(nodes[key].fields), 300) or key
        how = f"*{rel.removesuffix('-of')}:* " if rel else ""
        again = key in seen
        extra = "".join(f" — {item}" for item in beside.get(key, [])) if not again else " *(above)*"
        lines.append("  " * min(depth, 20) + f"- {how}{text}{extra}")
        if not again:
            seen.add(key)
            waiting += [(child, up, depth + 1) for child, up in reversed(below.get(key, []))]
    return lines
