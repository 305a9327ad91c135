"""Questions, their parsed forms, and search results."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from core.messages import Message
from core.model.chunks import Chunk
from core.model.notes import NoteCard
from core.model.settings import DEFAULTS, Chosen, CompleteSettings, Level

ResultMode = Literal["semantic", "keyword", "hybrid", "listed"]
"""Search mode of a result; `listed`: the last changed notes, for a question with filters and no words."""

ConditionField = Literal["tag", "type", "category", "project", "status", "in", "path", "section", "has"]
TermKind = Literal["words", "phrase", "emphasis", "excluded", "condition", "base", "after", "before"]
ExploratoryKind = Literal["comparison", "list", "summary", "relation"]
LostAt = Literal[
    "filters",
    "phrase",
    "excluded",
    "pending",
    "pool",
    "threshold",
    "fusion",
    "reranking",
    "literal",
    "limit",
    "duplicate",
]
FacetField = Literal["base", "tag", "type", "folder", "month"]
Verdict = Literal["helpful", "not_helpful", "harmful"]

Notice = Literal[
    "model_loading",
    "phrase_not_found",
    "listed",
    "query_cut",
    "index_damaged",
    "tokens_missing",
    "tokens_read",
    "rerank_partial",
]


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a chunk or its note: `field` has one of `values`, or none of them where `negated`.

    `tag`, `type`, `category`, `project` and `status` match the note's fields in any case; `in` matches a part of the
    title or path, `path` a prefix or a glob of the path, `section` a part of a title in the chunk's chain of titles,
    and `has:code` a chunk with code.
    """

    field: ConditionField
    values: tuple[str, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of the chunks: every condition holds, and the note was updated at or after `after` and before `before`.

    Empty `bases` stand for all bases. Without a condition on `status` only active notes answer.
    """

    bases: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    after: datetime | None = None
    before: datetime | None = None


@dataclass(frozen=True, slots=True)
class Term:
    """A parsed span of a question; `start` and `end` are its place in the typed text.

    `value` is the text after the colon, between the quotation marks or after the minus.
    """

    kind: TermKind
    value: str
    start: int
    end: int
    field: str = ""
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Understood:
    """A parsed question: `text` is searched by meaning and by word, and includes the phrases.

    A chunk must contain `phrases` literally and nothing of `excluded`. `terms` are in typed order. `emphasised` are
    phrases that raise the chunks with them.
    """

    text: str
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    filters: Filters = Filters()
    terms: tuple[Term, ...] = ()
    emphasised: tuple[str, ...] = ()

    @property
    def quoted(self) -> tuple[str, ...]:
        """The phrases and what is emphasised: each is one name in a question that is taken apart."""
        return (*self.phrases, *self.emphasised)


@dataclass(frozen=True, slots=True)
class Query:
    """A question for the retriever.

    `explain` adds the candidates that lost to the result. `as_typed`: no word is looked for by another spelling.
    """

    text: str
    filters: Filters = Filters()
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    emphasised: tuple[str, ...] = ()
    settings: CompleteSettings = DEFAULTS
    explain: bool = False
    as_typed: bool = False


@dataclass(frozen=True, slots=True)
class Classified:
    """The level of a question, and the rule that chose it."""

    level: Level
    reason: Message


@dataclass(frozen=True, slots=True)
class SubQuery:
    """A part of a decomposed question; `why` names the part."""

    text: str
    why: Message


@dataclass(frozen=True, slots=True)
class Decomposition:
    """The sub-queries of a question; `by` is `rules` or the name of a language model."""

    kind: ExploratoryKind
    sub_queries: tuple[SubQuery, ...]
    by: str = "rules"


@dataclass(frozen=True, slots=True)
class StageScore:
    """A hit's score at one stage; `rank` counts from 1, None where the stage didn't return the hit."""

    score: float
    rank: int | None


@dataclass(frozen=True, slots=True)
class Passage:
    """A hit with its neighbour chunks: a slice of the note's body, except where a person edited a chunk."""

    note: NoteCard
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that answers, with its score and rank at every stage it went through.

    `matched` are the question's words in the chunk, set with `explain`. `joined` are the numbers of overlapping
    chunks of the same note that the hit represents, `copies` the places of nearly the same text in other notes.
    `asked` is the sub-query that found the chunk, empty where the question wasn't decomposed.
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
    """A chunk of another note with nearly the same text as a hit."""

    note: NoteCard
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class Lost:
    """A candidate that is no hit, and the stage that dropped it."""

    hit: Hit
    stage: LostAt


@dataclass(frozen=True, slots=True)
class Asked:
    """A searched sub-query: its round, the number of chunks `found`, and the number of `new` ones among them."""

    round: int
    sub_query: SubQuery
    found: int
    new: int


@dataclass(frozen=True, slots=True)
class Facet:
    """A value that several candidates' notes share; the `term` narrows the question to those notes."""

    field: FacetField
    value: str
    notes: int
    term: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits of a search, with its settings, notices and problems.

    `settings` are complete. `reranker` ordered the hits; where reranking failed, it is empty and `rerank_problem`
    gives the reason. `spelled` are words that no chunk holds, with their nearest spelling, which was looked for in
    their place by word. `asked` are the sub-queries of an exploratory search in order, `decompositions` the
    decompositions of the question, the used one first. `lost` is set with `explain`.
    """

    query: str
    mode: ResultMode
    took_ms: float
    hits: tuple[Hit, ...]
    spelled: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    reranker: str = ""
    rerank_problem: Message | None = None
    classified: Classified = Classified("simple", Message(""))
    understood: Understood = Understood("")
    facets: tuple[Facet, ...] = ()
    lost: tuple[Lost, ...] = ()
    asked: tuple[Asked, ...] = ()
    decompositions: tuple[Decomposition, ...] = ()
    decompose_problem: Message | None = None
    cached: bool = False
    settings: CompleteSettings = DEFAULTS


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why a note is no hit: the stage that dropped it, and the scores of its best chunk at each stage.

    Ranks are among all chunks that pass the filters, not only among the candidates.
    """

    note: NoteCard
    stage: LostAt | None
    message: Message
    chunk: Chunk | None = None
    scores: dict[str, StageScore] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Citation:
    """A numbered source of a context: a slice of a note."""

    number: int
    note: NoteCard
    section: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Context:
    """Passages as a block for a prompt, with numbered citations; `left_out` hits exceed the budget of tokens."""

    text: str
    citations: tuple[Citation, ...]
    tokens: int
    budget: int
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Feedback:
    """A person's verdict on a hit."""

    query: str
    note_id: str
    chunk_id: str
    verdict: Verdict
    at: datetime


@dataclass(frozen=True, slots=True)
class PastSearch:
    """An earlier question, its last time and its number of `times`; a saved one has a `name`."""

    query: str
    at: datetime
    times: int
    name: str = ""


class SearchOptions(Chosen, total=False):
    """Options of one search; the base, else the settings decide what is None.

    `filters` are added to those of the question. Unless a reranker is chosen here, only hybrid search is reranked, and
    the semantic and keyword modes keep their own order. Without `wait`, a base whose model is still loading answers by
    keyword, with a notice.
    """

    filters: Filters | None
    explain: bool
    as_typed: bool
    wait: bool
