"""The picker's parts, without a terminal: keys, the line, what is shown and marked, how space is shared, lines and colours."""

from __future__ import annotations

import re

import pytest
from fakelibrary import NOW, many, session, seven
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionbrowser.paths import Environment
from sessionbrowser.render.glyphs import ASCII, UNICODE
from sessionbrowser.render.palette import palette
from sessionbrowser.text import cells
from sessionbrowser.tui.columns import measure
from sessionbrowser.tui.picker.actions import ACTIONS, Keymap
from sessionbrowser.tui.picker.choice import Choice, Order
from sessionbrowser.tui.picker.doing import DO
from sessionbrowser.tui.picker.draw import Drawing, Picture
from sessionbrowser.tui.picker.keys import Decoder, Key, Mouse, Paste, Position, expected
from sessionbrowser.tui.picker.layout import PREVIEWS, lay_out
from sessionbrowser.tui.picker.line import Line
from sessionbrowser.tui.picker.pen import Pen, nearest
from sessionbrowser.tui.picker.terminal import Height
from sessionbrowser.tui.store import Store

HERE = Environment("/home/ada", {}, "/home/ada/src/api", "linux", NOW)
SGR = re.compile(r"\x1b\[[\d;]*m")


def choice(sessions=None, order=None, wanted=None) -> Choice:  # type: ignore[no-untyped-def]
    store = Store()
    store.fold(seven() if sessions is None else sessions)
    made = Choice(store, HERE, order or Order(), wanted)
    made.refresh()
    return made


def asked(made: Choice, text: str) -> list[str]:
    assert made.read(text)
    made.refresh(keep=False)
    return [row.title for row in made.rows]


# ── keys ──


@pytest.mark.parametrize(
    ("data", "event"),
    [
        (b"\r", Key("enter")), (b"\n", Key("ctrl+j")), (b"\x0b", Key("ctrl+k")), (b"\t", Key("tab")), (b"\x1b[Z", Key("shift+tab")),
        (b"\x1b[A", Key("up")), (b"\x1bOB", Key("down")), (b"\x1b[1;2B", Key("shift+down")), (b"\x1b[6~", Key("pagedown")),
        (b"\x1b\r", Key("alt+enter")), (b"\x1bs", Key("alt+s")), (b"\x1bS", Key("alt+S")), (b"\x1b\x7f", Key("alt+backspace")),
        (b"\x1bOP", Key("f1")), (b"\x1b[11~", Key("f1")), (b"\x1b[1;5H", Key("ctrl+home")), (b"\x00", Key("ctrl+space")),
        (b"a", Key("a", "a")), (b" ", Key("space", " ")), ("é".encode(), Key("é", "é")), (b"\x1b[97;5u", Key("ctrl+a")),
        (b"\x1b[200~two\nlines\x1b[201~", Paste("two\nlines")), (b"\x1b[<0;3;5M", Mouse("left", 2, 4)),
        (b"\x1b[<65;1;1M", Mouse("down", 0, 0)), (b"\x1b[12;40R", Position(12, 40)),
    ],
)  # fmt: skip
def test_a_key_is_told_by_its_bytes(data: bytes, event: object) -> None:
    """In the ways terminals write them."""
    assert Decoder().feed(data) == [event]


def test_a_lone_escape_waits_for_what_may_follow() -> None:
    """And is a key when nothing does."""
    decoder = Decoder()
    assert decoder.feed(b"\x1b") == []
    assert decoder.is_waiting
    assert decoder.flush() == [Key("escape")]
    assert not decoder.is_waiting


@given(st.lists(st.sampled_from([b"\x1b[A", b"\x1b\r", b"x", "日".encode(), b"\x1bOP", b"\x1b[200~p\x1b[201~"]), min_size=1, max_size=8),
       st.integers(1, 5))  # fmt: skip
@settings(deadline=None, max_examples=60)
def test_keys_cut_anywhere_are_the_same_keys(keys: list[bytes], size: int) -> None:
    """Bytes come in pieces."""
    data = b"".join(keys)
    whole, pieces = Decoder(), Decoder()
    found = [event for at in range(0, len(data), size) for event in pieces.feed(data[at : at + size])]
    assert found == whole.feed(data)


@given(st.binary(max_size=60))
@settings(deadline=None, max_examples=100)
def test_any_bytes_are_read(data: bytes) -> None:
    """Nothing a terminal sends is an error, and nothing stays held after a flush."""
    decoder = Decoder()
    decoder.feed(data)
    decoder.flush()
    assert not decoder.is_waiting


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [("ctrl-v", "ctrl+v"), ("alt-enter", "alt+enter"), ("f1", "f1"), ("btab", "shift+tab"), ("esc", "escape"), ("v", "v"),
     ("alt-A", "alt+A"), ("pgup", "pageup"), ("space", "space"), ("ctrl-alt-k", "ctrl+alt+k"), ("del", "delete")],
)  # fmt: skip
def test_keys_have_the_names_fzf_gives_them(theirs: str, ours: str) -> None:
    """For --expect."""
    assert expected(theirs) == ours


