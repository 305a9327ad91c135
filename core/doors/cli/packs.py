"""The parts of `tessera packs` that aren't generated from operations."""

import os
from pathlib import Path
from typing import Annotated

from core.base.app_paths import expand_home
from core.doors.cli.binding import Command, Commands
from core.doors.cli.calling import call
from core.doors.cli.options import argument
from core.features.packs import operations
from core.features.packs.operations import PackList, PackReports
from core.model import PackReport


def _list(workspace: Path) -> PackList:
    from core.workspace import is_there  # takes a second to import, so --help avoids it

    if not is_there(workspace):
        return operations.list_without_workspace()
    return call(operations.list_, workspace, {})


def _install(workspace: Path, source: str) -> PackReport:
    place = expand_home(source)
    if len(place.parts) > 1 or os.path.isfile(place / "pack.toml"):  # noqa: PTH113 Path.is_file raises for long paths
        source = str(place.absolute())  # the app runs in a different folder
    return call(operations.install, workspace, {"source": source})


def _upgrade(
    workspace: Path,
    *,
    pack: Annotated[str | None, argument("The name of a pack. By default, all packs.", metavar="name")] = None,
) -> PackReports:
    names = [pack] if pack else [card.name for card in call(operations.list_, workspace, {}).packs if card.installed]
    return PackReports(tuple(call(operations.upgrade, workspace, {"pack": name}) for name in names))


COMMANDS: Commands = {
    "pack.list": Command(run=_list),
    "pack.install": Command(run=_install),
    "pack.upgrade": Command(operations.format_reports, _upgrade),
}
