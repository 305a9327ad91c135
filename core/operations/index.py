"""Operations on the search index: what is found by words only is indexed, and the whole is built again."""

from typing import TYPE_CHECKING, Annotated

from typing_extensions import TypedDict

from core.json_forms.forms import Form
from core.messages import message
from core.model import Progress
from core.operations.declaring import About, Caller, operation
from core.operations.parameters import SomeBase

if TYPE_CHECKING:
    from core.workspace import Workspace

_TOOL = {"tool": "the app and `tessera index` see to the index"}

_INDEXED = Form("Indexed", int, chunks=(int, int))


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
    takes={"base": "work"},
    gives={"chunks": 12},
    form=_INDEXED,
    lacks=_TOOL,
)
def embed(workspace: "Workspace", progress: Progress, base: SomeBase = None) -> int:
    return workspace.chunks.embed(base, progress=progress) if base else workspace.chunks.embed_rest(progress)


@operation(
    "chunk.index",
    message("Index chunks that are found by words only: some, or all of some notes."),
    http="POST /chunks/index",
    cli="chunk index",
    writes=True,
    job="embed",
    takes={"notes": ["4f1c"]},
    gives={"chunks": 12},
    form=_INDEXED,
    lacks=_TOOL,
)
def chunks(
    workspace: "Workspace",
    progress: Progress,
    chunks: Annotated[list[str] | None, About(message("The chunks, by their ids."), "chunk")] = None,
    notes: Annotated[list[str] | None, About(message("The notes, by their ids."), "note")] = None,
) -> int:
    return workspace.chunks.embed(note_ids=notes or (), chunk_ids=chunks or (), progress=progress)


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
