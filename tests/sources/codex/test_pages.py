"""Pages: files in which a session goes on from where its conversation was taken back to."""

from __future__ import annotations

from contextlib import closing

from sessionbrowser.index import worker
from sessionbrowser.index.search import Searcher
from sessionbrowser.library import Library
from sessionbrowser.query import parse
from sessionbrowser.sources.codex import files

from .rollout import ID, OTHER, Record, Store, done, event, item, lines, meta, total, turn

PAGE = "019e1b77-3333-7444-8555-666677778888"
SECOND = "019e1b77-4444-7555-8666-777788889999"


def words(kind: str, text: str) -> Record:
    return done(type=kind, content=[{"type": "text", "text": text}])


def thread(store: Store, *pages: tuple[str, str, str], **more: object) -> bytes:
    """A session of "one" and "two", with pages (own id, id of the file they go on from, prompt) after "one"."""
    kept = lines([meta(history_mode="paginated", **more), turn(), words("UserMessage", "one"), words("AgentMessage", "1")], numbered=0)
    store.write().write_bytes(kept + lines([words("UserMessage", "two"), words("AgentMessage", "2"), total(100, 0, 10)], numbered=4))
    for number, (own, from_file, prompt) in enumerate(pages):
        end = {"end_byte_offset": len(kept)} if from_file == ID else {"end_ordinal_exclusive": 6}
        base = {"thread_id": from_file, **end}
        said = [words("UserMessage", prompt), words("AgentMessage", "ok"), event(type="task_complete", turn_id="t")] if prompt else []
        store.write(id=f"{ID}_{own}", folder=f"sessions/2026/05/1{3 + number}").write_bytes(
            lines([meta(history_mode="paginated", history_base=base, **more), *said], numbered=4))  # fmt: skip
    return kept


def test_a_page_belongs_to_its_session() -> None:
    name = f"rollout-2026-05-12T09-14-05-{ID}_{PAGE}.jsonl"
    assert (files.id_of(name), files.page_of(name)) == (ID, PAGE)


def test_a_rollout_is_no_page() -> None:
    assert files.page_of(f"rollout-2026-05-12T09-14-05-{ID}.jsonl") == ""


def test_the_conversation_of_a_page_is_whole(store: Store) -> None:
    """What was said before is the session's own; what was taken back stands on a branch."""
    thread(store, (PAGE, ID, "instead"))
    read = store.outline()
    said = [(block.title, block.branch, block.copied) for block in read.blocks if block.kind != "note"]
    assert said == [("one", 0, False), ("1", 0, False), ("two", 1, False), ("2", 1, False), ("instead", 0, False), ("ok", 0, False)]
    assert (read.counts.prompts, read.counts.answers) == (3, 3)


def test_the_body_of_what_was_said_before_is_read_from_its_file(store: Store) -> None:
    thread(store, (PAGE, ID, "instead"))
    assert [store.body(block).text for block in store.blocks("prompt")] == ["one", "two", "instead"]


def test_the_row_begins_where_the_session_did(store: Store) -> None:
    thread(store, (PAGE, ID, "instead"))
    row = store.row()
    assert (row.id, row.title, row.first_prompt, row.last_prompt, row.hidden) == (ID, "one", "one", "instead", "")


def test_a_page_has_the_name_of_its_session(store: Store) -> None:
    thread(store, (PAGE, ID, "instead"))
    (store.home / ".codex" / "session_index.jsonl").write_text(f'{{"id":"{ID}","thread_name":"Numbers"}}\n')
    assert store.row().title == "Numbers"


def test_a_page_without_a_prompt_ends_as_the_conversation_did(store: Store) -> None:
    thread(store, (PAGE, ID, ""))
    row = store.row()
    assert (row.last_prompt, row.tail, row.hidden) == ("one", "finished", "")


def test_a_page_can_go_on_from_a_page(store: Store) -> None:
    thread(store, (PAGE, ID, "instead"), (SECOND, PAGE, "and then"))
    assert [block.title for block in store.blocks("prompt")] == ["one", "two", "instead", "and then"]
    assert store.row().first_prompt == "one"


def test_a_page_whose_session_is_gone_shows_its_own_part(store: Store) -> None:
    thread(store, (PAGE, OTHER, "instead"))
    assert [block.title for block in store.blocks("prompt")] == ["instead"]


def test_tokens_that_were_taken_back_were_spent(store: Store) -> None:
    """The page counts on from where the conversation was taken back to."""
    kept = lines([meta(history_mode="paginated"), turn(), words("UserMessage", "one"), total(100, 0, 10)], numbered=0)
    store.write().write_bytes(kept + lines([words("UserMessage", "two"), total(250, 0, 20)], numbered=4))
    base = {"thread_id": ID, "end_byte_offset": len(kept)}
    store.write(id=f"{ID}_{PAGE}").write_bytes(
        lines([meta(history_mode="paginated", history_base=base), words("UserMessage", "three"), total(120, 0, 13)], numbered=4))  # fmt: skip
    assert store.outline().tokens.total == 110 + 160 + 23


def test_a_search_finds_what_was_said_before(store: Store) -> None:
    """In the file where it stands, as the session's own: what was taken back, too."""
    thread(store, (PAGE, ID, "instead"))
    worker.bring_up_to_date(store.source.environment)
    session = store.row()
    with closing(Searcher(Library(store.source.environment))) as searcher:
        for word, page in (("one", False), ("two", False), ("instead", True)):
            (hit,) = searcher.search(parse(f"in:prompts {word}"), sessions=[session])
            assert (hit.identity, hit.subagent, hit.path == session.path) == (session.identity, None, page)
            block = next(block for block in store.blocks("prompt") if block.title == word)
            assert (hit.start, hit.path) == (block.place.start, block.place.path or session.path)


def test_passages_of_a_page_are_its_own(store: Store) -> None:
    """Their places are those of its file, wherever reading begins."""
    thread(store, (PAGE, ID, "instead"))
    handle = store.handle()
    assert [[found.text for found in store.source.passages(handle, at) if found.kind == "prompt"] for at in (0, 1)] == [["instead"]] * 2


def test_a_subagent_is_read_to_its_last_page(store: Store) -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": OTHER, "depth": 1}}}
    thread(store, (PAGE, ID, "instead"), source=source)
    store.write(meta(OTHER), words("UserMessage", "go"), item(type="function_call", name="spawn_agent", arguments="{}", call_id="c"), id=OTHER)
    (child,) = store.source.agents(store.handle(OTHER)).children
    assert (child.id, child.path.endswith(f"{PAGE}.jsonl")) == (ID, True)
