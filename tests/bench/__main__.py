"""`python -m tests.bench --corpus HOME [--rival PATH-OF-FR] [--times N] [ROWS…]`: print the table of speeds.

HOME is laid out as a home directory with `.claude` and `.codex` of many invented sessions. A benchmark is a module here
with `rows(corpus, rival, times)`.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from .harness import show


def main() -> None:
    here = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in ("__init__", "__main__", "harness"))
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("rows", nargs="*", default=here, help=f"which: {', '.join(here)} (default: all)")
    parser.add_argument("--corpus", required=True, help="a home directory of many sessions")
    parser.add_argument("--rival", default="", help="the program fr, to measure beside")
    parser.add_argument("--times", type=int, default=7, help="pairs a row (default: 7)")
    args = parser.parse_args()
    for name in args.rows:
        for row in import_module(f"tests.bench.{name}").rows(args.corpus, args.rival, args.times):
            show(row)


if __name__ == "__main__":
    main()
