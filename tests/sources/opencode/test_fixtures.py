"""The invented databases are what their script makes of its text."""

from __future__ import annotations

import importlib.util
import sqlite3
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("inside", [
    ".local/share/opencode/opencode.db",
    ".cursor/chats/16a9e0d52dce3a4cb7d92043c05d5c6c/5e0c7d1a-3b52-4f5e-9a61-0c4f8f2b7d10/store.db",
    ".config/Cursor/User/globalStorage/state.vscdb",
])  # fmt: skip
def test_the_committed_databases_are_up_to_date(tmp_path: Path, inside: str) -> None:
    """Row for row: run fixtures/make_databases.py after changing it."""
    spec = importlib.util.spec_from_file_location("make_databases", REPOSITORY / "fixtures" / "make_databases.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.main(tmp_path)
    assert dump(tmp_path / inside) == dump(REPOSITORY / "fixtures" / "home" / inside)


def dump(path: Path) -> list[str]:
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    try:
        return list(database.iterdump())
    finally:
        database.close()
