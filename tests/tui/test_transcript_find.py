"""Finding inside a transcript."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event

from fakesession import Session, TranscriptApp, long_session, ready
from textual.pilot import Pilot

from sessionbrowser.query import Word
from sessionbrowser.tui.transcript_find import Words
from sessionbrowser.tui.transcript_paint import marked

SIZE = (80, 24)


async def look(pilot: Pilot[None], *keys: str) -> None:
    """Press keys and give the search a moment."""
    await pilot.press(*keys)
    await pilot.pause(0.05)


async def test_typed_words_go_to_the_first_hit_from_here() -> None:
    """And say which of how many it is."""
    async with TranscriptApp(long_session(30)).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await look(pilot, "g", "slash", *"answer 7")
        assert "of answer 7" in app.shown()
        assert app.lines()[-1].strip().startswith("/answer 7") and "1 of 3" in app.lines()[-1]


async def test_n_goes_through_the_hits_and_around() -> None:
    """Each hit of a block, then the next block, then the first again."""
    async with TranscriptApp(long_session(30)).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await look(pilot, "g", "slash", *"answer 7", "enter")
        seen = [app.lines()[-1].split()[-3]]
        for _ in range(3):
            await look(pilot, "n")
            seen.append(app.lines()[-1].split()[-3])
        assert seen == ["1", "2", "3", "1"]


async def test_a_hit_in_a_folded_call_opens_it() -> None:
    """What was found can be seen."""
    async with TranscriptApp(long_session(5)).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await look(pilot, "g", "slash", *"out 3", "enter")
        assert "out 3" in app.shown()


async def test_a_hit_far_down_in_a_long_output_is_shown() -> None:
    """The rest of the output opens as well."""
    session = Session()
    session.add("prompt", "list")
    session.tool("seq", "\n".join(f"line{n}" for n in range(400)))
    async with TranscriptApp(session).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await look(pilot, "slash", *"line321", "enter")
        assert "line321" in app.shown()


async def test_what_was_said_before_does_not_hide_the_count() -> None:
    """A message of another key gives way as soon as something is looked for."""
    async with TranscriptApp(long_session(30)).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await look(pilot, "g")
        app.view.say("no more edit")
        await pilot.pause()
        assert "no more edit" in app.lines()[-1]
        await look(pilot, "slash", *"answer 7", "enter")
        assert app.lines()[-1].strip().startswith("/answer 7") and "1 of 3" in app.lines()[-1]


async def test_nothing_found_is_said() -> None:
    """At the place where the count would be."""
    async with TranscriptApp(long_session(3)).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await look(pilot, "slash", *"zebra")
        assert "nothing found" in app.lines()[-1]


async def test_escape_takes_the_marks_away() -> None:
    """While typing, and afterwards."""
    async with TranscriptApp(long_session(3)).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await look(pilot, "slash", *"answer", "enter")
        assert app.view.words.words == ("answer",)
        await look(pilot, "escape")
        assert app.view.words.words == ()


async def test_letters_are_text_while_words_are_typed() -> None:
    """The keys of the transcript wait."""
    async with TranscriptApp(long_session(3)).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await look(pilot, "slash", "t", "e", "g", "backspace", "n")
        assert app.view.words.words == ("ten",)


async def test_words_found_elsewhere_are_marked_without_moving() -> None:
    """From the list's search."""
    async with TranscriptApp(long_session(10)).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        before = app.view.scroll_offset.y
        app.view.mark((Word("paragraph"), Word("word")))
        await pilot.pause(0.05)
        assert app.view.scroll_offset.y == before and app.view.hits.total > 0


def test_words_are_found_whatever_their_case() -> None:
    """As in the box: who types TAR there finds tar, too."""
    for word in ("ab", "AB"):
        assert Words.of(word).ranges("ab AB") == [(0, 2), (3, 5)]
    assert Words.of("AB").ranges("İ ab") == [(2, 4)]


def test_a_regular_expression_and_quotes_are_read_as_the_box_reads_them() -> None:
    """Until they are whole, and where they are broken, they are words like others."""
    assert Words.of("/def .*zip/").ranges("x def my_zip") == [(2, 12)]
    assert Words.of('"the Tar"').ranges("the tar") == [(0, 7)]
    assert Words.of("/def").ranges("x /def") == [(2, 6)]
    assert Words.of("/(/").ranges("x /(/") == [(2, 5)]


