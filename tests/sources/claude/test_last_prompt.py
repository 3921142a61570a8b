"""The last prompt of a long file: turns may be longer than its tail, and other rows look like prompts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessionbrowser.index.sums import filled, sums_of
from sessionbrowser.sources import jsonl
from sessionbrowser.sources.claude.summary import MOST, SEALED

from .log import Log, source

FILLER = "lorem ipsum dolor sit amet " * 60
FIRST, PROMPT = "b9a5736d-a866-445d-aa78-9f6d48589160", "5f57f36d-0981-47c6-abfd-b4d96ae0528f"


def asked(home: Path) -> Log:
    """Two prompts whose ids are those that programs make."""
    log = Log(home)
    log.user("look at the parser", key=FIRST)
    log.say("fine")
    log.user("and rewrite the lexer", key=PROMPT)
    return log


def work(log: Log, size: int) -> None:
    """Calls without end: about `size` bytes of them."""
    for number in range(size // 2000):
        log.call("Read", f"c{number}", {"file_path": "/home/ada/src/api/lexer.py"})
        log.result(f"c{number}", FILLER)
    log.say("done")


@pytest.mark.parametrize("size", [30_000, 120_000, 700_000, 2_000_000])
def test_it_is_found_before_a_turn_of_any_usual_length(home: Path, size: int) -> None:
    log = asked(home)
    work(log, size)
    row = log.row_of()
    assert (row.first_prompt, row.last_prompt) == ("look at the parser", "and rewrite the lexer")
    assert row.facts["last_prompt_raw"] == PROMPT


def test_it_is_found_before_a_line_longer_than_the_first_piece(home: Path) -> None:
    log = asked(home)
    log.call("Bash", "c", {"command": "make"})
    log.result("c", FILLER * 400)
    log.say("done")
    assert log.row_of().last_prompt == "and rewrite the lexer"


def test_it_may_have_been_queued(home: Path) -> None:
    log = asked(home)
    log.attachment("queued_command", prompt="and the printer", commandMode="prompt")
    work(log, 200_000)
    assert log.row_of().last_prompt == "and the printer"


def test_it_may_stand_behind_a_result(home: Path) -> None:
    log = asked(home)
    log.call("Bash", "c", {"command": "make"})
    log.result("c", "ok", behind="rather the printer")
    work(log, 200_000)
    assert log.row_of().last_prompt == "rather the printer"


def test_what_was_sent_to_the_model_is_no_prompt(home: Path) -> None:
    log = asked(home)
    work(log, 100_000)
    log.meta("api-request-blob", message={"role": "user", "content": "a request as it went out"})
    work(log, 20_000)
    assert log.row_of().last_prompt == "and rewrite the lexer"


def test_the_note_that_a_fork_carries_is_not_believed(home: Path) -> None:
    """It tells the first prompt of the session it was forked from."""
    log = asked(home)
    work(log, 120_000)
    log.meta("last-prompt", lastPrompt="look at the parser")
    assert log.row_of().last_prompt == "and rewrite the lexer"


def test_of_a_file_that_grew_only_what_is_new_is_searched(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = asked(home)
    work(log, 300_000)
    earlier = log.row_of()
    work(log, 100_000)
    handle = log.handle()
    read: list[tuple[int, int]] = []
    real = jsonl.read_at
    monkeypatch.setattr(jsonl, "read_at", lambda path, start, length: (read.append((start, length)), real(path, start, length))[1])
    row = source(home).summarise(handle, earlier)
    assert (row.last_prompt, row.facts["last_prompt_raw"]) == ("and rewrite the lexer", PROMPT)
    assert [start for start, length in read if 0 < start < earlier.size - 1 and length > SEALED] == []


def test_what_was_read_of_a_file_that_was_written_anew_holds_no_more(home: Path) -> None:
    """It begins alike and is longer: only what stood at the end of what was read tells."""
    log = asked(home)
    work(log, 300_000)
    earlier = log.row_of()
    again = asked(home)
    again.user("no, leave it", key="0b1c2d3e-1111-4222-8333-944455566677")
    work(again, 400_000)
    assert source(home).summarise(again.handle(), earlier).last_prompt == "no, leave it"


@pytest.mark.parametrize("size", [30_000, 200_000])
def test_it_is_found_however_the_rows_are_spaced(home: Path, size: int) -> None:
    """Other programs write rows with blanks between names and values."""
    log = asked(home)
    work(log, size)
    path = log.handle().path
    rows = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert log.row_of().last_prompt == "and rewrite the lexer"


def test_a_prompt_at_the_very_beginning_of_what_is_new_is_found(home: Path) -> None:
    log = asked(home)
    work(log, 300_000)
    earlier = log.row_of()
    log.user("one more thing")
    work(log, 100_000)
    assert source(home).summarise(log.handle(), earlier).last_prompt == "one more thing"


def test_the_whole_file_tells_what_its_tail_did_not(home: Path) -> None:
    log = Log(home)
    log.user("look at the parser")
    work(log, 40_000)
    log.user("and rewrite the lexer")
    work(log, MOST + 100_000)
    assert log.row_of().last_prompt == "look at the parser"
    assert filled(log.row_of(), sums_of(log.outline())).last_prompt == "and rewrite the lexer"
