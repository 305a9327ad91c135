"""`tessera settings`: imports settings from another program."""

from pathlib import Path
from typing import Annotated

import typer

from core.base.terminal import _, say
from core.doors.cli.options import WORKSPACE, Folder, Json, argument
from core.doors.cli.output import show
from core.settings.file import ImportedSettings, import_settings

app = typer.Typer()


@app.command("import", help=_("Import the settings from a TOML file into tessera.toml in this folder."))
def import_(
    file: Annotated[Path, argument("The file, such as config.toml.")],
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    show(import_settings(file), as_json, _format)


def _format(imported: ImportedSettings) -> list[str]:
    return [
        _("Set in tessera.toml: {names}.", names=[*imported.taken]),
        *(_("{name} wasn't imported: {reason}.", name=name, reason=say(why)) for name, why in imported.left.items()),
    ]
