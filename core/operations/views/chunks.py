"""What operations on chunks and on the index return."""

from collections.abc import Iterable
from typing import Self

from core.base.codec import assemble
from core.base.frozen import frozen
from core.base.messages import Message
from core.model import (
    Chunk,
    ChunkKind,
    ChunkState,
    Cut,
    Difference,
    Note,
    Profile,
    RefusedChunk,
    Sizes,
)


@frozen
class ChunkDetails:
    """A chunk of a note, as `Chunk` explains it."""

    id: str
    index: int
    total: int
    start: int
    end: int
    text: str
    kind: ChunkKind
    section: tuple[str, ...]
    sections: tuple[str, ...]
    has_code: bool
    language: str
    token_count: int
    overlap_tokens: int
    state: ChunkState
    edited: bool
    line: int
    page: int
    picture: str


@frozen
class ChunkList:
    """The chunks of a note in reading order."""

    chunks: tuple[ChunkDetails, ...]

    @classmethod
    def from_chunks(cls, chunks: Iterable[Chunk]) -> Self:
        return cls(tuple(assemble(ChunkDetails, chunk) for chunk in chunks))


@frozen
class MadeChunks:
    """The ids of new chunks."""

    chunks: tuple[str, ...] = ()


@frozen
class CutChunk:
    """A chunk of a file, as `Chunk` explains it, and its place there."""

    index: int
    start: int
    end: int
    text: str
    kind: ChunkKind
    section: tuple[str, ...]
    section_title: str
    parent_sections: tuple[str, ...]
    hierarchy_level: int
    sections: tuple[str, ...]
    has_code: bool
    language: str
    token_count: int
    overlap_tokens: int
    line: int
    page: int
    file_start: int
    file_end: int


@frozen
class CutNote:
    """How a note is split, and why."""

    title: str
    profile: Profile
    strategy: str
    sizes: Sizes
    reasons: tuple[Message, ...]
    warnings: tuple[Message, ...]
    chunks: tuple[CutChunk, ...]


@frozen
class ComparedCut(CutNote):
    """Another way to split it, and where both split."""

    cuts: Difference


@frozen
class CutPreview(CutNote):
    """How a note is split, and why, and another way."""

    compare: ComparedCut | None

    @classmethod
    def from_cuts(cls, note: Note, cut: Cut, other: Cut | None) -> Self:
        compared = None
        if other:
            compared = assemble(ComparedCut, _cut_note(note, other), cuts=Difference.between(cut.chunks, other.chunks))
        return assemble(cls, _cut_note(note, cut), compare=compared)


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
    """The chunks that a model refuses."""

    refused: tuple[RefusedChunk, ...]


@frozen
class RebuiltIndex:
    """Number of pieces of text in the index; its kind is `none` where there is none."""

    windows: int
    index: str
