"""Text for the index: what a person would search for, each piece leading back to its block."""

from __future__ import annotations

from pathlib import Path

from .log import Log, handle_of, source


def everything(home: Path) -> Log:
    log = Log(home)
    log.meta("ai-title", aiTitle="title words")
    log.user("prompt words")
    log.attachment("prompt_snapshot", systemPrompt=["snapshot words"])
    log.assistant({"type": "thinking", "thinking": "thought words", "signature": "signature words"})
    log.say("answer words \x1b[31m")
    log.call("Bash", "t1", {"command": "command words", "deep": {"list": ["deeper words"]}})
    log.result("t1", "output words", {"stdout": "detail words " + "x" * 3000}, behind="behind words")
    log.result("t2", "other output")
    log.attachment("queued_command", prompt="queued words", commandMode="prompt")
    log.attachment("file", filename="a", content={"file": {"content": "file words"}})
    log.user("<system-reminder>reminder words</system-reminder>")
    log.meta("queue-operation", operation="enqueue", content="lost words")
    log.meta("queue-operation", operation="remove")
    log.meta("api-request-blob", message={"content": "blob words"})
    return log


def test_prompts_answers_and_thinking_without_what_repeats_them(home: Path) -> None:
    log = everything(home)
    found = [(item.kind, item.text) for item in source(home).passages(log.handle())]
    assert found == [
        ("prompt", "prompt words"), ("thinking", "thought words"), ("text", "answer words "), ("prompt", "behind words"),
        ("prompt", "queued words"), ("prompt", "lost words"),
    ]  # fmt: skip


def test_tools_on_request(home: Path) -> None:
    log = everything(home)
    tools = [item.text for item in source(home).passages(log.handle(), tools=True) if item.kind == "tool"]
    assert tools == ["command words\ndeeper words", "output words", "other output"]


def test_every_passage_leads_to_a_block_of_its_kind(home: Path) -> None:
    log = everything(home)
    reading, handle = source(home), log.handle()
    blocks = reading.outline(handle).blocks
    places = {(block.place.start, block.kind) for block in blocks} | {(block.result.start, "tool") for block in blocks if block.result}
    orphan = 'other output'
    assert all((item.start, item.kind) in places for item in reading.passages(handle, tools=True) if item.text != orphan)


def test_a_queued_prompt_that_became_a_row_is_found_once(home: Path) -> None:
    log = Log(home)
    log.meta("queue-operation", operation="enqueue", content="later words")
    log.meta("queue-operation", operation="dequeue")
    log.user("later words")
    assert [item.text for item in source(home).passages(log.handle())] == ["later words"]


def test_from_an_offset_on(home: Path) -> None:
    log = everything(home)
    log.write()
    offset = len(log.data())
    log.user("new words")
    log.path.write_bytes(log.data())
    found = [(item.start, item.text) for item in source(home).passages(handle_of(log.path, home), offset)]
    assert found == [(offset, "new words")]


def test_a_result_with_pictures_and_text_blocks_is_not_mistaken_for_words(home: Path) -> None:
    log = Log(home)
    log.call("Read", "t1", {})
    log.result("t1", [{"type": "text", "text": "from the tool"}])
    assert [item.text for item in source(home).passages(log.handle())] == []


def test_a_detail_that_looks_like_the_cut_inside_a_text_costs_nothing(home: Path) -> None:
    log = Log(home)
    log.call("Read", "t1", {})
    log.result("t1", 'a ,"toolUseResult": b' * 200, {"x": "y" * 3000}, behind="kept words")
    assert [item.text for item in source(home).passages(log.handle())] == ["kept words"]


def test_words_in_rows_that_begin_with_what_nobody_said(home: Path) -> None:
    """Whatever a row begins with, the words behind it are heard."""
    log = Log(home)
    log.assistant({"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}, {"type": "text", "text": "behind a call"})
    log.assistant({"type": "tool_use", "id": "t2", "name": "Bash", "input": {}}, {"type": "thinking", "thinking": "thought behind a call"})
    log.assistant({"type": "thinking", "thinking": "", "signature": "s"}, {"type": "thinking", "thinking": "second thought"})
    log.assistant({"type": "thinking", "thinking": "", "signature": "s"}, {"type": "text", "text": "behind what was kept back"})
    log.user([{"type": "image", "source": {}}, {"type": "text", "text": "behind a picture"}])
    log.result("t1", [{"type": "text", "text": "of the tool"}], {"type": "text", "x": "y" * 3000}, behind="behind a result")
    log.attachment("queued_command", prompt=[{"type": "text", "text": "queued as a list"}], commandMode="prompt")
    assert [item.text for item in source(home).passages(log.handle())] == [
        "behind a call", "thought behind a call", "second thought", "behind what was kept back", "behind a picture", "behind a result",
        "queued as a list",
    ]  # fmt: skip


def test_rows_of_old_versions_name_their_type_before_the_message(home: Path) -> None:
    log = Log(home)
    start = '{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/home/ada","sessionId":"s","version":"1.0.17"'
    content = '[{"type":"text","text":"an answer"}]'
    log.raw(f'{start},"type":"assistant","uuid":"a","message":{{"role":"assistant","content":{content}}}}}'.encode())
    log.raw(f'{start},"type":"attachment","uuid":"b","attachment":{{"type":"queued_command","prompt":"a prompt"}}}}'.encode())
    log.raw(f'{start},"type":"attachment","uuid":"c","attachment":{{"type":"hook_success","content":"of a hook"}}}}'.encode())
    assert [item.text for item in source(home).passages(log.handle())] == ["an answer", "a prompt"]


def test_a_row_that_said_nothing_at_first_is_found(home: Path) -> None:
    """As the outline shows it: written twice is what says the same."""
    log = Log(home)
    log.user("", key="a")
    log.user("said at last", key="a")
    log.user("said at last", key="a")
    found = source(home).passages(log.handle())
    assert [item.text for item in found] == ["said at last"]
