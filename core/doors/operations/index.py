"""Operations on the search index: embed pending, refused or all chunks, build the index again."""

from typing import TYPE_CHECKING, Annotated

from typing_extensions import TypedDict

from core.base.errors import ConfigError
from core.base.messages import message
from core.doors.operations.declaring import About, Caller, operation
from core.doors.operations.forms import Form
from core.doors.operations.parameters import SomeBase, check_base
from core.model import Progress, RefusedChunk

if TYPE_CHECKING:
    from core.workspace import Workspace

INDEXED = Form("Indexed", int, chunks=(int, int))
REFUSED = Form(
    "Refused",
    list,
    refused=([Form("RefusedChunk", RefusedChunk, "chunk_id note_id base title path text reason at")], list),
)
_TOOL = {"tool": "the app and `tessera index` see to the index"}


class Rebuilt(TypedDict):
    """Number of pieces of text in the index; its kind is `none` where there is none."""

    windows: int
    index: str


@operation(
    "index.embed",
    message("Index the notes that are found by words only, so that they are found by meaning too."),
    http="POST /bases/{base:path}/index",
    cli="index",
    writes=True,
    job="embed",
    check=check_base,
    takes={"base": "work", "refused": True},
    gives={"chunks": 12},
    form=INDEXED,
    lacks=_TOOL,
)
def embed(
    workspace: "Workspace",
    progress: Progress,
    base: SomeBase = None,
    refused: Annotated[bool, About(message("Try the passages that the model refused again too."))] = False,
    again: Annotated[
        bool, About(message("Index the whole base again by its model, for a model that changed under its name."))
    ] = False,
) -> int:
    if base is None:
        if refused or again:
            raise ConfigError("Name the base: --base.")
        return workspace.chunks.embed_rest(progress)
    if again:
        return workspace.chunks.embed_again(base, progress)
    return workspace.chunks.embed(base, refused=refused, progress=progress)


@operation(
    "index.refused",
    message("List the passages that a model refuses, with its reason: they are found by words only."),
    http="GET /refused",
    cli="refused",
    form=REFUSED,
    lacks=_TOOL,
)
def refused(workspace: "Workspace", base: SomeBase = None) -> list[RefusedChunk]:
    return workspace.chunks.refused(base)


@operation(
    "index.rebuild",
    message("Build the search index again from the stored data, then finish an unfinished import."),
    http="POST /status/rebuild",
    cli="rebuild",
    writes=True,
    job="rebuild",
    gives={"windows": 203, "index": "chroma"},
    lacks=_TOOL,
)
def rebuild(workspace: "Workspace", caller: Caller, progress: Progress) -> Rebuilt:
    windows = workspace.rebuild(progress)
    if not caller.is_person:  # a program follows the job that indexes, a command waits for it
        workspace.start_indexing()
    elif workspace.chunks.unfinished():
        workspace.chunks.embed_rest(progress)
    return {"windows": windows, "index": workspace.settings.index.kind}
