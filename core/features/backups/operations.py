"""Operations on backups of the whole workspace."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from core.base.messages import message
from core.doors.operations.declaring import About, Caller, operation
from core.doors.operations.forms import Form
from core.features.backups import forms
from core.model import Backup, Progress, RestoredBackup

if TYPE_CHECKING:
    from core.workspace import Workspace

_TOOL = {"tool": "backups are the person's"}
_PERSONS = dict.fromkeys(("http", "tool"), "the person alone decides what comes back, and knows the passphrase")
Name = Annotated[
    str,
    About(
        message("A backup by the name that `tessera backup list` shows, or latest."),
        example="tessera-20261124T030000Z-daily.zip",
    ),
]
Passphrase = Annotated[str, About(message("The passphrase of encrypted backups."), doors=())]


@operation(
    "backup.list",
    message("List the backups of this workspace, the newest first."),
    http="GET /backups",
    cli="backup list",
    form=forms.BACKUPS,
    lacks=_TOOL,
)
def list_(workspace: "Workspace") -> list[Backup]:
    return workspace.backups.all()


@operation(
    "backup.make",
    message("Make a backup of all notes, their history and your choices, also while the app runs."),
    http="POST /backups",
    cli="backup make",
    job="backup",
    form=forms.BACKUP,
    lacks=_TOOL,
)
def make(
    workspace: "Workspace",
    caller: Caller,
    progress: Progress,
    to: Annotated[
        Path | None,
        About(
            message(
                "Another folder for it, such as one on a USB stick, or a new .zip file; the backup is then checked."
            ),
            doors=("cli",),
        ),
    ] = None,
) -> Backup:
    return workspace.backups.make("person" if caller.is_person else "program", to=to, progress=progress)


@operation(
    "backup.verify",
    message("Read all of a backup, and say whether it is as it was made."),
    http="POST /backups/{backup}/verify",
    cli="backup verify {backup}",
    job="verify",
    form=forms.BACKUP,
    lacks=_TOOL,
)
def verify(workspace: "Workspace", backup: Name) -> Backup:
    return workspace.backups.verify(backup)


@operation(
    "backup.restore",
    message("Bring back everything as it was in a backup; what is there now is kept aside."),
    cli="backup restore {backup}",
    writes=True,
    form=forms.RESTORED,
    lacks=_PERSONS,
)
def restore(
    workspace: "Workspace",
    backup: Annotated[
        str,
        About(
            message("A name that `tessera backup list` shows, latest, or a file."),
            example="/mnt/disk/tessera-20261124T030000Z-daily.zip",
        ),
    ],
    to: Annotated[
        Path | None, About(message("A new folder for it; without one it takes the place of what is there."))
    ] = None,
    passphrase: Passphrase = "",
) -> RestoredBackup:
    return workspace.backups.restore(backup, to=to, passphrase=passphrase)


@operation(
    "backup.encrypt",
    message("Encrypt the backups from now on with a passphrase. Without it nobody can bring one back, you neither."),
    cli="backup encrypt",
    writes=True,
    takes={"off": True},
    form=Form("EncryptedBackups", bool, encrypted=(bool, bool)),
    lacks=_PERSONS,
)
def encrypt(
    workspace: "Workspace",
    passphrase: Passphrase = "",
    off: Annotated[bool, About(message("Encrypt later backups no more."))] = False,
) -> bool:
    if off:
        workspace.backups.unprotect()
    else:
        workspace.backups.protect(passphrase)
    return workspace.backups.encrypted
