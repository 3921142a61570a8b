"""The rows about the screen: ready for keys, a key press over all rows, memory, the way out. On a pseudo-terminal.

CPU is taken from outside, nanoseconds of all threads of the process (`/proc/PID/task/*/schedstat`), so only on Linux.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import statistics
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sessionbrowser.library import Library
from sessionbrowser.paths import Environment
from sessionbrowser.query import parse
from tests.tui.terminal import Terminal, sb, variables

from .harness import Row, Run, in_turn, process

_SIZE = (160, 48)
_TYPED = "fix the par"
_MUST = 0.016
_WORDS = ("login test", "update docs", "cache retry", "token expired", "why does")
_LINE = rb"(?:prompt|answer|thinking) \d+  "
_TEXT_MUST = 0.052  # twice what the fastest rival takes for a letter where its budget was measured


def rows(corpus: str, rival: str, times: int) -> Iterator[Row]:
    """Measure the screen over the home `corpus`."""
    cache = tempfile.mkdtemp()
    try:
        given = variables(Path(corpus), Path(cache), PYTHONPYCACHEPREFIX=os.path.join(cache, "pyc"), XDG_STATE_HOME=cache)
        total, counts = _counts(given)
        with _browser(given) as terminal:
            _settle(terminal)
        with _browser(given) as terminal:
            _settle(terminal)  # its index is up to date: now only the screen itself works
            print(f"    {total} rows; peak {_peak(terminal.pid):.0f} MiB before a query")
            yield from _letters(terminal, counts, total, times)
            yield Row(f"words to the first lines of conversations, {total:,}", "52 ms", "1x", _lines(terminal, times), [Run(_TEXT_MUST, _TEXT_MUST, 0)])
            peak = _peak(terminal.pid)
            print(f"    peak {peak:.0f} MiB after queries (must 180)")
        textual = [sys.executable, "-c", "import textual.app"]
        yield Row("ready for keys", "import textual.app", "1.6x", *in_turn(lambda: _ready(given), lambda: process(textual, given), times))
        budget = Run(0.030, 0.030, 0)
        yield Row("quit", "30 ms", "1x", [_quit(given) for _ in range(times)], [budget])
    finally:
        shutil.rmtree(cache, ignore_errors=True)


def _counts(given: dict[str, str]) -> tuple[int, dict[str, int]]:
    """How many rows there are, and how many each beginning of what will be typed leaves."""
    shown = [session for session in Library(Environment(given["HOME"], given, given["HOME"])).sessions() if not session.hidden]
    return len(shown), {text: len(parse(text).rank(shown).indexes) for text in (_TYPED[:size] for size in range(1, len(_TYPED) + 1))}


@contextmanager
def _browser(given: dict[str, str]) -> Iterator[Terminal]:
    """`sb` on a terminal, its first rows there."""
    terminal = Terminal(sb(), given, _SIZE)
    try:
        terminal.read(0.7)
        yield terminal
    finally:
        terminal.close()


def _settle(terminal: Terminal) -> None:
    """Until it does nothing for a second."""
    for _ in range(120):
        before = _cpu(terminal.pid)
        terminal.read(1.0)
        if _cpu(terminal.pid) - before < 0.02 and _children(terminal.pid) == 0:
            return


def _letters(terminal: Terminal, counts: dict[str, int], total: int, times: int) -> Iterator[Row]:
    """Every letter until its frame is there, a quarter of a second apart: answers to the last one are on their way."""
    typed: dict[str, list[Run]] = {}
    terminal.press("/")
    terminal.read(0.3)
    for _ in range(max(times, 3)):
        for size in range(1, len(_TYPED) + 1):
            text = _TYPED[:size]
            typed.setdefault(text, []).append(_until(terminal, _TYPED[size - 1], text))
            terminal.read(0.25)
        terminal.press("\x1b")
        terminal.read(0.8)
    for text, runs in typed.items():
        middle = statistics.median(run.cpu for run in runs), statistics.median(run.wall for run in runs)
        print(f"    {text!r:>14} {counts[text]:>6} rows: cpu {middle[0] * 1000:5.1f} ms, wall {middle[1] * 1000:5.1f} ms, worst wall {max(runs).wall * 1000:.0f}")
    worst = max(typed.values(), key=lambda runs: statistics.median(run.cpu for run in runs))
    yield Row(f"a key press over {total:,} rows (slowest letter)", "16 ms", "1x", worst, [Run(_MUST, _MUST, 0)])


def _lines(terminal: Terminal, times: int) -> list[Run]:
    """Some words, typed at once, until a line of a conversation stands under a row."""
    runs = []
    for words in _WORDS * max(times // 2, 1):  # the box still has the focus
        start, cpu, wall = len(terminal.written), _cpu(terminal.pid), time.perf_counter()
        terminal.press(words)
        _shown(terminal, _LINE, start)
        runs.append(Run(time.perf_counter() - wall, _cpu(terminal.pid) - cpu, 0))
        terminal.read(0.5)
        terminal.press("\x1b")
        terminal.read(0.5)
    return runs


def _until(terminal: Terminal, key: str, text: str) -> Run:
    """Press a key; until the frame is written in which the box shows `text`: the list for it is in the same frame."""
    box = rb"\x1b\[1;\d+H(?:\x1b\[[0-9;]*m)*" + re.escape(text.rstrip().encode())
    start, cpu, wall = len(terminal.written), _cpu(terminal.pid), time.perf_counter()
    terminal.press(key)
    _shown(terminal, box, start)
    return Run(time.perf_counter() - wall, _cpu(terminal.pid) - cpu, 0)


def _shown(terminal: Terminal, pattern: bytes, start: int, seconds: float = 10.0) -> None:
    """Wait until something like `pattern` was written from `start` on. Raises RuntimeError."""
    find, end = re.compile(pattern).search, time.perf_counter() + seconds
    while find(terminal.written, start) is None:
        ready, _, _ = select.select([terminal.fd], [], [], max(0.0, end - time.perf_counter()))
        if not ready or not terminal._take():
            raise RuntimeError(f"{pattern!r} was never shown")


def _ready(given: dict[str, str]) -> Run:
    """From the start until a word, typed as soon as the terminal itself shows it no more, is on the screen."""
    begin = time.perf_counter()
    terminal = Terminal(sb(), given, _SIZE)
    try:
        while termios.tcgetattr(terminal.fd)[3] & termios.ECHO:
            time.sleep(0.0005)
        start = len(terminal.written)
        terminal.press("/qzxj")
        _shown(terminal, b"qzxj", start)
        return Run(time.perf_counter() - begin, _cpu(terminal.pid), _peak(terminal.pid))
    finally:
        terminal.close()


def _quit(given: dict[str, str]) -> Run:
    """From the key until the process is gone."""
    with _browser(given) as terminal:
        _settle(terminal)
        begin = time.perf_counter()
        terminal.press("q")
        while terminal._take():
            pass
        _, status, used = os.wait4(terminal.pid, 0)
        terminal.status = status
        return Run(time.perf_counter() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def _cpu(pid: int) -> float:
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            total += int((task / "schedstat").read_text().split()[0])
        except OSError:
            continue
    return total / 1e9


def _peak(pid: int) -> float:
    return int(re.findall(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[0]) / 1024


def _children(pid: int) -> int:
    return len((Path(f"/proc/{pid}/task/{pid}/children").read_text()).split())
