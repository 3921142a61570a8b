"""A session as a web page: everything is there, nothing runs, nothing is fetched."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from sessionbrowser.export import html
from sessionbrowser.model import (
    Block,
    Body,
    Checklist,
    Code,
    Diff,
    Fields,
    Hunk,
    Part,
    Picture,
    Place,
    Plain,
    Prose,
    Question,
    Questions,
    Session,
    Span,
)  # fmt: skip

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'><a href='javascript:alert(3)'>x</a>"
SESSION = Session("s1", "claude", "/x", title="Fix it")


class Tags(HTMLParser):
    """Every tag and attribute of a page, as a browser would see them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def page(*blocks: tuple[Block, Part], session: Session = SESSION) -> str:
    bodies = {block.place: Body(parts=(part,)) for block, part in blocks}
    return "".join(html.page(session, [block for block, _ in blocks], lambda block: bodies[block.place]))


def tags(text: str) -> list[tuple[str, dict[str, str | None]]]:
    reader = Tags()
    reader.feed(text)
    return reader.tags


PARTS: list[Part] = [
    Prose(EVIL), Prose(f"[x](javascript:alert(1)) ![p](http://evil/p.png) {EVIL}"), Plain(EVIL, (Span(0, 5, "red on #ff0000"),), EVIL, True),
    Code(EVIL, EVIL, 3), Diff(EVIL, (Hunk(1, 1, ("-" + EVIL, "+" + EVIL)),)), Checklist((("done", EVIL),)),
    Questions((Question(EVIL, EVIL, ((EVIL, EVIL),), (EVIL, "other" + EVIL)),)), Fields(((EVIL, EVIL),)),
    Picture("png", 1, 1, 3, EVIL, b"\x89PN"), Picture("svg+xml", name=EVIL, data=b"<svg onload=alert(1)>"),
]  # fmt: skip


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
@pytest.mark.parametrize("kind", ["prompt", "text", "thinking", "tool", "note", "image"])
def test_hostile_text_stays_text_in_every_form(part: Part, kind: str) -> None:
    block = Block(kind, Place(1), 1, title=EVIL, what=EVIL, model=EVIL, name=EVIL, outcome=EVIL, ok=False)
    found = tags(page((block, part), session=Session(EVIL, EVIL, EVIL, title=EVIL, project=EVIL, branch=EVIL, model=EVIL)))
    assert not [tag for tag, _ in found if tag in ("script", "iframe", "object", "svg", "link", "base", "form")]
    assert not [name for _, attributes in found for name in attributes if name.startswith("on")]
    allowed = {"href": r"#turn-\d+$|https?://", "src": "data:image/png;base64,"}
    addresses = [(name, str(value)) for _, attributes in found for name, value in attributes.items() if name in allowed]
    assert all(re.match(allowed[name], value) for name, value in addresses)


def test_the_page_forbids_scripts_and_every_address() -> None:
    policy = next(a["content"] for tag, a in tags(page()) if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy")
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def test_a_failed_call_is_open_and_says_its_exit_code() -> None:
    text = page((Block("tool", Place(1), 1, "pytest -q", name="Bash", ok=False, exit_code=1), Plain("1 failed")))
    assert "<details class='tool' open>" in text and "✗ exit 1" in text and "1 failed" in text


def test_facts_of_a_call_stand_apart() -> None:
    text = page((Block("tool", Place(1), 1, "pytest", time=0.5, ended=2.5, name="Bash", ok=False, exit_code=1), Plain("")))
    assert "✗ exit 1 · 2s<" in text


def test_a_prompt_stands_as_it_was_typed() -> None:
    """Its lines and their beginnings; fenced code makes it Markdown, as on the screen."""
    typed, fenced = Block("prompt", Place(1), 1, what="typed"), Block("prompt", Place(2), 2, what="typed")
    text = page((typed, Prose("do *this*:\n    if x:\n      1. y")), (fenced, Prose("like\n```py\nx\n```")))
    assert "<div class=said>do *this*:\n    if x:\n      1. y</div>" in text
    assert '<code class="language-py">x\n</code>' in text


def test_answers_keep_their_lines_pictures_their_names_and_tasks_their_state() -> None:
    """A picture that is only named is not fetched."""
    text = page((Block("text", Place(1), 1), Prose("one\ntwo ![plan](http://x/p.png)\n\n- [x] done\n- [ ] open")))
    assert "one<br" in text and "<span class=dim>image: plan</span>" in text and "http://x" not in text
    assert "<li>☑ done</li>" in text and "<li>☐ open</li>" in text


@pytest.mark.parametrize(
    ("added", "removed", "told"),
    [(487, 0, "<ins>+487</ins> <"), (0, 3, "<del>−3</del> <"), (2, 1, "<ins>+2</ins> <del>−1</del> <"), (0, 0, "<code>a.py</code> <")],
)
def test_of_lines_only_those_there_are_are_told(added: int, removed: int, told: str) -> None:
    """A file written anew took none away."""
    text = page((Block("tool", Place(1), 1, "a.py", name="Write", ok=True, added=added, removed=removed), Plain("")))
    assert told in text and "+0" not in text and "−0" not in text


def test_turns_can_be_linked_to() -> None:
    text = page((Block("prompt", Place(1), 3, "go", what="typed"), Prose("go")))
    assert '<section id="turn-3">' in text and "<a href='#turn-3'>3</a>" in text


def test_colours_of_output_survive() -> None:
    text = page((Block("tool", Place(1), 1, name="Bash", ok=True), Plain("a red b", (Span(2, 5, "bold red"),))))
    assert '<span style="font-weight:bold;color:#d5525f">red</span>' in text


def test_lines_of_a_diff_carry_the_numbers_of_their_own_side() -> None:
    text = page((Block("tool", Place(1), 1, name="Edit", ok=True), Diff("a.py", (Hunk(10, 20, (" x", "-y", "+z")),))))
    assert "<span><i>   20 </i> x</span>" in text and "<del><i>   11 </i>-y</del>" in text and "<ins><i>   21 </i>+z</ins>" in text


def test_a_remark_in_a_diff_has_no_number() -> None:
    remark = "\\ No newline at end of file"
    text = page((Block("tool", Place(1), 1, name="Edit", ok=True), Diff("a.py", (Hunk(10, 20, ("-x", remark, "+y", "+z")),))))
    assert f"<i>      {remark}</i>" in text and "<ins><i>   20 </i>+y</ins>" in text and "<ins><i>   21 </i>+z</ins>" in text


def test_a_body_that_cannot_be_read_any_more_is_said_in_its_place() -> None:
    def gone(block: Block) -> Body:
        raise OSError(2, "No such file")

    assert "not readable any more: No such file" in "".join(html.page(SESSION, [Block("text", Place(1), 1)], gone))


def test_a_session_without_turns_says_so() -> None:
    assert "This session has no turns." in page()
