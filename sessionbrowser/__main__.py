"""`sb`, and `python -m sessionbrowser`."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run `sb` with the arguments of this process and leave at once: tearing the interpreter down takes longer."""
    from sessionbrowser.cli import run

    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            continue
    os._exit(code)


if __name__ == "__main__":
    main()
