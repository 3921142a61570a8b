"""Words as the index sees them: parts of names, scripts without spaces, accents, signs."""

from __future__ import annotations

import sqlite3

import pytest

from sessionbrowser.index.matching import holds, spots
from sessionbrowser.index.words import indexed, loose, match_expression
from sessionbrowser.query.tree import Exact, Word


def finds(text: str, query: str) -> bool:
    """Whether FTS5 finds `query` in `text`, both prepared as the index does."""
    base = sqlite3.connect(":memory:")
    base.execute("create virtual table w using fts5(x, content='', tokenize='unicode61 remove_diacritics 2')")
    base.execute("insert into w(rowid, x) values (1, ?)", (indexed(text),))
    found = base.execute("select count(*) from w where w match ?", (match_expression(query),)).fetchone()[0] == 1
    base.close()
    return found


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("the flaky auth test", "auth"),
        ("the flaky auth test", "FLAKY"),
        ("authentication", "auth"),
        ("call fetchWibbleGadget now", "fetchWibbleGadget"),
        ("call fetchWibbleGadget now", "fetchwibblegadget"),
        ("call fetchWibbleGadget now", "Wibble"),
        ("call fetchWibbleGadget now", "gadget"),
        ("call fetchWibbleGadget now", "wibbleGadget"),
        ("an HTTPServerError", "server"),
        ("parse_wobble_header", "wobble"),
        ("parse_wobble_header", "parse_wobble_header"),
        ("parse_wobble_header", "wobble_head"),
        ("see src/api/auth.py:12", "auth.py"),
        ("see src/api/auth.py:12", "src/api/auth.py"),
        ("commit 5f3a9c1", "5f3a"),
        ("port 8080 is taken", "8080"),
        ('say "hollyhock\\driver" twice', '"hollyhock\\driver"'),
        ("Größenänderung", "größen"),
        ("Größenänderung", "großen"),
        ("café", "cafe\u0301"),
        ("cafe\u0301", "café"),
        ("cafe\u0301", "cafe"),
        ("иголка в стоге", "ИГОЛК"),
        ("干し草の中の針を探す", "針"),
        ("干し草の中の針を探す", "草の中"),
        ("干し草の中の針を探す", "す"),
        ("text干し草text", "干し草"),
        ("ภาษาไทยง่าย", "ไทย"),
        ("中文", "中文"),
        ("needle🧵needle", "needle🧵needle"),
    ],
)  # fmt: skip
def test_a_text_is_found_by(text: str, query: str) -> None:
    """By the index, and by who reads the text itself."""
    assert finds(text, query)
    assert holds(Word(query, 0, len(query)), text)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("the flaky auth test", "lak"),
        ("one two three", "one three"),
        ("good", "go"),
        ("干し草の中", "草干"),
        ("wibble fetch", "fetchWibble"),
    ],
)
def test_a_text_is_not_found_by(text: str, query: str) -> None:
    assert not holds(Word(query, 0, len(query)), text)
    assert not finds(text, query)


@pytest.mark.parametrize("query", ["🧵", "...", "", "-", "\u0301"])
def test_signs_alone_are_nothing_the_index_can_answer(query: str) -> None:
    assert match_expression(query) == ""


def test_surrogates_do_not_reach_the_database() -> None:
    indexed("a \ud800 b").encode("utf-8")


def test_loose_text_has_no_case_and_no_accents() -> None:
    assert loose("CAFÉ cafe\u0301 Ärger") == "cafe cafe arger"


def test_the_parts_of_what_is_too_long_for_a_name_are_no_words() -> None:
    assert finds("x" + "aB" * 60, "ba")
    assert indexed("aB" * 200) == "aB" * 200


def test_only_the_beginnings_of_words_are_marked() -> None:
    """Of words; a quote is marked wherever it stands."""
    text = "pnpm runs npm and the NpmLock"
    assert spots([Word("npm", 0, 3)], text) == ((10, 13), (22, 25))
    assert spots([Exact("npm", 0, 5)], text) == ((1, 4), (10, 13), (22, 25))
