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

Rowids = NDArray[np.int64]
"""The numbers of chunks in the store, ascending, shape (n,)."""

BaseKind = Literal["vector", "literal"]
NoteStatus = Literal["pending", "active", "archived"]
ChunkKind = Literal["full_document", "markdown_section", "recursive_character", "line"]
ChunkState = Literal["pending", "embedded", "deleted"]
NoteState = Literal["pending", "ready"]
EditKind = Literal["text", "merge", "split", "delete", "add"]
Mode = Literal["auto", "semantic", "keyword", "hybrid"]
Level = Literal["auto", "simple", "focused", "exploratory"]
Fusion = Literal["weighted", "reciprocal"]
PhraseRule = Literal["require", "boost"]
ConditionField = Literal["tag", "type", "category", "project", "status", "in", "path", "section", "has"]
TermKind = Literal["words", "phrase", "excluded", "condition", "base", "after", "before"]
ExploratoryKind = Literal["comparison", "list", "summary", "relation"]
LostAt = Literal[
    "filters", "phrase", "excluded", "pending", "pool", "threshold", "fusion", "reranking", "limit", "duplicate"
]
FacetField = Literal["base", "tag", "type", "folder", "month"]
MissedAt = Literal["gone", "not_indexed", "cut_apart", LostAt]
Verdict = Literal["helpful", "not_helpful", "harmful"]
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
    `keep_tokens` the sign bits of its windows' token vectors are kept for reranking. A `limit` of 0, a
    weight of None and no `reranker` are those of the settings; `score_threshold` is the least cosine of a hit.
    """

    id: str
    name: str
    embedder: str
    fingerprint: str
    dimension: int
    chunking: ChunkingOptions
    created_at: datetime
    kind: BaseKind = "vector"
    limit: int = 0
    score_threshold: float = 0.0
    semantic_weight: float | None = None
    rerank_weight: float | None = None
    reranker: str = ""
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
    chunks: int
    strategy: str
    warnings: tuple[str, ...]
    pending: int = 0
    type: str = ""
    category: str = ""
    project: str = ""

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
class Condition:
    """What a chunk or its note must be: `field` is one of `values`, or none of them where it is `negated`.

    `tag`, `type`, `category`, `project` and `status` are the note's own words, whatever their case; `in` is a
    part of its title or path, `path` a prefix or a glob, `section` a part of a title in the chunk's chain, and
    `has:code` a chunk with code.
    """

    field: ConditionField
    values: tuple[str, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Filters:
    """Which chunks may answer: every condition holds, and the note was updated from `after` to before `before`.

    Without `bases` all are asked. Without a condition on `status` only active notes answer.
    """

    bases: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    after: datetime | None = None
    before: datetime | None = None


@dataclass(frozen=True, slots=True)
class Term:
    """A piece of a question as it was understood; `start` and `end` are its place in what was typed.

    `value` is what stands behind the colon, between the quotation marks or behind the minus.
    """

    kind: TermKind
    value: str
    start: int
    end: int
    field: str = ""
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Understood:
    """A question taken apart: `text` is what is searched by meaning and by word, the phrases included.

    A chunk must hold `phrases` as they stand and nothing of `excluded`. `terms` run in the order they were typed.
    """

    text: str
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    filters: Filters = Filters()
    terms: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """A question as it is asked of the retriever; without a `reranker` the hits stay in the order of their scores.

    `pool` chunks of each stage are candidates and the best `rerank_pool` are reranked. With `explain`, the
    candidates that lost are returned too.
    """

    text: str
    filters: Filters = Filters()
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    mode: Mode = "auto"
    limit: int = 10
    pool: int = 50
    fusion: Fusion = "weighted"
    semantic_weight: float = 0.6
    link_weight: float = 0.0
    phrase: PhraseRule = "require"
    score_threshold: float = 0.0
    expansion_size: int = 0
    reranker: str = ""
    rerank_pool: int = 50
    rerank_weight: float = 0.7
    rerank_characters: int = 2000
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Classified:
    """The level a question is searched at, and the rule that says so."""

    level: Level
    reason: str


@dataclass(frozen=True, slots=True)
class SubQuery:
    """A question that a larger one was taken apart into; `why` says what part of it this is."""

    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A question taken apart, and by what: `rules` or the name of a language model."""

    kind: ExploratoryKind
    sub_queries: tuple[SubQuery, ...]
    by: str = "rules"


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
    """A chunk that answers, with the score and rank of every stage it went through.

    `matched` are the question's words it holds, told where the search explains itself. `joined` are the
    numbers of the overlapping chunks of its note that it stands for, and `copies` where nearly the same text
    stands in other notes. `asked` is the part of the question that found it, where that was taken apart.
    """

    rank: int
    score: float
    chunk: Chunk
    note: NoteCard
    scores: dict[str, StageScore]
    passage: Passage
    matched: tuple[str, ...] = ()
    joined: tuple[int, ...] = ()
    copies: tuple["Copy", ...] = ()
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Copy:
    """Where nearly the same text as a hit's stands in another note."""

    note: NoteCard
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class Lost:
    """A candidate that is no hit, and the stage at which it fell behind."""

    hit: Hit
    stage: LostAt


