"""All tests can be collected in one run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent


def test_no_two_files_of_tests_are_the_same_module() -> None:
    """Outside of packages a file's name is its module's name, whichever folder it is in."""
    loose = [path.name for path in HERE.rglob("*.py") if not (path.parent / "__init__.py").exists() and path.name != "conftest.py"]
    assert [name for name, count in Counter(loose).items() if count > 1] == []