def test_what_is_no_key_is_refused() -> None:
    """With its name in the message."""
    with pytest.raises(ValueError, match="hyper-x"):
        expected("hyper-x")


def test_every_action_is_done_by_something_and_no_key_does_two_things() -> None:
    """The table of keys and the table of deeds are one."""
    assert {action.name for action in ACTIONS} == set(DO)
    keys = [key for action in ACTIONS for key in action.keys]
    assert len(keys) == len(set(keys))


def test_keys_can_be_changed() -> None:
    """A key that is asked for does what was asked and nothing else."""
    keymap = Keymap({"pick.cancel": "ctrl+x", "pick.down": "ctrl+c,down"})
    assert keymap.action("ctrl+x") == "cancel"
    assert keymap.action("escape") == ""
    assert keymap.action("ctrl+c") == "down"
    assert keymap.key_of("cancel") == "ctrl+x"


# ── the line ──


def test_the_line_is_edited_as_in_a_shell() -> None:
    """Words, ends, and what is before the cursor."""
    line = Line("branch:main fix the-test")
    line.delete_word()
    assert line.text == "branch:main fix the-"
    line.delete_word(blanks=True)
    assert line.text == "branch:main fix "
    line.move_word(-1)
    assert line.after == "fix "
    line.delete_to(-1)
    assert (line.text, line.cursor) == ("fix ", 0)
    line.delete(1)
    line.insert("m\n\x1b[31mo")
    assert line.text == "m oix "


@given(st.text(max_size=40), st.integers(0, 40), st.integers(1, 20))
@settings(deadline=None, max_examples=80)
def test_the_window_holds_the_cursor(text: str, cursor: int, width: int) -> None:
    """Whatever is typed, the part that is shown fits, with the cursor in it."""
    line = Line()
    line.insert(text)
    line.cursor = min(cursor, len(line.text))
    shown, at = line.window(width)
    assert 0 <= at < width
    assert cells(shown) <= width


# ── what is shown and marked ──


def test_words_rank_and_fields_narrow_as_in_the_browser() -> None:
    """One language."""
    made = choice()
    assert asked(made, "node") == ["Bump Node to 24 and fix the build"]
    assert asked(made, "is:failed") == ["Rotate the signing keys"]


def test_a_query_that_can_not_be_read_keeps_the_last_rows() -> None:
    """And says what is wrong."""
    made = choice()
    rows = asked(made, "node")
    assert not made.read("node /(/")
    made.refresh()
    assert made.problem is not None
    assert [row.title for row in made.rows] == rows


def test_half_a_field_that_there_is_not_keeps_the_last_rows() -> None:
    """From the colon on, before it is a mistake."""
    made = choice()
    rows = asked(made, "no")
    for text in ("no:", "no:x"):
        assert not made.read(text)
        made.refresh()
        assert [row.title for row in made.rows] == rows


def test_without_sorting_rows_keep_their_order() -> None:
    """However well they match."""
    rows = [session(0, id=f"{at}a", path=f"/{at}", title=title, updated=NOW - at) for at, title in enumerate(["a login here", "login"])]
    assert asked(choice(rows, Order(ranked=False)), "login") == ["a login here", "login"]
    assert asked(choice(rows, Order(ranked=False, reverse=True)), "login") == ["login", "a login here"]


def test_named_sessions_stand_in_the_order_they_were_named() -> None:
    """Once each; what names nothing is left out."""
    rows = seven()
    made = choice(rows, wanted=[rows[3].id, "nothing", rows[0].id, rows[3].id[:8]])
    assert [row.id for row in made.rows] == [rows[3].id, rows[0].id]


def test_marks_keep_their_order_and_their_limit() -> None:
    """What was marked first is printed first."""
    made = choice(order=Order(limit=2))
    made.move(3)
    assert made.toggle()
    made.move(-3)
    assert made.toggle()
    made.move(1)
    assert not made.toggle()
    assert [row.title for row in made.chosen()] == [seven()[3].title, seven()[0].title]


def test_marks_stay_when_the_query_changes() -> None:
    """As in fzf."""
    made = choice(order=Order(limit=0))
    made.toggle()
    asked(made, "node")
    assert [row.title for row in made.chosen()] == [seven()[0].title]


def test_without_several_nothing_is_marked() -> None:
    """The row under the cursor is the choice."""
    made = choice()
    made.toggle()
    assert made.marked == {}
    assert made.chosen() == [made.rows[0]]


