"""Operations on bases as files, and on the trash of bases."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from core.base.messages import plural
from core.doors.operations.declaring import About, operation
from core.doors.operations.parameters import Base
from core.doors.operations.printing import sentence
from core.features.archives.views import DeletedBases, EmptiedTrash, ExportedBase, RestoredBase
from core.model import Restored

if TYPE_CHECKING:
    from core.workspace import Workspace

_FILES = dict.fromkeys(("http", "tool"), "files outside the workspace are written and let in by the person")
_PERSONS = dict.fromkeys(("http", "tool"), "the person alone decides what comes back and what goes for good")

Key = Annotated[str, About("One of them, by the key that `tessera restore` lists.")]
NewName = Annotated[str, About("Another name for the base.")]


@operation(
    "base.export",
    "Write a base to a file or a folder, to keep or to take elsewhere.",
    cli="export {base}",
    takes={"to": "/home/ada/work.zip"},
    lines=sentence("'{base}' is written to {place}."),
    lacks=_FILES,
)
def export(
    workspace: "Workspace",
    base: Base,
    to: Annotated[Path, About("A new file, or for markdown a new folder.")],
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
    by_hand=("cli",),
    writes=True,
    takes={"place": "/home/ada/work.zip"},
    lacks=_FILES,
)
def restore(
    workspace: "Workspace",
    place: Annotated[Path, About("An export by `tessera export`, or a folder of Markdown notes.")],
    base: NewName = "",
) -> RestoredBase:
    return _restored(workspace, workspace.archives.restore(place, base), foreign=False)


@operation(
    "base.restore_deleted",
    "Restore a deleted base from the trash.",
    cli="restore --deleted {key}",
    by_hand=("cli",),
    writes=True,
    takes={"key": "work"},
    lacks=_PERSONS,
)
def restore_deleted(workspace: "Workspace", key: Key, base: NewName = "") -> RestoredBase:
    base_import = workspace.archives.restore_deleted(key, base)
    return _restored(workspace, base_import, foreign=not base_import.own)


@operation(
    "base.trash",
    "List the deleted bases.",
    cli="restore",
    by_hand=("cli",),
    lacks=_PERSONS,
)
def trash(workspace: "Workspace") -> DeletedBases:
    return DeletedBases.from_trash(workspace.archives.trash())


@operation(
    "base.empty_trash",
    "Delete the bases in the trash for good, or one of them; asks first.",
    cli="base empty-trash {key}",
    writes=True,
    lines=sentence(plural("{n} base was deleted for good.", "{n} bases were deleted for good.")),
    lacks=_PERSONS,
)
def empty_trash(workspace: "Workspace", key: Key = "") -> EmptiedTrash:
    archives = workspace.archives
    return EmptiedTrash(archives.delete_for_good(key) if key else archives.empty_trash())


def _restored(workspace: "Workspace", made: Restored, *, foreign: bool) -> RestoredBase:
    base = made.base
    asks = workspace.models.asks(base.wish) if base.wish else ""
    return RestoredBase(
        base.name, base.wish, made.powers, workspace.bases.status(base).notes, wish_asks=asks, foreign=foreign
    )
