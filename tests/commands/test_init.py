"""`sb init`: scripts the shells can read, a channel television can read, completions of everything that can be typed."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from sessionbrowser import cli
from sessionbrowser.commands.init import CHECKED
from sessionbrowser.paths import Environment
from sessionbrowser.query.fields import FIELDS
from sessionbrowser.sources import REGISTRY

from .conftest import FIRST, SECOND, Sb, Write

SHELLS = ("bash", "zsh", "fish")


def completed(sb: Sb, *words: str) -> list[str]:
    """The words a shell is offered for the last of `words`."""
    return [line.split("\t")[0] for line in sb("init", "--shell", "fish", "complete", "--", "--", "sb", *words).out.splitlines()]


@pytest.mark.parametrize("shell", [*SHELLS, "fzf"])
def test_the_shell_can_read_its_script(sb: Sb, shell: str) -> None:
    """Nothing of the template is left in it."""
    program = "bash" if shell == "fzf" else shell
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    script = sb("init", shell).out
    assert re.search("@[A-Z]+@", script) is None
    assert subprocess.run([program, "-n"], input=script, text=True, capture_output=True).returncode == 0


@pytest.mark.parametrize(("key", "bound"), [("alt-g", {"bash": r'"\eg"', "zsh": "'^[g'", "fish": r"\eg"}), ("ctrl-g", {"bash": r'"\C-g"', "zsh": "'^G'", "fish": r"\cg"})])
@pytest.mark.parametrize("shell", SHELLS)
def test_the_key_can_be_chosen(sb: Sb, shell: str, key: str, bound: dict[str, str]) -> None:
    """In each shell's own words."""
    assert bound[shell] in sb("init", shell, "--key", key).out


@pytest.mark.parametrize("key", ["'; rm -rf ~; '", "hyper-x", "ctrl-1"])
def test_a_key_that_is_none_is_refused(sb: Sb, key: str) -> None:
    """It would stand in a script."""
    assert sb("init", "bash", "--key", key)[:2] == (2, "")