async def test_a_regular_expression_is_gone_through_like_words() -> None:
    """Counted, around at the end."""
    async with TranscriptApp(long_session(5)).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await look(pilot, "g", "slash", *"/question [34]/", "enter")
        assert app.lines()[-1].endswith("1 of 2")
        await look(pilot, "n", "n")
        assert app.lines()[-1].endswith("1 of 2")


async def test_what_was_said_of_one_session_is_not_said_of_the_next() -> None:
    """It would be wrong there."""
    async with TranscriptApp(long_session(2)).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await pilot.press("right_parenthesis")
        assert "no agent calls here" in app.lines()[-1]
        app.view.show(app.library, app.handle, "Another")  # type: ignore[arg-type]
        assert "no agent calls here" not in app.shown()


def test_marks_cross_the_borders_of_styles() -> None:
    """A word half of which is bold is marked whole."""
    assert marked([("lo", "a"), ("gin x", "b")], Words(("login",))) == [("lo", "a match"), ("gin", "b match"), (" x", "b")]


def test_letters_whose_small_form_is_longer_do_not_shift_marks() -> None:
    """İ becomes two characters."""
    assert Words(("x",)).ranges("İx") == [(1, 2)]


async def test_the_line_of_the_words_covers_nothing() -> None:
    """At the end, the last line of the transcript stands above it."""
    async with TranscriptApp(long_session(30)).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        last = app.lines()[-1]
        await look(pilot, "slash", *"answer", "enter", "G")
        assert app.lines()[-1].strip().startswith("/answer")
        assert app.lines()[-2] == last
        await look(pilot, "escape")
        assert app.lines()[-1] == last


async def test_lines_that_come_are_seen_above_the_words() -> None:
    """Who follows sees the newest line."""
    session = long_session(10)
    async with TranscriptApp(session).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await look(pilot, "slash", *"answer", "enter", "G")
        session.add("prompt", "the newest question")
        app.view.refresh_outline()
        await pilot.pause(0.1)
        assert "the newest question" in app.lines()[-2]


async def test_the_next_hit_without_words_says_how_to_look_for_some() -> None:
    """No prompt opens that takes the next keys."""
    async with TranscriptApp(long_session(3)).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await look(pilot, "n")
        assert "/ finds" in app.lines()[-1]
        assert app.view._asking == ""


async def test_enter_while_it_is_still_looking_keeps_the_line_for_the_result() -> None:
    """Closed without a word on what was found, one would not know that nothing was."""
    go_on = Event()

    def slow(words: Words, stopped: Callable[[], bool]) -> Iterator[dict[int, int]]:
        go_on.wait(5)
        yield {}

    async with TranscriptApp(long_session(3)).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        app.view.searcher = lambda: slow  # type: ignore[method-assign]
        await look(pilot, "slash", *"zebra", "enter")
        said = app.lines()[-1]
        go_on.set()
        await look(pilot)
        assert said.endswith("looking") and "/zebra" in said
        assert app.lines()[-1].endswith("nothing found")


async def test_words_that_stand_there_a_million_times_are_counted_and_gone_to() -> None:
    """All of them counted; of the rows only those up to the hit are looked at."""
    session = Session()
    session.add("prompt", "write")
    session.add("text", "x" * 3_000_000)
    async with TranscriptApp(session).run_test(size=SIZE) as pilot:
        app = await ready(pilot)
        await look(pilot, "slash", *"xxx", "enter", "n")
        for _ in range(100):
            if "1,000,000" in app.lines()[-1]:
                break
            await pilot.pause(0.02)
        assert app.lines()[-1].endswith(" of 1,000,000")
        assert len(app.view._marks(app.view.current, 7)) < 100


def test_a_count_is_that_of_the_ranges() -> None:
    """Without overlaps, and where small letters are longer than capital ones in the text as it is."""
    for text, word in (("xxxxxxx", "xxx"), ("Answer answer", "answer"), ("Answer answer", "Answer"), ("İ answer", "answer"), ("none", "x")):
        assert Words.of(word).count(text) == len(Words.of(word).ranges(text))
