"""Whether a process that an agent's registry names still runs."""

from __future__ import annotations

import os


def alive(pid: int, start: object = None) -> bool:
    """Whether process `pid` runs and, where that can be told, is the one that started at `start`."""
    if not _exists(pid):
        return False
    if start in (None, ""):
        return True
    now = _start_of(pid)
    return now is None or now == str(start)


def _exists(pid: int) -> bool:
    if os.name == "nt":
        return _exists_on_windows(pid)
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def _exists_on_windows(pid: int) -> bool:
    import ctypes

    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 (absent on other platforms)
    process = kernel.OpenProcess(0x1000, False, pid)
    if not process:
        return False
    code = ctypes.c_ulong()
    kernel.GetExitCodeProcess(process, ctypes.byref(code))
    kernel.CloseHandle(process)
    return code.value == 259


def _start_of(pid: int) -> str | None:
    """Field 22 of /proc/<pid>/stat; None where there is no such file. The name before it may hold blanks and brackets."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read(4096)
    except OSError:
        return None
    fields = text[text.rfind(b")") + 1 :].split()
    return fields[19].decode("ascii", "replace") if len(fields) > 19 else None
