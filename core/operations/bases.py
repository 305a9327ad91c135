"""Operations that change the settings of bases, import notes into bases, and split and index the notes."""

from dataclasses import replace
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from core.base.codec import assemble
from core.base.frozen import AnyMap, AnyValues, ValueMap
from core.model import (
    OPEN,
    BaseFields,
    BaseKind,
    ChunkingOptions,
    KnowledgeBase,
    Progress,
    Rechunked,
    SearchSettings,
    SyncReport,
    new_base_line,
)
from core.operations import views
from core.operations.declaring import About, Caller, operation, read_parameter, without_none
from core.operations.parameters import (
    BASE_SEARCH,
    CHUNKING_PARAMETERS,
    Base,
    DryRun,
    SomeBase,
    check_base,
)
from core.operations.views import (
    BaseDeletion,
    BaseDetails,
    BaseList,
    ChangeCosts,
    FolderConnection,
    FolderScan,
    FolderScans,
    ImportTarget,
    MadeBase,
)

if TYPE_CHECKING:
    from core.workspace import Workspace


Model = Annotated[
    str | None, About("The name of the model for searching by meaning, as shown by `tessera models list`.")
]
Splitting = Annotated[AnyValues | None, About("How notes are split.", parts=CHUNKING_PARAMETERS)]

Folder = Annotated[
    Path,
    About("The folder of notes and documents, or the address of a web page.", example="/home/ada/notes"),
]
Removals = Annotated[bool, About("Go ahead even if more than a third of the notes would be removed.")]


# A base's settings and their types. None leaves a setting unchanged.
_SETTINGS: ValueMap = {
    "description": Annotated[str | None, About("What the base is for, in a sentence.")],
    "embedder": Model,
    "chunking": Splitting,
    "search": Annotated[AnyValues | None, About("How notes are searched.", parts=BASE_SEARCH)],
    "embed_at_once": Annotated[
        bool | None,
        About("Whether to index new notes at once, or only when you start indexing.", "index-at-once/--index-later"),
    ],
    "write_files": Annotated[
        bool | None,
        About(
            "Whether edits to notes are saved to their files. By default, the files are only read.",
            "write-files/--read-files",
        ),
    ],
    "watch": Annotated[bool | None, About("Whether to update the base's folders automatically while the app runs.")],
    "trusts_programs": Annotated[
        bool | None,
        About(
            "Whether notes and changes by programs take effect at once. By default, they wait until you accept them.",
            "trust-programs",
            doors=("cli",),
        ),
    ],
    "read_pictures": Annotated[
        bool | None,
        About(
            "Read the text in the notes' pictures so that it can be found too. By default, this text isn't read.",
            "read-pictures/--leave-pictures",
        ),
    ],
}
_PARAMETERS = tuple(starmap(read_parameter, _SETTINGS.items()))


def _fields(given: AnyMap, own: SearchSettings) -> BaseFields:
    """Return the given settings that don't affect the index. Search settings are merged into the base's own."""
    search = SearchSettings.from_values(given["search"]).over(own) if given.get("search") else None
    chosen = without_none({**given, "search": search})
    return cast(BaseFields, {name: value for name, value in chosen.items() if name in BaseFields.__annotations__})


@operation(
    "base.list",
    "List the bases, each with its size.",
    http="GET /bases",
    cli="base list",
    tool="knowledge_list",
    lines=views.format_bases,
)
def list_(workspace: "Workspace") -> BaseList:
    return BaseList(tuple(_details(workspace, base) for base in workspace.bases.all()))


@operation(
    "base.show",
    "Show a base with its settings, folders and size.",
    http="GET /bases/{base:path}",
    cli="base show {base}",
)
def show(workspace: "Workspace", base: Base) -> BaseDetails:
    return _details(workspace, workspace.bases.get(base))


