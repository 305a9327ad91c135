"""Translation of command output into the terminal's language."""

import re
from collections.abc import Sequence
from typing import IO, Any

import typer.core

from core.base.terminal import _


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
    usage_error: Any = typer.BadParameter.__base__
    usage_error.show = _show


def _show(error: Any, file: IO[Any] | None = None) -> None:
    """Write the error of a command line; typer doesn't translate its errors."""
    parts = [f"tessera: {_problem(error)}"]
    if error.ctx is not None:
        parts = [error.ctx.get_usage(), *parts, _("For help: {command}", command=f"{error.ctx.command_path} --help")]
    typer.echo("\n".join(parts), file=file, err=True)


def _problem(error: Any) -> str:
    """Return the message of an error; typer has part of it in the error's text only."""
    problem, _did, nearest = str(error.message).partition(". Did you mean ")
    name = error.param.get_error_hint() if getattr(error, "param", None) else getattr(error, "option_name", "")
    match type(error).__name__:
        case "MissingParameter":
            return _("{name} is missing.", name=name)
        case "BadParameter" if "valid integer" in problem or "valid number" in problem:
            return _("{name} takes a number.", name=name)
        case "NoSuchOption" if error.possibilities:
            near = ", ".join(error.possibilities)
            return _("There is no option {name}. Did you mean {nearest}?", name=name, nearest=near)
        case "NoSuchOption":
            return _("There is no option {name}.", name=name)
    if nearest:
        return _("{problem}. Did you mean {nearest}?", problem=problem.rstrip("。"), nearest=nearest.rstrip("?"))
    if words := re.search(r"unexpected extra argument\S* \((.+)\)", problem):
        return _("The command takes fewer words: {words}. Put a text into quotation marks.", words=words[1])
    return str(error.format_message())
