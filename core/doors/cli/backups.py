"""The parts of `tessera backup` that ask for confirmation or a passphrase, or work on a closed workspace."""

import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from core.base.app_paths import expand_home
from core.base.errors import ConfigError, WorkspaceLocked
from core.base.frozen import Values
from core.base.messages import message
from core.base.terminal import _
from core.doors.cli.bases import Yes, agreed
from core.doors.cli.binding import Command, Commands
from core.doors.cli.calling import call, writing
from core.doors.cli.terminal import ask_secret, progress
from core.features.backups import operations
from core.features.backups.operations import EncryptedBackups, NotRestored
from core.model import RestoredBackup
from core.operations.declaring import PERSON, Operation, Result


def _run_offline(operation: Operation[Result], workspace: Path, **arguments: object) -> Result:
    """Run an operation that doesn't need the database, which may be damaged."""
    from core.workspace import OfflineWorkspace  # takes a second to import, so --help avoids it

    return operation.run(OfflineWorkspace(workspace), PERSON, arguments, progress)


def _restore(
    workspace: Path,
    backup: str,
    to: Path | None,
    *,
    yes: Yes = False,
) -> RestoredBackup | NotRestored:
    from core.workspace import OfflineWorkspace

    place = expand_home(backup)
    offline = OfflineWorkspace(workspace)
    if os.path.isfile(place):  # noqa: PTH113 Path.is_file raises for a path that is too long
        backup = str(place.absolute())
    arguments: Values = {"backup": backup}
    chosen = offline.backups.named(backup)
    if chosen.encrypted:
        arguments["passphrase"] = ask_secret(_("Passphrase of the backup"))
    restore = partial(_run_offline, operations.restore, workspace)
    if to is not None:
        return restore(**arguments, to=expand_home(to).absolute())
    question = message(
        (
            "The workspace {folder} will be restored to its state at {at} UTC. The current data is "
            "kept in another folder."
        ),
        folder=offline.folder,
        at=f"{chosen.made_at:%Y-%m-%d %H:%M}",
    )
    if not agreed(question, yes):
        return NotRestored()
    try:
        offline.take()
    except WorkspaceLocked:
        with writing(workspace) as app:
            return app.run(operations.restore, arguments, progress)  # type: ignore[union-attr]
    outcome = restore(**arguments)
    offline.take()
    return replace(outcome, waits=False)


def _encrypt(workspace: Path, **arguments: object) -> EncryptedBackups:
    values: Values = {"off": True}
    if not arguments["off"]:
        values = {"passphrase": ask_secret(_("Passphrase for backups"))}
        if sys.stdin.isatty() and values["passphrase"] != ask_secret(_("Repeat the passphrase")):
            raise ConfigError("The two passphrases differ. Nothing was changed.")
    return call(operations.encrypt, workspace, values)


COMMANDS: Commands = {
    "backup.list": Command(run=partial(_run_offline, operations.list_)),
    "backup.verify": Command(run=partial(_run_offline, operations.verify)),
    "backup.restore": Command(run=_restore),
    "backup.encrypt": Command(run=_encrypt),
}
