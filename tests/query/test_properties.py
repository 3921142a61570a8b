"""What holds for any text a person can type."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from sessionbrowser.model import Session
from sessionbrowser.query import Exact, Field, Query, Regexp, Word, complete, fuzzy, parse, sets
from sessionbrowser.query.column import Column
from sessionbrowser.query.marks import compiled
from sessionbrowser.query.rows import Rows
from sessionbrowser.query.texts import Texts
from sessionbrowser.query.tree import plain

NOW = 1778770800.0
FEW = settings(max_examples=300, deadline=None)

_PIECES = st.sampled_from(
    ["flaky", "auth", '"', "\\", "/", "-", ":", " ", "branch:", "is:", "run", "after:", "2d", "turns:>", "2", "..", "in:tools", "(",
     "[", "*", ",", "|", "tool:Bash", "é", "e\u0301", "日本", "ß", "\\\"", "~", "dir:~/x", "\n", "\t", "\x00", "brnach:x", "!"]
)  # fmt: skip
TYPED = st.one_of(st.text(max_size=40), st.lists(_PIECES, max_size=12).map("".join), st.lists(_PIECES, max_size=8).map(" ".join))


def sample() -> list[Session]:
    return [
        Session("aaaa1111", "claude", "/a", title="Fix the flaky auth test", project="api", branch="main", updated=NOW),
        Session("bbbb2222", "codex", "/b", title="日本の針 run 2d", project="é", first_prompt='say "auth" - (x', updated=NOW - 1e6),
        Session("cccc3333", "claude", "/c", title="", cwd="/home/ada/x", branch="feat/run", last_prompt="flaky ß"),
    ]


@FEW
@given(TYPED)
def test_no_text_raises(text: str) -> None:
    query = parse(text, NOW)
    query.rank(sample(), here="/home/ada")
    assert query.problem is None or 0 <= query.problem.start <= query.problem.end <= len(text)


@FEW
@given(TYPED)
def test_what_is_printed_reads_as_the_same(text: str) -> None:
    query = parse(text, NOW)
    again = parse(str(query), NOW)
    assert again.problem is None
    assert plain(again.tree) == plain(query.tree)


@FEW
@given(TYPED, st.integers(0, 40))
def test_completion_never_raises_and_stays_inside(text: str, cursor: int) -> None:
    for item in complete(text, cursor, sample()):
        assert 0 <= item.start <= item.end <= max(len(text), min(cursor, len(text)))


@FEW
@given(TYPED)
def test_parts_stand_in_order_inside_the_text(text: str) -> None:
    at = 0
    for part in parse(text, NOW).tree.parts:
        assert at <= part.start < part.end <= len(text)
        at = part.end


def _fold(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _hops(needle: str, words: list[str], started: bool = False) -> bool:
    """By the definition: each word gives its first letter and any behind it; at most two words are passed over."""
    if not needle:
        return True
    for number, word in enumerate(words[:3] if started else words):
        if word[0] != needle[0]:
            continue
        rest, ways = needle[1:], [needle[1:]]
        for letter in word[1:]:
            ways += [way[1:] for way in ways if way and way[0] == letter]
        if any(_hops(way, words[number + 1 :], True) for way in {*ways, rest}):
            return True
    return False


def _word_matches(word: str, row: Session) -> bool:
    needle = _fold(word)
    for text in (row.title, row.project, row.branch or ""):
        hay = _fold(text)
        if needle in hay:
            return True
        if len(needle) > 2 and _hops(needle, re.findall(r"[^\W_]+", hay)):
            return True
    if re.match("/[^/]+/[^/]", needle) and row.cwd and _fold(row.cwd).startswith(needle.rstrip("/")):
        return True
    return needle in _fold(f"{row.first_prompt}\n{row.last_prompt}") or (len(needle) >= 4 and row.id.startswith(needle))


def _slow(query: Query, row: Session) -> bool:
    texts = [row.title, row.project, row.branch or "", row.first_prompt, row.last_prompt]
    joined = [*texts[:3], f"{texts[3]}\n{texts[4]}"]
    if query.admits(row, "") is not True or not query.rows_can_match:
        return False
    for leaf in query.wanted:
        if isinstance(leaf, Word) and not _word_matches(leaf.text, row):
            return False
        if isinstance(leaf, Exact) and not any(_fold(leaf.text) in _fold(text) for text in joined):
            return False
        if isinstance(leaf, Regexp) and not any(compiled(leaf).search(text) for text in texts):
            return False
    for leaf in query.unwanted:
        if isinstance(leaf, Word | Exact) and any(_fold(leaf.text) in _fold(text) for text in joined):
            return False
        if isinstance(leaf, Regexp) and any(compiled(leaf).search(text) for text in texts):
            return False
        assert not isinstance(leaf, Field)
    return True


@FEW
@given(TYPED)
def test_evaluation_agrees_with_a_slow_reading_of_the_rules(text: str) -> None:
    query = parse(text, NOW)
    rows = sample()
    if len(query.words) == 1 and any(row.id == query.words[0].lower() for row in rows):
        return  # a whole id is that row alone
    assert {match.index for match in query.rank(rows)} == {index for index, row in enumerate(rows) if _slow(query, row)}


@FEW
@given(st.text("abc", min_size=3, max_size=7), st.text("abc -", max_size=30))
def test_a_way_is_found_exactly_where_there_is_one(needle: str, text: str) -> None:
    spots = fuzzy.hops(needle, text)
    words = fuzzy.cut_up(text)
    assert bool(spots) == bool(fuzzy.reach(needle, words)) == _hops(needle, text.replace("-", " ").split())
    assert bool(fuzzy.hopping(needle)(words)) == bool(fuzzy.hops(needle[:3], text))
    assert "".join(text[spot] for spot in spots) in ("", needle)
    assert list(spots) == sorted(set(spots))


@FEW
@given(st.text("abc-_é", min_size=1, max_size=8), st.lists(st.text("abc -_é/", max_size=30), max_size=6), st.integers(0, 6))
def test_what_is_known_of_letters_finds_what_is_there(needle: str, texts: list[str], settled: int) -> None:
    column, everything = Column(), sets.everything(len(texts))
    for text in texts:
        column.add(text)
    column.settle(settled)
    held = column.holding(needle, everything)
    for typed in range(1, len(needle)):
        column.hopping(needle[:typed], everything)
    apart = column.hopping(needle, everything)
    words = [re.findall(r"[^\W_]+", text) for text in texts]
    assert set(sets.members(held, len(texts))) == {at for at, text in enumerate(texts) if needle in text}
    assert set(sets.members(column.beginning(needle, held), len(texts))) == {
        at for at, text in enumerate(texts) if re.search(r"(?:^|[\W_])" + re.escape(needle), text)
    }
    assert set(sets.members(apart, len(texts))) == {
        at for at in range(len(texts)) if len(needle) > 2 and needle.isalnum() and _hops(needle, words[at])
    }


@FEW
@given(st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=3), st.lists(st.text("abc -", max_size=20), max_size=6))
def test_what_was_found_for_earlier_keys_leads_to_the_same_rows(words: list[str], titles: list[str]) -> None:
    rows = [Session(f"id-{at}", "claude", f"/{at}", title=title, project="cab", branch="b/ac") for at, title in enumerate(titles)]
    typed, fresh = Rows(rows, Texts()), Rows(rows, Texts())
    for at, word in enumerate(words):
        for size in range(1, len(word) + 1):
            found = typed.graded([*map(Word, words[:at]), Word(word[:size])])
    assert found == fresh.graded([*map(Word, words)])
