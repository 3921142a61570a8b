"""Qwen Code before 0.5: chats as documents in `~/.qwen/tmp/<hash>/chats`, as Gemini CLI wrote them then.

Later releases leave them where they are and cannot go on with them.
"""

from __future__ import annotations

from sessionbrowser.model import Handle, Resume, ResumeOptions, Session
from sessionbrowser.sources.gemini.source import Gemini


class EarlyQwen(Gemini):
    """The chats of early releases, under the name of the later ones."""

    name = "qwen"
    tag = "qw"
    label = "Qwen Code"
    program = "qwen"
    keeps_logs = False  # later releases keep their prompts there, and their chats elsewhere

    def resume(self, session: Session, options: ResumeOptions) -> Resume | None:
        return None


def is_early(handle: Handle) -> bool:
    """Whether a session is one document rather than lines."""
    return handle.path.endswith(".json")
