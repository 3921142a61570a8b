"""What Gemini CLI, and Qwen Code after it, report of a command: labelled lines around its output."""

from __future__ import annotations

import re

_EXIT = re.compile(r"^(?:\s*)Exit Code: (-?\d{1,9})\s*$", re.M)
_SHELL_LINE = re.compile(r"^(?:Command|Directory|Output|Stdout|Stderr|Error|Exit Code|Signal|Background PIDs|Process Group PGID): ?", re.M)
_QUIET_LINE = re.compile(r"^(?:Command|Directory|Exit Code|Signal|Background PIDs|Process Group PGID): ?.*\n?|^(?:Error|Stderr|Stdout): \((?:none|empty)\)\n?", re.M)


def shell_report(text: str, display: object) -> tuple[int | None, str]:
    """The exit code a shell's report names, and its output without the labels around it."""
    found = _EXIT.search(text)
    code = int(found[1]) if found else None
    if isinstance(display, str) and display.strip() and not _SHELL_LINE.match(display):
        return code, display
    if not _SHELL_LINE.search(text):
        return code, text
    output = _QUIET_LINE.sub("", text)
    return code, re.sub(r"^(?:Output|Stdout|Stderr|Error): ?", "", output, count=1, flags=re.M).strip("\n")
