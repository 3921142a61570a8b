"""Skill records: what holds of their lines, how they are played back, and where they are found."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_agents import Store, handle_of, in_home, write_lines

from sessionbrowser.model import Handle, ResumeOptions, SetAside
from sessionbrowser.sources import jsonl, load
from sessionbrowser.sources.records_playback import fold, told

WHYS, DECISION = "five-whys", "decision"
RUN = {"kind": "run", "at": "2026-05-01T10:00:00Z", "skill": "s", "topic": "t", "subject": "Why", "project": "p", "resumed": False}
NAME = "s_20260501T100000Z_t.jsonl"


@pytest.fixture
def store(demo_home: Path) -> Store:
    return Store("records", in_home(demo_home, SB_RECORDS_STORE=str(demo_home / ".local/share/ada/records")))


def playback(store: Store, start: str) -> str:
    return "\n".join(store.text(start, block) for block in store.outline(start).blocks)


def played(tmp_path: Path, *records: object) -> str:
    """The whole playback of a record made of these lines."""
    path = write_lines(tmp_path / NAME, RUN, *records)
    return "\n".join(piece.text for _, piece in told(fold(jsonl.lines(str(path)))))


def test_a_row_says_skill_topic_and_project(store: Store) -> None:
    row = store.row(WHYS)
    assert (row.title, row.project) == ("five-whys · slow-build: The build takes eleven minutes", "web")


def test_a_question_without_answer_or_skip_waits(store: Store) -> None:
    """One answered, one skipped, one open."""
    assert (store.row(WHYS).tail, store.row(DECISION).tail) == ("asking", "finished")


def test_the_playback_is_told_in_order(store: Store) -> None:
    """Subject, givens, questions with their answers, open items, notes, results, model, actors."""
    text = playback(store, WHYS)
    order = ["# The build takes", "It took four minutes", "Which step grew?", "Bundling, from one", "Did the number", "nobody knows",
             "May the cache live", "## Open", "## Notes", "## Results", "## Model", "## Actors"]  # fmt: skip
    places = [text.index(words) for words in order]
    assert places == sorted(places)


def test_a_run_continued_later_is_marked(store: Store) -> None:
    assert [block.title for block in store.blocks(WHYS, "note")][1].startswith("Continued")


def test_answers_of_the_person_are_prompts(store: Store) -> None:
    assert [(block.what, block.title) for block in store.blocks(WHYS, "prompt")] == [("typed", "Bundling, from one minute to seven")]


def test_the_latest_line_of_an_id_holds(store: Store) -> None:
    text = playback(store, WHYS)
    assert "when the runner image changed on 2 April" in text
    assert "when the image changed" not in text


def test_what_was_retired_is_gone(store: Store) -> None:
    assert "Split the vendor bundle" not in playback(store, WHYS)


def test_the_model_is_a_tree(store: Store) -> None:
    """By means-of and part-of."""
    text = playback(store, WHYS)
    assert "- Builds take under five minutes\n  - *means:* Cache the bundler between runs\n    - *part:* A cache key" in text


def test_nodes_in_a_circle_are_told_once(tmp_path: Path) -> None:
    text = played(tmp_path, {"kind": "node", "id": "a", "text": "A"}, {"kind": "node", "id": "b", "text": "B"},
                  {"kind": "link", "from": "a", "to": "b", "rel": "part-of"}, {"kind": "link", "from": "b", "to": "a", "rel": "part-of"})  # fmt: skip
    assert text.count("B") == 1
    assert "(above)" in text


def test_actors_say_what_they_act_on_and_see(store: Store) -> None:
    assert "**Bundler** acts on Cache the bundler between runs; sees A cache key from the lock file" in playback(store, WHYS)


def test_open_items_name_what_they_are_about(store: Store) -> None:
    assert "(about Cache the bundler between runs)" in playback(store, WHYS)


def test_a_later_skip_takes_the_place_of_an_answer(tmp_path: Path) -> None:
    text = played(tmp_path, {"kind": "question", "id": "q", "text": "How?"}, {"kind": "answer", "q": "q", "text": "So", "by": "user"},
                  {"kind": "skip", "q": "q", "reason": "not now"})  # fmt: skip
    assert ("So" in text, "not now" in text) == (False, True)


def test_raw_lines_are_never_shown(store: Store) -> None:
    assert '{"kind"' not in playback(store, WHYS)


def test_a_damaged_line_costs_that_line(tmp_path: Path, store: Store) -> None:
    path = write_lines(tmp_path / NAME, RUN, {"kind": "note", "id": "n", "text": "kept"})
    path.write_text(path.read_text().replace('{"kind": "note"', 'oops\n{"kind": "note"'))
    row = store.source.summarise(handle_of("records", path))
    assert row.damaged_lines == 1
    assert "kept" in [store.source.body(handle_of("records", path), b).text for b in store.source.outline(handle_of("records", path)).blocks][-1]


def test_the_mirror_serves_what_the_store_lacks(home: Path) -> None:
    for folder in ("store", "mirror"):
        write_lines(home / folder / NAME, RUN)
    write_lines(home / "mirror" / "s_20260502T100000Z_other.jsonl", RUN)
    found = Store("records", in_home(home, SB_RECORDS_STORE=str(home / "store"), SB_RECORDS_MIRROR=str(home / "mirror")))
    rows = [item for item in found.found if isinstance(item, Handle)]
    assert [(row.id, row.root.label) for row in rows] == [("s_20260501T100000Z_t", ""), ("s_20260502T100000Z_other", "mirror")]
    assert [item.reason for item in found.found if isinstance(item, SetAside)] == ["copy of a record in the store"]


def test_continue_names_the_mirror_copy_where_only_that_exists(home: Path) -> None:
    write_lines(home / "mirror" / NAME, RUN)
    found = Store("records", in_home(home, SB_RECORDS_MIRROR=str(home / "mirror")))
    assert found.row("s_").facts["continue"] == f"~/mirror/{NAME}"
    assert found.row("s_").path == str(home / "mirror" / NAME)


def test_a_store_that_is_not_absolute_is_none(home: Path) -> None:
    write_lines(home / "src" / "api" / "records" / NAME, RUN)
    assert load("records", in_home(home, SB_RECORDS_STORE="records")).roots() == []


def test_the_configuration_names_the_store(home: Path) -> None:
    write_lines(home / "kept" / NAME, RUN)
    file = home / ".config" / "sessionbrowser" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('[records]\nstore = "~/kept"\n')
    assert [root.path for root in load("records", in_home(home)).roots()] == [str(home / "kept")]


def test_a_folder_of_records_opens_as_a_root(demo_home: Path, store: Store) -> None:
    root = store.source.root_at(str(demo_home / ".local/share/ada"), "copy")
    assert root is not None
    assert root.path.endswith("records")


def test_nothing_resumes_a_record(store: Store) -> None:
    """Continuing is reading and appending: there is no command."""
    assert store.source.resume(store.row(WHYS), ResumeOptions()) is None


_WORD = st.sampled_from(["a", "b", "c", "", None, 3])
_LINE = st.fixed_dictionaries(
    {"kind": st.sampled_from(["run", "given", "question", "answer", "skip", "open", "note", "result", "node", "link", "actor", "new"])},
    optional={"id": _WORD, "q": _WORD, "text": _WORD, "from": _WORD, "to": _WORD, "rel": st.sampled_from(["means-of", "part-of", "x"]),
              "retired": st.booleans(), "about": st.lists(_WORD, max_size=2), "acts_on": st.lists(_WORD, max_size=2), "by": _WORD},
)  # fmt: skip


@settings(deadline=None, max_examples=80)
@given(st.lists(_LINE, max_size=20))
def test_no_record_is_refused(records: list[dict]) -> None:
    """Whatever lines hold, in whatever order, the record is played back."""
    import orjson

    lines = [jsonl.Line(index, orjson.dumps(record), True) for index, record in enumerate(records)]
    assert all(piece.kind in ("note", "text", "prompt") for _, piece in told(fold(lines)))


@pytest.mark.parametrize("name", ["s_20260501T100000Z_v1.2.jsonl", "Five-Whys_20260501T100000Z_Why.jsonl", "s_20260501T100000Z_größe.jsonl"])
def test_skill_and_topic_may_be_written_with_any_letters(tmp_path: Path, name: str) -> None:
    write_lines(tmp_path / name, RUN)
    found = Store("records", in_home(tmp_path, SB_RECORDS_STORE=str(tmp_path))).found
    assert [item.id for item in found if isinstance(item, Handle)] == [name.removesuffix(".jsonl")]


def test_an_answer_without_its_question_is_told_unless_that_is_retired(tmp_path: Path) -> None:
    text = played(tmp_path, {"kind": "answer", "q": "lost", "text": "since May", "by": "user"}, {"kind": "question", "id": "gone", "text": "When?"},
                  {"kind": "answer", "q": "gone", "text": "never mind", "by": "user"}, {"kind": "question", "id": "gone", "retired": True})  # fmt: skip
    assert "since May" in text
    assert "never mind" not in text


def test_items_of_an_unknown_kind_are_told(tmp_path: Path) -> None:
    assert "## Decision\n\n- wait" in played(tmp_path, {"kind": "decision", "id": "d1", "text": "wait"})


def test_a_text_may_be_several_and_an_item_about_one_thing(tmp_path: Path) -> None:
    text = played(tmp_path, {"kind": "node", "id": "n1", "text": "cache"}, {"kind": "note", "text": ["one", "two"]}, {"kind": "open", "text": "size", "about": "n1"})
    assert "- one\n  two" in text
    assert "- size *(about cache)*" in text
