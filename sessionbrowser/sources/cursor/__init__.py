"""Cursor: the command line's chats and transcripts, and the editor's database of chats."""

from sessionbrowser.sources.cursor.source import Cursor

SOURCE = Cursor
