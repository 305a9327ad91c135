"""Operations on packs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from typing_extensions import TypedDict

from core.base.messages import message
from core.doors.operations.declaring import About, operation
from core.features.packs import forms
from core.model import PackCard, PackReport, Progress

if TYPE_CHECKING:
    from core.workspace import Workspace

_PERSONS = "packs are the person's choice"
Name = Annotated[str, About(message("A name that `tessera packs list` shows."), example="guide")]


class Removed(TypedDict):
    """A pack that is gone; so many of its notes stay, because the person changed them."""

    name: str
    stay: int


@operation(
    "pack.list",
    message("Show the packs there are, and which of them this workspace has."),
    http="GET /packs",
    cli="packs list",
    by_hand=("cli",),
    form=forms.CARDS,
    lacks={"tool": _PERSONS},
)
def list_(workspace: "Workspace") -> Sequence[PackCard]:
    return workspace.packs.all()


@operation(
    "pack.install",
    message("Install a pack by its name, or from a folder with a pack.toml."),
    http="POST /packs",
    cli="packs install {source}",
    by_hand=("cli",),
    writes=True,
    job="packs",
    takes={"source": "guide"},
    form=forms.REPORT,
    lacks={"tool": _PERSONS},
)
def install(
    workspace: "Workspace",
    progress: Progress,
    source: Annotated[str, About(message("A name that `tessera packs list` shows, or a folder."))],
) -> PackReport:
    return workspace.packs.install(source, progress=progress)


@operation(
    "pack.upgrade",
    message("Bring packs to the version there is now. Notes that you changed stay as you have them, and are shown."),
    http="POST /packs/{pack}/upgrade",
    cli="packs upgrade {pack}",
    by_hand=("cli",),
    writes=True,
    job="packs",
    form=forms.REPORT,
    lacks={"tool": _PERSONS},
)
def upgrade(workspace: "Workspace", progress: Progress, pack: Name) -> PackReport:
    report = workspace.packs.upgrade(pack, progress=progress)
    return replace(report, edited=tuple(workspace.packs.edited(pack)))


@operation(
    "pack.remove",
    message("Put the notes of a pack into the trash; those that you changed stay."),
    http="DELETE /packs/{pack}",
    cli="packs remove {pack}",
    writes=True,
    gives={"name": "guide", "stay": 0},
    lacks={"tool": _PERSONS},
)
def remove(workspace: "Workspace", pack: Name) -> Removed:
    return {"name": pack, "stay": workspace.packs.delete(pack)}
