"""`sb export` and `sb digest`: formats, names, and files that are there already."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import FIRST, SECOND, Sb, Write


def test_markdown_goes_to_standard_output(sb: Sb, write: Write) -> None:
    write(FIRST, prompt="tidy the kitchen")
    ran = sb("export", FIRST)
    assert ran.code == 0
    assert "> tidy the kitchen" in ran.out


def test_json_is_the_transcript(sb: Sb, write: Write) -> None:
    write(FIRST, prompt="tidy the kitchen")
    value = sb("export", FIRST, "--format", "json").json()
    assert (value["schema"], value["session"]["id"], value["turns"][0]["prompt"]["text"]) == (1, FIRST, "tidy the kitchen")


def test_a_page_goes_to_a_file(sb: Sb, write: Write, tmp_path: Path) -> None:
    write(FIRST)
    assert sb("export", FIRST, "--format", "html", "--output", str(tmp_path / "a.html")).code == 0
    assert "<html" in (tmp_path / "a.html").read_text()


def test_a_file_that_is_there_is_not_overwritten(sb: Sb, write: Write, tmp_path: Path) -> None:
    write(FIRST)
    (tmp_path / "a.md").write_text("precious")
    ran = sb("export", FIRST, "--output", str(tmp_path / "a.md"))
    assert (ran.code, (tmp_path / "a.md").read_text()) == (2, "precious")


def test_specstory_writes_into_the_project(sb: Sb, write: Write, tmp_path: Path) -> None:
    """Under the name SpecStory would give it; the path is printed."""
    write(FIRST, prompt="tidy the kitchen up", cwd=str(tmp_path))
    ran = sb("export", FIRST, "--format", "specstory")
    path = tmp_path / ".specstory" / "history" / "2026-05-01_10-00-00Z-tidy-the-kitchen-up.md"
    assert (ran.code, ran.out) == (0, f"{path}\n")
    assert f"<!-- Claude Code Session {FIRST} (2026-05-01 10:00:00Z) -->" in path.read_text()


def test_specstory_never_writes_over_another_session(sb: Sb, write: Write, tmp_path: Path) -> None:
    """Two sessions of the same second and the same words."""
    for identity in (FIRST, SECOND):
        write(identity, prompt="tidy the kitchen up", cwd=str(tmp_path))
    assert sb("export", FIRST, "--format", "specstory").code == 0
    ran = sb("export", SECOND, "--format", "specstory")
    assert ran.code == 2
    assert f"belongs to session {FIRST}" in ran.err


def test_a_project_that_is_gone_asks_where_to(sb: Sb, write: Write, tmp_path: Path) -> None:
    write(FIRST, cwd=str(tmp_path / "gone"))
    assert "--to DIR" in sb("export", FIRST, "--format", "specstory").err
    assert sb("export", FIRST, "--format", "specstory", "--to", str(tmp_path / "here")).code == 0
    assert len(list((tmp_path / "here").iterdir())) == 1


def test_json_in_a_folder_is_a_whole_document(sb: Sb, write: Write, tmp_path: Path) -> None:
    write(FIRST, prompt="tidy the kitchen up")
    assert sb("export", FIRST, "--format", "json", "--to", str(tmp_path)).code == 0
    assert json.loads((tmp_path / "2026-05-01_10-00-00Z-tidy-the-kitchen-up.json").read_text())["schema"] == 1


def test_the_specstory_file_of_a_session_is_printed(sb: Sb, write: Write, tmp_path: Path) -> None:
    """Found by the session's directory; exit status 1 where there is none."""
    write(FIRST, prompt="tidy the kitchen up", cwd=str(tmp_path))
    write(SECOND, cwd=str(tmp_path))
    path = sb("export", FIRST, "--format", "specstory").out
    assert sb("path", FIRST, "--specstory")[:2] == (0, path)
    assert sb("path", SECOND, "--specstory").code == 1


def test_several_of_one_second_and_one_title_get_a_file_each(sb: Sb, write: Write, tmp_path: Path) -> None:
    """As forks do, and titles without a letter: the second one's name holds its id."""
    for identity in (FIRST, SECOND):
        write(identity, prompt="tidy the kitchen up")
    ran = sb("export", FIRST, SECOND, SECOND, "--to", str(tmp_path / "d"))
    begin = "2026-05-01_10-00-00Z-tidy-the-kitchen-up"
    assert ran.code == 0
    assert sorted(path.name for path in (tmp_path / "d").iterdir()) == sorted([f"{begin}.md", f"{begin}-{SECOND.replace('-', '')}.md"])


def test_one_that_is_there_already_does_not_stop_the_others(sb: Sb, write: Write, tmp_path: Path) -> None:
    """It is said, and the exit status tells."""
    write(FIRST, prompt="tidy the kitchen up")
    write(SECOND, prompt="water the plants")
    (tmp_path / "2026-05-01_10-00-00Z-tidy-the-kitchen-up.md").write_text("precious")
    ran = sb("export", FIRST, SECOND, "--to", str(tmp_path))
    assert (ran.code, ran.err.count("is there already")) == (2, 1)
    assert "water the plants" in (tmp_path / "2026-05-01_10-00-00Z-water-the-plants.md").read_text()
    assert (tmp_path / "2026-05-01_10-00-00Z-tidy-the-kitchen-up.md").read_text() == "precious"


def test_a_file_is_no_folder_to_write_into(sb: Sb, write: Write, tmp_path: Path) -> None:
    write(FIRST)
    (tmp_path / "file").write_text("")
    ran = sb("export", FIRST, "--to", str(tmp_path / "file"))
    assert (ran.code, ran.err.rstrip().endswith("file is no folder")) == (2, True)


@pytest.mark.parametrize("name", ["new/", "there", "there/"])
def test_a_folder_is_no_file_to_write(sb: Sb, write: Write, tmp_path: Path, name: str) -> None:
    """Whether it is there already or not; nothing is made under its name."""
    write(FIRST)
    (tmp_path / "there").mkdir()
    for command in (("export",), ("show", "--format", "markdown")):
        ran = sb(*command, FIRST, "--output", f"{tmp_path}/{name}")
        assert ran.code == 2 and "is a folder and no file" in ran.err
    assert "--to DIR" in sb("export", FIRST, "--output", f"{tmp_path}/{name}").err
    assert [path.name for path in tmp_path.iterdir() if path.name not in ("home", "cache")] == ["there"]


def test_sessions_of_a_digest_never_share_a_file(sb: Sb, write: Write, tmp_path: Path) -> None:
    """Ids that begin alike, one time, one title: what is cited must be what was chosen."""
    ids = [f"0a0a0a0a-{number}-4000-8000-00000000000{number[0]}" for number in ("1111", "2222")]
    for identity in ids:
        write(identity, prompt="tidy the kitchen up")
    made = sb("digest", "kitchen", "--to", str(tmp_path / "d"), "--min-size", "0").json()
    paths = {entry["id"]: entry["files"][0]["path"] for entry in made["chosen"] if entry["id"] in ids}
    assert len(paths) == len(set(paths.values())) == 2
