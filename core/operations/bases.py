"""Operations on bases: what they are made with, what is imported into them, how their notes are split and indexed."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from typing_extensions import TypedDict

from core.json_forms import bases as forms
from core.messages import message
from core.model import OPEN, BaseFields, BaseKind, ChunkingOptions, Progress, Rechunked, SearchSettings, SyncReport
from core.operations.declaring import About, Caller, operation
from core.operations.examples import BASE, COST, RECHUNKED, SYNCED
from core.operations.parameters import BASE_SEARCH, CHUNKING, Base, Removals, SomeBase, check_base

if TYPE_CHECKING:
    from core.model import KnowledgeBase
    from core.workspace import Workspace

_ASSISTANT = {"tool": "an assistant reads and writes notes; bases are the person's"}
_PERSONS = {"http": "it can take hours, so the person begins it", **_ASSISTANT}

Description = Annotated[str | None, About(message("What the base is for, in a sentence."))]
Model = Annotated[str | None, About(message("The model for meaning, by a name of `tessera models list`."))]
Splitting = Annotated[dict[str, Any] | None, About(message("How notes are split."), parts=CHUNKING)]
Search = Annotated[dict[str, Any] | None, About(message("How notes are searched."), parts=BASE_SEARCH)]
AtOnce = Annotated[
    bool | None,
    About(message("Index new notes at once, or only when you say so, after a look."), "index-at-once/--index-later"),
]
WriteFiles = Annotated[
    bool | None,
    About(
        message("Write edits of notes into their files, or only read the files, which is the default."),
        "write-files/--read-files",
    ),
]
Watch = Annotated[bool | None, About(message("Sync the folders of the base by itself while the app runs, or not."))]
TrustsPrograms = Annotated[
    bool | None,
    About(
        message("Let what programs write count at once, or only after you accept it, which is the default."),
        "trust-programs",
        doors=("cli",),
    ),
]


class Deleted(TypedDict):
    """A base that is in the trash now with so many notes."""

    base: str
    notes: int
    deleted: bool


class Costs(TypedDict):
    """What a change of a base costs; null where nothing of the kind changes."""

    chunking: forms.Cost | None
    embedder: forms.Cost | None


# bases


@operation(
    "base.list",
    message("List the bases, each with its size."),
    http="GET /bases",
    cli="base list",
    tool="knowledge_list",
    by_hand=("tool",),
    gives={"bases": [BASE]},
)
def list_(workspace: "Workspace") -> forms.Bases:
    return {"bases": [_form(workspace, base) for base in workspace.bases.all()]}


@operation(
    "base.show",
    message("Show a base with its settings, folders and size."),
    http="GET /bases/{base:path}",
    cli="base show {base}",
    takes={"base": "work"},
    gives=BASE,
    lacks={"tool": "knowledge_list has what an assistant needs of a base"},
)
def show(workspace: "Workspace", base: Base) -> forms.Base:
    return _form(workspace, workspace.bases.get(base))


@operation(
    "base.new",
    message("Make an empty base; what you don't choose is as the settings say."),
    http="POST /bases",
    cli="base new {name}",
    writes=True,
    creates="/bases/{name}",
    takes={"name": "work", "description": "Plans and decisions"},
    gives=BASE,
    lacks=_ASSISTANT,
)
def new(
    workspace: "Workspace",
    name: Annotated[str, About(message("The knowledge base, by name."))],
    kind: Annotated[
        BaseKind,
        About(
            message("What answers: by default meaning and words; lines: the same, line by line; literal: words only.")
        ),
    ] = "vector",
    description: Description = None,
    embedder: Model = None,
    chunking: Splitting = None,
    search: Search = None,
    embed_at_once: AtOnce = None,
    write_files: WriteFiles = None,
    watch: Watch = None,
    trusts_programs: TrustsPrograms = None,
) -> forms.Base:
    options = _options(workspace.bases.usual(kind).chunking, chunking)
    fields = _fields(OPEN, description, search, embed_at_once, write_files, watch, trusts_programs)
    return _form(workspace, workspace.bases.add(name, kind=kind, embedder=embedder or "", chunking=options, **fields))


@operation(
    "base.change",
    message("Change settings of a base; what needs indexing says its cost first, and asks."),
    http="PATCH /bases/{base:path}",
    cli="base set {base}",
    writes=True,
    takes={"base": "work", "search": {"limit": 5}},
    gives=BASE,
    lacks=_ASSISTANT,
)
def change(
    workspace: "Workspace",
    base: Base,
    name: Annotated[str | None, About(message("Another name of the base."), doors=("http",))] = None,
    description: Description = None,
    search: Search = None,
    embed_at_once: AtOnce = None,
    write_files: WriteFiles = None,
    watch: Watch = None,
    trusts_programs: TrustsPrograms = None,
) -> forms.Base:
    own = workspace.bases.get(base).search
    fields = _fields(own, description, search, embed_at_once, write_files, watch, trusts_programs)
    changed = workspace.bases.update(base, **fields)
    return _form(workspace, workspace.bases.rename(base, name) if name else changed)


@operation(
    "base.rename",
    message("Give a base another name; its notes, question sets and runs stay."),
    cli="base rename {base} {new_name}",
    writes=True,
    takes={"base": "work", "new_name": "plans"},
    gives=BASE,
    lacks={"http": "base.change takes a name", **_ASSISTANT},
)
def rename(workspace: "Workspace", base: Base, new_name: Annotated[str, About(message("The new name."))]) -> forms.Base:
    return _form(workspace, workspace.bases.rename(base, new_name))


@operation(
    "base.delete",
    message("Delete a base with its notes into the trash; the files on disk stay."),
    http="DELETE /bases/{base:path}",
    cli="base delete {base}",
    writes=True,
    takes={"base": "work"},
    gives={"base": "work", "notes": 41, "deleted": True},
    lacks=_ASSISTANT,
)
def delete(workspace: "Workspace", base: Base) -> Deleted:
    notes = workspace.bases.status(workspace.bases.get(base)).notes
    workspace.bases.delete(base)
    return {"base": base, "notes": notes, "deleted": True}


# what is imported


@operation(
    "base.import",
    message("Bring a base up to date with a folder: added, changed, renamed and removed notes."),
    http="POST /bases/{base:path}/import",
    cli="import {folder}",
    writes=True,
    job="import",
    takes={"base": "work", "folder": "/home/ada/notes"},
    gives=SYNCED,
    form=forms.of_synced,
    lacks=_ASSISTANT,
)
def import_(
    workspace: "Workspace",
    caller: Caller,
    progress: Progress,
    folder: Annotated[Path, About(message("The folder of Markdown notes."))],
    base: SomeBase = None,
    dry_run: Annotated[bool, About(message("Show the plan and change nothing."), doors=("cli",))] = False,
    allow_removals: Removals = False,
) -> SyncReport:
    plan = workspace.notes.plan_folder(folder, base)
    if dry_run:
        return plan.report()
    done = workspace.notes.apply(plan, confirmed=allow_removals, embed=caller.is_person, progress=progress)
    if not caller.is_person:  # a command waits until its notes are indexed, a program follows another job
        workspace.start_indexing()
    return done


@operation(
    "base.makes",
    message("Say what an import makes."),
    cli="import {folder}",
    by_hand=("cli",),
    takes={"folder": "/home/ada/notes"},
    gives={"makes": None},
    lacks={"http": "an import makes what the settings say", **_ASSISTANT},
)
def makes(
    workspace: "Workspace",
    folder: Annotated[Path, About(message("The folder of Markdown notes."))],
    base: SomeBase = None,
) -> forms.Makes:
    return forms.of_makes(*workspace.notes.target(folder, base))


@operation(
    "base.connect",
    message("Connect a folder to a base: its notes become those of the files with the same paths."),
    cli="base connect {base} {folder}",
    writes=True,
    job="import",
    takes={"base": "work", "folder": "/home/ada/notes"},
    gives={**SYNCED, "base": "work", "folder": "/home/ada/notes", "connected": True, "joined": 41}
    | {"writes_files": False, "differing": []},
    form=forms.of_connected,
    lacks={"http": "a base gets the power over files by the person only", **_ASSISTANT},
)
def connect(
    workspace: "Workspace",
    progress: Progress,
    base: Base,
    folder: Annotated[Path, About(message("The folder with the files of its notes."))],
    dry_run: Annotated[bool, About(message("Show the plan and change nothing."))] = False,
    confirmed: Annotated[bool, About(message("Don't ask where notes differ from their files."), "yes")] = False,
    allow_removals: Removals = False,
) -> forms.Connection:
    plan = workspace.notes.plan_connection(folder, base)
    writes_files = workspace.bases.get(base).write_files
    if dry_run or (plan.differing and not confirmed):
        return plan, plan.report(), False, writes_files
    few = allow_removals or not plan.removes_many
    return plan, workspace.notes.apply(plan, confirmed=few, progress=progress), True, writes_files


@operation(
    "base.scan",
    message("Bring the text files below base_dir of tessera.toml into their bases now; new folders become bases."),
    cli="base scan",
    writes=True,
    gives={"folders": [{**SYNCED, "base": "faq", "folder": "/home/ada/knowledge/faq/texts", "made": True}]},
    lacks={"http": "the app and `tessera serve` look at the folders themselves", **_ASSISTANT},
)
def scan(workspace: "Workspace", progress: Progress, allow_removals: Removals = False) -> forms.ScannedFolders:
    return forms.of_scanned(workspace.text_folders.scan(confirmed=allow_removals, progress=progress))


# how notes are split and indexed


@operation(
    "base.rechunk",
    message("Split the notes of a base again with these settings, which the base keeps; your edits stay."),
    http="POST /bases/{base:path}/rechunk",
    cli="rechunk",
    writes=True,
    job="rechunk",
    check=check_base,
    takes={"base": "work", "chunk_size": 256},
    gives=RECHUNKED,
    form=forms.of_rechunked,
    fields=CHUNKING,
    lacks=_ASSISTANT,
)
def rechunk(workspace: "Workspace", progress: Progress, base: Base, **chunking: Any) -> Rechunked:
    options = _options(workspace.bases.get(base).chunking, chunking) if chunking else None
    return workspace.chunks.rechunk(base, options=options, progress=progress)


@operation(
    "base.cost",
    message("Say what another model or another way of splitting would cost a base."),
    cli="base set {base}",
    by_hand=("cli",),
    job="cost",
    takes={"base": "work", "embedder": "bundled"},
    gives={"chunking": None, "embedder": COST},
    lacks=_PERSONS,
)
def cost(
    workspace: "Workspace", progress: Progress, base: Base, embedder: Model = None, chunking: Splitting = None
) -> Costs:
    bases, own = workspace.bases, workspace.bases.get(base)
    options = _options(own.chunking, chunking)
    split = bases.chunking_cost(base, options, progress=progress) if options != own.chunking else None
    switched = embedder and embedder != (own.embedder if own.has_vectors else "")
    indexed = bases.switch_cost(base, str(embedder), progress=progress) if switched else None
    return {
        "chunking": forms.of_cost(split) if split else None,
        "embedder": forms.of_cost(indexed) if indexed else None,
    }


@operation(
    "base.switch",
    message(
        "Give a base another model for meaning: say how long it takes, ask, index its notes again. Meanwhile the "
        "old model answers."
    ),
    cli="models switch {base} {embedder}",
    writes=True,
    job="switch",
    takes={"base": "work", "embedder": "bundled"},
    gives=BASE,
    lacks=_PERSONS,
)
def switch(
    workspace: "Workspace",
    progress: Progress,
    base: Base,
    embedder: Annotated[
        str | None, About(message("The new model; without it, a change that was begun goes on."))
    ] = None,
) -> forms.Base:
    if embedder is not None:
        workspace.bases.begin_switch(base, embedder)
    return _form(workspace, workspace.bases.run_switch(base, progress=progress))


@operation(
    "base.abandon_switch",
    message("Forget what was begun; the base stays as it is."),
    cli="models switch {base} --abandon",
    by_hand=("cli",),
    writes=True,
    takes={"base": "work"},
    gives=BASE,
    lacks=_PERSONS,
)
def abandon_switch(workspace: "Workspace", base: Base) -> forms.Base:
    workspace.bases.abandon_switch(base)
    return _form(workspace, workspace.bases.get(base))


def _form(workspace: "Workspace", base: "KnowledgeBase") -> forms.Base:
    return forms.of_base(workspace.bases.status(base))


def _options(own: ChunkingOptions, given: dict[str, Any] | None) -> ChunkingOptions:
    """Return how notes are split, with what is given in place of a base's own."""
    return replace(own, **{name: value for name, value in (given or {}).items() if value is not None})


def _fields(
    own: SearchSettings, description: str | None, search: dict[str, Any] | None, *switches: bool | None
) -> BaseFields:
    """Return the fields of a base that are given; the search settings over its own."""
    names = ("embed_at_once", "write_files", "watch", "trusts_programs")
    fields: dict[str, Any] = {"description": description, **dict(zip(names, switches, strict=True))}
    if search:
        fields["search"] = SearchSettings.of(search).over(own)
    return cast(BaseFields, {name: value for name, value in fields.items() if value is not None})
