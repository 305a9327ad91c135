"""The nouns: frozen, without behaviour beyond derived properties.

files -> notes -> chunks -> windows -> vectors -> hits -> context

`start`/`end` are half-open character offsets, `*_at` is UTC, and every score is
higher-is-better.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
"""Vectors, one a row, shape (n, dimension), rows of unit length."""

Bits = NDArray[np.uint8]
"""Signs of centred token vectors, eight to a byte, shape (tokens, dimension / 8)."""

Spans = NDArray[np.int32]
"""Half-open character offsets, shape (n, 2), in reading order."""

BaseKind = Literal["vector", "literal"]
NoteStatus = Literal["pending", "active", "archived"]
ChunkKind = Literal["full_document", "markdown_section", "recursive_character", "line"]
ChunkState = Literal["pending", "embedded", "deleted"]
NoteState = Literal["pending", "ready"]
EditKind = Literal["text", "merge", "split", "delete", "add"]
Mode = Literal["auto", "semantic", "keyword", "hybrid"]
Role = Literal["note", "query"]


@dataclass(frozen=True, slots=True)
class ChunkingOptions:
    """How the notes of a base are cut; sizes in tokens of the base's embedder."""

    strategy: str = "auto"
    short_doc_threshold: int = 500
    chunk_size: int = 512
    chunk_overlap: int = 100
    min_headings_for_md_aware: int = 2
    max_single_chunk_size: int = 1500


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """A named collection of notes with its own settings.

    `embedder` is a name of the embedder table, with its argument behind a colon
    (`sentence:BAAI/bge-m3`); `fingerprint` and `dimension` are those of the vectors it holds.
    Without `embed_at_once` its chunks wait, `pending`, until a person has them embedded. With
    `keep_tokens` the sign bits of its windows' token vectors are kept for reranking.
    """

    id: str
    name: str
    embedder: str
    fingerprint: str
    dimension: int
    chunking: ChunkingOptions
    created_at: datetime
    kind: BaseKind = "vector"
    limit: int = 10
    score_threshold: float = 0.0
    index_generation: int = 0
    synced_at: datetime | None = None
    embed_at_once: bool = True
    keep_tokens: bool = True


@dataclass(frozen=True, slots=True)
class Switch:
    """A base's change to another embedder that was begun and has not been completed."""

    embedder: str
    fingerprint: str
    started_at: datetime


@dataclass(frozen=True, slots=True)
class Note:
    """A text a person keeps: `body` is the file's text behind its front matter.

    `path` is relative to the folder named by `source_ref`, with forward slashes, and None for
    a note that came from no file. `body_start` is where the body begins in the decoded file,
    so that `body_start + offset` is a place in the file. `generation` counts how often the note was indexed.
    """

    id: str
    base_id: str
    title: str
    body: str
    content_hash: str
    generation: int = 0
    path: str | None = None
    body_start: int = 0
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    category: str = ""
    type: str = ""
    project: str = ""
    scope: str = ""
    priority: int = 0
    status: NoteStatus = "active"
    source: str = ""
    source_ref: str = ""
    source_url: str = ""
    created_at: datetime | None = None
    updated_at: datetime | None = None
    version: int = 1
    extra: dict[str, object] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoteCard:
    """What lists and hits show of a note: everything but its text; `pending` of its chunks wait to be embedded."""

    id: str
    base_id: str
    base: str
    title: str
    path: str | None
    body_start: int
    tags: tuple[str, ...]
    status: NoteStatus
    source: str
    updated_at: datetime | None
    characters: int
    chunks: int
    strategy: str
    warnings: tuple[str, ...]
    pending: int = 0

    @property
    def state(self) -> NoteState:
        """Whether every chunk that shall be found by meaning is."""
        return "pending" if self.pending else "ready"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A slice of a note's body: `body[start:end] == text`, except where a person wrote the text.

    What a person wrote over a region stands for `body[start:end]`; what they added stands behind
    `start`, which is its `end` too. A `deleted` chunk keeps its place and answers no question.
    `id` is computed from the note's id and the chunk's own text, so a chunk that an edit of its
    note leaves alone keeps it. `lead` is what its embedded text repeats from before the slice: a
    table's header or a fence's opening line. `section_title` is empty before the first heading,
    where `hierarchy_level` is 0; `parent_sections` run from the outermost inwards.
    """

    id: str
    note_id: str
    index: int
    total: int
    start: int
    end: int
    text: str
    kind: ChunkKind
    section_title: str = ""
    parent_sections: tuple[str, ...] = ()
    hierarchy_level: int = 0
    has_code: bool = False
    language: str = "en"
    token_count: int = 0
    overlap_tokens: int = 0
    lead: str = ""
    state: ChunkState = "pending"
    edited: bool = False

    @property
    def section(self) -> tuple[str, ...]:
        """The whole chain of titles, the chunk's own last."""
        return (*self.parent_sections, self.section_title) if self.section_title else self.parent_sections


