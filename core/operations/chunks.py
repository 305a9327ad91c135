"""Operations on chunks and the search index."""

from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from core.base.codec import assemble
from core.base.errors import ConfigError
from core.base.frozen import Texts, frozen
from core.base.messages import Message, Messages, message, plural, terminal_language
from core.base.terminal import _, say
from core.model import (
    CHUNK_KINDS,
    CHUNK_STATES,
    Chunk,
    ChunkingOptions,
    Cut,
    Difference,
    IndexedChunks,
    Note,
    Profile,
    Progress,
    RefusedChunk,
    Sizes,
    setting_value,
)
from core.operations import names
from core.operations.declaring import About, Caller, operation, without_none
from core.operations.parameters import CHUNKING_PARAMETERS, Names, NoteName, SomeBase, check_base
from core.operations.printing import details, table

if TYPE_CHECKING:
    from core.workspace import Workspace


@frozen
class ChunkList:
    """A note's chunks in reading order."""

    chunks: tuple[Chunk, ...]


@frozen
class MadeChunks:
    """The ids of newly created chunks."""

    chunks: Texts = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CutChunk(Chunk):
    """A chunk with its position in the note's file."""

    file_start: int
    file_end: int


@frozen
class CutNote:
    """A note's chunks, and the reasons why the note is split this way."""

    title: str
    profile: Profile
    strategy: str
    sizes: Sizes
    reasons: Messages
    warnings: Messages
    chunks: tuple[CutChunk, ...]


@frozen
class ComparedCut(CutNote):
    """A second way to split the note, and how its boundaries differ from those of the first."""

    cuts: Difference


@frozen
class CutPreview(CutNote):
    """A note split into chunks and the reasons for this split, optionally compared with a second way to split it."""

    compare: ComparedCut | None


def _cut_note(note: Note, cut: Cut) -> CutNote:
    begins = note.body_start
    return assemble(
        CutNote,
        cut,
        title=note.title,
        sizes=Sizes.from_chunks(cut.chunks),
        warnings=(*note.warnings, *(omission.explanation for omission in note.left_out)),
        chunks=tuple(
            assemble(CutChunk, chunk, file_start=begins + chunk.start, file_end=begins + chunk.end)
            for chunk in cut.chunks
        ),
    )


@frozen
class RefusedChunks:
    """The chunks whose text a base's model refused to embed."""

    refused: tuple[RefusedChunk, ...]


@frozen
class RebuiltIndex:
    """The rebuilt index, with its number of text windows, and its kind (`index`, or `none` if no index is used)."""

    windows: int
    index: str


_STYLE = """
:root { color-scheme: light dark; font: 15px/1.6 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 110rem; padding: 0 1.5rem; }
main { display: flex; gap: 2rem; align-items: flex-start; }
section { flex: 1; min-width: 0; }
li { margin: .1rem 0; }
article { border-left: .3rem solid hsl(var(--hue) 55% 50%); background: hsl(var(--hue) 55% 50% / .1);
  margin: .4rem 0; padding: .4rem .8rem; border-radius: .3rem; }
header { font-size: .8rem; opacity: .75; }
pre { margin: .3rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; font: .85rem/1.5 ui-monospace, monospace; }
mark { background: hsl(var(--hue) 55% 50% / .35); color: inherit; }
"""
_HUES = (170, 35, 215, 340, 270, 95)


def format_chunks(listed: ChunkList) -> list[str]:
    lines = [
        line
        for chunk in listed.chunks
        for line in _format_chunk(
            chunk, _("{id}, {n} tokens, {state}", id=chunk.id, n=chunk.token_count, state=CHUNK_STATES[chunk.state])
        )
    ]
    return lines[1:] or [_("The note has no chunks.")]


def format_preview(cut: CutPreview) -> list[str]:
    lines = [*map(say, cut.warnings), *_format_cut(cut)]
    if other := cut.compare:
        return [*lines, "", *_format_cut(other), "", *details(other.cuts)]
    for chunk in cut.chunks:
        lines += _format_chunk(
            chunk,
            _(
                "{kind}, {n} tokens, characters {start} to {end}",
                kind=CHUNK_KINDS[chunk.kind],
                n=chunk.token_count,
                start=str(chunk.file_start),
                end=str(chunk.file_end),
            ),
        )
    return lines


def _format_chunk(chunk: Chunk, about: str) -> list[str]:
    return ["", f"[{chunk.index + 1}] {' > '.join(chunk.section)} ({about})", chunk.text]


