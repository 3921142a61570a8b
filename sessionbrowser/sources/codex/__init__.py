"""Codex CLI: rollouts of all generations, in `sessions/` and `archived_sessions/` of its home."""

from sessionbrowser.sources.codex.source import CodexSource

SOURCE = CodexSource
