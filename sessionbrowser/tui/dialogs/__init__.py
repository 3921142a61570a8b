"""Screens over the browser: cards to read, menus to choose from."""
