"""Claude Code: one JSON-lines file a session below `projects/`, subagents beside it, bookkeeping in between."""

from __future__ import annotations

from sessionbrowser.sources.claude.source import ClaudeSource

SOURCE = ClaudeSource

__all__ = ["SOURCE", "ClaudeSource"]
