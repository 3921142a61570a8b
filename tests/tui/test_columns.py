"""Rows of the list: which columns fit, and what stands in them."""

from __future__ import annotations

import pytest
from fakelibrary import NOW, session, seven
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionbrowser.model import Usage
from sessionbrowser.render.glyphs import ASCII, UNICODE
from sessionbrowser.text import cells, one_line
from sessionbrowser.tui.columns import measure, plan, row, short_model


def drawn(width: int, **changes: object) -> str:
    rows = seven()
    return "".join(cell.text for cell in row(session(0, **changes), plan(width, measure(rows)), NOW, UNICODE))


def test_row_at_the_width_of_the_painted_pane() -> None:
    """Sixty-four cells hold status, tag, project, branch, title, tokens and age."""
    assert drawn(64) == " ● cc api   feat/login Make the login test determin…  182k  now"


@pytest.mark.parametrize("width", range(12, 250, 7))
def test_every_row_is_one_cell_narrower_than_the_pane(width: int) -> None:
    """Columns never overlap and never leave a hole, at any width."""
    columns = plan(width, measure(seven()))
    widths = {cells("".join(cell.text for cell in row(one, columns, NOW, UNICODE))) for one in seven()}
    assert widths == {max(width - 1, min(widths))}


def test_narrow_pane_keeps_status_title_and_age() -> None:
    """At thirty cells nothing else fits."""
    assert [column.name for column in plan(30, measure(seven()))] == ["mark", "status", "title", "age"]


def test_pane_of_a_middling_terminal_shows_the_branch() -> None:
    """Of 120 cells the list gets 54: enough for project and branch, not for tokens."""
    names = [column.name for column in plan(54, measure(seven()))]
    assert names == ["mark", "status", "source", "project", "branch", "title", "age"]


@pytest.mark.parametrize(("width", "names"), [(39, ["project"]), (44, ["project", "branch"]), (49, ["project", "branch"])])
def test_pane_of_a_small_terminal_shows_what_tells_rows_apart(width: int, names: list[str]) -> None:
    """Of 90, 100 and 110 cells the list gets so many: titles give way to the project first, then to the branch."""
    rows = [one._replace(project="session-browser", branch="feat/login") for one in seven()]
    columns = {column.name: column.width for column in plan(width, measure(rows))}
    assert [name for name in ("project", "branch") if name in columns] == names
    assert columns["title"] >= 20


def test_no_name_is_cut_to_a_few_letters() -> None:
    """Where a project would not have five cells it has none."""
    widths = measure([one._replace(project="session-browser") for one in seven()])
    assert min(column.width for width in range(20, 60) for column in plan(width, widths) if column.name == "project") == 5


def test_unknown_tokens_show_the_size_instead() -> None:
    """A column of dashes helps nobody."""
    rows = [one._replace(tokens=None) for one in seven()]
    names = [column.name for column in plan(80, measure(rows))]
    assert "tokens" not in names
    assert "size" in names


def test_a_hidden_session_says_why_it_is_hidden() -> None:
    """Before its title, which is dim; the row is as wide as others."""
    assert drawn(64, hidden="subagent") == " ● cc api   feat/login subagent  Make the login tes…  182k  now"
    cells_ = {cell.field: cell.style for cell in row(session(0, hidden="subagent"), plan(64, measure(seven())), NOW, UNICODE)}
    assert (cells_["hidden"], cells_["title"]) == ("faint", "dim")


@pytest.mark.parametrize(("order", "name"), [("size", "size"), ("tokens", "tokens"), ("created", "begun")])
def test_the_column_of_the_order_is_there_in_any_pane(order: str, name: str) -> None:
    """Where there is room for more than a title."""
    widths = measure(seven())._replace(order=order)
    assert name in [column.name for column in plan(46, widths)]
    assert [column.name for column in plan(30, widths)][-1] in ("age", "begun")


def test_a_row_in_the_order_of_its_start_says_when_that_was() -> None:
    """Not when it ended."""
    columns = plan(64, measure(seven())._replace(order="created"))
    assert [cell.text.strip() for cell in row(session(2), columns, NOW, UNICODE) if cell.field == "begun"] == ["2h"]


def test_no_branch_is_a_dash() -> None:
    """What is not known is drawn as nothing known."""
    assert " – " in drawn(80, branch=None)


def test_untitled_session_shows_its_id() -> None:
    """There is always something to point at."""
    assert "00000000-0000" in drawn(80, title="")


def test_ascii_row_is_ascii() -> None:
    """With ASCII signs a row holds no other characters of ours."""
    pieces = row(session(0, title="plain"), plan(60, measure(seven())), NOW, ASCII)
    assert "".join(cell.text for cell in pieces).isascii()


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=40), st.integers(20, 160))
def test_any_title_keeps_the_columns_in_place(title: str, width: int) -> None:
    """Wide, combining and empty titles all fill the same cells."""
    columns = plan(width, measure(seven()))
    pieces = row(session(0, title=one_line(title)), columns, NOW, UNICODE)
    assert cells("".join(cell.text for cell in pieces)) == sum(column.width + column.gap for column in columns)


@pytest.mark.parametrize(
    ("model", "short"),
    [
        ("claude-sonnet-4-5-20250929", "sonnet-4-5"),
        ("anthropic/claude-opus-4", "opus-4"),
        ("gpt-5-codex", "gpt-5-codex"),
        ("", ""),
    ],
)
def test_short_models(model: str, short: str) -> None:
    """Makers and dates of models are left out."""
    assert short_model(model) == short


def test_the_size_of_a_session_inside_a_database_is_not_known() -> None:
    """A dash rather than "0B", which would be wrong."""
    columns = plan(120, measure([one._replace(tokens=None) for one in seven()]))
    inside, empty = (row(session(0, tokens=None, size=0, key=key), columns, NOW, UNICODE) for key in ("ses_1", ""))
    assert not any("0B" in cell.text for cell in inside)
    assert any("0B" in cell.text for cell in empty)


@pytest.mark.parametrize("name, nothing", [("branch", {"branch": None}), ("model", {"model": None}), ("tokens", {"tokens": Usage()}), ("project", {"project": ""})])
def test_a_column_in_which_nothing_would_stand_is_left_out(name: str, nothing: dict[str, object]) -> None:
    """Its cells are the title's."""
    known = plan(140, measure(seven()))
    columns = plan(140, measure([one._replace(**nothing) for one in seven()]))  # type: ignore[arg-type]
    assert name in [column.name for column in known]
    assert name not in [column.name for column in columns]
    assert next(column.width for column in columns if column.name == "title") > next(column.width for column in known if column.name == "title")


def test_a_project_has_the_room_of_a_branch_that_there_is_not() -> None:
    """Of 120 cells the list gets 54: a name of twelve letters stands there whole."""
    rows = [one._replace(branch=None, project="ai-music-gen") for one in seven()]
    assert next(column.width for column in plan(54, measure(rows)) if column.name == "project") == 12
    assert next(column.width for column in plan(54, measure([*rows, seven()[0]])) if column.name == "project") == 7
