"""Operations on backups of the whole workspace, the objects they return, and their terminal output."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from core.base.frozen import frozen
from core.base.terminal import _, minute
from core.model import Backup, Progress, RestoredBackup
from core.operations.declaring import About, Caller, CommandGroup, operation
from core.operations.printing import table

if TYPE_CHECKING:
    from core.workspace import Workspace


# Objects returned by the operations.


@frozen
class BackupList:
    """The backups of a workspace, newest first."""

    backups: tuple[Backup, ...]


@frozen
class NotRestored:
    """The result if the user declines to restore a backup."""

    backup: None = None


@frozen
class EncryptedBackups:
    """Says whether future backups will be encrypted."""

    encrypted: bool


# Terminal output.


def format_made(backup: Backup, to: Path | None) -> list[str]:
    size = backup.bytes / 1e6
    if to:
        return [_("The backup was made and checked: {file} ({size:,.1f} MB)", file=backup.file, size=size)]
    return [_("The backup was made: {file} ({size:,.1f} MB)", file=backup.file, size=size)]


def format_restored(restored: RestoredBackup | NotRestored) -> list[str]:
    if isinstance(restored, NotRestored):
        return [_("Nothing was changed.")]
    lines = [_("The backup from {at} UTC is in {folder}.", at=minute(restored.backup.made_at), folder=restored.folder)]
    if restored.waits:
        lines = [_("The backup is ready. Close Tessera and start it again to finish restoring.")]
    if restored.aside:
        lines.append(
            _("The previous data is kept in {aside}. Delete it when you no longer need it.", aside=restored.aside)
        )
    return lines


def format_encrypted(backups: EncryptedBackups) -> list[str]:
    if backups.encrypted:
        return [
            _(
                "Future backups will be encrypted. Keep the passphrase safe, because nobody can restore the "
                "backups without it."
            )
        ]
    return [_("Future backups won't be encrypted.")]


# The operations.

GROUP = CommandGroup("backup", "Backups of the whole workspace: make, list, check, encrypt and restore them.")
Name = Annotated[
    str,
    About(
        "The name of a backup, as shown by `tessera backup list`, or `latest` for the newest one.",
        example="tessera-20261124T030000Z-daily.zip",
    ),
]
Passphrase = Annotated[str, About("The passphrase of encrypted backups.", doors=())]


@operation(
    "backup.list",
    "List the backups of this workspace, newest first.",
    http="GET /backups",
    cli="backup list",
    lines=table(
        *("made_at", "bytes", "name", "reason", "encrypted", "bases", "notes", "problem"),
        empty="There are no backups yet. To make one: tessera backup make",
    ),
)
def list_(workspace: "Workspace") -> BackupList:
    return BackupList(tuple(workspace.backups.all()))


@operation(
    "backup.make",
    "Make a backup of all notes, their history and your preferences, even while the app is running.",
    http="POST /backups",
    cli="backup make",
    job="backup",
    lines=format_made,
)
def make(
    workspace: "Workspace",
    caller: Caller,
    progress: Progress,
    to: Annotated[
        Path | None,
        About(
            (
                "Another folder for the backup, such as one on a USB stick, or a new .zip file. The backup is "
                "checked afterwards."
            ),
            doors=("cli",),
        ),
    ] = None,
) -> Backup:
    return workspace.backups.make("person" if caller.is_person else "program", to=to, progress=progress)


@operation(
    "backup.verify",
    "Check an entire backup, and report whether it is intact.",
    http="POST /backups/{backup}/verify",
    cli="backup verify {backup}",
    job="verify",
    lines="The backup is intact: {file}",
)
def verify(workspace: "Workspace", backup: Name) -> Backup:
    return workspace.backups.verify(backup)


@operation(
    "backup.restore",
    "Restore everything from a backup, and keep the current data in another folder.",
    cli="backup restore {backup}",
    writes=True,
    lines=format_restored,
)
def restore(
    workspace: "Workspace",
    backup: Annotated[
        str,
        About(
            "A name shown by `tessera backup list`, `latest` for the newest backup, or a file.",
            example="/mnt/disk/tessera-20261124T030000Z-daily.zip",
        ),
    ],
    to: Annotated[
        Path | None, About("A new folder to restore into. If you leave it out, the current data is replaced.")
    ] = None,
    passphrase: Passphrase = "",
) -> RestoredBackup:
    return workspace.backups.restore(backup, to=to, passphrase=passphrase)


@operation(
    "backup.encrypt",
    "Encrypt all future backups with a passphrase. Without it, nobody can restore them, not even you.",
    cli="backup encrypt",
    writes=True,
    takes={"off": True},
    lines=format_encrypted,
)
def encrypt(
    workspace: "Workspace",
    passphrase: Passphrase = "",
    off: Annotated[bool, About("Stop encrypting future backups.")] = False,
) -> EncryptedBackups:
    if off:
        workspace.backups.unprotect()
    else:
        workspace.backups.protect(passphrase)
    return EncryptedBackups(workspace.backups.encrypted)
