"""Options shared by several commands."""

from pathlib import Path
from typing import Annotated, Any

import typer

from core.base import app_paths
from core.base.messages import Message
from core.base.terminal import say


def _configured_workspace(context: typer.Context, folder: Path) -> Path:
    """Return the workspace from the settings if the command line names none."""
    from core.settings.file import usual_workspace  # takes a third of a second, which --help avoids

    source = context.get_parameter_source("workspace")
    return usual_workspace() if source is not None and source.name == "DEFAULT" else folder


def option(name: str, about: str, **more: Any) -> Any:
    """Return an option of a command with its help text."""
    return typer.Option(name, help=say(Message(about)), **more)


def argument(about: str, **more: Any) -> Any:
    """Return an argument of a command with its help text."""
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
Base = Annotated[str | None, option("--base", "The knowledge base, by name.")]

WORKSPACE = app_paths.workspace()
