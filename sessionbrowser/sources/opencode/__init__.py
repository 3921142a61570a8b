"""OpenCode: trees of small JSON files (0.5, 1.1), a database (1.2 and later), and the old Go program's databases."""

from sessionbrowser.sources.opencode.source import OpenCode

SOURCE = OpenCode
