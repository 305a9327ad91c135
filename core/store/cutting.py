"""A note ready to be stored, with its chunks and how they were made."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.model import Chunk, ChunkingOptions, Edit, Note, Revision


@dataclass(frozen=True, slots=True)
class Cutting:
    """A note ready to be written: its chunks, and for each the ids of its windows' vectors.

    `edits` replace the stored ones, unless they are None; `options` are the note's own. With a `change` it is a new
    version of the note.
    """

    note: Note
    chunks: Sequence[Chunk]
    vectors: Sequence[Sequence[int]]
    strategy: str
    cut_by: str
    mtime_ns: int | None = None
    size: int | None = None
    edits: Sequence[Edit] | None = None
    options: ChunkingOptions | None = None
    change: Revision | None = None
