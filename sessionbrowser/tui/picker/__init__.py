"""The picker: a small screen of its own on the terminal, drawn without Textual so that it is there and gone at once.

`terminal.py` holds the terminal, `keys.py` reads it, `choice.py` knows what is shown and marked, `draw.py` makes lines
of it, `pen.py` makes colours of those, `app.py` puts them together.
"""