@dataclass(frozen=True, slots=True)
class Edit:
    """A region of a note that a person pinned: its chunk is theirs, however the note is cut.

    `anchor` is the region's text as they saw it and `anchor_start` where it last was. An `add` has no
    region: its chunk stands behind the anchor, at the note's end where that is empty. `text` is what
    the person wrote; where it is empty, the region itself is the chunk. `flagged`: the anchor isn't
    found or another edit took its place, so that a person must decide.
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
        """The id of the chunk it makes."""
        return f"{self.note_id}:edit-{self.id}"


@dataclass(frozen=True, slots=True)
class Profile:
    """What a chunking choice is made from; shares are of the body's characters."""

    characters: int
    tokens: int
    headings: tuple[int, int, int, int, int, int]
    code_share: float
    table_share: float
    language: str


@dataclass(frozen=True, slots=True)
class Cut:
    """A note's chunks and why they were cut so: the first reason speaks for `strategy`."""

    chunks: tuple[Chunk, ...]
    strategy: str
    profile: Profile
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """A piece of a chunk that fits the embedder's input; `text` is what is embedded."""

    chunk_id: str
    index: int
    text: str


@dataclass(frozen=True, slots=True)
class Filters:
    """Which notes may answer; empty fields allow all. `path` is a prefix or a glob."""

    bases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    path: str = ""
    after: datetime | None = None
    before: datetime | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """A question as it is asked of the retriever; without a `reranker` the hits stay in the order of their scores."""

    text: str
    filters: Filters = Filters()
    mode: Mode = "auto"
    limit: int = 10
    pool: int = 50
    semantic_weight: float = 0.6
    expansion_size: int = 0
    reranker: str = ""
    rerank_pool: int = 50
    rerank_weight: float = 0.7
    rerank_characters: int = 2000


@dataclass(frozen=True, slots=True)
class StageScore:
    """What one stage said of a hit; `rank` counts from 1, None where the stage didn't return it."""

    score: float
    rank: int | None


@dataclass(frozen=True, slots=True)
class Passage:
    """A hit widened by its neighbours: a slice of the note's body, as far as no person edited it."""

    note: NoteCard
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that answers, with the score and rank of every stage it went through."""

    rank: int
    score: float
    chunk: Chunk
    note: NoteCard
    scores: dict[str, StageScore]
    passage: Passage


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits, the mode that found them, and what the person should know about the search.

    `reranker` put them in order; where it failed it is empty, and `rerank_problem` says why.
    """

    query: str
    mode: Mode
    took_ms: float
    hits: tuple[Hit, ...]
    notices: tuple[str, ...] = ()
    reranker: str = ""
    rerank_problem: str = ""


@dataclass(frozen=True, slots=True)
class Gold:
    """A right passage: `quote` stands once in the file at `path`."""

    path: str
    quote: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its right passages; `any`: one of them is enough.

    `line` is where it stands in its question file, 0 where it came from none.
    """

    id: str
    text: str
    gold: tuple[Gold, ...]
    any: bool = True
    kind: str = ""
    line: int = 0


class Progress(Protocol):
    """Told between steps of long work how far it is; raises Cancelled where it shall stop."""

    def __call__(self, done: float, total: float, what: str) -> None: ...


def unheard(done: float, total: float, what: str) -> None:
    """The Progress of work that nobody watches."""
