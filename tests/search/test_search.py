"""Finding through the index, verified in the files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from sessionbrowser.index.matching import snippet
from sessionbrowser.index.search import Searcher
from sessionbrowser.model import Handle, Passage
from sessionbrowser.query import parse

from .conftest import NOW, Desk, FakeLibrary, FakeSource


def test_a_word_leads_to_its_session_and_its_place(desk: Desk) -> None:
    desk.write("one", {"kind": "prompt", "text": "first things"}, {"kind": "text", "text": "the flaky auth test"})
    (hit,) = desk.hits("flaky")
    assert (hit.session, hit.kind, hit.time, hit.subagent) == ("one", "text", NOW - 3599, None)
    assert hit.start == len((desk.folder / "one.jsonl").read_bytes().split(b"\n")[0]) + 1


def test_the_snippet_is_marked(desk: Desk) -> None:
    desk.say("one", "x " * 200 + "the flaky auth test" + " y" * 200)
    (hit,) = desk.hits("flaky")
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["flaky"]
    assert len(hit.snippet) < 180


def test_marks_are_right_behind_characters_that_fold_longer(desk: Desk) -> None:
    desk.say("one", "ß ﬁ İ then café")
    (hit,) = desk.hits("cafe")
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["café"]


def test_nothing_a_terminal_acts_on_is_in_a_snippet() -> None:
    text, marks = snippet("red \x1b[31m flaky\x1b]0;x\x07 test", parse("flaky", NOW).wanted)
    assert text == "red flaky test"
    assert marks == ((4, 9),)


def test_words_may_be_spread_over_a_session(desk: Desk) -> None:
    desk.write("one", {"kind": "prompt", "text": "mend the auth"}, {"kind": "text", "text": "it was flaky"})
    desk.say("two", "only auth here")
    assert desk.found("auth flaky") == ["one"]


def test_a_word_may_stand_in_the_row(desk: Desk) -> None:
    desk.write("one", {"kind": "prompt", "text": "mend it", "title": "Terraform", "project": "infra"})
    assert desk.found("terraform mend") == ["one"]


def test_passages_with_all_words_come_without_the_others(desk: Desk) -> None:
    desk.write("one", {"kind": "text", "text": "auth"}, {"kind": "text", "text": "flaky auth"}, {"kind": "text", "text": "flaky"})
    assert [hit.snippet for hit in desk.hits("flaky auth")] == ["flaky auth"]


def test_quotes_want_the_words_together(desk: Desk) -> None:
    desk.say("one", "amber falcon protocol")
    desk.say("two", "protocol of the falcon turned amber")
    assert desk.found('"amber falcon protocol"') == ["one"]


def test_quotes_are_verified_on_the_text(desk: Desk) -> None:
    desk.say("one", "auth-test")
    desk.say("two", "auth.test")
    assert desk.found('"auth.test"') == ["two"]


def test_a_line_break_is_a_blank(desk: Desk) -> None:
    desk.say("one", "amber falcon\n   protocol")
    assert desk.found('"falcon protocol"') == ["one"]


def test_an_expression_is_found(desk: Desk) -> None:
    desk.say("one", "it timed out after 30s")
    desk.say("two", "timeless")
    assert desk.found(r"/time(out|d out) after \d+s/") == ["one"]


def test_a_capital_letter_makes_an_expression_mind_case(desk: Desk) -> None:
    desk.say("one", "Error here")
    desk.say("two", "error here")
    assert desk.found("/Err.r/") == ["one"]


def test_signs_alone_are_found(desk: Desk) -> None:
    desk.say("one", "needle🧵needle")
    desk.say("two", "needle needle")
    assert desk.found("🧵") == ["one"]


def test_a_minus_leaves_out_sessions_that_hold_the_word(desk: Desk) -> None:
    desk.write("one", {"kind": "text", "text": "flaky auth"}, {"kind": "text", "text": "about docs"})
    desk.say("two", "flaky node")
    assert desk.found("flaky -docs") == ["two"]
    assert desk.found('flaky -"about docs"') == ["two"]


def test_a_minus_leaves_out_what_only_a_file_can_say(desk: Desk) -> None:
    """An expression, a word without an index, what a tool said: the conversations are read for it."""
    desk.write("one", {"kind": "text", "text": "flaky auth"}, {"kind": "text", "text": "about docs"})
    desk.write("two", {"kind": "text", "text": "flaky node"}, {"kind": "tool", "name": "Bash", "input": {"command": "cat docs"}, "output": ""})
    assert desk.found("flaky -/d[aeo]cs/") == ["two"]
    assert desk.found("flaky -docs", use_index=False) == ["two"]
    assert desk.found("flaky -docs in:all") == []
    library = FakeLibrary(desk.env)
    with closing(Searcher(library)) as searcher:  # type: ignore[arg-type]
        refused = searcher.refused(parse("-/d[aeo]cs/", NOW), library.sessions())
    assert [path.rsplit("/", 1)[1] for _, path, _ in refused] == ["one.jsonl"]


def test_fields_decide_which_sessions_are_searched(desk: Desk) -> None:
    desk.write("one", {"kind": "text", "text": "flaky", "project": "web"})
    desk.write("two", {"kind": "text", "text": "flaky", "project": "api"})
    assert desk.found("flaky project:web") == ["one"]


def test_in_picks_what_is_searched(desk: Desk) -> None:
    desk.say("one", "needle", "prompt")
    desk.say("two", "needle", "text")
    desk.say("three", "needle", "thinking")
    assert desk.found("needle in:prompts") == ["one"]
    assert desk.found("needle in:answers") == ["two"]
    assert desk.found("needle in:thinking") == ["three"]
    assert set(desk.found("needle -in:thinking")) == {"one", "two"}


def test_a_subagents_words_belong_to_its_session(desk: Desk) -> None:
    desk.say("one", "hello", "prompt")
    desk.write("sub", {"kind": "text", "text": "needle"}, parent="one")
    (hit,) = desk.hits("needle")
    assert (hit.session, hit.subagent) == ("one", "sub")


def test_a_subagents_task_is_no_prompt(desk: Desk) -> None:
    desk.say("one", "hello", "prompt")
    desk.write("sub", {"kind": "prompt", "text": "needle"}, parent="one")
    assert desk.found("needle in:prompts") == []
    assert desk.found("needle in:subagents") == ["one"]


def test_the_newest_session_comes_first(desk: Desk) -> None:
    desk.write("old", {"kind": "text", "text": "needle", "time": NOW - 1e6})
    desk.write("new", {"kind": "text", "text": "needle", "time": NOW - 1e3})
    desk.write("mid", {"kind": "text", "text": "needle", "time": NOW - 1e5})
    assert desk.found("needle") == ["new", "mid", "old"]


def test_shared_history_is_one_hit_in_the_oldest_session(desk: Desk) -> None:
    shared: list[dict[str, object]] = [{"kind": "prompt", "text": "start", "time": 1000.0}, {"kind": "text", "text": "needle", "time": 1001.0}]
    desk.write("origin", *shared, {"kind": "text", "text": "end", "time": 1002.0})
    desk.write("fork", {"kind": "prompt", "text": "start", "time": 1000.0}, shared[1], {"kind": "text", "text": "own needle", "time": 2000.0})
    hits = desk.hits("needle", sessions=_created(desk, origin=1.0, fork=2.0))
    assert [(hit.session, hit.snippet, hit.also) for hit in hits] == [("fork", "own needle", ()), ("origin", "needle", ("fork",))]


def test_shared_history_is_found_where_the_query_looks(desk: Desk) -> None:
    """The oldest session that has it is not always among those that are asked about."""
    shared: list[dict[str, object]] = [{"kind": "prompt", "text": "start", "time": 1000.0}, {"kind": "text", "text": "needle", "time": 1001.0}]
    desk.write("origin", {**shared[0], "project": "web"}, shared[1])
    desk.write("fork", {**shared[0], "project": "api"}, shared[1])
    hits = desk.hits("needle project:api")
    assert [(hit.session, hit.also) for hit in hits] == [("fork", ())]


def _created(desk: Desk, **times: float) -> list:  # type: ignore[type-arg]
    return [row._replace(created=times[row.id]) for row in FakeLibrary(desk.env).sessions()]


def test_the_same_words_at_other_times_are_hits_of_their_own(desk: Desk) -> None:
    desk.write("one", {"kind": "prompt", "text": "continue", "time": 1000.0})
    desk.write("two", {"kind": "prompt", "text": "continue", "time": 2000.0})
    assert desk.found("continue") == ["two", "one"]


def test_a_session_is_shown_by_its_first_hits_when_asked(desk: Desk) -> None:
    desk.write("one", *({"kind": "text", "text": f"needle {n}"} for n in range(5)))
    assert [hit.snippet for hit in desk.hits("needle", per_session=2)] == ["needle 0", "needle 1"]


def test_lines_around_a_hit_come_with_it(desk: Desk) -> None:
    desk.say("one", "a\nb\nneedle\nc\nd")
    (hit,) = desk.hits("needle", context=1)
    assert (hit.lines, hit.at) == (("b", "needle", "c"), 1)


def test_a_rewritten_file_gives_no_hit_of_what_it_held(desk: Desk) -> None:
    path = desk.say("one", "needle in the first")
    desk.update()
    path.write_bytes(b"")
    desk.say("one", "something else instead")
    assert desk.ask("needle") == []
    assert desk.found("needle") == []
    assert desk.found("something") == ["one"]


def test_a_newer_search_ends_the_one_before(desk: Desk) -> None:
    for number in range(5):
        desk.say(f"s{number}", f"needle {number}")
    desk.update()
    searcher = Searcher(FakeLibrary(desk.env))  # type: ignore[arg-type]
    first = searcher.search(parse("needle", NOW))
    assert next(first)
    second = searcher.search(parse("needle", NOW))
    assert list(first) == []
    assert len(list(second)) == 5
    searcher.close()


def test_an_interrupted_search_ends(desk: Desk) -> None:
    desk.say("one", "needle one")
    desk.say("two", "needle two")
    desk.update()
    searcher = Searcher(FakeLibrary(desk.env))  # type: ignore[arg-type]
    found = searcher.search(parse("needle", NOW))
    next(found)
    searcher.interrupt()
    assert list(found) == []
    searcher.close()


def test_without_an_index_the_files_are_searched(desk: Desk) -> None:
    desk.say("one", "needle")
    desk.write("sub", {"kind": "text", "text": "pin"}, parent="one")
    assert [hit.session for hit in desk.ask("needle", use_index=False)] == ["one"]
    assert [(hit.session, hit.subagent) for hit in desk.ask("pin", use_index=False)] == [("one", "sub")]


def test_sessions_that_are_not_indexed_yet_are_searched_on_request(desk: Desk) -> None:
    desk.say("one", "needle")
    desk.update()
    desk.say("two", "needle")
    assert [hit.session for hit in desk.ask("needle")] == ["one"]
    assert {hit.session for hit in desk.ask("needle", unindexed=True)} == {"one", "two"}


def test_it_says_how_many_sessions_are_missing(desk: Desk) -> None:
    desk.say("one", "needle")
    desk.update()
    desk.say("two", "needle")
    desk.ask("needle")
    assert desk.searcher is not None
    assert desk.searcher.missing == 1


def test_a_quote_that_begins_inside_a_word_is_found(desk: Desk) -> None:
    """The index does not know it; the files do."""
    desk.say("one", "the tokenparser of it")
    assert desk.found('"parser of"') == ["one"]


def test_a_quote_that_the_index_knows_is_not_looked_for_inside_words(desk: Desk) -> None:
    """It would take long, and the better hits are there."""
    desk.say("one", "the parser of it")
    desk.say("two", "the tokenparser of it")
    assert desk.found('"parser of"') == ["one"]


def test_a_session_that_grew_counts_as_missing_until_it_is_read(desk: Desk) -> None:
    """Results without waiting are not called complete."""
    path = desk.say("one", "hello")
    desk.hits("hello")
    path.write_bytes(path.read_bytes() + b'{"kind":"text","text":"more","time":1778770000.0}\n')
    with closing(Searcher(FakeLibrary(desk.env))) as searcher:
        list(searcher.search(parse("hello")))
        assert searcher.missing == 1


def test_sessions_that_are_wanted_first_come_before_newer_ones(desk: Desk) -> None:
    for at, name in enumerate(("one", "two", "three")):
        desk.write(name, {"kind": "text", "text": "flaky", "time": NOW - 3600.0 + at})
    wanted = ("fake", str(desk.folder / "one.jsonl"), "")
    assert desk.found("flaky") == ["three", "two", "one"]
    assert desk.found("flaky", first=(wanted, ("fake", "gone", ""))) == ["one", "three", "two"]


def test_a_search_that_was_prepared_finds_the_same(desk: Desk) -> None:
    """Also what was written since; and without an index there is nothing to prepare."""
    library = FakeLibrary(desk.env)
    with closing(Searcher(library)) as searcher:  # type: ignore[arg-type]
        searcher.prepare(library.sessions())
        desk.say("one", "flaky")
        desk.update()
        searcher.prepare(library.sessions())
        desk.say("two", "flaky too")
        desk.update()
        found = {hit.session for hit in searcher.search(parse("flaky", NOW), sessions=library.sessions())}
    assert found == {"one", "two"}


class _Counting(FakeSource):
    """Counts how often a conversation is read."""

    read = 0

    def passages(self, handle: Handle, offset: int = 0, *, tools: bool = False) -> Iterator[Passage]:
        self.read += 1
        return super().passages(handle, offset, tools=tools)


def test_files_are_read_once_for_what_must_not_be_in_them(desk: Desk) -> None:
    """First for the rows to leave out, then for the lines of those that are left."""
    desk.say("one", "flaky docs")
    desk.say("two", "flaky")
    desk.update()
    source = _Counting(desk.env)
    library = FakeLibrary(desk.env, source)
    rows, query = library.sessions(), parse("flaky -/d[aeo]cs/", NOW)
    with closing(Searcher(library)) as searcher:  # type: ignore[arg-type]
        assert [path.rsplit("/", 1)[1] for _, path, _ in searcher.refused(query, rows)] == ["one.jsonl"]
        before = source.read
        assert [hit.session for hit in searcher.search(query, sessions=rows)] == ["two"]
    assert (before, source.read - before) == (2, 1)
