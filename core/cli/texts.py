"""Translation of command output into the terminal's language."""

from collections.abc import Sequence
from typing import Any

import typer.core

from core.messages import message, render, terminal_language


def _(text: str, /, **fields: object) -> str:
    """Translate a text of this program into the terminal's language."""
    return say(message(text, **fields))


def say(value: object) -> str:
    """Render a message, or an object with a message, in the terminal's language; other text stays unchanged."""
    return render(value, terminal_language())


def translate_typer() -> None:
    """Translate typer's own words in help texts into the terminal's language."""
    known = {
        "Arguments": _("Arguments"),
        "Options": _("Options"),
        "Commands": _("Commands"),
        "default: {default}": _("default: {default}"),
        "required": _("required"),
        "env var: {var}": _("env var: {var}"),
        "Missing command.": _("Missing command."),
        "No such command {name!r}.": _("No such command {name!r}."),
        "Aborted!": _("Aborted!"),
        "Show this message and exit.": _("Show this message and exit."),
    }
    vars(typer.core)["_"] = lambda text: known.get(text, text)
    context: Any = typer.core.TyperCommand.context_class

    class Formatter(context.formatter_class):  # type: ignore[misc]
        """Help formatter with a translated usage line and translated texts."""

        def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
            super().write_usage(prog, args, prefix or _("Usage: "))

        def write_dl(self, rows: Sequence[tuple[str, str]], *widths: int) -> None:
            super().write_dl([(name, known.get(text, text)) for name, text in rows], *widths)

    context.formatter_class = Formatter
