"""Command output in the terminal's language."""

from datetime import datetime

from core.base.messages import message, render, terminal_language


def _(text: str, /, **fields: object) -> str:
    return say(message(text, **fields))


def say(value: object) -> str:
    """Render a message, or an object's message, in the terminal's language. Any other value is converted to text."""
    return render(value, terminal_language())


def minute(at: datetime | str) -> str:
    """Format a datetime, or a string in ISO format, to the minute."""
    return str(at)[:16].replace("T", " ")
