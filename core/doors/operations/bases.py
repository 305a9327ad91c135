"""Operations on bases: their settings, imports into them, splitting and indexing of their notes."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, cast

from core.base.messages import message
from core.doors.json_forms import bases as forms
from core.doors.operations.declaring import About, Caller, operation
from core.doors.operations.forms import Form
from core.doors.operations.parameters import BASE_SEARCH, CHUNKING_PARAMETERS, Base, check_base
from core.model import (
    OPEN,
    BaseFields,
    BaseKind,
    BaseStatus,
    ChangeCost,
    ChunkingOptions,
    Progress,
    Rechunked,
    SearchSettings,
)

if TYPE_CHECKING:
    from core.workspace import Workspace

ASSISTANT = {"tool": "an assistant reads and writes notes; bases are the person's"}
_PERSONS = {"http": "it can take hours, so the person begins it", **ASSISTANT}

Description = Annotated[str | None, About(message("What the base is for, in a sentence."))]
Model = Annotated[str | None, About(message("The model for meaning, by a name of `tessera models list`."))]
Splitting = Annotated[dict[str, Any] | None, About(message("How notes are split."), parts=CHUNKING_PARAMETERS)]
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
ReadPictures = Annotated[
    bool | None,
    About(
        message("Read the text in the pictures of the notes, so that it is found too, or not, which is the default."),
        "read-pictures/--leave-pictures",
    ),
]


@operation(
    "base.list",
    message("List the bases, each with its size."),
    http="GET /bases",
    cli="base list",
    tool="knowledge_list",
    by_hand=("tool",),
    form=forms.BASES,
)
def list_(workspace: "Workspace") -> list[BaseStatus]:
    return [*map(workspace.bases.status, workspace.bases.all())]


@operation(
    "base.show",
    message("Show a base with its settings, folders and size."),
    http="GET /bases/{base:path}",
    cli="base show {base}",
    form=forms.BASE,
    lacks={"tool": "knowledge_list has what an assistant needs of a base"},
)
def show(workspace: "Workspace", base: Base) -> BaseStatus:
    return workspace.bases.status(workspace.bases.get(base))


@operation(
    "base.new",
    message("Make an empty base; what you don't choose is as the settings say."),
    http="POST /bases",
    cli="base new {name}",
    writes=True,
    creates="/bases/{name}",
    takes={"name": "work", "description": "Plans and decisions"},
    form=forms.BASE,
    lacks=ASSISTANT,
)
def new(
    workspace: "Workspace",
    caller: Caller,
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
    read_pictures: ReadPictures = None,
) -> BaseStatus:
    options = _options(workspace.bases.usual(kind).chunking, chunking)
    watch = caller.is_person if watch is None else watch
    fields = _fields(OPEN, description, search, embed_at_once, write_files, watch, trusts_programs, read_pictures)
    return workspace.bases.status(
        workspace.bases.add(name, kind=kind, embedder=embedder or "", chunking=options, **fields)
    )


@operation(
    "base.change",
    message("Change settings of a base; what needs indexing says its cost first, and asks."),
    http="PATCH /bases/{base:path}",
    cli="base set {base}",
    writes=True,
    takes={"search": {"limit": 5}},
    form=forms.BASE,
    lacks=ASSISTANT,
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
    read_pictures: ReadPictures = None,
) -> BaseStatus:
    own = workspace.bases.get(base).search
    if name and name != base:
        workspace.bases.check_name(name)  # before anything is stored
    fields = _fields(own, description, search, embed_at_once, write_files, watch, trusts_programs, read_pictures)
    changed = workspace.bases.update(base, **fields)
    return workspace.bases.status(workspace.bases.rename(base, name) if name else changed)


@operation(
    "base.rename",
    message("Give a base another name; its notes, question sets and runs stay."),
    cli="base rename {base} {new_name}",
    writes=True,
    form=forms.BASE,
    lacks={"http": "base.change takes a name", **ASSISTANT},
)
def rename(
    workspace: "Workspace", base: Base, new_name: Annotated[str, About(message("The new name."), example="plans")]
) -> BaseStatus:
    return workspace.bases.status(workspace.bases.rename(base, new_name))


@operation(
    "base.delete",
    message("Delete a base with its notes into the trash; the files on disk stay."),
    http="DELETE /bases/{base:path}",
    cli="base delete {base}",
    writes=True,
    form=Form("DeletedBaseName", BaseStatus, "base=base.name notes", deleted=(bool, bool)),
    lacks=ASSISTANT,
)
def delete(workspace: "Workspace", base: Base) -> BaseStatus:
    status = workspace.bases.status(workspace.bases.get(base))
    workspace.bases.delete(base)
    return status


# how notes are split and indexed


@operation(
    "base.rechunk",
    message("Split the notes of a base again with these settings, which the base keeps; your edits stay."),
    http="POST /bases/{base:path}/rechunk",
    cli="rechunk",
    writes=True,
    job="rechunk",
    check=check_base,
    takes={"chunk_size": 256},
    form=forms.RECHUNKED,
    fields=CHUNKING_PARAMETERS,
    lacks=ASSISTANT,
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
    form=forms.COSTS,
    lacks=_PERSONS,
)
def cost(
    workspace: "Workspace", progress: Progress, base: Base, embedder: Model = None, chunking: Splitting = None
) -> tuple[ChangeCost | None, ChangeCost | None]:
    bases, own = workspace.bases, workspace.bases.get(base)
    options = _options(own.chunking, chunking)
    split = bases.chunking_cost(base, options, progress=progress) if options != own.chunking else None
    switched = embedder and embedder != (own.embedder if own.has_vectors else "")
    indexed = bases.switch_cost(base, str(embedder), progress=progress) if switched else None
    return split, indexed


@operation(
    "base.switch",
    message(
        "Give a base another model for meaning: say how long it takes, ask, index its notes again. Meanwhile the "
        "old model answers."
    ),
    cli="models switch {base} {embedder}",
    writes=True,
    job="switch",
    form=forms.BASE,
    lacks=_PERSONS,
)
def switch(
    workspace: "Workspace",
    progress: Progress,
    base: Base,
    embedder: Annotated[
        str | None, About(message("The new model; without it, a change that was begun goes on."))
    ] = None,
) -> BaseStatus:
    if embedder is not None:
        workspace.bases.begin_switch(base, embedder)
    return workspace.bases.status(workspace.bases.run_switch(base, progress=progress))


@operation(
    "base.abandon_switch",
    message("Cancel what was started; the base stays as it is."),
    cli="models switch {base} --abandon",
    by_hand=("cli",),
    writes=True,
    form=forms.BASE,
    lacks=_PERSONS,
)
def abandon_switch(workspace: "Workspace", base: Base) -> BaseStatus:
    workspace.bases.abandon_switch(base)
    return workspace.bases.status(workspace.bases.get(base))


def _options(own: ChunkingOptions, given: dict[str, Any] | None) -> ChunkingOptions:
    """Return the options of splitting: the arguments over a base's own."""
    return replace(own, **{name: value for name, value in (given or {}).items() if value is not None})


def _fields(
    own: SearchSettings, description: str | None, search: dict[str, Any] | None, *switches: bool | None
) -> BaseFields:
    """Return the fields of a base among the arguments, with search settings over its own."""
    names = ("embed_at_once", "write_files", "watch", "trusts_programs", "read_pictures")
    fields: dict[str, Any] = {"description": description, **dict(zip(names, switches, strict=True))}
    if search:
        fields["search"] = SearchSettings.from_values(search).over(own)
    return cast(BaseFields, {name: value for name, value in fields.items() if value is not None})