@operation(
    "base.new",
    "Create an empty base. Options that you leave out follow the settings.",
    http="POST /bases",
    cli="base new {name}",
    writes=True,
    creates="/bases/{name}",
    takes={"name": "work", "description": "Plans and decisions"},
    fields=_PARAMETERS,
)
def new(
    workspace: "Workspace",
    caller: Caller,
    name: Annotated[str, About("The name of the knowledge base.")],
    kind: Annotated[
        BaseKind,
        About(
            "How the base is searched. By default, its notes are searched by meaning and by keyword. With lines, "
            "each line is searched on its own. With literal, only keywords count."
        ),
    ] = "vector",
    **given: Any,
) -> BaseDetails:
    options = _options(workspace.bases.usual(kind).chunking, given.get("chunking"))
    fields: BaseFields = {"watch": caller.is_person, **_fields(given, OPEN)}
    made = workspace.bases.add(name, kind=kind, embedder=given.get("embedder") or "", chunking=options, **fields)
    return _details(workspace, made)


@operation(
    "base.change",
    "Change a base's settings. If a change requires indexing again, Tessera shows the cost and asks first.",
    http="PATCH /bases/{base:path}",
    cli="base set {base}",
    writes=True,
    takes={"search": {"limit": 5}},
    fields=tuple(parameter for parameter in _PARAMETERS if parameter.name not in ("embedder", "chunking")),
)
def change(
    workspace: "Workspace",
    base: Base,
    name: Annotated[str | None, About("The new name of the base.", doors=("http",))] = None,
    **given: Any,
) -> BaseDetails:
    own = workspace.bases.get(base).search
    if name and name != base:
        workspace.bases.check_name(name)  # before anything is stored
    changed = workspace.bases.update(base, **_fields(given, own))
    return _details(workspace, workspace.bases.rename(base, name) if name else changed)


@operation(
    "base.rename",
    "Rename a base. Its notes, question sets and test runs are kept.",
    cli="base rename {base} {new_name}",
    writes=True,
)
def rename(
    workspace: "Workspace", base: Base, new_name: Annotated[str, About("The new name.", example="plans")]
) -> BaseDetails:
    return _details(workspace, workspace.bases.rename(base, new_name))


@operation(
    "base.delete",
    "Move a base and its notes to the trash. The files on disk are kept.",
    http="DELETE /bases/{base:path}",
    cli="base delete {base}",
    writes=True,
)
def delete(workspace: "Workspace", base: Base) -> BaseDeletion:
    status = workspace.bases.status(workspace.bases.get(base))
    workspace.bases.delete(base)
    return BaseDeletion(status.base.name, status.notes, deleted=True)


# splitting and indexing


@operation(
    "base.rechunk",
    "Split a base's notes again with these settings, which the base keeps. Your edits are kept, too.",
    http="POST /bases/{base:path}/rechunk",
    cli="rechunk",
    writes=True,
    job="rechunk",
    check=check_base,
    takes={"chunk_size": 256},
    fields=CHUNKING_PARAMETERS,
)
def rechunk(workspace: "Workspace", progress: Progress, base: Base, **chunking: object) -> Rechunked:
    return workspace.chunks.rechunk(
        base, options=_options(workspace.bases.get(base).chunking, chunking) if chunking else None, progress=progress
    )


@operation(
    "base.cost",
    "Estimate how much time and space another model or another way of splitting would take for a base.",
    cli="base set {base}",
    by_hand="cli",
    job="cost",
)
def cost(
    workspace: "Workspace", progress: Progress, base: Base, embedder: Model = None, chunking: Splitting = None
) -> ChangeCosts:
    bases = workspace.bases
    own = bases.get(base)
    options = _options(own.chunking, chunking)
    switched = embedder and embedder != (own.embedder if own.has_vectors else "")
    return ChangeCosts(
        bases.chunking_cost(base, options, progress=progress) if options != own.chunking else None,
        workspace.switches.cost(base, str(embedder), progress=progress) if switched else None,
    )


@operation(
    "base.switch",
    (
        "Switch a base to another model for searching by meaning. Tessera shows how long this takes, asks first, "
        "and indexes the base's notes again. Until then, the old model is used."
    ),
    cli="models switch {base} {embedder}",
    writes=True,
    job="switch",
)
def switch(
    workspace: "Workspace",
    progress: Progress,
    base: Base,
    embedder: Annotated[
        str | None, About("The new model. By default, an unfinished model switch is continued.")
    ] = None,
) -> BaseDetails:
    if embedder is not None:
        workspace.switches.begin(base, embedder)
    return _details(workspace, workspace.switches.run(base, progress=progress))


