"""Exported Markdown in a viewer that renders it: nothing that was said or printed becomes HTML or a link that runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from sessionbrowser.export import markdown, specstory
from sessionbrowser.export.harmless import code, harmless
from sessionbrowser.export.skeleton import skeleton
from sessionbrowser.model import Block, Body, Picture, Place, Plain, Prose, Session
from sessionbrowser.sources import specstory_text

SESSION = Session("1f2e3d4c-0000-4000-8000-000000000000", "codex", "/x", title="<b>it</b>", created=1778767325.4)
OURS = re.compile(r"</?(?:details|summary|think|tool-use|i|b)\b[^<>]*>|<!--[^<>]*-->|\*\*|[^<>]+")


@pytest.mark.parametrize(("text", "shown"), [
    ("<script>x</script>", "&lt;script>x&lt;/script>"),
    ("a <!-- b --> <?c?> <!DOCTYPE d>", "a &lt;!-- b --> &lt;?c?> &lt;!DOCTYPE d>"),
    ("<img src=x\nonerror=y>", "&lt;img src=x\nonerror=y>"),
    ("a ` b\nc ` <script> ` d", "a ` b\nc ` &lt;script> ` d"),
    ("`a\n<!-- b` -->", "`a\n&lt;!-- b` -->"),
    ("\\`<script>`", "\\`&lt;script>`"),
    ("| a | b |\n|---|---|\n| ` | <script> ` |", "| a | b |\n|---|---|\n| ` | &lt;script> ` |"),
    ("[x](javascript:alert(1))", "[x]\\(javascript:alert(1))"),
    ("![x]( JavaScript:alert(1))", "![x]\\( JavaScript:alert(1))"),
    ("[x](<javascript:alert(1)>)", "[x]\\(&lt;javascript:alert(1)>)"),
    ("[x](&#106;ava\\script\\:1)", "[x]\\(&#106;ava\\script\\:1)"),
    ("[x](java\tscript:1) [y](data:text/html,z)", "[x]\\(java\tscript:1) [y]\\(data:text/html,z)"),
    ("[x]: javascript:1\n    <script>", "[x]\\: javascript:1\n    &lt;script>"),
    ("<javascript:alert(1)>", "&lt;javascript:alert(1)>"),
    ("```\n<b>", "```\n<b>\n```"),
])  # fmt: skip
def test_what_would_be_alive_is_text(text: str, shown: str) -> None:
    """However it is disguised; a fence that is left open takes nothing in that follows."""
    assert harmless(text) == shown


@pytest.mark.parametrize("text", [
    "a < b, x <3, 1<2 and List[int]", "`<b>` and ``<i> ` </i>``", "```html\n<b>\n```", "~~~\n<b>\n~~~", "text\n\n    <b>indented</b>",
    "1. one\n   ```html\n   <div>\n   ```\n10. ten\n    ```\n    <i>\n    ```", "> ```\n> <b>\n> ```", "`code over\ntwo <b> lines`",
    "[x](https://a.b/c?d=e) <https://a.b> <mailto:ada@example.org>", "[x](#part) [y](../a.py) [z]: https://a.b", "![p](data:image/png;base64,aa)",
    "\\<b>", "a [b]: c", "# A heading\n\n* a\n* **b**\n\n| a |\n|---|\n| `<b>` |",
])  # fmt: skip
def test_usual_markdown_stays_as_it_is(text: str) -> None:
    """Code of every kind, links, lists, tables, comparisons."""
    assert harmless(text) == text


@pytest.mark.parametrize("text", ["ls", "a ` b", "``` <script>", "`x`", "a``b"])
def test_inline_code_holds_every_text(text: str) -> None:
    """However many backticks are in it."""
    (paragraph,) = [token for token in MarkdownIt().parse(f"x {code(text)}") if token.type == "inline"]
    assert [(token.type, token.content) for token in paragraph.children or ()] == [("text", "x "), ("code_inline", text)]


def test_a_picture_says_how_big_it_is() -> None:
    """Whatever of it is known."""
    assert markdown.part_text(Picture("png", 1, 1, 70)) == "*image png 1×1 70B*\n"
    assert markdown.part_text(Picture("png", name="a_b")) == "*image png a\\_b*\n"


def blocks() -> list[Block]:
    prompt = Block("prompt", Place(1), 1, "", "typed", 1.0)
    said = [Block(kind, Place(at), 1, "", "", 1.0, size=9) for at, kind in ((2, "text"), (3, "text"), (4, "thinking"))]
    return [prompt, *said, Block("tool", Place(5), 1, "", "shell", 1.0, name="<b>Bash", ok=False), Block("text", Place(6), 1, "", "", 1.0, size=9)]


def exports(pieces: list[str]) -> Iterator[str]:
    """A session that says these, in every form that is Markdown."""
    told = [block._replace(title=" ".join(pieces[block.place.start % len(pieces)].split())) for block in blocks()]

    def read(block: Block) -> Body:
        text = pieces[block.place.start % len(pieces)]
        return Body(text, (Plain(text), Prose(text)), {text[:9]: text})

    yield "".join(markdown.document(SESSION, told, "full", read))
    yield "".join(markdown.bones(SESSION, skeleton(told, read, 40)))
    yield "".join(specstory.document(SESSION, told, read))


def alive(document: str) -> list[str]:
    """HTML that is not of the layout, and addresses that run something, in a rendered document."""
    parser = MarkdownIt("commonmark").enable("table")
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    found: list[str] = []

    def look(tokens: list[Token]) -> None:
        for token in tokens:
            if token.type in ("html_block", "html_inline"):
                rest = OURS.sub("", token.content)
                found.extend([token.content] if rest or ("evil" in token.content.lower() and not _told(token.content)) else [])
            address = str(token.attrs.get("href", token.attrs.get("src", "")))
            if re.match(r"\W*(javascript|vbscript|data:text)", re.sub(r"[\s\\]|%..", "", unescape(address)), re.I):
                found.append(address)
            look(token.children or [])

    look(parser.parse(document))
    return found


def _told(html: str) -> bool:
    """Whether a word stands in the text of HTML and in no tag."""
    return not re.search(r"<[^<>]*evil", html, re.I)


NASTY = [
    "<evil>", "</evil", "<evil x='`'>", "<!-- evil -->", "<?evil?>", "<![CDATA[evil]]>", "`", "``", "```", "~~~", "    ", "\n", "\n\n", "  ", "- ", "1. ", "> ", "# ", "| ",
    "|---|", "\\", "[x](javascript:evil)", "[x]: javascript:evil", "[x]", "](", "javascript:evil", "<javascript:evil>", "&#106;avascript:evil", "<div>", "</details>", "</tool-use>",
    "<https://a.b`>", "a", "===", "---", "\t", "(", ")", "<", ">", "<summary>evil", "_**User**_",
]  # fmt: skip


@given(st.lists(st.lists(st.sampled_from(NASTY), min_size=1, max_size=14).map("".join), min_size=1, max_size=4))
@settings(deadline=None, max_examples=300)
def test_no_text_comes_alive_in_any_export(pieces: list[str]) -> None:
    """Alone or together with what stands around it: prompts, answers, thinking, calls, output, titles."""
    for document in exports([piece if piece.strip() else "a" for piece in pieces]):
        assert alive(document) == []


@given(st.lists(st.sampled_from(NASTY), max_size=20).map("".join))
@settings(deadline=None, max_examples=100)
def test_what_is_harmless_stays_as_it_is(text: str) -> None:
    """A second time changes nothing."""
    assert harmless(harmless(text)) == harmless(text)


@pytest.mark.parametrize("text", ["what does <div class=a> do?", "see `<b>` and\n\n```html\n<b>&lt;</b>\n```\n\n<i>", "plain"])
@pytest.mark.parametrize("meant", [specstory_text.clean, specstory_text.thinking])
def test_specstorys_layout_reads_back(text: str, meant: Callable[[str], str]) -> None:
    """As it was said."""
    assert meant(harmless(text)) == text
