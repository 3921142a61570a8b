"""Rows in the order a person would want them."""

from __future__ import annotations

import pytest

from sessionbrowser.model import Session
from sessionbrowser.query import parse, sets, warm_up
from sessionbrowser.query.column import Column

NOW = 1778770800.0


def titles(text: str, rows: list[Session]) -> list[str]:
    return [rows[match.index].title for match in parse(text, NOW).rank(rows)]


def test_without_words_the_order_stays(rows: list[Session]) -> None:
    assert titles("project:api", rows) == [rows[0].title, rows[2].title, rows[5].title, rows[6].title]


def test_an_empty_query_keeps_every_row(rows: list[Session]) -> None:
    assert len(titles("", rows)) == len(rows)


def test_words_match_fuzzily(rows: list[Session]) -> None:
    assert titles("flkauth", rows) == ["Fix the flaky auth test"]


def test_letters_strewn_over_a_title_are_no_match(rows: list[Session]) -> None:
    rows[0] = rows[0]._replace(title="please read the notes on a rather old server before it ends there")
    assert titles("parser", rows) == ["Rename the parser"]


def test_words_may_be_cut_short(rows: list[Session]) -> None:
    assert titles("fft", rows) == titles("fxflaky", rows) == ["Fix the flaky auth test"]


def test_all_words_have_to_match(rows: list[Session]) -> None:
    assert titles("auth login", rows) == ["Fix the flaky auth test"]
    assert titles("auth node", rows) == []


def test_words_match_as_parts_of_prompts(rows: list[Session]) -> None:
    assert titles("wobble", rows) == ["Rename the parser"]


def test_two_letters_have_to_stand_together(rows: list[Session]) -> None:
    assert "Terraform plan" not in titles("tm", rows)


def test_case_and_composition_do_not_matter(rows: list[Session]) -> None:
    assert titles("E\u0301CRIRE", rows) == ["Écrire le résumé"]


def test_a_minus_leaves_out_rows_that_hold_the_word(rows: list[Session]) -> None:
    assert rows[0].title not in titles("-flaky", rows)
    assert len(titles("-flaky", rows)) == len(rows) - 1


def test_a_minus_is_not_fuzzy(rows: list[Session]) -> None:
    assert rows[0].title in titles("-flkauth", rows)


def test_a_whole_id_is_that_row_alone(rows: list[Session]) -> None:
    assert titles(rows[4].id, rows) == [rows[4].title]


def test_the_beginning_of_one_id_comes_first(rows: list[Session]) -> None:
    assert titles("00000003", rows)[0] == rows[3].title


def test_a_better_match_comes_before_a_newer_one(rows: list[Session]) -> None:
    older = rows[6]._replace(title="parser")
    assert titles("parser", [rows[1]._replace(title="p a r s e r"), older])[0] == "parser"


def test_of_equal_matches_the_newer_comes_first(rows: list[Session]) -> None:
    assert titles("same", [rows[5]._replace(title="same"), rows[1]._replace(title="same")]) == ["same", "same"]
    old, new = rows[5]._replace(title="same", id="old"), rows[1]._replace(title="same", id="new")
    assert [match.index for match in parse("same", NOW).rank([old, new])] == [1, 0]


def test_rows_that_hold_the_word_come_before_those_that_hold_its_letters(rows: list[Session]) -> None:
    """However old they are, and if it is only in a prompt."""
    rows[1] = rows[1]._replace(title="various new integrations", updated=NOW)
    rows[3] = rows[3]._replace(title="Old things", first_prompt="let us do vite", updated=NOW - 9e7)
    ranked = parse("vite", NOW).rank(rows)
    assert [rows[match.index].title for match in ranked] == ["Old things", "various new integrations"]
    assert (ranked.literal, ranked.is_literal(3), ranked.is_literal(1), ranked.holds(1)) == (1, True, False, True)


def test_marks_name_the_field_and_the_characters(rows: list[Session]) -> None:
    match = parse("flaky feat", NOW).rank(rows)[0]
    assert match.marks["title"] == ((8, 13),)
    assert match.marks["branch"] == ((0, 4),)


def test_quotes_and_expressions_match_rows(rows: list[Session]) -> None:
    assert titles('"flaky auth"', rows) == ["Fix the flaky auth test"]
    assert titles("/fla.y/", rows) == ["Fix the flaky auth test"]
    assert titles("/FLA.Y/", rows) == []