@operation(
    "base.abandon_switch",
    "Cancel an unfinished model switch and keep the base as it is.",
    cli="models switch {base} --abandon",
    by_hand="cli",
    writes=True,
)
def abandon_switch(workspace: "Workspace", base: Base) -> BaseDetails:
    workspace.switches.abandon(base)
    return _details(workspace, workspace.bases.get(base))


def _details(workspace: "Workspace", base: KnowledgeBase) -> BaseDetails:
    return BaseDetails.from_status(workspace.bases.status(base))


def _options(own: ChunkingOptions, given: AnyMap | None) -> ChunkingOptions:
    """Return the base's chunking options, overridden by any given arguments."""
    return replace(own, **without_none(given or {}))


@operation(
    "base.import",
    "Update a base from a folder, including added, changed, renamed and removed notes.",
    http="POST /bases/{base:path}/import",
    cli="import {folder}",
    writes=True,
    job="import",
    takes={"base": "work"},
    lines=views.format_import,
)
def import_(
    workspace: "Workspace",
    caller: Caller,
    progress: Progress,
    folder: Folder,
    base: SomeBase = None,
    dry_run: DryRun = False,
    allow_removals: Removals = False,
) -> SyncReport:
    plan = workspace.imports.plan_folder(folder, base)
    if dry_run:
        return plan.report()
    own = caller.is_person
    # a command waits for indexing; for a program, indexing is a separate job
    return workspace.imports.apply(plan, confirmed=allow_removals, embed=own, watch=own, progress=progress)


@operation(
    "base.fetch",
    "Import a web page into a base, without fetching anything that the page links to.",
    cli="import {address}",
    by_hand="cli",
    writes=True,
    job="import",
)
def fetch(
    workspace: "Workspace",
    progress: Progress,
    address: Annotated[str, About("The address of the page.", example="https://example.org/page")],
    base: SomeBase = None,
) -> SyncReport:
    return workspace.imports.apply(
        workspace.imports.plan_page(workspace.documents.page(address), base or "web"), progress=progress
    )


@operation(
    "base.makes",
    "Show what an import would create.",
    cli="import {folder}",
    by_hand="cli",
)
def makes(
    workspace: "Workspace",
    folder: Folder,
    base: SomeBase = None,
) -> ImportTarget:
    name, new = workspace.imports.target(folder, base)
    return ImportTarget(MadeBase(name, new_base_line(name, new), new.embedder, new.chunking) if new else None)


@operation(
    "base.connect",
    "Connect a folder to a base. Notes with the same path as a file are linked to that file.",
    cli="base connect {base} {folder}",
    writes=True,
    job="import",
    lines=views.format_connection,
)
def connect(
    workspace: "Workspace",
    progress: Progress,
    base: Base,
    folder: Annotated[Path, About("The folder with the files for the base's notes.", example="/home/ada/notes")],
    dry_run: DryRun = False,
    confirmed: Annotated[bool, About("Don't ask when notes differ from their files.", "yes")] = False,
    allow_removals: Removals = False,
) -> FolderConnection:
    plan = workspace.imports.plan_connection(folder, base)
    writes_files = workspace.bases.get(base).write_files
    connected = not dry_run and (confirmed or not plan.differing)
    report = (
        workspace.imports.apply(plan, confirmed=allow_removals or not plan.removes_many(), progress=progress)
        if connected
        else plan.report()
    )
    return assemble(
        FolderConnection,
        report,
        base=plan.base,
        folder=plan.source_ref,
        differing=tuple(match.file.path for match in plan.differing),
        joined=len(plan.joined),
        connected=connected,
        writes_files=writes_files,
    )


@operation(
    "base.scan",
    "Import the text files in base_dir of tessera.toml into their bases now. New folders become bases.",
    cli="base scan",
    writes=True,
    lines=views.format_scans,
)
def scan(workspace: "Workspace", progress: Progress, allow_removals: Removals = False) -> FolderScans:
    return FolderScans(
        tuple(
            assemble(FolderScan, folder, folder.report or SyncReport(), problem=folder.problem or "")
            for folder in workspace.text_folders.scan(confirmed=allow_removals, progress=progress)
        )
    )
