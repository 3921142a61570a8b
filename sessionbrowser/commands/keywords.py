"""Candidates for a question: sessions ranked by how many of their passages, and of their titles, hold its keywords."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from sessionbrowser.commands import output
from sessionbrowser.commands.options import Refused

if TYPE_CHECKING:
    import argparse

    from sessionbrowser.library import Library
    from sessionbrowser.model import Session
    from sessionbrowser.query import Query

# Words of questions, not of what they are about.
_QUESTION = (
    "a about after again all also am an and any are as at be because been before being but by can could did do does doing done"
    " for from had has have having he her him his how i if in into is it its just last let me my no not of on or our out she"
    " should so some something that the their them then there these they this those to too tried tries try trying up us was we"
    " went were what when where which while who whom whose why will with would you your"
)
_EMPTY = frozenset(_QUESTION.split())


class Candidate(NamedTuple):
    """A session with the number of its passages that hold each keyword, its title counted as one."""

    session: Session
    matches: dict[str, int]
    titled: frozenset[str] = frozenset()  # keywords that its title holds

    @property
    def total(self) -> int:
        """All matches together."""
        return sum(self.matches.values())

    @property
    def distinct(self) -> int:
        """How many of the keywords it holds at all."""
        return sum(bool(count) for count in self.matches.values())

    def json(self) -> dict[str, object]:
        return {"match_count": self.total, "keyword_matches": self.matches}


def split(text: str) -> list[str]:
    """The keywords of `a,b,two words`. Raises Refused when there are none."""
    found = list(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    if not found:
        raise Refused("--keywords takes words with commas between them")
    return found


def telling(query: Query) -> tuple[list[str], list[str]]:
    """The keywords of a query, and the words left out of them since any question has them. Quotes and lone words stay."""
    from sessionbrowser.index.tally import keywords_of
    from sessionbrowser.query.tree import Word

    plain = {leaf.text for leaf in query.wanted if isinstance(leaf, Word)}
    found = keywords_of(query)
    empty = [word for word in found if word in plain and word.casefold().strip("?!.,;:") in _EMPTY]
    kept = [word for word in found if word not in empty]
    return (kept, empty) if kept else (found, [])


def candidates(library: Library, sessions: Sequence[Session], keywords: Sequence[str], *, index: bool = True) -> list[Candidate]:
    """Those of `sessions` that hold a keyword: most keywords first, then most matches, then newest."""
    from sessionbrowser.commands import finding
    from sessionbrowser.index.tally import tally, with_row

    query = finding.read_query('"keywords"', library)  # words, so that the index is brought up to date
    live = all(root.live for root in library.roots())
    prepared = finding.ready(library, query, every=True, index=index, update=index and live, sessions=sessions)
    with closing(prepared.searcher) as searcher:
        found = tally(searcher, prepared.searched, keywords, use_index=prepared.use_index)
    nothing = dict.fromkeys(keywords, 0)
    made = (Candidate(session, *with_row(session, found.get(session.identity, nothing))) for session in sessions)
    return sorted((item for item in made if item.total), key=lambda item: (-item.distinct, -item.total, -(item.session.updated or 0.0)))


def totals(library: Library, matched: int) -> dict[str, int]:
    """What was gone through: the last words of an answer."""
    return {"files_processed": library.total(), "parse_errors": library.damaged() + len(library.trouble), "matched": matched}


def answer(args: argparse.Namespace, library: Library) -> int:
    """`sb search --keywords`: the candidates, as JSON or a line each; the exit status."""
    from sessionbrowser.commands import list as listing
    from sessionbrowser.commands import options

    found = listing.select(library, " ".join(args.query), every=args.all, here=False, index=not args.no_cache)
    allowed = {session.identity: session for session in options.spared(args, library, found)}
    ranked = [item._replace(session=allowed[item.session.identity])
              for item in candidates(library, found, split(args.keywords), index=not (args.no_cache or args.no_index))
              if item.session.identity in allowed]  # fmt: skip
    shown = ranked[: args.limit] if args.limit else ranked
    if args.json:
        rest = output.json_bytes(totals(library, len(ranked)))
        output.write_bytes(b'{"schema":1,"sessions":[' + b",\n".join(line(item, library) for item in shown) + b"]," + rest[1:] + b"\n")
    elif args.count:
        output.write_text(f"{len(ranked)}\n")
    else:
        output.write_text("".join(line + "\n" for line in _lines(shown, library)))
    options.warn_of_trouble(library)
    return 0 if ranked else 1


def _lines(found: Sequence[Candidate], library: Library) -> Iterator[str]:
    """Matches, matches by keyword, source, id, title: as columns on a terminal, with tabs between them elsewhere."""
    from sessionbrowser.commands.table import columns
    from sessionbrowser.paths import shown
    from sessionbrowser.text import cells, cut, fit

    rows = [(str(item.total), _by_word(item), item.session.source, shown(item.session.id), item.session.title) for item in found]
    width = columns(library.environment)
    if not width:
        yield from map("\t".join, rows)
        return
    wide = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    for total, *parts, title in rows:
        begun = "  ".join((fit(total, wide[0], right=True), *map(fit, parts, wide[1:])))
        yield cut(f"{begun}  {title}", width)


def _by_word(item: Candidate) -> str:
    return " ".join(f"{word}:{count}" for word, count in item.matches.items())


def line(item: Candidate, library: Library) -> bytes:
    """A candidate as JSON: the session's fields and its counts."""
    from sessionbrowser.commands.rows import session_json

    return output.json_bytes({**session_json(item.session, library), **item.json()})
