"""Completion of fields and values."""

from __future__ import annotations

from sessionbrowser.model import Session
from sessionbrowser.query import HELP, complete, help_text, parse
from sessionbrowser.query.fields import FIELDS


def texts(text: str, rows: list[Session], cursor: int | None = None) -> list[str]:
    return [item.text for item in complete(text, len(text) if cursor is None else cursor, rows)]


def test_an_empty_box_offers_every_field(rows: list[Session]) -> None:
    assert texts("", rows) == [f"{spec.name}:" for spec in FIELDS]


def test_the_beginning_of_a_field_offers_it(rows: list[Session]) -> None:
    assert texts("api br", rows) == ["branch:"]


def test_another_name_of_a_field_offers_the_field(rows: list[Session]) -> None:
    assert "source:" in texts("agen", rows)


def test_values_come_from_the_sessions(rows: list[Session]) -> None:
    assert texts("branch:", rows) == ["main", "feat/login", "maintenance"]


def test_values_narrow_as_they_are_typed(rows: list[Session]) -> None:
    assert texts("project:in", rows) == ["infra"]


def test_states_are_offered(rows: list[Session]) -> None:
    assert texts("is:fa", rows) == ["failed"]


def test_the_second_value_of_a_list_is_completed_alone(rows: list[Session]) -> None:
    (item,) = complete("is:running,wai", 14, rows)
    assert (item.text, item.start, item.end) == ("waiting", 11, 14)


def test_what_a_list_has_is_not_offered_again(rows: list[Session]) -> None:
    assert texts("branch:main,", rows) == ["feat/login", "maintenance"]


def test_only_programs_that_left_sessions_are_offered(rows: list[Session]) -> None:
    """All of them while no session is known."""
    assert set(texts("source:", rows)) == {row.source for row in rows}
    assert "crush" in texts("source:", [])


def test_a_completion_replaces_its_value_under_the_cursor(rows: list[Session]) -> None:
    (item,) = complete("branch:fe api", 9, rows)
    assert (item.start, item.end) == (7, 9)


def test_values_with_blanks_are_quoted(rows: list[Session]) -> None:
    rows[0] = rows[0]._replace(project="my project")
    assert texts("project:my", rows) == ['"my project"']


def test_a_negated_field_is_completed_too(rows: list[Session]) -> None:
    (item,) = complete("-branch:lo", 10, rows)
    assert (item.text, item.start) == ("feat/login", 8)


def test_words_offer_nothing(rows: list[Session]) -> None:
    assert texts("zzz", rows) == []


def test_quotes_offer_nothing(rows: list[Session]) -> None:
    assert texts('"br', rows) == []


def test_every_field_has_its_line_of_help() -> None:
    assert {line.example.partition(":")[0] for line in HELP if ":" in line.example} >= {spec.name for spec in FIELDS}


def test_every_example_of_the_help_is_read_without_a_problem() -> None:
    for line in HELP:
        query = parse(line.example, 1778770800.0)
        assert (query.problem, query.is_empty) == (None, False), line.example


def test_every_choice_is_in_the_help() -> None:
    text = help_text()
    for spec in FIELDS:
        if spec.name != "source":
            assert all(choice in text for choice in spec.choices)
