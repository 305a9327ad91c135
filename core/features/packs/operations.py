"""Operations on packs."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from core.base.codec import assemble
from core.base.frozen import frozen
from core.base.messages import plural
from core.base.terminal import _, say
from core.model import Pack, PackCard, PackReport, Progress
from core.operations.declaring import About, CommandGroup, operation
from core.operations.printing import sentence
from core.operations.program import PackInstallation

if TYPE_CHECKING:
    from core.workspace import Workspace


@frozen
class PackDetails:
    """A pack. See `PackCard` for the fields."""

    found: Pack | None
    installed: PackInstallation | None
    newer: bool
    name: str


@frozen
class PackList:
    """The available packs and the installed ones."""

    packs: tuple[PackDetails, ...]


@frozen
class PackReports:
    """Reports on upgrading several packs."""

    packs: tuple[PackReport, ...]


@frozen
class RemovedPack:
    """A removed pack. `stay` is the number of notes kept because the user had changed them."""

    name: str
    stay: int


_INSTALLED = sentence("version {version} is installed in '{base}' (notes: {notes})")
_REPORT = sentence("{name} {version}: {added} added, {changed} changed, {removed} removed, {unchanged} unchanged")
_REMOVED = sentence("The pack {name} was removed. Its notes are in the trash.")


def format_packs(listed: PackList) -> list[str]:
    lines = []
    for pack in listed.packs:
        found = pack.found
        installed = pack.installed
        (state,) = _INSTALLED(installed) if installed else [_("not installed")]
        head = f"{pack.name} {found.version} ({found.language})" if found else pack.name
        lines.append(f"{head}: {state}")
        if found and found.description:
            lines.append(f"  {found.description}")
    return lines or [_("There are no packs.")]


def format_report(report: PackReport) -> list[str]:
    lines = _REPORT(report)
    for note in report.edited:
        lines.append(_("  Your changes to {path} were kept. The text in the pack is now:", path=note.path))
        if note.offered is None:
            lines.append(_("    The pack no longer has this note."))
        else:
            lines += [f"    {line}" for line in note.difference()]
    return lines


def format_reports(reports: PackReports) -> list[str]:
    return [line for report in reports.packs for line in format_report(report)]


def format_removed(pack: RemovedPack) -> list[str]:
    lines = _REMOVED(pack)
    if pack.stay:
        lines.append(
            say(plural("{n} note that you changed was kept.", "{n} notes that you changed were kept.", n=pack.stay))
        )
    return lines


GROUP = CommandGroup(
    "packs",
    "Packs: versioned collections of notes that come with Tessera, with a Python package, or in a folder.",
)
Name = Annotated[str, About("A name shown by `tessera packs list`.", example="guide")]


@operation(
    "pack.list",
    "Show the available packs, and which of them are installed in this workspace.",
    http="GET /packs",
    cli="packs list",
    lines=format_packs,
)
def list_(workspace: "Workspace") -> PackList:
    return _listed(workspace.packs.all())


def list_without_workspace() -> PackList:
    """Return the packs on this machine, all shown as not installed."""
    from core.features.packs import manifest  # imported here so that --help doesn't load the code for reading notes

    return _listed(PackCard(pack, None) for pack in manifest.find_packs().values())


def _listed(cards: Iterable[PackCard]) -> PackList:
    return PackList(
        tuple(
            assemble(PackDetails, card, installed=card.installed and assemble(PackInstallation, card.installed))
            for card in cards
        )
    )


@operation(
    "pack.install",
    "Install a pack by its name, or from a folder with a pack.toml.",
    http="POST /packs",
    cli="packs install {source}",
    writes=True,
    job="packs",
    takes={"source": "guide"},
    lines=format_report,
)
def install(
    workspace: "Workspace",
    progress: Progress,
    source: Annotated[str, About("A name shown by `tessera packs list`, or a folder.")],
) -> PackReport:
    return workspace.packs.install(source, progress=progress)


@operation(
    "pack.upgrade",
    "Upgrade packs to the current version. Notes that you changed stay as they are, and are listed.",
    http="POST /packs/{pack}/upgrade",
    cli="packs upgrade {pack}",
    writes=True,
    job="packs",
)
def upgrade(workspace: "Workspace", progress: Progress, pack: Name) -> PackReport:
    return replace(workspace.packs.upgrade(pack, progress=progress), edited=tuple(workspace.packs.edited(pack)))


@operation(
    "pack.remove",
    "Move a pack's notes to the trash, except notes that you changed.",
    http="DELETE /packs/{pack}",
    cli="packs remove {pack}",
    writes=True,
    lines=format_removed,
)
def remove(workspace: "Workspace", pack: Name) -> RemovedPack:
    return RemovedPack(pack, workspace.packs.delete(pack))
