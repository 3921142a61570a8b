"""Plugins: what the registry lists and what the hooks prove."""

from __future__ import annotations

import json
from pathlib import Path

from sessionbrowser.sources.claude.plugins import listed, proved


def test_the_registry_says_what_is_installed_and_what_is_off(tmp_path: Path) -> None:
    """The settings switch plugins that the registry lists, and name some that are not installed."""
    (tmp_path / "plugins").mkdir()
    registry = {"version": 2, "plugins": {"tidy@shop": [{"scope": "user", "version": "1.4.0"}], "notes@shop": [{"version": "2"}]}}
    (tmp_path / "plugins" / "installed_plugins.json").write_text(json.dumps(registry))
    (tmp_path / "settings.json").write_text(json.dumps({"enabledPlugins": {"notes@shop": False, "gone@shop": True}}))
    assert listed(str(tmp_path)) == ["gone@shop (switched on, not installed)", "notes@shop 2 (switched off)", "tidy@shop 1.4.0"]


def test_no_registry_lists_nothing(tmp_path: Path) -> None:
    """Nor does one that is damaged."""
    assert listed(str(tmp_path)) == []
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "installed_plugins.json").write_text("{")
    assert listed(str(tmp_path)) == []


def test_a_hook_proves_its_plugin() -> None:
    """By the folder it was installed to, or by its script where the row hides the folder."""
    by_name = {"attachment": {"type": "hook_success", "command": "node /home/ada/.claude/plugins/cache/shop/tidy/1.4.0/hooks/start.mjs"}}
    by_script = {"hookInfos": [{"command": '"${CLAUDE_PLUGIN_ROOT}/scripts/notify.sh" done'}, {"command": "true"}]}
    assert list(proved(by_name)) == ["tidy"]
    assert list(proved(by_script)) == ["one with scripts/notify.sh"]
