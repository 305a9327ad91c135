"""Options shared by several commands."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from core.base import app_paths
from core.base.messages import Message
from core.base.terminal import say


def _configured_workspace(context: typer.Context, folder: Path) -> Path:
    """Return the workspace named on the command line, or the one in the settings if none is named."""
    from core.settings.file import usual_workspace  # takes a third of a second to import, so --help avoids it

    source = context.get_parameter_source("workspace")
    return usual_workspace() if source is not None and source.name == "DEFAULT" else folder


def option(name: str, about: str, **more: Any) -> Any:
    """Return a command-line option with its help text."""
    return typer.Option(name, help=say(Message(about)), **more)


def argument(about: str, **more: Any) -> Any:
    """Return a command-line argument with its help text."""
    return typer.Argument(help=say(Message(about)), **more)


Folder = Annotated[
    Path,
    option(
        "--workspace",
        "Where Tessera keeps its data.",
        envvar="TESSERA_WORKSPACE",
        callback=_configured_workspace,
    ),
]
Json = Annotated[bool, option("--json", "Print JSON.")]
Base = Annotated[str | None, option("--base", "The name of the knowledge base.")]

WORKSPACE = app_paths.workspace()


class ListingGroup(TyperGroup):
    """A command group that runs `list` if no subcommand is given."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        first = args[0] if args else "-"
        return super().parse_args(ctx, ["list", *args] if first.startswith("-") and first != "--help" else args)