def _format_cut(cut: CutNote) -> list[str]:
    """Return lines that explain why a note is split this way, followed by its chunk sizes."""
    reasons = (
        replace(reason, fields={**reason.fields, "strategy": setting_value("strategy", reason.fields["strategy"])})
        for reason in cut.reasons
    )
    return [*map(say, reasons), say(size_message(cut.strategy, cut.sizes))]


def size_message(strategy: str, sizes: Sizes) -> Message:
    return message(
        "{strategy}: {n} chunks of {smallest} to {largest} tokens, {mean:.0f} on average",
        strategy=setting_value("strategy", strategy),
        n=sizes.count,
        smallest=sizes.smallest,
        largest=sizes.largest,
        mean=sizes.mean,
    )


# the index

_INDEXED = plural("{n} passage indexed", "{n} passages indexed")


def page(preview: CutPreview) -> str:
    """Return an HTML page showing splits of a note side by side. The page loads no resources and runs no scripts."""
    columns = _column(preview) + (_column(preview.compare) if preview.compare else "")
    title = escape(preview.title)
    return (
        f'<!doctype html><html lang="{terminal_language().replace("_", "-")}">'
        f'<head><meta charset="utf-8"><title>{title}</title>'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<style>{_STYLE}</style></head><body><h1>{title}</h1><main>{columns}</main></body></html>\n"
    )


def _column(cut: CutNote) -> str:
    reasons = "".join(f"<li>{escape(say(reason))}</li>" for reason in cut.reasons)
    bands = []
    end = 0
    for chunk in cut.chunks:
        shared = max(0, end - chunk.start)
        where = " › ".join(chunk.section)
        tokens = say(plural("{n} token", "{n} tokens", n=chunk.token_count))
        about = f"[{chunk.index + 1}] {escape(where)} · {tokens} · {chunk.start}-{chunk.end}"
        text = f"<mark>{escape(chunk.text[:shared])}</mark>{escape(chunk.text[shared:])}"
        bands.append(
            f'<article style="--hue:{_HUES[chunk.index % len(_HUES)]}">'
            f"<header>{about}</header><pre>{text}</pre></article>"
        )
        end = chunk.end
    return (
        f"<section><h2>{escape(cut.strategy)}</h2><p>{escape(say(size_message(cut.strategy, cut.sizes)))}</p>"
        f"<ul>{reasons}</ul>{''.join(bands)}</section>"
    )


ChunkName = Annotated[str, About("A chunk id, as shown by `tessera chunk list`.", example="4f1c:0a9b")]
Text = Annotated[str, About("The text of the chunk.", long=True, example="In short.")]


@operation(
    "chunk.list",
    "List the chunks of a note in reading order, including hidden ones.",
    http="GET /notes/{note}/chunks",
    cli="chunk list {note}",
    lines=format_chunks,
)
def list_(workspace: "Workspace", note: NoteName) -> ChunkList:
    return ChunkList(tuple(workspace.chunks.all(note)))


@operation(
    "chunk.add",
    "Add a chunk with your own text to a note.",
    http="POST /notes/{note}/chunks",
    cli="chunk add {note} {text}",
    writes=True,
    creates="/notes/{note}/chunks",
    lines="Saved as {chunks}.",
)
def add(
    workspace: "Workspace",
    note: NoteName,
    text: Text,
    after: Annotated[
        str | None, About("The chunk after which the new chunk is inserted. By default, the note's last chunk.")
    ] = None,
) -> MadeChunks:
    return MadeChunks((workspace.chunks.add(note, text, after),))


@operation(
    "chunk.edit",
    "Replace the text of a chunk. The edit is kept when the note is split again.",
    http="PATCH /chunks/{chunk}",
    cli="chunk edit {chunk} {text}",
    writes=True,
    lines="Saved as {chunks}.",
)
def edit(workspace: "Workspace", chunk: ChunkName, text: Text) -> MadeChunks:
    return MadeChunks((workspace.chunks.update(chunk, text),))


@operation(
    "chunk.merge",
    "Merge a chunk with its neighbours.",
    http="POST /chunks/{chunk}/merge",
    cli="chunk merge {chunk} {others}",
    writes=True,
    takes={"others": []},
    lines="Saved as {chunks}.",
)
def merge(
    workspace: "Workspace",
    chunk: ChunkName,
    others: Annotated[Names, About("The neighbouring chunks to merge with. By default, the next chunk.")] = None,
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
    lines="Saved as {chunks}.",
)
def split(
    workspace: "Workspace",
    chunk: ChunkName,
    at: Annotated[
        int,
        About(
            "The position in the text at which the chunk is split, in characters from the start.",
            least=0,
            most=100_000_000,
        ),
    ],
) -> MadeChunks:
    return MadeChunks(tuple(workspace.chunks.split(chunk, at)))


