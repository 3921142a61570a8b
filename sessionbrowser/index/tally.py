"""How often sessions hold each of some keywords: from the index where a session is in it, else from its file.

What is counted is passages (prompts, answers, thinking, those of subagents included), so that a long log that repeats
a word does not outweigh a talk about it, and so that the index can answer without a file being opened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from sessionbrowser.index.fulltext import SESSION_BITS, TROUBLE, Identity
from sessionbrowser.index.matching import holds
from sessionbrowser.index.search import Searcher
from sessionbrowser.index.search_hit import Options
from sessionbrowser.index.search_run import Run, expression
from sessionbrowser.model import Handle, Session
from sessionbrowser.query import Exact, Query, Word, parse

Tally = dict[str, int]  # keyword -> passages that hold it


def tally(searcher: Searcher, sessions: Sequence[Session], keywords: Iterable[str], *, use_index: bool = True) -> dict[Identity, Tally]:
    """For each of `sessions` that holds at least one of `keywords`, how many of its passages hold each."""
    leaves = {keyword: leaf_of(keyword) for keyword in keywords}
    run = searcher.run(parse(""), sessions, Options(use_index=use_index))
    found: dict[Identity, Counter[str]] = {}
    by_index = {keyword: leaf for keyword, leaf in leaves.items() if run.text is not None and expression(leaf)}
    for keyword, leaf in by_index.items():
        for row in run.rows(leaf):
            place = run.shelf.owner_of.get(row >> SESSION_BITS)
            if place is not None:
                found.setdefault(run.shelf.owners[place].session.identity, Counter())[keyword] += 1
    _count_unread(searcher, run, leaves, found, [word for word in leaves if word not in by_index])
    return {identity: {word: counts[word] for word in leaves} for identity, counts in found.items() if sum(counts.values())}


_OF_PASSAGES = ("prompt", "last", "command", "bash", "answer")  # what titles are made of that are passages themselves


def with_row(session: Session, passages: Tally) -> tuple[Tally, frozenset[str]]:
    """A tally with what the row of the list says, and the keywords that the title holds.

    A title that was given is one passage more; one that was made of a prompt, and the first and last prompts, count where
    no passage holds the word: some stores keep of their sessions no more than that.
    """
    counts, titled = dict(passages), set()
    named = session.title if session.title_from != "id" else ""
    given = session.title_from not in _OF_PASSAGES
    for word, count in passages.items():
        leaf = leaf_of(word)
        if named and (given or not count) and holds(leaf, named):
            titled.add(word)
            counts[word] += 1
        elif not count and (holds(leaf, session.first_prompt) or holds(leaf, session.last_prompt)):
            counts[word] = 1
    return counts, frozenset(titled)


def leaf_of(keyword: str) -> Word | Exact:
    """A keyword as the query language would take it: a word, or words in a row."""
    return Exact(keyword) if len(keyword.split()) > 1 else Word(keyword)


def keywords_of(query: Query) -> list[str]:
    """The words and quotes that a query looks for."""
    return list(dict.fromkeys(leaf.text for leaf in query.wanted if isinstance(leaf, Word | Exact)))


def _count_unread(searcher: Searcher, run: Run, leaves: Mapping[str, Word | Exact], found: dict[Identity, Counter[str]],
                  unanswered: Sequence[str]) -> None:  # fmt: skip
    """Read what the index does not hold: whole sessions, and keywords it can't answer."""
    kinds = run.main
    for owner in run.owners(run.admitted):
        known = [(entry.handle, unanswered) for entry in owner.entries] if unanswered else []
        files = [*known, *((handle, list(leaves)) for row in owner.unread if (handle := _handle(searcher, row)) is not None)]
        for handle, words in files:
            counts = found.setdefault(owner.session.identity, Counter())
            try:
                for passage in searcher.library.source(handle.source).passages(handle):
                    if passage.kind in kinds:
                        counts.update(word for word in words if holds(leaves[word], passage.text))
            except TROUBLE:
                continue


def _handle(searcher: Searcher, row: Session) -> Handle | None:
    try:
        return searcher.library.handle(row)
    except LookupError:  # it went away since it was listed
        return None
