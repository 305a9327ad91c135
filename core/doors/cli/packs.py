"""`tessera packs`: lists, installs, upgrades and removes packs of notes."""

from pathlib import Path
from typing import Annotated

import typer

from core.base.terminal import _, say
from core.doors.cli.calling import call
from core.doors.cli.options import WORKSPACE, Folder, Json
from core.doors.cli.output import show
from core.features.packs import operations, text
from core.features.packs.views import PackList, PackReports
from core.model import PackCard

app = typer.Typer(
    help=_("Packs: sets of notes with a version, which come with Tessera, with a Python package, or in a folder."),
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("list", help=say(operations.list_.about))
def list_(workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    from core.features.packs.sources import found

    if (workspace / "notes.db").is_file():
        listed = call(operations.list_, workspace, {})
    else:
        listed = PackList(tuple(PackCard(pack, None) for pack in found().values()))
    show(listed, as_json, text.format_packs)


@app.command(help=say(operations.install.about))
def install(
    source: Annotated[str, typer.Argument(help=_("A name that `tessera packs list` shows, or a folder."))],
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    place = Path(source).expanduser()
    if len(place.parts) > 1 or (place / "pack.toml").is_file():
        source = str(place.absolute())  # the open app works in another folder
    show(call(operations.install, workspace, {"source": source}), as_json, text.format_report)


@app.command(help=say(operations.upgrade.about))
def upgrade(
    name: Annotated[str | None, typer.Argument(help=_("One pack; by default every one."))] = None,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    packs = call(operations.list_, workspace, {}).packs
    names = [name] if name else [pack.name for pack in packs if pack.installed]
    reports = tuple(call(operations.upgrade, workspace, {"pack": name}) for name in names)
    show(PackReports(reports), as_json, text.format_reports)