def test_a_program_that_is_not_found_by_name_is_called_by_its_path(sb: Sb, env: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Quoted."""
    program = tmp_path / "it's here" / "sb"
    program.parent.mkdir()
    program.write_text("")
    program.chmod(0o755)
    monkeypatch.setattr("sys.argv", [str(program)])
    there = env._replace(variables={**env.variables, "PATH": "/nowhere"})
    script = sb("init", "bash", env=there).out
    assert str(program).replace("'", "'\"'\"'") in script
    assert subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True).returncode == 0


# ── television ──

SECTIONS = {"metadata", "source", "preview", "ui", "keybindings", "actions"}
KEYS = {
    "metadata": {"name", "description", "requirements"},
    "source": {"command", "ansi", "display", "output", "watch", "entry_delimiter", "no_sort", "frecency"},
    "preview": {"command", "env", "offset", "header", "footer"},
    "actions": {"description", "command", "mode", "separator"},
}  # as television 0.15 documents its channels


def test_the_channel_is_one_that_television_documents(sb: Sb) -> None:
    """Sections, keys, modes; every key leads to an action that is there."""
    channel = tomllib.loads(sb("init", "television").out)
    assert set(channel) == SECTIONS
    for name in ("metadata", "source", "preview"):
        assert set(channel[name]) <= KEYS[name]
    for action in channel["actions"].values():
        assert set(action) <= KEYS["actions"]
        assert action["mode"] in ("fork", "execute")
    bound = {value.removeprefix("actions:") for value in channel["keybindings"].values()}
    assert bound == set(channel["actions"]) == {"resume", "copy_id", "copy_command", "copy_directory", "copy_specstory", "open_specstory", "edit"}


def test_the_channel_goes_round_the_sources(sb: Sb) -> None:
    """All first, then one after the other."""
    commands = tomllib.loads(sb("init", "television").out)["source"]["command"]
    assert commands[0] == "sb init rows"
    assert [command.rsplit(" ", 1)[1] for command in commands[1:]] == [item.name for item in REGISTRY]


def test_only_the_id_passes_through_templates(sb: Sb) -> None:
    """They do not quote: nothing else of a row may stand in a command."""
    channel = tomllib.loads(sb("init", "television").out)
    commands = [*channel["preview"]["command"], *(action["command"] for action in channel["actions"].values())]
    for command in commands:
        assert command.count("{") == command.count("{split:\\t:2}") + command.count("${EDITOR")


def test_only_checked_ids_are_rows(sb: Sb, home: Path, write: Write) -> None:
    """A file may be called anything."""
    write(FIRST, prompt="fine")
    write("a'; touch pwned; '", prompt="not fine")
    write("-x", prompt="not fine either")
    assert [line.split("\t")[2] for line in sb("init", "rows").out.splitlines()] == [FIRST]
    assert CHECKED.fullmatch("$(id)") is None


def test_the_channel_is_written_where_it_is_looked_for(sb: Sb, home: Path) -> None:
    """A file that a person changed is left alone."""
    path = home / ".config" / "television" / "cable" / "sb.toml"
    assert sb("init", "television", "--write").out == "~/.config/television/cable/sb.toml\n"
    assert path.read_text() == sb("init", "television").out
    assert sb("init", "television", "--write").code == 0
    path.write_text("mine")
    assert sb("init", "television", "--write").code == 2
    assert path.read_text() == "mine"
    assert sb("init", "television", "--write", "--force").code == 0


def test_shells_keep_their_own_files(sb: Sb) -> None:
    """Nothing is written into them."""
    assert sb("init", "bash", "--write").code == 2


# ── completions ──


def test_commands_are_completed(sb: Sb) -> None:
    """Those that are there."""
    assert completed(sb, "pi") == ["pick"]
    assert {"list", "show", "pick", "init", "whoami"} <= set(completed(sb, "")) <= {item.name for item in cli.COMMANDS}


def test_options_are_completed_for_every_command(sb: Sb) -> None:
    """By asking the command itself."""
    for name in completed(sb, ""):
        assert "--help" in completed(sb, name, "--"), name
    assert completed(sb, "show", "--vi") == ["--view"]


def test_values_of_options_are_completed(sb: Sb) -> None:
    """Choices, sources, forms, folders; behind a blank or an equals sign."""
    assert completed(sb, "show", "--view", "pro") == ["prompts"]
    assert completed(sb, "list", "--source", "cl") == ["claude"]
    assert completed(sb, "--source", "cl") == ["claude"]
    assert completed(sb, "pick", "--preview=b") == ["--preview=bottom"]
    assert "cwd" in completed(sb, "pick", "--print", "")


def test_folders_are_completed(sb: Sb, home: Path) -> None:
    """For --root and what else takes one."""
    (home / "old store").mkdir()
    assert completed(sb, "list", "--root", "old") == ["old store/"]
    assert "mirror" in completed(sb, "list", "--root", "m")


def test_ids_are_completed_with_their_titles(sb: Sb, write: Write) -> None:
    """From the last load: nothing is waited for."""
    write(FIRST, title="mend it")
    write(SECOND)
    sb("list")
    assert completed(sb, "show", FIRST[:4]) == [FIRST]
    assert completed(sb, "path", "@") == ["@last", "@prev", "@here"]
    line = sb("init", "--shell", "fish", "complete", "--", "--", "sb", "resume", FIRST[:4]).out
    assert "mend it" in line


def test_fields_of_the_box_and_their_values_are_completed(sb: Sb, write: Write) -> None:
    """Where a query stands, -q and -f included."""
    write(FIRST, branch="feat/login")
    sb("list")
    assert set(completed(sb, "list", "")) == {f"{spec.name}:" for spec in FIELDS}
    assert completed(sb, "list", "bra") == ["branch:"]
    assert completed(sb, "pick", "-q", "branch:fe") == ["branch:feat/login"]
    assert completed(sb, "search", "--", "-bran") == ["-branch:"]


@pytest.mark.parametrize(
    ("line", "offered"),
    [("sb list branch:fe", "feat/login\n"), ("sb list 'branch:fe", "feat/login\n"), ("sb sh", "show\n"), ("sb show --view=pr", "prompts\n")],
)
def test_bash_is_offered_what_it_replaces(sb: Sb, write: Write, line: str, offered: str) -> None:
    """It breaks words at colons and equals signs."""
    write(FIRST, branch="feat/login")
    sb("list")
    assert sb("init", "--shell", "bash", "--breaks", " \t\n\"'><=;|&(:", "complete", "--", "--", line).out == offered


def test_what_bash_is_offered_is_quoted(sb: Sb, write: Write) -> None:
    """A branch may be called anything."""
    write(FIRST, branch="a;touch pwned")
    sb("list")
    assert sb("init", "--shell", "bash", "--breaks", ":=", "complete", "--", "--", "sb list branch:a").out == "'\"a;touch pwned\"'\n"
