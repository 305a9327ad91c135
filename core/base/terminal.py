"""Texts in the language of the terminal, for what commands print."""

from core.base.messages import message, render, terminal_language


def _(text: str, /, **fields: object) -> str:
    """Translate a text of this program into the terminal's language."""
    return say(message(text, **fields))


def say(value: object) -> str:
    """Render a message, or an object with a message, in the terminal's language; other text stays unchanged."""
    return render(value, terminal_language())


def minute(at: str) -> str:
    """Return a time in ISO format to the minute, for people."""
    return at[:16].replace("T", " ")
