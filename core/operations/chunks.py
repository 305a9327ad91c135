"""Operations on the chunks of notes."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from core.model import ChunkingOptions, IndexedChunks, Progress
from core.operations import names
from core.operations.declaring import About, operation
from core.operations.parameters import CHUNKING_PARAMETERS, NoteName
from core.operations.printing import sentence
from core.operations.text import chunks as chunk_text
from core.operations.views.chunks import ChunkList, CutPreview, MadeChunks

if TYPE_CHECKING:
    from core.workspace import Workspace

_AT_ONCE = {"tool": "what an assistant writes waits for the person, and an edit of a chunk counts at once"}

Chunk = Annotated[str, About("A chunk's id, as `tessera chunk list` shows it.", example="4f1c:0a9b")]
Text = Annotated[str, About("The text of the chunk.", long=True, example="In short.")]


@operation(
    "chunk.list",
    "List the chunks of a note in reading order, hidden ones too.",
    http="GET /notes/{note}/chunks",
    cli="chunk list {note}",
    lines=chunk_text.format_chunks,
    lacks={"tool": "note_read gives the whole text, and what of it is hidden"},
)
def list_(workspace: "Workspace", note: NoteName) -> ChunkList:
    return ChunkList.from_chunks(workspace.chunks.all(names.id_of(workspace, note)))


@operation(
    "chunk.add",
    "Add a chunk with your own text to a note.",
    http="POST /notes/{note}/chunks",
    cli="chunk add {note} {text}",
    writes=True,
    creates="/notes/{note}/chunks",
    lines=sentence("The chunk is added, as {chunks}."),
    lacks=_AT_ONCE,
)
def add(
    workspace: "Workspace",
    note: NoteName,
    text: Text,
    after: Annotated[str | None, About("The chunk after which it is inserted; by default the last one.")] = None,
) -> MadeChunks:
    return MadeChunks((workspace.chunks.add(names.id_of(workspace, note), text, after),))


@operation(
    "chunk.edit",
    "Replace the text of a chunk; the edit stays when the note is split again.",
    http="PATCH /chunks/{chunk}",
    cli="chunk edit {chunk} {text}",
    writes=True,
    lines=sentence("The chunk is added, as {chunks}."),
    lacks=_AT_ONCE,
)
def edit(workspace: "Workspace", chunk: Chunk, text: Text) -> MadeChunks:
    return MadeChunks((workspace.chunks.update(chunk, text),))


@operation(
    "chunk.merge",
    "Merge a chunk with its neighbours.",
    http="POST /chunks/{chunk}/merge",
    cli="chunk merge {chunk} {others}",
    writes=True,
    takes={"others": []},
    lines=sentence("The chunk is added, as {chunks}."),
    lacks=_AT_ONCE,
)
def merge(
    workspace: "Workspace",
    chunk: Chunk,
    others: Annotated[list[str] | None, About("The neighbours; by default the next chunk.")] = None,
) -> MadeChunks:
    return MadeChunks((workspace.chunks.merge(chunk, *(others or ())),))


@operation(
    "chunk.split",
    "Split a chunk in two.",
    http="POST /chunks/{chunk}/split",
    cli="chunk split {chunk} {at}",
    writes=True,
    takes={"at": 120},
    gives={"chunks": ["4f1c:edit-9a", "4f1c:edit-9b"]},
    lines=sentence("The chunk is added, as {chunks}."),
    lacks=_AT_ONCE,
)
def split(
    workspace: "Workspace",
    chunk: Chunk,
    at: Annotated[int, About("The place: before this character of the chunk's text.", least=0, most=100_000_000)],
) -> MadeChunks:
    return MadeChunks(tuple(workspace.chunks.split(chunk, at)))


@operation(
    "chunk.hide",
    "Hide a chunk from every search; it can be restored by the id in the answer.",
    http="DELETE /chunks/{chunk}",
    cli="chunk hide {chunk}",
    writes=True,
    lines=sentence("The chunk is hidden. Show it again: tessera chunk restore {chunks}"),
    lacks=_AT_ONCE,
)
def hide(workspace: "Workspace", chunk: Chunk) -> MadeChunks:
    return MadeChunks((workspace.chunks.delete(chunk),))


@operation(
    "chunk.restore",
    "Show a hidden chunk again, or undo its edit: its text is then split like the rest of the note.",
    http="POST /chunks/{chunk}/restore",
    cli="chunk restore {chunk}",
    writes=True,
    gives={"chunks": []},
    lines=sentence("The chunk is restored."),
    lacks=_AT_ONCE,
)
def restore(workspace: "Workspace", chunk: Chunk) -> MadeChunks:
    workspace.chunks.restore(chunk)
    return MadeChunks()


@operation(
    "chunk.index",
    "Index chunks that are found by words only, or all of some notes.",
    http="POST /chunks/index",
    cli="chunk index {chunks}",
    writes=True,
    job="embed",
    takes={"notes": ["4f1c"]},
    lines=chunk_text.format_indexed,
    lacks={"tool": "the app and `tessera index` see to the index"},
)
def index(
    workspace: "Workspace",
    progress: Progress,
    chunks: Annotated[list[str] | None, About("Chunks, each by its id.")] = None,
    notes: Annotated[list[str] | None, About("Notes, each by its id, path, title or alias.")] = None,
) -> IndexedChunks:
    ids = names.ids(workspace, notes or ())
    return IndexedChunks(workspace.pending.embed(note_ids=ids, chunk_ids=chunks or (), progress=progress))


@operation(
    "chunk.preview",
    "Show how a file is split, and why; nothing is stored.",
    cli="chunks {file}",
    by_hand=("cli",),
    takes={"file": "/home/ada/notes/roadmap.md", "chunk_size": 256},
    fields=CHUNKING_PARAMETERS,
    lacks=dict.fromkeys(("http", "tool"), "it reads any file of the machine"),
)
def preview(
    file: Annotated[Path, About("A note file.")],
    embedder: Annotated[str, About("The model for meaning: lengths are counted in its tokens.")] = "bundled",
    compare: Annotated[str, About("A second strategy, to compare with the first.")] = "",
    **chunking: Any,
) -> CutPreview:
    from core.intake.imports import Imports  # takes a while, which --help avoids

    options = ChunkingOptions(**{name: value for name, value in chunking.items() if value is not None})
    note, cut = Imports.preview(file, options, embedder)
    other = Imports.preview(file, replace(options, strategy=compare), embedder)[1] if compare else None
    return CutPreview.from_cuts(note, cut, other)
