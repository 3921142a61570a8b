"""The language of the box: text → tree → rows, and what is left for the full text and the deep search.

Nothing here raises for anything a person can type: what cannot be read becomes `Query.problem`, and the rest holds.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from sessionbrowser.model import Session
from sessionbrowser.query.complete import Completion, complete
from sessionbrowser.query.fields import BY_NAME, DEEP, Answer, Test, any_of, choice, make_test
from sessionbrowser.query.guide import HELP, help_text
from sessionbrowser.query.marks import marks_in
from sessionbrowser.query.parse import breaks_off, read, unfinished
from sessionbrowser.query.rank import Match, Ranked, rank, session_by_id, warm_up
from sessionbrowser.query.rows import Rows
from sessionbrowser.query.saved import Expanded, expand
from sessionbrowser.query.tree import And, Exact, Field, Leaf, Not, Problem, Regexp, Word, leaves, print_tree

__all__ = [
    "HELP", "Completion", "Exact", "Expanded", "Field", "Match", "Not", "Problem", "Query", "Ranked", "Regexp", "Word",
    "breaks_off", "complete", "expand", "help_text", "marks_in", "parse", "warm_up", "whole",
]  # fmt: skip

COUNTED = ("turns", "tokens", "has")
INDEXED = frozenset({"prompts", "answers", "thinking", "subagents"})


class Query:
    """One reading of the box: `tree`, the `problem` in it if there is one, and the questions it can be asked."""

    def __init__(self, text: str, tree: And, problem: Problem | None, now: float) -> None:
        self.text = text
        self.tree = tree
        self.problem = problem
        self.now = now
        self.wanted: tuple[Leaf, ...] = tuple(x for x, yes in leaves(tree) if yes and not isinstance(x, Field))
        self.unwanted: tuple[Leaf, ...] = tuple(x for x, yes in leaves(tree) if not yes and not isinstance(x, Field))
        self.words: tuple[str, ...] = tuple(leaf.text for leaf in self.wanted if isinstance(leaf, Word))
        self._tests: dict[str, list[Test]] = {}
        self.ranked: tuple[Rows, str, Ranked] | None = None  # the last answer of `rank`, for the same rows

    def __str__(self) -> str:
        return print_tree(self.tree)

    @property
    def is_empty(self) -> bool:
        """Whether it asks for nothing (so far)."""
        return not self.tree.parts

    @property
    def needs_text(self) -> bool:
        """Whether it has parts that the conversations have to answer: words, quotes, expressions, `in:`, `tool:`, `file:`."""
        return bool(self.wanted or self.unwanted) or self.needs_deep

    @property
    def needs_deep(self) -> bool:
        """Whether it has parts that only the files themselves can answer: `tool:`, `file:`, words `in:tools`."""
        return bool(self.deep_fields) or (bool(self.wanted or self.unwanted) and "tools" in self.places)

    @property
    def deep_fields(self) -> tuple[tuple[Field, bool], ...]:
        """`tool:` and `file:` parts, and whether each is wanted."""
        return tuple((x, yes) for x, yes in leaves(self.tree) if isinstance(x, Field) and x.name in DEEP)

    @property
    def places(self) -> frozenset[str]:
        """Where the words are to be looked for: some of prompts, answers, thinking, subagents, tools."""
        found: frozenset[str] = frozenset()
        without: frozenset[str] = frozenset()
        for leaf, yes in leaves(self.tree):
            if not isinstance(leaf, Field) or leaf.name != "in":
                continue
            names = frozenset(name for value in leaf.values for name in choice(BY_NAME["in"], value))
            if "all" in names:
                names = INDEXED | {"tools"}
            if yes:
                found = found | names
            else:
                without = without | names
        return (found or INDEXED) - without

    @property
    def hidden_wanted(self) -> frozenset[str]:
        """Reasons for hiding that it asks for itself: `is:archived` finds what is hidden because it is archived."""
        asked = {name for leaf, yes in leaves(self.tree) if yes and isinstance(leaf, Field) and leaf.name == "is"
                 for value in leaf.values for name in choice(BY_NAME["is"], value)}  # fmt: skip
        return frozenset(asked & {"archived"})

    @property
    def names_places(self) -> bool:
        """Whether it says where its words are to be looked for (`in:`)."""
        return any(isinstance(leaf, Field) and leaf.name == "in" for leaf, _ in leaves(self.tree))

    @property
    def rows_can_match(self) -> bool:
        """Whether a row can match by itself; else only a hit in its conversation makes it one (`in:`, `tool:`, `file:`)."""
        if any(yes for _, yes in self.deep_fields):
            return False
        return not (self.names_places and self.wanted)

    def row_tests(self, here: str = "") -> list[Test]:
        """The fields as questions to a row, each answered True, False or None (the row does not know)."""
        if here not in self._tests:
            self._tests[here] = [self._test(leaf, yes, here) for leaf, yes in leaves(self.tree)
                                 if isinstance(leaf, Field) and leaf.name != "in" and leaf.name not in DEEP]  # fmt: skip
        return self._tests[here]

    def _test(self, leaf: Field, wanted: bool, here: str) -> Test:
        spec = BY_NAME[leaf.name]
        tests = [test for value in leaf.values if (test := make_test(spec, value, leaf.quoted, self.now, here)) is not None]

        def answer(session: Session) -> Answer:
            found = any_of([test(session) for test in tests])
            return found if wanted or found is None else not found

        return answer

    def admits(self, session: Session, here: str = "") -> Answer:
        """Whether the fields allow this session, words aside; None when its row cannot say (`Library.exact` can)."""
        answers = [test(session) for test in self.row_tests(here)]
        if False in answers:
            return False
        return None if None in answers else True

    def is_id_of(self, sessions: Sequence[Session]) -> Session | None:
        """The session whose id the query is, or of which it is the only beginning."""
        return session_by_id(self, sessions)

    @property
    def asks_counts(self) -> bool:
        """Whether it has fields that a row may not be able to answer before its file was read."""
        return any(isinstance(leaf, Field) and leaf.name in COUNTED for leaf, _ in leaves(self.tree))

    def unknown(self, sessions: Sequence[Session], here: str = "") -> list[Session]:
        """The rows that have to be read exactly (`turns:`, `tokens:`, `has:`) before the fields can be answered."""
        return [session for session in sessions if self.admits(session, here) is None]

    def rank(self, sessions: Sequence[Session], *, here: str = "") -> Ranked:
        """The rows it asks for: best first when there are words, else in the given order.

        Words, quotes and expressions are looked for in the rows only (title, project, branch, first and last
        prompt); a row that only its conversation matches comes from the index, and so do all where the query says
        that the conversation has to answer (`in:`, `tool:`, `file:`). An id or a unique prefix of one wins.
        """
        return rank(self, sessions, here)


def parse(text: str, now: float | None = None) -> Query:
    """What `text` asks for, so far. Never raises; `now` (epoch seconds) is what relative times count from."""
    moment = time.time() if now is None else now
    tree, problem = read(text, moment)
    return Query(text, tree, problem, moment)


def whole(text: str, now: float | None = None) -> Query:
    """`parse` for text that nobody goes on typing: what says nothing yet is a problem too."""
    query = parse(text, now)
    problem = query.problem or unfinished(text, query.now)
    return query if problem is query.problem else Query(text, query.tree, problem, query.now)
