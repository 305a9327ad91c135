"""Options that several commands share."""

import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from core.cli.output import BESIDE
from core.cli.texts import _
from core.errors import WorkspaceLocked
from core.model import EXPANSION_SIZES, SearchSettings

if TYPE_CHECKING:
    from core.workspace import Workspace


def _of_settings(context: typer.Context, folder: Path) -> Path:
    """Return the workspace that the settings name where the command line names none."""
    from core.settings_file import usual_workspace  # takes a third of a second, which --help avoids

    source = context.get_parameter_source("workspace")
    return usual_workspace() if source is not None and source.name == "DEFAULT" else folder


Folder = Annotated[
    Path,
    typer.Option(
        "--workspace", help=_("Where Tessera keeps its data."), envvar="TESSERA_WORKSPACE", callback=_of_settings
    ),
]
Json = Annotated[bool, typer.Option("--json", help=_("Print JSON."))]
Base = Annotated[str | None, typer.Option("--base", help=_("The knowledge base, by name."))]
ModeName = Annotated[
    str | None, typer.Option("--mode", help=_("auto, semantic (by meaning), keyword (by words) or hybrid (both)."))
]
Rerank = Annotated[
    str | None,
    typer.Option("--rerank", help=_("The model for the second look, or none; by default as the settings say.")),
]
LevelName = Annotated[
    str | None,
    typer.Option(
        "--level",
        help=_("simple (direct), focused (filtered), exploratory (broad), or auto: by what the question asks for."),
    ),
]
Limit = Annotated[int | None, typer.Option("--limit", help=_("How many hits at most."))]
Expand = Annotated[
    int | None,
    typer.Option("--expand", help=_("Neighbour chunks shown on each side, 0 to {most}.", most=EXPANSION_SIZES[-1])),
]


def group(about: str) -> typer.Typer:
    """Return a group of commands."""
    return typer.Typer(help=about, no_args_is_help=True, rich_markup_mode=None)


WORKSPACE = Path("data/workspace")


def workspace_at(folder: Path, *, readonly: bool = False) -> "Workspace":
    """Open a workspace; where the app has it open and it must be written to, take it there."""
    from core.workspace import Workspace  # takes a second, which --help avoids

    try:
        opened = Workspace(folder, readonly=readonly)
    except WorkspaceLocked:
        from core.remote import client

        remote = client.beside(folder)
        if remote is None:
            raise
        if names := client.differing(remote):
            note = _("The open app does this, with its own settings. Other than here: {names}.", names=names)
            sys.stderr.write(f"{note}\n")
        return cast("Workspace", remote)
    BESIDE.append(lambda: opened.unreadable)
    return opened


@contextmanager
def resumable(folder: Path, *command: str) -> Iterator[None]:
    """Say on Ctrl-C which command goes on with the work on the workspace in this folder, and exit with 130."""
    try:
        yield
    except KeyboardInterrupt:
        again = shlex.join(["tessera", *command, *(["--workspace", str(folder)] if folder != WORKSPACE else [])])
        sys.stderr.write(f"\n{_('Stopped. What was done stays. Go on: {command}', command=again)}\n")
        sys.exit(130)


def search_settings(arguments: Mapping[str, Any]) -> SearchSettings:
    """Return the search settings among a command's arguments; the base and the settings decide the others."""
    return SearchSettings.of({**arguments, "expansion_size": arguments["expand"], "reranker": arguments["rerank"]})
