"""The command `tessera settings`, which imports settings from another program."""

from pathlib import Path
from typing import Annotated

import typer

from core.base.terminal import _
from core.doors.cli.options import WORKSPACE, Folder, Json, argument
from core.doors.cli.terminal import show
from core.operations.printing import details
from core.settings.file import import_settings

app = typer.Typer()


@app.command("import", help=_("Import the settings from a TOML file into tessera.toml in this folder."))
def import_(
    file: Annotated[Path, argument("The file, such as config.toml.")],
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    show(import_settings(file), as_json, details)
