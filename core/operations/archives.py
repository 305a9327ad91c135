"""Operations on bases as files, and on the trash of bases."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typing_extensions import TypedDict

from core.json_forms import bases as forms
from core.messages import message
from core.model import Restored
from core.operations.declaring import About, operation
from core.operations.examples import RESTORED, TRASHED_BASE
from core.operations.parameters import Base

if TYPE_CHECKING:
    from core.workspace import Workspace

_FILES = dict.fromkeys(("http", "tool"), "files outside the workspace are written and let in by the person")
_PERSONS = dict.fromkeys(("http", "tool"), "the person alone decides what comes back and what goes for good")

Key = Annotated[str, About(message("One of them, by the key that `tessera restore` lists."))]
NewName = Annotated[str, About(message("Another name for the base."))]


Exported = TypedDict("Exported", {"base": str, "as": str, "place": str})


class Emptied(TypedDict):
    """How many bases were deleted for good."""

    deleted: int


@operation(
    "base.export",
    message("Write a base to a file or a folder, to keep or to take elsewhere."),
    cli="export {base}",
    takes={"base": "work", "to": "/home/ada/work.zip"},
    gives={"base": "work", "as": "zip", "place": "/home/ada/work.zip"},
    lacks=_FILES,
)
def export(
    workspace: "Workspace",
    base: Base,
    to: Annotated[Path, About(message("A file, or for markdown a folder, that isn't there yet."))],
    form: Annotated[
        str,
        About(
            message(
                "markdown (a folder), json or yaml (notes and their fields), or zip (everything, with the history)."
            ),
            "as",
        ),
    ] = "zip",
) -> Exported:
    return {"base": base, "as": form, "place": str(workspace.archives.export(base, to, form))}


@operation(
    "base.restore",
    message("Make a base of what was exported."),
    cli="restore {place}",
    by_hand=("cli",),
    writes=True,
    takes={"place": "/home/ada/work.zip"},
    gives=RESTORED,
    lacks=_FILES,
)
def restore(
    workspace: "Workspace",
    place: Annotated[Path, About(message("What `tessera export` wrote, or a folder of Markdown notes."))],
    base: NewName = "",
) -> forms.Restored:
    return _restored(workspace, workspace.archives.restore(place, base), foreign=False)


@operation(
    "base.restore_deleted",
    message("Bring a deleted base back from the trash."),
    cli="restore --deleted {key}",
    by_hand=("cli",),
    writes=True,
    takes={"key": "work"},
    gives=RESTORED,
    lacks=_PERSONS,
)
def restore_deleted(workspace: "Workspace", key: Key, base: NewName = "") -> forms.Restored:
    made = workspace.archives.restore_deleted(key, base)
    return _restored(workspace, made, foreign=not made.own)


@operation(
    "base.trash",
    message("List the deleted bases."),
    cli="restore",
    by_hand=("cli",),
    gives={"trash": [TRASHED_BASE]},
    lacks=_PERSONS,
)
def trash(workspace: "Workspace") -> forms.Trash:
    return forms.of_trash(workspace.archives.trash())


@operation(
    "base.empty_trash",
    message("Delete the bases in the trash for good, or one of them; asks first."),
    cli="base empty-trash {key}",
    writes=True,
    takes={"key": "4f1c"},
    gives={"deleted": 1},
    lacks=_PERSONS,
)
def empty_trash(workspace: "Workspace", key: Key = "") -> Emptied:
    archives = workspace.archives
    return {"deleted": archives.delete_for_good(key) if key else archives.empty_trash()}


def _restored(workspace: "Workspace", made: Restored, *, foreign: bool) -> forms.Restored:
    wish = made.base.wish
    asks = workspace.models.asks(wish) if wish else ""
    return forms.of_restored(made, workspace.bases.status(made.base).notes, asks, foreign=foreign)
