"""Tolerant lines: a damaged line costs that line, and what can be saved of it is saved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionbrowser.sources import jsonl

RECORD = {"type": "user", "text": "hello"}
WHOLE = json.dumps(RECORD).encode()


LINES = pytest.mark.parametrize(
    ("line", "records", "damaged"),
    [
        (WHOLE, 1, False),
        (b"\xef\xbb\xbf" + WHOLE, 1, False),
        (b"\x00\x00" + WHOLE + b"\x00\x00", 1, False),
        (WHOLE + b"\r", 1, False),
        (b"\x00\x00\x00", 0, False),
        (b"", 0, False),
        (WHOLE + WHOLE, 2, True),
        (b'{"type":"user","text":"cu' + WHOLE, 0, True),
        (b'{"parentUuid":null,"text":"cu{"type":"user","text":"hello"}', 1, True),
        (b'{"type":"user","text":"cut sh', 0, True),
        (b'{"text":"\\ud83d"}', 1, False),
        (b'{"text":"caf\xe9"}', 1, False),
        (b'{"text":"raw \x01 control"}', 1, False),
        (b"null", 0, True),
        (b"[1, 2]", 0, True),
        (b'{"n": NaN}', 1, False),
        (b"[" * 5000, 0, True),
    ],
)


@LINES
def test_a_sound_line_is_a_record_at_once(line: bytes, records: int, damaged: bool) -> None:
    """What the quick reading gives is what the careful one gives; it gives nothing where that has to look closer."""
    found = jsonl.record(line)
    assert found is None or jsonl.read(line) == ((found,), "")
    assert found is not None or line != WHOLE


@LINES
def test_what_a_line_gives(line: bytes, records: int, damaged: bool) -> None:
    reading = jsonl.read(line)
    assert (len(reading.records), bool(reading.damage)) == (records, damaged)


def test_lone_surrogates_are_replaced_so_that_nothing_downstream_fails() -> None:
    (record,) = jsonl.read(b'{"text":"a\\ud83db"}').records
    assert record == {"text": "a\ufffdb"}


def test_surrogate_pairs_written_as_two_escapes_come_together() -> None:
    (record,) = jsonl.read(b'{"bad":"\\udcb2","text":"\\ud83d\\ude00"}').records
    assert record["text"] == "\U0001f600"


@given(st.binary(max_size=300))
@settings(deadline=None)
def test_no_line_raises(data: bytes) -> None:
    assert all(isinstance(record, dict) for record in jsonl.read(data).records)


@given(st.lists(st.binary(max_size=40).map(lambda b: b.replace(b"\n", b"")), max_size=12), st.booleans(), st.integers(1, 200))
@settings(deadline=None)
def test_lines_head_and_tail_agree_on_offsets(tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], ended: bool, size: int) -> None:
    path = tmp_path_factory.mktemp("lines") / "file.jsonl"
    path.write_bytes(b"\n".join(parts) + (b"\n" if ended else b""))
    data = path.read_bytes()
    every = list(jsonl.lines(str(path)))
    assert all(data[line.offset : line.offset + len(line.data)] == line.data for line in every)
    assert set(jsonl.head(str(path), size)) <= set(every)
    tail, whole = jsonl.tail(str(path), size)
    assert set(tail) <= set(every)
    assert not whole or tail == every


def test_reading_goes_on_from_an_offset(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_bytes(b"one\ntwo\nthree")
    assert [(line.offset, line.data, line.whole) for line in jsonl.lines(str(path), 4)] == [(4, b"two", True), (8, b"three", False)]


def test_a_piece_of_a_file_ends_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"one\ntwo\n")
    assert [jsonl.read_at(str(path), start, length) for start, length in ((4, 3), (4, 99), (99, 1), (0, 0))] == [b"two", b"two\n", b"", b""]


@pytest.mark.parametrize("begin", ['{"timestamp":"2026-05-01T10:00:00Z","type":"event","payload":', '{"parentUuid":null,"message":', '{"type":"event","payload":'])
def test_a_record_behind_one_that_was_cut_is_read_whole(begin: str) -> None:
    """Whatever it begins with, and though parts of both look like records."""
    broken = f'{begin}{{"type":"message","content":[{{"type":"text","text":"hal'
    whole = f'{begin}{{"type":"message","text":"whole"}}}}'
    reading = jsonl.read((broken + whole).encode())
    assert list(reading.records) == [json.loads(whole)]


def test_a_record_of_another_kind_behind_the_last_row_is_read() -> None:
    reading = jsonl.read(b'{"parentUuid":null,"a":1}{"parentUuid":"x","b{"type":"title","text":"t"}')
    assert reading.records == ({"parentUuid": None, "a": 1}, {"type": "title", "text": "t"})


def test_numbers_without_an_end_are_none() -> None:
    reading = jsonl.read(b'{"a":NaN,"b":-Infinity,"c":1e999,"d":1.5}')
    assert reading == (({"a": None, "b": None, "c": None, "d": 1.5},), "")


@pytest.mark.parametrize("filling", [0, 1, jsonl.NEAR, jsonl.CHUNK - 20, jsonl.CHUNK, jsonl.CHUNK * 2 + 3])
def test_lines_with_a_mark_are_found_from_the_end(tmp_path: Path, filling: int) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"mark":1}\n{"a":"' + b"x" * filling + b'","mark":2}\n' + b"y" * filling + b"\n")
    found = dict.fromkeys(jsonl.last_with(str(path), b'"mark"'))  # a line over two readings may come twice
    assert list(found) == [jsonl.Line(11, b'{"a":"' + b"x" * filling + b'","mark":2}', True), jsonl.Line(0, b'{"mark":1}', True)]


def test_a_line_of_many_readings_is_found_whole_by_a_mark_at_its_beginning(tmp_path: Path) -> None:
    """And ends where it ends."""
    line = b'{"mark":"' + b"y" * (5 * jsonl.NEAR) + b'"}'
    path = tmp_path / "long.jsonl"
    path.write_bytes(b'{"a":1}\n' + line + b'\n{"b":2}\n')
    (found,) = jsonl.last_with(str(path), b'"mark"')
    assert (found.offset, found.data) == (8, line)
