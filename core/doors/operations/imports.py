"""Operations that bring files into bases: imports, connected folders, folders of text files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from core.base.messages import message
from core.doors.operations.bases import ASSISTANT
from core.doors.operations.declaring import About, Caller, operation
from core.doors.operations.parameters import Base, SomeBase
from core.doors.operations.text import bases as text
from core.doors.operations.views.bases import FolderConnection, FolderScan, FolderScans, ImportTarget, MadeBase
from core.model import Progress, SyncReport

if TYPE_CHECKING:
    from core.workspace import Workspace

Folder = Annotated[
    Path,
    About(
        message("The folder of notes and documents, or the address of a page of the web."), example="/home/ada/notes"
    ),
]
Removals = Annotated[bool, About(message("Apply a plan that removes more than a third of the notes."))]


@operation(
    "base.import",
    message("Bring a base up to date with a folder: added, changed, renamed and removed notes."),
    http="POST /bases/{base:path}/import",
    cli="import {folder}",
    writes=True,
    job="import",
    takes={"base": "work"},
    lines=text.format_import,
    lacks=ASSISTANT,
)
def import_(
    workspace: "Workspace",
    caller: Caller,
    progress: Progress,
    folder: Folder,
    base: SomeBase = None,
    dry_run: Annotated[bool, About(message("Show the plan and change nothing."))] = False,
    allow_removals: Removals = False,
) -> SyncReport:
    plan = workspace.notes.plan_folder(folder, base)
    if dry_run:
        return plan.report()
    own = caller.is_person
    done = workspace.notes.apply(plan, confirmed=allow_removals, embed=own, watch=own, progress=progress)
    if not caller.is_person:  # a command waits until its notes are indexed, a program follows another job
        workspace.start_indexing()
    return done


@operation(
    "base.fetch",
    message("Bring a page of the web into a base, by its address: one request, and nothing that it links to."),
    cli="import {address}",
    by_hand=("cli",),
    writes=True,
    job="import",
    lacks={"http": "only the person lets Tessera ask the network", **ASSISTANT},
)
def fetch(
    workspace: "Workspace",
    progress: Progress,
    address: Annotated[str, About(message("The address of the page."), example="https://example.org/page")],
    base: SomeBase = None,
) -> SyncReport:
    plan = workspace.notes.plan_page(workspace.documents.page(address), base or "web")
    return workspace.notes.apply(plan, progress=progress)


@operation(
    "base.makes",
    message("Say what an import makes."),
    cli="import {folder}",
    by_hand=("cli",),
    lacks={"http": "an import makes what the settings say", **ASSISTANT},
)
def makes(
    workspace: "Workspace",
    folder: Folder,
    base: SomeBase = None,
) -> ImportTarget:
    name, new = workspace.notes.target(folder, base)
    return ImportTarget(MadeBase.from_target(name, new) if new else None)


@operation(
    "base.connect",
    message("Connect a folder to a base: its notes become those of the files with the same paths."),
    cli="base connect {base} {folder}",
    writes=True,
    job="import",
    lines=text.format_connection,
    lacks={"http": "a base gets the power over files by the person only", **ASSISTANT},
)
def connect(
    workspace: "Workspace",
    progress: Progress,
    base: Base,
    folder: Annotated[Path, About(message("The folder with the files of its notes."), example="/home/ada/notes")],
    dry_run: Annotated[bool, About(message("Show the plan and change nothing."))] = False,
    confirmed: Annotated[bool, About(message("Don't ask where notes differ from their files."), "yes")] = False,
    allow_removals: Removals = False,
) -> FolderConnection:
    plan = workspace.notes.plan_connection(folder, base)
    writes_files = workspace.bases.get(base).write_files
    if dry_run or (plan.differing and not confirmed):
        return FolderConnection.from_plan(plan, plan.report(), connected=False, writes_files=writes_files)
    few = allow_removals or not plan.removes_many
    report = workspace.notes.apply(plan, confirmed=few, progress=progress)
    return FolderConnection.from_plan(plan, report, connected=True, writes_files=writes_files)


@operation(
    "base.scan",
    message("Bring the text files below base_dir of tessera.toml into their bases now; new folders become bases."),
    cli="base scan",
    writes=True,
    lines=text.format_scans,
    lacks={"http": "the app and `tessera serve` look at the folders themselves", **ASSISTANT},
)
def scan(workspace: "Workspace", progress: Progress, allow_removals: Removals = False) -> FolderScans:
    scanned = workspace.text_folders.scan(confirmed=allow_removals, progress=progress)
    return FolderScans(tuple(map(FolderScan.from_folder, scanned)))
