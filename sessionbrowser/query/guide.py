"""The help of the language, made from the table of fields: what is here is what the parser reads."""

from __future__ import annotations

from typing import NamedTuple

from sessionbrowser.query.fields import FIELDS


class HelpLine(NamedTuple):
    """Something to type, and what it finds."""

    example: str
    meaning: str


WAYS: tuple[HelpLine, ...] = (
    HelpLine("flaky auth", "words, all of them: fuzzy in title, project and branch, as beginnings of words in the conversation"),
    HelpLine('"exact words"', "this text, whatever its case (a quote inside is written \\\")"),
    HelpLine("/time(out|d out)/", "a regular expression; case matters when it has a capital letter"),
    HelpLine("-docs", "not this: a minus before anything"),
    HelpLine("5f3a9c", "an id or its beginning comes first"),
    HelpLine("source:codex,gemini", "several values: one of them"),
    HelpLine('branch:"main"', "a value in quotes: exactly this"),
    HelpLine("@name", "a saved query: [queries] in the configuration gives it its text"),
    HelpLine("\\-flag", "a backslash takes a sign for what it is"),
)


def help_lines() -> tuple[HelpLine, ...]:
    """Everything the box understands, one line each."""
    return (*WAYS, *(HelpLine(spec.example, _meaning(spec.help, spec.choices, spec.name)) for spec in FIELDS))


def _meaning(text: str, choices: tuple[str, ...], name: str) -> str:
    return f"{text}: {', '.join(choices)}" if choices and name != "source" else text


HELP = help_lines()


def help_text() -> str:
    """The help as plain text."""
    width = max(len(line.example) for line in HELP) + 2
    return "\n".join(f"{line.example:<{width}}{line.meaning}" for line in HELP)