@pytest.mark.parametrize("text", ["tool:Bash", "file:x.py", "in:prompts flaky", "in:tools flaky"])
def test_rows_do_not_answer_what_only_the_conversation_can(text: str, rows: list[Session]) -> None:
    assert titles(text, rows) == []


def test_a_changed_list_is_seen(rows: list[Session]) -> None:
    assert titles("flaky", rows) == ["Fix the flaky auth test"]
    rows[0] = rows[0]._replace(title="other")
    assert titles("flaky", rows) == []


@pytest.mark.parametrize("settled", [0, 2, 3])
def test_letters_are_found_wherever_they_are_known_from(settled: int) -> None:
    """What a column knows of letters must find what looking at every row finds."""
    column = Column()
    for text in ("fix the flaky auth", "flat earth", "a u t h, oauth"):
        column.add(text)
    column.settle(settled)
    everything = sets.everything(3)
    assert list(sets.members(column.holding("au", everything), 3)) == [0, 2]
    assert list(sets.members(column.beginning("au", column.holding("au", everything)), 3)) == [0]
    assert list(sets.members(column.holding("auth", everything), 3)) == [0, 2]
    assert list(sets.members(column.hopping("flae", everything), 3)) == [1]
    assert list(sets.members(column.hopping("flakau", everything), 3)) == [0]
    assert list(sets.members(column.hopping("fft", everything), 3)) == []


def test_a_letter_beside_one_that_is_not_plain_is_found() -> None:
    column = Column()
    for text in ("é", "éfé", "x日"):
        column.add(text)
    column.settle(9)
    assert list(sets.members(column.holding("f", sets.everything(3)), 3)) == [1]
    assert list(sets.members(column.beginning("x", column.holding("x", sets.everything(3))), 3)) == [2]


def test_rows_that_come_later_are_found_too(rows: list[Session]) -> None:
    """Letters are known of the rows that were there; the others must not be missing."""
    warm_up(parse("w", NOW), rows)
    added = [rows[0]._replace(path="/another", title="A flaky word"), *rows]
    assert titles("flaky", added) == ["A flaky word", "Fix the flaky auth test"]
    assert titles("afw", added) == ["A flaky word"]


def test_the_order_of_a_list_may_change(rows: list[Session]) -> None:
    """Rows are numbered once for all lists; what is found stands in the order of the list that is asked."""
    for listed in (rows, rows[::-1], rows[2:5]):
        assert [listed[match.index].title for match in parse("is:running", NOW).rank(listed)] == [row.title for row in listed if row.status == "running"]
        assert {listed[match.index].id for match in parse("e", NOW).rank(listed)} == {row.id for row in listed if "e" in row.title.lower() + row.project + (row.branch or "")}


def test_all_rows_stand_in_the_same_order_as_the_first() -> None:
    """The first screenful is put in order by itself; looking further must not change it."""
    many = [Session(f"{at:04}", "claude", f"/{at}", title="auth" if at % 3 else "oauth", updated=NOW - at * 50_000.0) for at in range(500)]
    found = parse("auth", NOW).rank(many)
    first = [match.index for match in found[:100]]
    everyone = [match.index for match in found]
    assert everyone[:100] == first
    assert [found[at].score for at in range(500)] == sorted((match.score for match in found), reverse=True)
    assert sorted(everyone) == list(range(500))


def test_an_id_begun_with_three_letters_is_found_with_the_fourth(rows: list[Session]) -> None:
    """Rows that only their id brings in are not among those that the shorter word found."""
    for text in ("0", "00", "000", "0000", "00000", "00000003"):
        found = titles(text, rows)
    assert rows[3].title in found


def test_a_row_of_which_more_is_known_is_given_as_it_is_now(rows: list[Session]) -> None:
    """A list in which nothing that is searched changed is not read anew, but its rows are those given."""
    parse("flaky", NOW).rank(rows)
    rows[0] = rows[0]._replace(size=12345, status="running")
    assert [rows[match.index] for match in parse("flaky is:running", NOW).rank(rows)] == [rows[0]]


@pytest.mark.parametrize(("path", "found"), [("/home/ada/src/api", ["api"]), ("~/src/web", ["web"]), ("/home/ada/src", ["api", "web"]), ("/src", [])])
def test_a_whole_path_finds_the_sessions_of_that_directory(path: str, found: list[str]) -> None:
    rows = [Session(name, "claude", f"/{name}", cwd=f"/home/ada/src/{name}", updated=9.0 - at) for at, name in enumerate(("api", "web"))]
    assert [rows[match.index].id for match in parse(path).rank(rows)] == found
