"""`tessera backup`: backups of the whole workspace, made, listed, checked, encrypted and brought back."""

import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from core.base.errors import ConfigError, WorkspaceLocked
from core.base.messages import message, plural
from core.base.terminal import _, minute, say
from core.doors.cli.calling import call, writing
from core.doors.cli.costs import agreed
from core.doors.cli.options import group
from core.doors.cli.output import progress
from core.doors.operations.declaring import PERSON, Operation
from core.features.backups import operations
from core.model import BACKUP_REASONS

app = group(_("Backups of the whole workspace: make, list, check, encrypt them, and bring one back."))


def unopened(operation: Operation, workspace: Path, **given: Any) -> Any:
    """Run an operation that needs no database, which may be damaged."""
    from core.workspace.offline import OfflineWorkspace  # takes a second, which --help avoids

    return operation.result(operation.run(OfflineWorkspace(workspace), PERSON, given, progress))


def restore(
    workspace: Path,
    *,
    yes: Annotated[bool, typer.Option("--yes", help=_("Don't ask whether to begin."))] = False,
    **given: Any,
) -> Any:
    from core.workspace.offline import OfflineWorkspace

    place = Path(given["backup"]).expanduser()
    if place.is_file():
        given["backup"] = str(place.absolute())
    given = {name: value for name, value in given.items() if value is not None}
    closed = OfflineWorkspace(workspace)
    chosen = closed.backups.named(given["backup"])
    if chosen.encrypted:
        given["passphrase"] = _typed(_("Passphrase of the backup"))
    if "to" in given:
        return unopened(operations.restore, workspace, **given | {"to": given["to"].expanduser().absolute()})
    question = message(
        "The workspace {folder} becomes as it was at {at} UTC. What is there now is kept aside.",
        folder=str(closed.folder),
        at=f"{chosen.at:%Y-%m-%d %H:%M}",
    )
    if not agreed(question, yes):
        return {"backup": None}
    try:
        closed.take()
    except WorkspaceLocked:
        with writing(workspace) as beside:
            return beside.run(operations.restore, given, progress)  # type: ignore[union-attr]
    values = unopened(operations.restore, workspace, **given)
    closed.take()
    return values | {"waits": False}


def encrypt(workspace: Path, **given: Any) -> Any:
    if given["off"]:
        return call(operations.encrypt, workspace, {"off": True})
    passphrase = _typed(_("Passphrase for backups"))
    if sys.stdin.isatty() and passphrase != _typed(_("The same again")):
        raise ConfigError("These are two different passphrases. Nothing was changed.")
    return call(operations.encrypt, workspace, {"passphrase": passphrase})


def _typed(label: str) -> str:
    """Return a passphrase: asked for, or without a terminal a line of stdin; never an option, which others can see."""
    if sys.stdin.isatty():
        return str(typer.prompt(label, hide_input=True, err=True))
    return sys.stdin.readline().rstrip("\r\n")


def format_list(values: dict[str, Any]) -> list[str]:
    return [*map(_line, values["backups"])] or [
        _("There is no backup yet. To make one: {command}", command="tessera backup make")
    ]


def _line(backup: dict[str, Any]) -> str:
    size = f"{backup['bytes'] / 1e6:,.1f} MB"
    head = f"{minute(backup['made_at'])} UTC  {size}  {backup['name']}"
    if backup["problem"]:
        return f"{head}\n    {say(backup['problem'])}"
    about = [say(BACKUP_REASONS[backup["reason"]])]
    if backup["encrypted"]:
        about.append(_("encrypted"))
    elif backup["program"]:
        about += [
            say(plural("{n} base", "{n} bases", n=backup["bases"])),
            say(plural("{n} note", "{n} notes", n=backup["notes"])),
        ]
    return f"{head}\n    {', '.join(about)}"


def format_made(backup: dict[str, Any], to: Path | None) -> list[str]:
    size = backup["bytes"] / 1e6
    if to:
        return [_("The backup is made and checked: {file} ({size:,.1f} MB)", file=backup["file"], size=size)]
    return [_("The backup is made: {file} ({size:,.1f} MB)", file=backup["file"], size=size)]


def format_verified(backup: dict[str, Any]) -> list[str]:
    return [_("The backup is whole: {file}", file=backup["file"])]


def format_restored(values: dict[str, Any]) -> list[str]:
    if not values["backup"]:
        return [_("Nothing was changed.")]
    lines = [_("The backup of {at} UTC is in {folder}.", at=minute(values["backup"]["made_at"]), **values)]
    if values["waits"]:
        lines = [_("The backup is ready. Close Tessera and start it again: then everything is as it was.")]
    if values["aside"]:
        lines.append(_("What was there is kept in {aside}. Delete it when you don't need it.", **values))
    return lines


def format_encrypted(values: dict[str, Any]) -> list[str]:
    if values["encrypted"]:
        return [_("Later backups are encrypted. Keep the passphrase: without it nobody can bring one back.")]
    return [_("Later backups are not encrypted.")]


listed = partial(unopened, operations.list_)
verified = partial(unopened, operations.verify)
