"""Chunks of notes, the user's edits to chunks, reasons for a split, and array types for vectors and row ids."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from core.base.blobs import Span
from core.base.fences import open_fence
from core.base.frozen import Texts, frozen
from core.base.messages import Message, Messages, message
from core.model.notes import Document, Failures, NoteSummary

# Token ids, including those of the prompt and special tokens.
Ids = Sequence[int]

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    """Row vectors of unit length, with shape (n, dimension)."""

    Pixels = NDArray[np.uint8]
    """An RGB picture, with shape (height, width, 3)."""

    Bits = NDArray[np.uint8]
    """Signs of centred token vectors, eight to a byte, with shape (tokens, dimension / 8)."""

    Spans = NDArray[np.int32]
    """Half-open character offsets in reading order, with shape (n, 2)."""

    Rowids = NDArray[np.int64]
    """Row ids of chunks in the store in ascending order, with shape (n,)."""
else:  # only modules that compute with arrays import numpy
    Matrix = Pixels = Bits = Spans = Rowids = Any


ChunkKind = Literal["full_document", "markdown_section", "recursive_character", "line"]
ChunkState = Literal["pending", "embedded", "refused", "deleted"]
EditKind = Literal["text", "merge", "split", "delete", "add"]
Decision = Literal["keep", "drop"]
Role = Literal["note", "query"]


# Reason shown if the stored reason is damaged.
NO_REASON = message("The reason is no longer known.")
_DEFINITION = re.compile(r"\[[^\[\]]+\]: ")
# Pattern for link definitions that consist only of an address. They are left out when chunks are indexed.
#
# Indexing the Rust book's chunks with these addresses lowered MRR@10 from 0.668 to 0.635 (39 questions in `make eval`).
ADDRESSES = re.compile(r"(?m)^\[(?!\^)[^\[\]\n]+\]: \S+(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A slice of a note's body, so that `body[start:end] == text`, except where the user wrote the text.

    A chunk rewritten by the user replaces `body[start:end]`. An added chunk comes after `start`, and `end == start`.
    The base's model can't embed the text of a `refused` chunk, so only keyword search finds that chunk. A `deleted`
    chunk keeps its position but is never a hit. `id` is a hash of the note's id and the chunk's text, so edits
    elsewhere in the note don't change it.

    `lead` is text from elsewhere in the note that is embedded along with the chunk: the definitions of its footnotes
    and reference links, one per line, and a table's header or a fence's opening line. Before the first heading,
    `section_title` is empty and `hierarchy_level` is 0. `parent_sections` run from the outermost inwards. `sections`
    are the titles of all sections that the chunk overlaps. `breadcrumb` holds the titles above the chunk's start, which
    are embedded along with the chunk.

    In a plain note, `line` is the chunk's line number in the file, counting from 1. In any other note it is 0. `page`
    is 0 if the document has no pages. If `picture` is set, `text` was recognized in that picture, which comes before
    `start`, and `end == start`. `picture` is a path relative to the top of the note's folder.
    """

    SHOWN: ClassVar = ("section",)

    id: str
    note_id: str
    index: int
    total: int
    start: int
    end: int
    text: str
    kind: ChunkKind
    section_title: str = ""
    parent_sections: Texts = ()
    hierarchy_level: int = 0
    sections: Texts = ()
    breadcrumb: Texts = ()
    has_code: bool = False
    language: str = "en"
    token_count: int = 0
    overlap_tokens: int = 0
    lead: str = ""
    state: ChunkState = "pending"
    edited: bool = False
    line: int = 0
    page: int = 0
    picture: str = ""

    @property
    def section(self) -> Texts:
        """Titles from the outermost section to the chunk's own."""
        return (*self.parent_sections, self.section_title) if self.section_title else self.parent_sections

    @property
    def titles(self) -> Texts:
        """Titles of all sections that contain any of the chunk's text, without duplicates."""
        return tuple(dict.fromkeys(self.breadcrumb + self.sections))

    @property
    def definitions(self) -> Texts:
        """The definitions of the text's footnotes and reference links, found elsewhere in the note."""
        return tuple(line for line in self.lead.split("\n") if _DEFINITION.match(line))

    @property
    def fence(self) -> str:
        """The opening line of the fenced code in which the text begins, or "" if it begins outside of fences."""
        return open_fence(self.lead)

    def page_at(self, document: Document | None, offset: int) -> int:
        """Return the page of the note's document that contains the character at `offset` in the body.

        For an edited chunk, return the page of the whole chunk. Return 0 if the document has no pages.
        """
        if document is None or self.edited or len(self.text) != self.end - self.start:
            return self.page
        return document.page_at(offset)