def test_the_cursor_stays_with_its_session_when_rows_come() -> None:
    """News do not move it."""
    made = choice()
    made.move(2)
    held = made.current
    made.store.fold([session(99, title="new", updated=NOW + 60)])
    made.refresh()
    assert made.current == held


# ── space ──


@given(st.integers(1, 250), st.integers(2, 80), st.sampled_from(PREVIEWS), st.booleans())
@settings(deadline=None, max_examples=200)
def test_panes_fit_any_window(width: int, height: int, preview: str, framed: bool) -> None:
    """No pane has less than nothing, and together they are as high as the window."""
    shape = lay_out(width, height, preview, framed=framed)
    assert min(shape[4:8]) >= 0
    assert shape.list_width >= 1
    assert shape.body + 1 + shape.has_footer == height


@pytest.mark.parametrize(("text", "lines", "taken"), [((12, False), 30, 12), ((40, True), 30, 12), ((90, False), 30, 30), ((-5, False), 30, 25), ((1, False), 30, 3)])
def test_heights_are_lines_or_shares(text: tuple[int, bool], lines: int, taken: int) -> None:
    """Within what there is."""
    assert Height(*text).of(lines) == taken


# ── lines and colours ──


def drawn(made: Choice, width: int, height: int, preview: str = "off", *, framed: bool = True, look: str = "none", glyphs=UNICODE) -> list[str]:  # type: ignore[no-untyped-def]
    shape = lay_out(width, height, preview, framed=framed)
    pen = Pen(palette(look), deep=True, ellipsis=glyphs.ellipsis)
    picture = Picture(shape, made, Line("node"), 0, measure(made.pool()), [("7 ", "dim")], (), "a title", (), None, (), [("enter", "choose")])
    lines, cursor = Drawing(pen, glyphs, HERE, whole=framed).lines(picture)
    assert cursor < width
    return lines


@pytest.mark.parametrize("size", [(120, 30), (80, 24), (40, 8), (20, 5), (10, 3), (5, 2)])
@pytest.mark.parametrize("preview", PREVIEWS)
def test_lines_fit_the_window(size: tuple[int, int], preview: str) -> None:
    """As many as there are, none wider than there is room, and no sequence in them but colours."""
    for look in ("dark", "none"):
        lines = drawn(choice(many(50)), *size, preview, look=look)
        assert len(lines) == size[1]
        plain = [SGR.sub("", line) for line in lines]
        assert max(map(cells, plain)) <= size[0]
        assert "\x1b" not in "".join(plain)


def test_a_row_is_the_row_of_the_browser() -> None:
    """Status, agent, project, branch, title, age."""
    lines = [SGR.sub("", line).rstrip() for line in drawn(choice(), 80, 12)]
    assert lines[0].startswith(" sb  ❯ node")
    assert lines[1] == " ● cc api   feat/login Make the login test deterministic              182k  now"
    assert lines[-1].endswith("enter choose")


def test_columns_of_numbers_are_named_in_the_frame() -> None:
    """Right above them; where there are none the frame is whole."""
    top, first = (SGR.sub("", line) for line in drawn(choice(), 120, 12)[1:3])
    assert top.split("─ ")[-1].split() == ["turns", "tok", "size", "age", "╮"]
    assert [top.index(word) + len(word) for word in ("tok", "age")] == [first.index(word) + len(word) for word in ("182k", "now")]
    assert "tok" not in SGR.sub("", drawn(choice(), 110, 12, "right")[1])


def test_ascii_is_ascii() -> None:
    """Where the terminal knows nothing else."""
    rows = [session(at) for at in range(6)]
    assert "".join(drawn(choice(rows), 120, 20, "right", glyphs=ASCII)).replace("’", "").isascii()


def test_colours_for_terminals_with_fewer() -> None:
    """The nearest of 256; no colour at all where none is wanted."""
    assert nearest(255, 0, 0) == 196
    assert nearest(128, 128, 128) in range(232, 256)
    assert "38;5;" in "".join(Pen(palette("dark"), deep=False, ellipsis="…").line([("x", "accent")], 4))
    coloured = "".join(drawn(choice(), 80, 12, look="none"))
    assert not re.search(r"[\[;](3\d|4\d|9\d)[;m]", coloured)


def test_a_sequence_has_one_ink_and_one_paper() -> None:
    """However many meanings lie over each other: terminals read sixteen numbers and more, but not any number."""
    line = Pen(palette("dark"), deep=True, ellipsis="…").line([("x", "cursor dim status.failed match bold")], 1)
    numbers = re.findall(r"\x1b\[([\d;]*)m", line)[0].split(";")
    assert len(numbers) <= 16
    assert numbers.count("38") == numbers.count("48") == 1
    assert numbers[-10:-5] == ["38", "2", "230", "181", "102"]
