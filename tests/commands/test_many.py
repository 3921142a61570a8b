"""Commands that look at many sessions: stats, timeline, report, diff, digest; and the skill file."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import pytest

LOGIN = "e2e674a8-232e-58ac-834d-9f2b7c49a6c4"
FIELDS = ("prompts", "answers", "tool_calls", "tool_results", "tool_errors", "compactions", "interrupts")


FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "home"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cache of the invented sessions, filled once."""
    return str(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def env(env, cache: str):
    """The surroundings in the invented home as it lies there: nothing here writes to it."""
    return env._replace(home=str(FIXTURES), variables={"XDG_CACHE_HOME": cache})


def agree(sb, *where: str) -> None:
    sessions = sb("list", "--json", "--exact", *where).json()["sessions"]
    totals = sb("stats", "--json", *where).json()["totals"]
    for field in FIELDS:
        assert totals[field] == sum(session[field] or 0 for session in sessions), field
    for kind in ("input", "output", "cache_read", "cache_write"):
        assert totals["tokens"][kind] == sum((session["tokens"] or {}).get(kind, 0) for session in sessions)
    assert totals["sessions"] == sum(session["prompts"] is not None for session in sessions)


def test_statistics_agree_with_the_list(sb) -> None:
    """Every count, every kind of token."""
    agree(sb)
    agree(sb, "--all")


def test_statistics_agree_with_the_list_on_real_files(sb, env, corpus_home: Path, tmp_path: Path) -> None:
    """Of every agent there is."""
    there = env._replace(home=str(corpus_home), cwd=str(corpus_home), variables={"XDG_CACHE_HOME": str(tmp_path / "other")})
    agree(lambda *arguments: sb(*arguments, env=there))


def test_views_agree_with_the_list(sb) -> None:
    """Prompts, calls and failed calls of every session."""
    for session in sb("list", "--json", "--exact").json()["sessions"]:
        def blocks(view: str, name: str = session["id"]) -> list[dict]:
            turns = sb("show", name, "--view", view, "--format", "json").json()["turns"]
            return [item for turn in turns for item in [turn["prompt"], *turn["blocks"]] if item]

        assert len(blocks("tools")) == session["tool_calls"]
        assert sum(block.get("ok") is False for block in blocks("errors")) == session["tool_errors"]
        assert sum(block["kind"] != "subagent" for block in blocks("prompts")) == session["prompts"]


def test_statistics_by_file_name_the_sessions(sb) -> None:
    """Those that changed it; subagents count when hidden sessions do."""
    files = {row["file"]: row for row in sb("stats", "--by", "file", "--json", "branch:feat/login").json()["by_file"]}
    assert files["/home/ada/src/api/tests/test_login.py"]["ids"] == [LOGIN]
    assert "/home/ada/src/api/api/login.py" in {row["file"] for row in sb("stats", "--by", "file", "--json", "branch:feat/login", "--all").json()["by_file"]}


def test_statistics_say_what_it_cost(sb, tmp_path: Path) -> None:
    """Where the configuration knows the prices."""
    config = tmp_path / "prices.toml"
    config.write_text('[prices]\ncurrency = "€"\nclaude-sonnet = { input = 3, output = 15, cache_read = 0.3 }\n')
    made = sb("stats", "--json", "--config", str(config), f"id:{LOGIN}").json()
    assert made["currency"] == "€"
    tokens = made["totals"]["tokens"]
    assert made["totals"]["cost"] == pytest.approx((tokens["input"] * 3 + tokens["output"] * 15 + tokens["cache_read"] * 0.3 + tokens["cache_write"] * 3) / 1e6, abs=1e-4)
    assert "€" in sb("stats", "--config", str(config)).out and "€" not in sb("stats").out


def test_the_timeline_is_in_order(sb) -> None:
    """Stretches, pauses between them, half-open windows."""
    made = sb("timeline", "--json", "--since", "2026-05-14T12:00Z", "--until", "2026-05-14T14:03Z").json()
    times = [event["time"] for part in made["stretches"] for event in part["events"]]
    assert times == sorted(times) and times[0] >= "2026-05-14T12:00" and times[-1] < "2026-05-14T14:03"
    assert len(made["idle"]) == len(made["stretches"]) - 1
    assert all(pause["seconds"] > 1800 for pause in made["idle"])


def test_a_timeline_of_nothing_says_so(sb) -> None:
    """On stderr; the exit status tells it too."""
    ran = sb("timeline", "--since", "3000-01-01")
    assert (ran.code, ran.out, ran.err) == (1, "", "sb: nothing happened in what was asked for\n")


def test_times_in_another_zone(sb) -> None:
    """For people; JSON stays in UTC; a zone nobody knows is refused."""
    assert "2026-05-14 23:02" in sb("timeline", f"id:{LOGIN}", "--tz", "Asia/Tokyo").out
    assert "2026-05-14 14:02" in sb("timeline", f"id:{LOGIN}").out
    assert [sb("timeline", "--tz", zone).code for zone in ("Moon/Crater", "")] == [2, 2]
    (row,) = sb("report", f"id:{LOGIN}", "--json", "--tz", "Asia/Tokyo").json()["rows"]
    assert row["first"] == "2026-05-14T14:02:05Z"


@pytest.mark.parametrize("by", ["session", "project", "source", "day"])
def test_a_report_counts_every_second_once(sb, by: str) -> None:
    """However it is grouped, attention and prompts sum up to the total."""
    made = sb("report", "--json", "--by", by).json()
    assert sum(row["attention_seconds"] for row in made["rows"]) == pytest.approx(made["total"]["attention_seconds"], abs=0.1)
    assert sum(row["prompts"] for row in made["rows"]) == made["total"]["prompts"]
    assert by == "session" or all(row["attention_seconds"] <= row["wall_seconds"] + 0.001 for row in [*made["rows"], made["total"]])
    assert made["total"]["prompts"] + made["prompts_without_time"] + made["prompts_shared"] == sb("stats", "--json").json()["totals"]["prompts"]


def test_the_wall_time_of_a_session_is_from_its_first_to_its_last_moment(sb) -> None:
    """However many prompts went to it from elsewhere."""
    for row in sb("report", "--json").json()["rows"]:
        first, last = (datetime.fromisoformat(row[name].replace("Z", "+00:00")) for name in ("first", "last"))
        assert row["wall_seconds"] == pytest.approx((last - first).total_seconds(), abs=0.002)


def test_of_days_the_last_are_told(sb) -> None:
    """Of anything else those with most attention."""
    rows = sb("report", "--by", "day", "--json").json()["rows"]
    shown = sb("report", "--by", "day", "--limit", "2").out.splitlines()
    assert [line.split()[0] for line in shown[1:3]] == [row["day"] for row in rows[-2:]]


def test_a_longer_break_gives_no_less_attention(sb) -> None:
    """And what is no span of time is refused."""
    spent = [sb("report", "--json", "--break", span).json()["total"]["attention_seconds"] for span in ("1m", "10m", "2h")]
    assert spent == sorted(spent) and spent[0] < spent[2]
    assert sb("report", "--break", "soon").code == 2


def test_two_subagents_side_by_side(sb) -> None:
    """By the clock when they ran at the same time, else each from its beginning."""
    made = sb("diff", "agent-a1f3c07b", "agent-a77be01c5", "--json").json()
    assert made["by"] == "clock" and any(row["right"] for row in made["rows"])
    assert sb("diff", LOGIN, "ses_4a01", "--json").json()["by"] == "start"
    assert " | " in sb("diff", LOGIN, "ses_4a01").out  # the tests name no locale: signs are those of ASCII


def test_a_digest_picks_writes_and_tells_why(sb, tmp_path: Path) -> None:
    """First the branch, then the words; files of bounded size; an inventory to cite."""
    ran = sb("digest", "login", "refresh", "--to", str(tmp_path / "d"), "--min-size", "0", "--branch", "feat/login", "--errors", "--max-bytes", "1000")
    made = ran.json()
    first = made["chosen"][0]
    assert (first["id"], first["keyword_matches"]["login"] > 0, first["why"][0]) == (LOGIN, True, "on branch feat/login")
    assert made["searched"]["sessions"] == sum(made["searched"]["by_source"].values()) and made["searched"]["from"] < made["searched"]["to"]
    written = {file["path"] for entry in made["chosen"] for file in entry["files"]}
    assert written == {str(path) for path in (tmp_path / "d").iterdir()} and len(written) >= 3
    assert all(Path(path).stat().st_size <= 1000 for path in written)
    assert any(file["cut"] for entry in made["chosen"] for file in entry["files"])


def test_a_digest_takes_the_branch_of_the_directory(sb, env, tmp_path: Path) -> None:
    """Read from its repository, without running anything."""
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / ".git" / "HEAD").write_text("ref: refs/heads/feat/login\n")
    here = env._replace(cwd=str(tmp_path / "repo"))
    made = sb("digest", "--to", str(tmp_path / "d"), "--min-size", "0", "--limit", "1", env=here).json()
    assert made["searched"]["branch"] == "feat/login" and made["chosen"][0]["branch"] == "feat/login"


