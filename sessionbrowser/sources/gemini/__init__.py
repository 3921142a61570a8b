"""Gemini CLI: chats as one JSON document (until 0.39) or as a log that has to be replayed."""

from sessionbrowser.sources.gemini.source import Gemini

SOURCE = Gemini
