"""Operations on bases: their settings, imports into them, splitting and indexing of their notes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, cast

from core.base.messages import message
from core.doors.operations.declaring import About, Caller, operation
from core.doors.operations.parameters import BASE_SEARCH, CHUNKING_PARAMETERS, Base, check_base, parameters_from
from core.doors.operations.text import bases as text
from core.doors.operations.views.bases import BaseDeletion, BaseDetails, BaseList, ChangeCosts
from core.model import (
    OPEN,
    BaseFields,
    BaseKind,
    ChunkingOptions,
    KnowledgeBase,
    Progress,
    Rechunked,
    SearchSettings,
)

if TYPE_CHECKING:
    from core.workspace import Workspace

ASSISTANT = {"tool": "an assistant reads and writes notes; bases are the person's"}
_PERSONS = {"http": "it can take hours, so the person begins it", **ASSISTANT}

Model = Annotated[str | None, About(message("The model for meaning, by a name of `tessera models list`."))]
Splitting = Annotated[dict[str, Any] | None, About(message("How notes are split."), parts=CHUNKING_PARAMETERS)]


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseSettings:
    """Settings of a base; None leaves one as it is."""

    description: Annotated[str | None, About(message("What the base is for, in a sentence."))] = None
    embedder: Model = None
    chunking: Splitting = None
    search: Annotated[dict[str, Any] | None, About(message("How notes are searched."), parts=BASE_SEARCH)] = None
    embed_at_once: Annotated[
        bool | None,
        About(
            message("Index new notes at once, or only when you say so, after a look."), "index-at-once/--index-later"
        ),
    ] = None
    write_files: Annotated[
        bool | None,
        About(
            message("Write edits of notes into their files, or only read the files, which is the default."),
            "write-files/--read-files",
        ),
    ] = None
    watch: Annotated[
        bool | None, About(message("Sync the folders of the base by itself while the app runs, or not."))
    ] = None
    trusts_programs: Annotated[
        bool | None,
        About(
            message("Let what programs write count at once, or only after you accept it, which is the default."),
            "trust-programs",
            doors=("cli",),
        ),
    ] = None
    read_pictures: Annotated[
        bool | None,
        About(
            message(
                "Read the text in the pictures of the notes, so that it is found too, or not, which is the default."
            ),
            "read-pictures/--leave-pictures",
        ),
    ] = None

    def fields(self, own: SearchSettings) -> BaseFields:
        """Return what is chosen of those that don't affect the index, with search settings over the base's own."""
        chosen = {name: getattr(self, name) for name in BaseFields.__annotations__}
        chosen["search"] = SearchSettings.from_values(self.search).over(own) if self.search else None
        return cast(BaseFields, {name: value for name, value in chosen.items() if value is not None})


_PARAMETERS = parameters_from(BaseSettings)


@operation(
    "base.list",
    message("List the bases, each with its size."),
    http="GET /bases",
    cli="base list",
    tool="knowledge_list",
    by_hand=("tool",),
    lines=text.format_bases,
)
def list_(workspace: "Workspace") -> BaseList:
    return BaseList(tuple(_details(workspace, base) for base in workspace.bases.all()))


@operation(
    "base.show",
    message("Show a base with its settings, folders and size."),
    http="GET /bases/{base:path}",
    cli="base show {base}",
    lines=text.format_base,
    lacks={"tool": "knowledge_list has what an assistant needs of a base"},
)
def show(workspace: "Workspace", base: Base) -> BaseDetails:
    return _details(workspace, workspace.bases.get(base))


@operation(
    "base.new",
    message("Make an empty base; what you don't choose is as the settings say."),
    http="POST /bases",
    cli="base new {name}",
    writes=True,
    creates="/bases/{name}",
    takes={"name": "work", "description": "Plans and decisions"},
    fields=_PARAMETERS,
    lines=text.format_base,
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
    **given: Any,
) -> BaseDetails:
    settings = BaseSettings(**given)
    options = _options(workspace.bases.usual(kind).chunking, settings.chunking)
    fields: BaseFields = {"watch": caller.is_person, **settings.fields(OPEN)}
    base = workspace.bases.add(name, kind=kind, embedder=settings.embedder or "", chunking=options, **fields)
    return _details(workspace, base)


@operation(
    "base.change",
    message("Change settings of a base; what needs indexing says its cost first, and asks."),
    http="PATCH /bases/{base:path}",
    cli="base set {base}",
    writes=True,
    takes={"search": {"limit": 5}},
    fields=tuple(parameter for parameter in _PARAMETERS if parameter.name not in ("embedder", "chunking")),
    lines=text.format_base,
    lacks=ASSISTANT,
)
def change(
    workspace: "Workspace",
    base: Base,
    name: Annotated[str | None, About(message("Another name of the base."), doors=("http",))] = None,
    **given: Any,
) -> BaseDetails:
    own = workspace.bases.get(base).search
    if name and name != base:
        workspace.bases.check_name(name)  # before anything is stored
    changed = workspace.bases.update(base, **BaseSettings(**given).fields(own))
    return _details(workspace, workspace.bases.rename(base, name) if name else changed)


@operation(
    "base.rename",
    message("Give a base another name; its notes, question sets and runs stay."),
    cli="base rename {base} {new_name}",
    writes=True,
    lines=text.format_base,
    lacks={"http": "base.change takes a name", **ASSISTANT},
)
def rename(
    workspace: "Workspace", base: Base, new_name: Annotated[str, About(message("The new name."), example="plans")]
) -> BaseDetails:
    return _details(workspace, workspace.bases.rename(base, new_name))


@operation(
    "base.delete",
    message("Delete a base with its notes into the trash; the files on disk stay."),
    http="DELETE /bases/{base:path}",
    cli="base delete {base}",
    writes=True,
    lines=text.format_deletion,
    lacks=ASSISTANT,
)
def delete(workspace: "Workspace", base: Base) -> BaseDeletion:
    status = workspace.bases.status(workspace.bases.get(base))
    workspace.bases.delete(base)
    return BaseDeletion(status.base.name, status.notes, deleted=True)


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
    lines=text.format_rechunk,
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
    lacks=_PERSONS,
)
def cost(
    workspace: "Workspace", progress: Progress, base: Base, embedder: Model = None, chunking: Splitting = None
) -> ChangeCosts:
    bases, own = workspace.bases, workspace.bases.get(base)
    options = _options(own.chunking, chunking)
    split = bases.chunking_cost(base, options, progress=progress) if options != own.chunking else None
    switched = embedder and embedder != (own.embedder if own.has_vectors else "")
    indexed = bases.switch_cost(base, str(embedder), progress=progress) if switched else None
    return ChangeCosts(split, indexed)


@operation(
    "base.switch",
    message(
        "Give a base another model for meaning: say how long it takes, ask, index its notes again. Meanwhile the "
        "old model answers."
    ),
    cli="models switch {base} {embedder}",
    writes=True,
    job="switch",
    lacks=_PERSONS,
)
def switch(
    workspace: "Workspace",
    progress: Progress,
    base: Base,
    embedder: Annotated[
        str | None, About(message("The new model; without it, a change that was begun goes on."))
    ] = None,
) -> BaseDetails:
    if embedder is not None:
        workspace.bases.begin_switch(base, embedder)
    return _details(workspace, workspace.bases.run_switch(base, progress=progress))


@operation(
    "base.abandon_switch",
    message("Cancel what was started; the base stays as it is."),
    cli="models switch {base} --abandon",
    by_hand=("cli",),
    writes=True,
    lacks=_PERSONS,
)
def abandon_switch(workspace: "Workspace", base: Base) -> BaseDetails:
    workspace.bases.abandon_switch(base)
    return _details(workspace, workspace.bases.get(base))


def _details(workspace: "Workspace", base: KnowledgeBase) -> BaseDetails:
    return BaseDetails.from_status(workspace.bases.status(base))


def _options(own: ChunkingOptions, values: Mapping[str, Any] | None) -> ChunkingOptions:
    """Return the options of splitting: the arguments over a base's own."""
    return replace(own, **{name: value for name, value in (values or {}).items() if value is not None})