@dataclass(frozen=True, slots=True)
class Asked:
    """A sub-query as it was asked: the round, how many chunks it found, and how many of them were `new`."""

    round: int
    sub_query: SubQuery
    found: int
    new: int


@dataclass(frozen=True, slots=True)
class Facet:
    """A value that notes among the candidates have in common; `term` is what narrows the question to them."""

    field: FacetField
    value: str
    notes: int
    term: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits, how they were found, and what the person should know about the search.

    `reranker` put them in order; where it failed it is empty, and `rerank_problem` says why. `asked` are the
    sub-queries of an exploratory search in their order, `decompositions` the ways the question was taken
    apart, the one that was used first. `lost` is told where the search explains itself.
    """

    query: str
    mode: Mode
    took_ms: float
    hits: tuple[Hit, ...]
    notices: tuple[str, ...] = ()
    reranker: str = ""
    rerank_problem: str = ""
    classified: Classified = Classified("simple", "")
    understood: Understood = Understood("")
    facets: tuple[Facet, ...] = ()
    lost: tuple[Lost, ...] = ()
    asked: tuple[Asked, ...] = ()
    decompositions: tuple[Decomposition, ...] = ()
    decompose_problem: str = ""
    cached: bool = False


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why a note is no hit of a search: the stage at which it fell behind, and what each said of its best chunk.

    The ranks are among all chunks that may answer, not among the candidates only.
    """

    note: NoteCard
    stage: LostAt | None
    told: str
    chunk: Chunk | None = None
    scores: dict[str, StageScore] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Citation:
    """What a number in a context stands for: a slice of a note."""

    number: int
    note: NoteCard
    section: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Context:
    """Passages as a block for a prompt, with numbered citations; `left_out` hits were over the budget of tokens."""

    text: str
    citations: tuple[Citation, ...]
    tokens: int
    budget: int
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a person said of a hit."""

    query: str
    note_id: str
    chunk_id: str
    verdict: Verdict
    at: datetime


@dataclass(frozen=True, slots=True)
class PastSearch:
    """A question that was asked, when it last was, and how often; one that was saved has a `name`."""

    query: str
    at: datetime
    times: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class Gold:
    """A right passage: `quote` stands once in the file at `path`, else at `start` of the note's body."""

    path: str
    quote: str
    start: int | None = None


