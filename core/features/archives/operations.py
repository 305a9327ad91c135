"""Operations that export and restore bases, and manage the trash for deleted bases."""

import shlex
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from core.base.frozen import Texts, frozen
from core.base.messages import Text, plural
from core.base.terminal import _, say
from core.model import FOREIGN, SWITCHED_ON, RequestedPermissions, Restored
from core.operations.declaring import About, operation
from core.operations.parameters import Base

if TYPE_CHECKING:
    from core.workspace import Workspace


@frozen
class ExportedBase:
    """A base that was exported, and the export's location and format."""

    base: str
    as_: str
    place: Path


@frozen
class RestoredBase:
    """A base that was restored from an archive or the trash.

    `wish` is the model named in the archive, and `wish_asks` says what using that model requires. `powers` are the
    permissions that the base had in the archive. `foreign` says whether the base is from another workspace.
    """

    base: str
    wish: str
    powers: RequestedPermissions
    notes: int
    wish_asks: Text
    foreign: bool


@frozen
class DeletedBase:
    """A base in the trash, or an archive of expired notes.

    `notes` contains the expired notes' titles. `problem` is the reason why the item can't be restored, or "".
    """

    key: str
    base: str
    deleted_at: datetime
    expired: bool
    notes: Texts
    problem: Text


@frozen
class DeletedBases:
    """The contents of the trash for deleted bases."""

    trash: tuple[DeletedBase, ...]


@frozen
class EmptiedTrash:
    """The number of permanently deleted bases."""

    deleted: int


# Command-line options that grant a base permissions, by field.
_SWITCHES = {
    "write_files": "--write-files",
    "watch": "--watch",
    "trusts_programs": "--trust-programs",
    "read_pictures": "--read-pictures",
}


def format_trash(listed: DeletedBases) -> list[str]:
    return [*map(_format_deleted, listed.trash)] or [_("There are no deleted bases.")]


def _format_deleted(base: DeletedBase) -> str:
    about = [f"{base.deleted_at.isoformat()[:16]}  {base.base}  ({base.key})"]
    if base.notes:
        about.append(_("notes removed from the trash: {titles}", titles=", ".join(base.notes)))
    if base.expired:
        about.append(_("it will be deleted for good in about a week"))
    if base.problem:
        about += [
            _("it can't be restored: {problem}", problem=say(base.problem)),
            _("to delete it: {command}", command=f"tessera base empty-trash {shlex.quote(base.key)}"),
        ]
    return "\n    ".join(about)


def format_restored(restored: RestoredBase) -> list[str]:
    text = plural(
        "The base '{base}' was created with {n} note. To index it, run: {command}",
        "The base '{base}' was created with {n} notes. To index it, run: {command}",
        n=restored.notes,
        base=restored.base,
        command="tessera index",
    )
    printed = [say(text), *([say(FOREIGN)] if restored.foreign else [])]
    # The permissions that the base had in its archive, with the commands that grant them here.
    name = shlex.quote(restored.base)
    powers = restored.powers
    printed += [
        _(
            "The archive has this turned on, but it is off here: {what} To turn it on: {command}",
            what=SWITCHED_ON[switch],
            command=f"tessera base set --base {name} {option}",
        )
        for switch, option in _SWITCHES.items()
        if switch in powers.switches
    ]
    printed += [
        _(
            "The base's notes were files in {folder} and are now kept in Tessera. To connect a folder: {command}",
            folder=folder,
            command=f"tessera base connect FOLDER --base {name}",
        )
        for folder in powers.folders
    ]
    if restored.wish:
        printed.append(
            _(
                (
                    "The archive asks for the model {model}, but a model on this machine is used instead. "
                    "{asks} To use the archive's model: {command}"
                ),
                model=restored.wish,
                asks=restored.wish_asks,
                command=f"tessera models switch {name} {shlex.quote(restored.wish)}",
            )
        )
    if powers.reranker:
        printed.append(
            _("The archive asks for reranking with {model}, but this model isn't used here.", model=powers.reranker)
        )
    return printed


Key = Annotated[str, About("Delete only the base with this key, as listed by `tessera restore`.")]
NewName = Annotated[str, About("A different name for the base.")]


@operation(
    "base.export",
    "Export a base to a file or a folder, to keep or to take elsewhere.",
    cli="export {base}",
    takes={"to": "/home/ada/work.zip"},
    lines="'{base}' was exported to {place}.",
)
def export(
    workspace: "Workspace",
    base: Base,
    to: Annotated[Path, About("A new file, or a new folder for the format markdown.")],
    form: Annotated[
        str,
        About(
            "markdown (a folder), json or yaml (notes and their fields), or zip (everything, with the history).",
            "as",
        ),
    ] = "zip",
) -> ExportedBase:
    return ExportedBase(base, form, workspace.archives.export(base, to, form))


@operation(
    "base.restore",
    "Create a base from an export.",
    cli="restore {place}",
    by_hand="cli",
    writes=True,
    takes={"place": "/home/ada/work.zip"},
)
def restore(
    workspace: "Workspace",
    place: Annotated[Path, About("An export made with `tessera export`, or a folder of Markdown notes.")],
    base: NewName = "",
) -> RestoredBase:
    return _restored(workspace, workspace.archives.restore(place, base))


@operation(
    "base.restore_deleted",
    "Restore a deleted base from the trash.",
    cli="restore --deleted {key}",
    by_hand="cli",
    writes=True,
    takes={"key": "work"},
)
def restore_deleted(workspace: "Workspace", key: Key, base: NewName = "") -> RestoredBase:
    return _restored(workspace, workspace.archives.restore_deleted(key, base), trashed=True)


@operation(
    "base.trash",
    "List the deleted bases.",
    cli="restore",
    by_hand="cli",
)
def trash(workspace: "Workspace") -> DeletedBases:
    return DeletedBases(
        tuple(
            DeletedBase(base.key, base.name, base.at, base.expired, base.titles, base.problem or "")
            for base in workspace.archives.trash()
        )
    )


@operation(
    "base.empty_trash",
    "Delete all bases in the trash, or one of them, for good. Asks first.",
    cli="base empty-trash {key}",
    writes=True,
    lines=plural("{n} base was deleted for good.", "{n} bases were deleted for good."),
)
def empty_trash(workspace: "Workspace", key: Key = "") -> EmptiedTrash:
    archives = workspace.archives
    return EmptiedTrash(archives.delete_for_good(key) if key else archives.empty_trash())


def _restored(workspace: "Workspace", made: Restored, *, trashed: bool = False) -> RestoredBase:
    base = made.base
    return RestoredBase(
        base.name,
        base.wish,
        made.powers,
        workspace.bases.status(base).notes,
        wish_asks=workspace.models.asks(base.wish) if base.wish else "",
        foreign=trashed and not made.own,
    )
