"""Command output in the language of the terminal."""

from datetime import datetime

from core.base.messages import message, render, terminal_language


def _(text: str, /, **fields: object) -> str:
    return say(message(text, **fields))


def say(value: object) -> str:
    """Render a message, or an object with a message, in the terminal's language; convert other values to text."""
    return render(value, terminal_language())


def minute(at: datetime | str) -> str:
    """Format a time, or a text in ISO format, to the minute."""
    return str(at)[:16].replace("T", " ")
