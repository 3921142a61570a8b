"""The README's reference: every command and view with what it prints of the invented sessions.

`python -m tests.reference` writes it anew; a test compares.
"""

from __future__ import annotations

import io
import os
import re
import sys
import tempfile
import time
from contextlib import redirect_stderr
from pathlib import Path
from typing import NamedTuple

from sessionbrowser import cli
from sessionbrowser.paths import Environment
from sessionbrowser.text import cut

REPOSITORY = Path(__file__).resolve().parent.parent
HOME = REPOSITORY / "fixtures" / "home"
README = REPOSITORY / "README.md"
NOW = 1778770800.0  # 2026-05-14 15:00 UTC
BEGIN, END = "<!-- reference: python -m tests.reference -->\n", "<!-- end of reference -->\n"
WIDTH = 96


class Row(NamedTuple):
    """A command as one types it, and which of the lines it prints are shown."""

    command: str
    lines: int = 3
    skip: int = 0


LOGIN = "e2e674a8"
ROWS = (
    Row("sb list project:api after:2d", 3), Row("sb search --keywords login,refresh", 2),
    Row("sb list --json --exact id:e2e674a8", 1),
    Row(f"sb show {LOGIN} --turns 1", 5, 3), Row(f"sb show {LOGIN} --view conversation --last 1", 4, 3),
    Row(f"sb show {LOGIN} --view prompts --format json", 1), Row(f"sb show {LOGIN} --view skeleton", 6, 3),
    Row(f"sb show {LOGIN} --view skeleton --agents --turns 2", 5, 3), Row(f"sb show {LOGIN} --view errors", 3),
    Row(f"sb show {LOGIN} --view tools --tool Grep", 4), Row(f"sb show {LOGIN} --view files --agents", 3),
    Row(f"sb show {LOGIN} --view files --file tests/test_login.py", 4, 3), Row(f"sb show {LOGIN} --view final", 1),
    Row(f"sb show {LOGIN} --view brief", 6), Row("sb show 0ae1e301 --view special", 3), Row(f"sb show {LOGIN} --view advisor", 1),
    Row("sb show 019e25f0 --view environment", 5), Row("sb show f584bf9b --view before-compaction --last 1", 4, 3),
    Row(f"sb show {LOGIN} --role assistant --since 14:50", 3, 3), Row(f"sb show {LOGIN} --format markdown --output OUT", 1),
    Row("sb search refresh --limit 2", 3), Row(f"sb tree {LOGIN}", 4), Row(f"sb tree {LOGIN} --finals --tools --files", 5, 5),
    Row("sb pick -f retry --print id", 2), Row(f"sb path {LOGIN}", 1), Row(f"sb resume {LOGIN} --print --in /", 1), Row("sb export e2e674a8 --format html", 2),
    Row("sb digest login refresh --to OUT --min-size 0 --limit 1 --safe", 9, 62), Row("sb stats --by source --limit 2", 5),
    Row("sb stats --by file branch:feat/login --all", 3, 3), Row(f"sb timeline id:{LOGIN}", 4), Row("sb report --by project", 4),
    Row("sb diff agent-a1f3c07b agent-a77be01c5 --width 90", 5), Row("sb doctor --source claude", 3), Row("sb index --status", 2), Row("sb whoami", 1),
    Row("sb init fish", 1), Row("sb skill", 2),
)  # fmt: skip


def environment(folder: Path) -> Environment:
    """The surroundings of ada, whose terminal is 96 cells wide and whose clock is stopped."""
    variables = {"XDG_CACHE_HOME": str(folder / "cache"), "LC_ALL": "C.UTF-8", "COLUMNS": str(WIDTH), "SHELL": "/bin/bash",
                 "SB_RECORDS_STORE": str(HOME / ".local" / "share" / "ada" / "records"), "CLAUDE_CODE_SESSION_ID": "fc9b84c8-e773-5a97-947d-eaa0d09861b8"}  # fmt: skip
    return Environment(str(HOME), variables, str(HOME / "src" / "api"), "linux", NOW)


def printed(row: Row, folder: Path) -> list[str]:
    """The lines of the README for a row, run in `folder`."""
    import shlex

    env = environment(folder)
    out, err = io.BytesIO(), io.StringIO()
    words = [word.replace("OUT", str(folder / "out")) for word in shlex.split(row.command)[1:]]
    kept = sys.stdout
    sys.stdout = io.TextIOWrapper(out, encoding="utf-8", errors="surrogateescape", write_through=True)
    try:
        with redirect_stderr(err):
            cli.run(words, env)
        sys.stdout.flush()
    finally:
        sys.stdout.detach()  # type: ignore[attr-defined]
        sys.stdout = kept
    said = out.getvalue().decode("utf-8", "replace") or err.getvalue()
    said = said.replace(str(HOME), "~").replace(str(folder / "out"), "OUT").replace(str(folder), "~")
    lines = [line.rstrip() for line in said.replace("\t", "  ").split("\n") if line.strip()]
    return [cut(line, WIDTH) for line in lines[row.skip : row.skip + row.lines]]


def cell(text: str) -> str:
    """A line of output as code in a cell of a table."""
    text = text.replace("|", "\\|")
    ticks = "``" if "`" in text else "`"
    return f"{ticks}{' ' if '`' in text else ''}{text}{' ' if '`' in text else ''}{ticks}"


def table() -> str:
    """The whole of it."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    rows = ["| | |\n|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        for number, row in enumerate(ROWS):
            place = Path(folder) / str(number)
            place.mkdir()
            shown = "<br>".join(cell(line) for line in printed(row, place))
            rows.append(f"| {cell(row.command)} | {shown} |")
    return "\n".join(rows) + "\n"


def stored() -> str:
    """What the README has."""
    text = README.read_text(encoding="utf-8")
    found = re.search(re.escape(BEGIN) + "(.*?)" + re.escape(END), text, re.S)
    return found[1].strip("\n") + "\n" if found else ""


def main() -> None:
    text = README.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    README.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