@dataclass(frozen=True, slots=True)
class GoldSpan(Gold):
    """A right passage as a question set keeps it: `body[start:end] == quote` when the note was last looked at.

    `path` is what the note was called then, its title where it has no file. `flagged`: the quote can't be
    found any more, and all else is as it last was.
    """

    start: int
    end: int
    note_id: str
    flagged: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its right passages; `any`: one of them is enough.

    `line` is where it stands in its question file, 0 where it came from none. What is `suggested` waits
    for a person to accept it.
    """

    id: str
    text: str
    gold: tuple[Gold, ...]
    any: bool = True
    kind: str = ""
    line: int = 0
    note: str = ""
    suggested: bool = False

    @property
    def spans(self) -> tuple[GoldSpan, ...]:
        """The right passages that have their place in a note: all, where the question is of a set."""
        return tuple(gold for gold in self.gold if isinstance(gold, GoldSpan))


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A named list of questions on a base: how many they are, how many are suggested, how many have a flagged gold."""

    id: str
    base_id: str
    name: str
    created_at: datetime
    questions: int = 0
    suggested: int = 0
    flagged: int = 0


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A way to search that is measured; what is None or empty is as the base, else the settings have it.

    Notes that shall be cut or embedded in another way than the base's are so in a place beside it.
    """

    name: str = ""
    chunking: ChunkingOptions | None = None
    embedder: str = ""
    mode: Mode = "auto"
    level: Level = "auto"
    fusion: Fusion | None = None
    semantic_weight: float | None = None
    link_weight: float | None = None
    phrase: PhraseRule | None = None
    score_threshold: float | None = None
    reranker: str | None = None
    rerank_weight: float | None = None
    expansion_size: int = 0
    limit: int = 10


@dataclass(frozen=True, slots=True)
class FoundSpan:
    """A hit as a result keeps it: where its passage stands in the note's body; `nearness` is its cosine, where told."""

    note_id: str
    path: str
    chunk_id: str
    start: int
    end: int
    body_start: int
    score: float
    nearness: float | None = None

    @property
    def file_start(self) -> int:
        """Where it begins in the note's file, front matter included."""
        return self.body_start + self.start

    @property
    def file_end(self) -> int:
        """Where it ends in the note's file."""
        return self.body_start + self.end


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why a right passage, by its number in the question, is in no hit.

    `share` is the most of its characters that one chunk holds, that of `chunk_id`, of which `scores` tell the
    rank at each stage: among all chunks where it was no candidate.
    """

    gold: int
    stage: MissedAt
    told: str
    share: float = 0.0
    chunk_id: str = ""
    scores: dict[str, StageScore] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """What one question brought.

    `found_rank` is the rank by which it is answered, and `budget_rank` that within the budget of characters; None
    where it isn't. A question without gold passages is `negative`: it has no rank and counts in no metric of rank.
    """

    id: str
    question: str
    kind: str
    any: bool
    golds: tuple[GoldSpan, ...]
    took_ms: float
    hits: tuple[FoundSpan, ...]
    found_rank: int | None
    budget_rank: int | None
    level: Level = "simple"
    diagnoses: tuple[Diagnosis, ...] = ()

    @property
    def negative(self) -> bool:
        """Whether the notes have no answer."""
        return not self.golds


@dataclass(frozen=True, slots=True)
class Run:
    """One pipeline over one question set, as it was asked then.

    `settings` are the pipeline's with all that it left open, as they were. `index_version` grows whenever what
    searches find may have changed. A run that was stopped has no `ended_at`, and `asked` of its `questions`;
    `metrics` are over those.
    """

    id: str
    base_id: str
    set_id: str
    set_name: str
    pipeline: Pipeline
    settings: dict[str, object]
    index_version: int
    started_at: datetime
    ended_at: datetime | None
    questions: int
    asked: int = 0
    metrics: dict[str, float] = field(default_factory=dict)


class Progress(Protocol):
    """Told between steps of long work how far it is; raises Cancelled where it shall stop."""

    def __call__(self, done: float, total: float, what: str) -> None: ...


def unheard(done: float, total: float, what: str) -> None:
    """The Progress of work that nobody watches."""
