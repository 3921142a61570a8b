"""`sb` as a process: closed pipes, a full disk, nothing written where agents keep their files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "home"
COMMANDS = [
    ["list", "--json", "--all", "--exact"], ["list", "login"], ["list", "--tsv", "--header"], ["tree", "e2e674a8"], ["path", "@last"],
    ["resume", "e2e674a8", "--print"], ["doctor", "--json"], ["doctor", "e2e674a8"], ["show", "e2e674a8"], ["show", "e2e674a8", "--format", "json"],
]  # fmt: skip


@pytest.fixture
def surroundings(demo_home: Path, tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(demo_home), "PATH": os.environ["PATH"], "XDG_CACHE_HOME": str(tmp_path / "cache"), "TZ": "UTC",
            "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}  # fmt: skip


def sb(surroundings: dict[str, str], *arguments: str, **more: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "sessionbrowser", *arguments], env=surroundings, capture_output=True, **more)  # type: ignore[call-overload, no-any-return]


def everything(folder: Path) -> Iterator[tuple[str, tuple[int, ...], bytes]]:
    """What a folder holds and when it was written, but for the times of access."""
    for base, folders, files in os.walk(folder):
        for name in sorted([*folders, *files, "."]):
            path = os.path.join(base, name)
            stat = os.lstat(path)
            data = Path(path).read_bytes() if os.path.isfile(path) else b""
            yield path, (stat.st_mode, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_nlink), data


def test_nothing_changes_where_agents_keep_their_files(surroundings: dict[str, str], demo_home: Path) -> None:
    """Neither content nor times nor names, whatever is asked; the cache is elsewhere."""
    before = list(everything(demo_home))
    for arguments in COMMANDS:
        ran = sb(surroundings, *arguments)
        assert b"Traceback" not in ran.stderr
    assert list(everything(demo_home)) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_store_that_may_only_be_read_is_read(surroundings: dict[str, str], demo_home: Path) -> None:
    """Databases included."""
    usual = sb(surroundings, "list", "--json", "--all", "--no-cache").stdout
    for base, _, files in os.walk(demo_home):
        for name in files:
            os.chmod(os.path.join(base, name), 0o444)
        os.chmod(base, 0o555)
    try:
        assert sb(surroundings, "list", "--json", "--all", "--no-cache").stdout == usual
    finally:
        for base, _, _ in os.walk(demo_home):
            os.chmod(base, 0o755)


def test_output_that_is_closed_early_is_no_error(surroundings: dict[str, str]) -> None:
    """As in `sb list --json | head -c 1`."""
    process = subprocess.Popen([sys.executable, "-m", "sessionbrowser", "list", "--json", "--all"], env=surroundings,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), errors) == (0, b"")


def test_output_that_was_never_open(surroundings: dict[str, str]) -> None:
    """As in `sb list >&-`: one line at most, no traceback."""
    ran = subprocess.run(["sh", "-c", f"exec '{sys.executable}' -m sessionbrowser list --json >&-"], env=surroundings, capture_output=True)
    assert b"Traceback" not in ran.stderr
    assert ran.returncode == 2 and ran.stderr.count(b"\n") == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_output_to_a_full_disk(surroundings: dict[str, str]) -> None:
    """One line, exit status 2."""
    with open("/dev/full", "wb") as full:
        ran = subprocess.run([sys.executable, "-m", "sessionbrowser", "list", "--json"], env=surroundings, stdout=full, stderr=subprocess.PIPE)
    assert (ran.returncode, ran.stderr) == (2, b"sb: no space left on device\n")


def test_a_cache_on_a_full_disk(surroundings: dict[str, str], tmp_path: Path) -> None:
    """Costs the cache, not the list."""
    code = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)); import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);" \
           "from sessionbrowser.__main__ import main; sys.argv = ['sb', 'list', '--format', '{id}']; main()"  # fmt: skip
    ran = subprocess.run([sys.executable, "-c", code], env=surroundings, capture_output=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == sb(surroundings, "list", "--format", "{id}", "--no-cache").stdout


def test_a_cache_folder_that_cannot_be_written(surroundings: dict[str, str], tmp_path: Path) -> None:
    """Costs the cache, not the list."""
    (tmp_path / "cache").write_text("in the way")
    assert sb(surroundings, "list", "--json").returncode == 0


def test_two_at_once(surroundings: dict[str, str]) -> None:
    """Both list everything, whoever builds the cache."""
    arguments = [sys.executable, "-m", "sessionbrowser", "list", "--format", "{id}"]
    both = [subprocess.Popen(arguments, env=surroundings, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
    outputs = {process.communicate() for process in both}
    assert len(outputs) == 1 and next(iter(outputs))[1] == b""


def test_a_directory_that_was_deleted_under_us(surroundings: dict[str, str], tmp_path: Path) -> None:
    """Is no reason to fail."""
    folder = tmp_path / "gone"
    folder.mkdir()
    ran = subprocess.run(["sh", "-c", f"cd '{folder}' && rmdir '{folder}' && exec '{sys.executable}' -c 'from sessionbrowser.__main__ import main; main()' list --json"],
                         env={**surroundings, "PYTHONPATH": str(FIXTURES.parent.parent)}, capture_output=True)  # fmt: skip
    assert ran.returncode == 0, ran.stderr


def test_no_byte_that_acts_on_a_terminal_leaves(surroundings: dict[str, str], demo_home: Path) -> None:
    """On a terminal only our own colours do; in a pipe nothing."""
    script = shutil.which("script")
    for arguments in COMMANDS:
        out = sb(surroundings, *arguments).stdout
        assert b"\x1b" not in out and b"\x9b" not in out.replace("›".encode(), b"")
    if script is None:
        pytest.skip("script is not installed: no terminal to try")
    ran = subprocess.run([script, "-qec", f"{sys.executable} -m sessionbrowser list", "/dev/null"], env={**surroundings, "TERM": "xterm"},
                         capture_output=True, stdin=subprocess.DEVNULL)  # fmt: skip
    pieces = ran.stdout.split(b"\x1b")
    assert len(pieces) > 1
    assert all(piece.startswith(b"[") and piece[1:].split(b"m")[0].replace(b";", b"").isdigit() for piece in pieces[1:])