def test_nothing_to_digest_is_one_line(sb, tmp_path: Path) -> None:
    """Exit status 1, no folder made."""
    ran = sb("digest", "zeppelin", "--to", str(tmp_path / "d"), "--min-size", "0")
    assert (ran.code, ran.out) == (1, "no relevant prior sessions\n")
    assert not (tmp_path / "d").exists()


def test_a_digest_never_writes_through_a_link(sb, tmp_path: Path) -> None:
    """Nor over what is no file."""
    arguments = ("digest", f"id:{LOGIN}", "--to", str(tmp_path / "d"), "--min-size", "0")
    path = Path(sb(*arguments).json()["chosen"][0]["files"][0]["path"])
    path.unlink()
    path.symlink_to(tmp_path / "victim")
    assert sb(*arguments).code == 2 and not (tmp_path / "victim").exists()


def test_what_subagents_did(sb) -> None:
    """Their answers, tools and files, each its own."""
    root = sb("tree", LOGIN, "--finals", "--tools", "--files", "--json").json()["root"]
    fix = next(child for child in root["children"] if child["description"] == "write the fix")
    assert [file["path"] for file in fix["files"]] == ["api/login.py"]
    assert {tool["name"] for tool in fix["tools"]} == {"Bash", "Edit"}
    explore = next(child for child in root["children"] if child["description"] == "find the callers")
    assert explore["final"].startswith("refresh() is called in three places")
    assert "final" not in sb("tree", LOGIN, "--tools", "--json").json()["root"]


def test_commands_of_the_skill_file_work(sb, tmp_path: Path) -> None:
    """Every one of them, with something put in for what it names."""
    text = sb("skill").out
    assert text.startswith("---\nname: earlier-sessions\ndescription: ")
    found = re.findall(r"`(sb [^`]+)`", text) + re.findall(r"^ +(sb .+?)(?: +#.*)?$", text, re.M)
    tried = 0
    for line in found:
        line = re.sub(r"\[[^\]]*\]", "", line).replace("one,two,\"three words\"", "login,refresh")
        for name, value in (("ID", LOGIN), ("WORDS", "login"), ("QUERY", "login"), ("DIR", str(tmp_path / "d"))):
            line = re.sub(rf"\b{name}\b", value, line)
        if " " not in line or ":" in line.split()[1]:
            continue
        assert line.endswith("--safe"), line
        ran = sb(*line.split()[1:], *(("--min-size", "0") if "digest" in line else ()))
        assert ran.code == 0 or (ran.code == 1 and "before-compaction" in line), (line, ran.err)
        tried += 1
    assert tried >= 10
