"""Operations on the search index: embed pending, refused or all chunks, build the index again."""

from typing import TYPE_CHECKING, Annotated

from core.base.errors import ConfigError
from core.model import IndexedChunks, Progress
from core.operations import chunks
from core.operations.chunks import RebuiltIndex, RefusedChunks
from core.operations.declaring import About, Caller, operation
from core.operations.parameters import SomeBase, check_base

if TYPE_CHECKING:
    from core.workspace import Workspace

_TOOL = {"tool": "the app and `tessera index` see to the index"}


@operation(
    "index.embed",
    "Index the notes that are found by words only, so that they are found by meaning too.",
    http="POST /bases/{base:path}/index",
    cli="index",
    writes=True,
    job="embed",
    check=check_base,
    takes={"base": "work", "refused": True},
    lines=chunks.format_indexed,
    lacks=_TOOL,
)
def embed(
    workspace: "Workspace",
    progress: Progress,
    base: SomeBase = None,
    refused: Annotated[bool, About("Also retry the passages that the model refused.")] = False,
    again: Annotated[
        bool, About("Index the whole base again by its model, for a model that changed under its name.")
    ] = False,
) -> IndexedChunks:
    return IndexedChunks(_embed(workspace, progress, base, refused=refused, again=again))


def _embed(workspace: "Workspace", progress: Progress, base: str | None, *, refused: bool, again: bool) -> int:
    if base is None:
        if refused or again:
            raise ConfigError("Name the base: --base.")
        return workspace.pending.embed_rest(progress)
    if again:
        return workspace.pending.embed_again(base, progress)
    return workspace.pending.embed(base, refused=refused, progress=progress)


@operation(
    "index.refused",
    "List the passages that a model refuses, with its reason: they are found by words only.",
    http="GET /refused",
    cli="refused",
    lines=chunks.format_refused,
    lacks=_TOOL,
)
def refused(workspace: "Workspace", base: SomeBase = None) -> RefusedChunks:
    return RefusedChunks(tuple(workspace.pending.refused(base)))


@operation(
    "index.rebuild",
    "Build the search index again from the stored data, then finish an unfinished import.",
    http="POST /status/rebuild",
    cli="rebuild",
    writes=True,
    job="rebuild",
    lines=chunks.format_rebuilt,
    lacks=_TOOL,
)
def rebuild(workspace: "Workspace", caller: Caller, progress: Progress) -> RebuiltIndex:
    windows = workspace.rebuild(progress, embed=caller.is_person)  # a program follows the job that indexes
    return RebuiltIndex(windows, workspace.settings.index.kind)