@operation(
    "chunk.hide",
    "Hide a chunk from all searches. It can be restored with the id in the response.",
    http="DELETE /chunks/{chunk}",
    cli="chunk hide {chunk}",
    writes=True,
    lines="The chunk was hidden. To show it again: tessera chunk restore {chunks}",
)
def hide(workspace: "Workspace", chunk: ChunkName) -> MadeChunks:
    return MadeChunks((workspace.chunks.delete(chunk),))


@operation(
    "chunk.restore",
    "Show a hidden chunk again, or undo an edit to a chunk. Its text is then split like the rest of the note.",
    http="POST /chunks/{chunk}/restore",
    cli="chunk restore {chunk}",
    writes=True,
    gives={"chunks": []},
    lines="The chunk was restored.",
)
def restore(workspace: "Workspace", chunk: ChunkName) -> MadeChunks:
    workspace.chunks.restore(chunk)
    return MadeChunks()


@operation(
    "chunk.index",
    "Index chunks that can be found only by keyword, or all chunks of the given notes.",
    http="POST /chunks/index",
    cli="chunk index {chunks}",
    writes=True,
    job="embed",
    takes={"notes": ["4f1c"]},
    lines=_INDEXED,
)
def index(
    workspace: "Workspace",
    progress: Progress,
    chunks: Annotated[Names, About("The ids of chunks.")] = None,
    notes: Annotated[Names, About("Notes, each given by its id, path, title or alias.", find=names.ids)] = None,
) -> IndexedChunks:
    return IndexedChunks(workspace.pending.embed(note_ids=notes or (), chunk_ids=chunks or (), progress=progress))


@operation(
    "chunk.preview",
    "Show how a file is split and why. Nothing is stored.",
    cli="chunks {file}",
    by_hand="cli",
    takes={"file": "/home/ada/notes/roadmap.md", "chunk_size": 256},
    fields=CHUNKING_PARAMETERS,
)
def preview(
    file: Annotated[Path, About("A note file.")],
    embedder: Annotated[
        str, About("The model for searching by meaning. Lengths are counted in its tokens.")
    ] = "bundled",
    compare: Annotated[str, About("A second strategy, to compare with the first.")] = "",
    **chunking: Any,
) -> CutPreview:
    from core.intake.imports import Imports  # a slow import, deferred so that --help stays fast

    options = ChunkingOptions(**without_none(chunking))
    note, cut = Imports.preview(file, options, embedder)
    compared = None
    if compare:
        other = Imports.preview(file, replace(options, strategy=compare), embedder)[1]
        compared = assemble(ComparedCut, _cut_note(note, other), cuts=Difference.between(cut.chunks, other.chunks))
    return assemble(CutPreview, _cut_note(note, cut), compare=compared)


@operation(
    "index.embed",
    "Index the notes that can be found only by keyword, so that they can also be found by meaning.",
    http="POST /bases/{base:path}/index",
    cli="index",
    writes=True,
    job="embed",
    check=check_base,
    takes={"base": "work", "refused": True},
    lines=_INDEXED,
)
def embed(
    workspace: "Workspace",
    progress: Progress,
    base: SomeBase = None,
    refused: Annotated[bool, About("Also retry the passages that the model rejected.")] = False,
    again: Annotated[
        bool, About("Index the whole base again with the same model, in case the model changed but kept its name.")
    ] = False,
) -> IndexedChunks:
    pending = workspace.pending
    if base is None:
        if refused or again:
            raise ConfigError("Specify the base with --base.")
        return IndexedChunks(pending.embed_rest(progress))
    if again:
        return IndexedChunks(pending.embed_again(base, progress))
    return IndexedChunks(pending.embed(base, refused=refused, progress=progress))


@operation(
    "index.refused",
    "List the passages that a model rejects, with the reasons. Such passages can be found only by keyword.",
    http="GET /refused",
    cli="refused",
    lines=table("base", "path", "title", "chunk_id", "reason", empty="The model rejects no passages."),
)
def refused(workspace: "Workspace", base: SomeBase = None) -> RefusedChunks:
    return RefusedChunks(tuple(workspace.pending.refused(base)))


@operation(
    "index.rebuild",
    "Rebuild the search index from the stored data, then finish any unfinished import.",
    http="POST /status/rebuild",
    cli="rebuild",
    writes=True,
    job="rebuild",
)
def rebuild(workspace: "Workspace", caller: Caller, progress: Progress) -> RebuiltIndex:
    # For a program, indexing is a separate job.
    return RebuiltIndex(workspace.rebuild(progress, embed=caller.is_person), workspace.settings.index.kind)
