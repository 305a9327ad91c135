"""Operations on packs."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from core.doors.operations.declaring import About, CommandGroup, operation
from core.features.packs import text
from core.features.packs.views import PackList, RemovedPack
from core.model import PackReport, Progress

if TYPE_CHECKING:
    from core.workspace import Workspace

GROUP = CommandGroup(
    "packs",
    "Packs: sets of notes with a version, which come with Tessera, with a Python package, or in a folder.",
)
_PERSONS = "packs are the person's choice"
Name = Annotated[str, About("A name that `tessera packs list` shows.", example="guide")]


@operation(
    "pack.list",
    "Show the packs there are, and which of them this workspace has.",
    http="GET /packs",
    cli="packs list",
    lines=text.format_packs,
    lacks={"tool": _PERSONS},
)
def list_(workspace: "Workspace") -> PackList:
    return PackList.from_cards(workspace.packs.all())


@operation(
    "pack.install",
    "Install a pack by its name, or from a folder with a pack.toml.",
    http="POST /packs",
    cli="packs install {source}",
    writes=True,
    job="packs",
    takes={"source": "guide"},
    lines=text.format_report,
    lacks={"tool": _PERSONS},
)
def install(
    workspace: "Workspace",
    progress: Progress,
    source: Annotated[str, About("A name that `tessera packs list` shows, or a folder.")],
) -> PackReport:
    return workspace.packs.install(source, progress=progress)


@operation(
    "pack.upgrade",
    "Upgrade packs to the current version. Notes that you changed stay as they are, and are listed.",
    http="POST /packs/{pack}/upgrade",
    cli="packs upgrade {pack}",
    writes=True,
    job="packs",
    lacks={"tool": _PERSONS},
)
def upgrade(workspace: "Workspace", progress: Progress, pack: Name) -> PackReport:
    report = workspace.packs.upgrade(pack, progress=progress)
    return replace(report, edited=tuple(workspace.packs.edited(pack)))


@operation(
    "pack.remove",
    "Put the notes of a pack into the trash; those that you changed stay.",
    http="DELETE /packs/{pack}",
    cli="packs remove {pack}",
    writes=True,
    lines=text.format_removed,
    lacks={"tool": _PERSONS},
)
def remove(workspace: "Workspace", pack: Name) -> RemovedPack:
    return RemovedPack(pack, workspace.packs.delete(pack))
