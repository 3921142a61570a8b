"""Blocks and bodies as styled rows of cells, for the transcript and for `sb show`. No Textual here."""
