"""Finding inside a transcript."""

from __future__ import annotations

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


def test_small_letters_match_both_and_capitals_themselves() -> None:
    """As in an editor."""
    assert Words(("ab",)).ranges("ab AB") == [(0, 2), (3, 5)]
    assert Words(("AB",)).ranges("ab AB") == [(3, 5)]


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