@frozen
class RefusedChunk:
    """A chunk whose text a model refused to embed, with its note, the start of its text, and the time and reason."""

    chunk_id: str
    note_id: str
    base: str
    title: str
    path: str | None
    text: str
    at: str
    reason: Message = NO_REASON


@frozen
class Edit:
    """A region of a note edited by the user. It stays a single chunk however the note is split.

    `anchor` is the region's text at the time of the edit, and `anchor_start` its last known position. An `add` has no
    region. Its chunk follows the anchor, or comes last in the note if the anchor is empty. `text` is the user's text.
    If it is empty, the region itself is the chunk. A `flagged` edit awaits the user's decision because its anchor is
    missing or another edit has taken its position.
    """

    id: str
    note_id: str
    kind: EditKind
    anchor: str
    anchor_start: int
    created_at: datetime
    text: str = ""
    deleted: bool = False
    flagged: bool = False

    @property
    def chunk_id(self) -> str:
        return f"{self.note_id}:edit-{self.id}"


@frozen
class Profile:
    """Statistics that determine a note's chunking strategy. Shares are fractions of the body's characters."""

    characters: int
    tokens: int
    headings: tuple[int, int, int, int, int, int]
    code_share: float
    table_share: float
    language: str


@frozen
class Cut:
    """A note split into chunks, with the reasons for this split. The first reason explains the choice of `strategy`."""

    chunks: tuple[Chunk, ...]
    strategy: str
    profile: Profile
    reasons: Messages


@frozen
class Window:
    """A part of a chunk that fits into the embedder's input. `text` is the text to embed.

    The first `head` characters are the breadcrumb and the lead. The rest is the chunk's own text or, if `row` is set, a
    table row written as a sentence. `row` is that row's span in the chunk's text.
    """

    chunk_id: str
    index: int
    text: str
    head: int = 0
    row: Span | None = None


@frozen
class Flagged:
    """An edit awaiting the user's decision. `note` is None if the note was deleted."""

    edit: Edit
    note: NoteSummary | None


@frozen
class Rechunked:
    """The result of re-chunking notes.

    `unchanged` counts the notes that didn't change, and `flagged` the edits whose position was lost. `chunks`
    counts the stored chunks, and `indexed` those whose vectors had to be computed.
    """

    notes: int = 0
    unchanged: int = 0
    chunks: int = 0
    indexed: int = 0
    embedded_windows: int = 0
    flagged: int = 0
    failed: Failures = ()
    seconds: float = 0.0


@frozen
class Sizes:
    """A number of chunks and statistics on their token counts. `deviation` is the population standard deviation."""

    count: int = 0
    smallest: int = 0
    mean: float = 0.0
    largest: int = 0
    deviation: float = 0.0

    @classmethod
    def from_chunks(cls, chunks: Sequence[Chunk]) -> "Sizes":
        """Compute statistics for chunks. All statistics are zero if there are no chunks."""
        tokens = [chunk.token_count for chunk in chunks]
        return cls(len(tokens), min(tokens), fmean(tokens), max(tokens), pstdev(tokens)) if tokens else cls()


@frozen
class Difference:
    """The difference between two splits of a note.

    The fields hold the offsets where a chunk starts in `both` splits, only in the `first` split, or only in the
    `second`.
    """

    both: tuple[int, ...]
    first: tuple[int, ...]
    second: tuple[int, ...]

    @classmethod
    def between(cls, first: Sequence[Chunk], second: Sequence[Chunk]) -> "Difference":
        """Compare two splits of a note, ignoring the overlap with the previous chunk."""
        ours = {*own_starts(first)}
        theirs = {*own_starts(second)}
        return cls(tuple(sorted(ours & theirs)), tuple(sorted(ours - theirs)), tuple(sorted(theirs - ours)))


def own_starts(chunks: Sequence[Chunk]) -> list[int]:
    """Return the body offsets where chunks start, after any overlap with the previous chunk."""
    ends = [0, *(chunk.end for chunk in chunks)]
    return [
        max(chunk.start, end) if chunk.overlap_tokens else chunk.start for chunk, end in zip(chunks, ends, strict=False)
    ]
