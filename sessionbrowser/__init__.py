"""Session Browser: every coding-agent session on this machine, in the terminal."""

__version__ = "0.1.0"
