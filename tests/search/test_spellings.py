"""Words as files may write them: what is looked for first must never pass over what a search finds."""

from __future__ import annotations

import json
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionbrowser.index.spellings import TAILS, Loose, of_word
from sessionbrowser.index.words import loose

_ACCENTED = [chr(code) for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)) if loose(chr(code)).isascii()]
_FORMS = {letter: [char for char in _ACCENTED if loose(char) == letter] for letter in "abcdefghijklmnopqrstuvwxyz"}


def found(word: str) -> Loose:
    spellings = of_word(word)
    assert spellings is not None
    return spellings


def is_near(word: Loose, data: bytes) -> bool:
    """Whether the quick looks would have a file of `data` looked through."""
    if word.plain.lower() in data.lower():
        return True
    return any(word.goes_on(tail) for pattern in TAILS for tail in re.findall(pattern.removeprefix("(?-u)").encode(), data))


@st.composite
def written(draw: st.DrawFn) -> tuple[str, bytes]:
    """A word, and bytes in which it stands: with accents, composed or not, escaped or not, inside of other letters."""
    word = draw(st.text("abcdeinorsuz0.-_", min_size=1, max_size=9))
    text = ""
    for char in word:
        form = draw(st.sampled_from([char, char.upper(), *_FORMS.get(char, [])]))
        text += unicodedata.normalize(draw(st.sampled_from(("NFC", "NFD"))), form)
    text = draw(st.sampled_from(("", "x", "é ", "ü"))) + text + draw(st.sampled_from(("", "x", " è", "-")))
    return word, json.dumps(text, ensure_ascii=draw(st.booleans())).encode()


@settings(deadline=None, max_examples=300)
@given(written())
def test_whatever_way_a_word_is_written_it_is_looked_for(case: tuple[str, bytes]) -> None:
    word, data = case
    spellings = found(word)
    assert spellings.test()(data.lower())
    assert is_near(spellings, data)


@pytest.mark.parametrize("text", ["voila élan", "l\\u00e9gatio", "cafés", "über", "Légat"])
def test_other_accented_words_are_passed_over(text: str) -> None:
    assert not is_near(found("legation"), text.encode())


def test_signs_that_some_escape_leave_no_plain_word() -> None:
    assert found("a&b").plain == b""
    assert found('say"so').plain == b'say\\"so'
