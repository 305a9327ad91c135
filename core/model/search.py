"""Questions, from the typed text to decomposed ones, and results of a search: hits with scores, contexts."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from math import inf
from typing import ClassVar, Literal

from core.base.blobs import Span
from core.base.frozen import Texts, frozen
from core.base.messages import Message, message, plural
from core.model.chunks import Chunk
from core.model.note_fields import NOTE_FIELDS, NoteOptions
from core.model.notes import NoteSummary
from core.model.settings import DEFAULTS, Chosen, CompleteSettings, Level

TermKind = Literal[
    "words", "phrase", "emphasis", "excluded", "condition", "base", "after", "before", "preferred", "avoided"
]
ExploratoryKind = Literal["comparison", "list", "summary", "relation"]


@frozen
class Condition:
    """A condition on a chunk or its note: `field` has one of `values`, or none of them if `negated`.

    `tag` and words such as `type` match the note's fields in any case; `status` its status, which is `expired` for an
    active note past its expiry; `priority` a range of numbers, as in 1..3, 2.. and ..3; `in` a part of the title or
    path; `path` a prefix or a glob of the path; `section` a part of a title in the chunk's chain of titles; and
    `has:code` a chunk with code.
    """

    field: str
    values: Texts
    negated: bool = False


@frozen
class Filters:
    """Filters of chunks: all conditions must hold, and the note was updated at or after `after` and before `before`.

    Empty `bases` mean all bases. Without a condition on `status`, only active notes match; expired notes match only if
    a condition names `expired`.
    """

    bases: Texts = ()
    conditions: tuple[Condition, ...] = ()
    after: datetime | None = None
    before: datetime | None = None


@frozen
class Term:
    """A parsed span of a question; `start` and `end` are its offsets in the typed text.

    `value` is the text after the colon, between the quotation marks or after the minus.
    """

    kind: TermKind
    value: str
    start: int
    end: int
    field: str = ""
    negated: bool = False


@frozen
class _Wanted:
    """What a question asks for."""

    text: str
    phrases: Texts = ()
    excluded: Texts = ()
    filters: Filters = Filters()
    emphasised: Texts = ()
    preferred: tuple[Condition, ...] = ()
    avoided: Texts = ()


@frozen
class Understood(_Wanted):
    """A parsed question; semantic and keyword search use `text`, which includes the phrases.

    A chunk must contain all `phrases` literally and nothing of `excluded`. `terms` are in typed order. Chunks that
    contain `emphasised` phrases rank higher. Notes that meet any of the `preferred` conditions come first; chunks that
    are only about an `avoided` subject come last. `signs_as_text`: an unclosed quotation mark, or a question of symbols
    only, is searched literally. `colons` are words before a colon that are searched as text because they aren't fields,
    each with the likely field.
    """

    terms: tuple[Term, ...] = ()
    signs_as_text: bool = False
    colons: tuple[tuple[str, str], ...] = ()

    @property
    def quoted(self) -> Texts:
        """All phrases, including emphasised ones; decomposing a question keeps each of them whole."""
        return (*self.phrases, *self.emphasised)


ORDERING: frozenset[TermKind] = frozenset(("preferred", "avoided"))
"""Kinds of terms that rank notes first or last without excluding any."""
NOT_NARROWING: frozenset[TermKind] = ORDERING | {"words", "emphasis"}
"""Kinds of terms that don't exclude notes."""

SCOPE_GAIN = TAGS_GAIN = 0.1
"""Gain of a hit, 0 to 1, if its note has one of the caller's scopes, or all of the caller's tags."""


@frozen
class CallerContext:
    """The context of a caller, which excludes notes by type and tags, and boosts notes by scope and tags.

    Notes of other types, and notes without any of the tags, are excluded. A note gains `SCOPE_GAIN` if it has one of
    the scopes, and `TAGS_GAIN` times the share of the tags that it has. An empty field has no effect.
    """

    types: Texts = ()
    tags: Texts = ()
    scopes: Texts = ()


@frozen
class Query(_Wanted):
    """A question for the retriever.

    `typed` is the whole question, which may contain a note's title. `explain` adds the dropped candidates to the
    result. `as_typed`: words aren't replaced by other spellings. `choose`: a language model may choose among the hits.
    `indexed`: chunks without vectors can't be hits.
    """

    typed: str = ""
    settings: CompleteSettings = DEFAULTS
    explain: bool = False
    as_typed: bool = False
    choose: bool = False
    indexed: bool = False
    caller: CallerContext = CallerContext()


@frozen
class Classified:
    level: Level
    reason: Message


@frozen
class SubQuery:
    """A part of a decomposed question; `why` is the name of the part."""

    text: str
    why: Message


@frozen
class Decomposition:
    """The sub-queries of a question; `by` is `rules` or the name of a language model."""

    kind: ExploratoryKind
    sub_queries: tuple[SubQuery, ...]
    by: str = "rules"


@frozen
class Prepared:
    """A question ready for search: the `typed` text and its complete `query`, within all limits.

    `decomposition` is the rules' decomposition of an exploratory question, or None. `asks_model`: a language model is
    set up and chooses among the hits. Without `wait`, a base whose model is still loading gets keyword search only.
    """

    typed: str
    understood: Understood
    classified: Classified
    query: Query
    decomposition: Decomposition | None = None
    asks_model: bool = False
    wait: bool = field(default=True, compare=False)


class SearchOptions(Chosen, NoteOptions, total=False):
    """Options of one search; options that are None come from the base, or else from the settings.

    `filters` are added to the question's filters. Unless a reranker is chosen here, only hybrid search is reranked; the
    semantic and keyword modes keep their own order. Without `wait`, a base whose model is still loading gets keyword
    search only, with a notice. `plain`: the question is literal text and always accepted. `as_typed`: words aren't
    replaced by other spellings. `choose`: unless False, a configured language model chooses among the hits of literal
    bases. `indexed`: chunks without vectors can't be hits.
    """

    filters: Filters | None
    explain: bool
    as_typed: bool
    plain: bool
    choose: bool
    indexed: bool
    wait: bool
    caller: CallerContext


ResultMode = Literal["semantic", "keyword", "hybrid", "listed"]
"""Search mode of a result; `listed`: the last changed notes, for a question of filters only."""

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
FACETS = ("base", *(field.typed[0] for field in NOTE_FIELDS.values() if field.is_facet), "folder", "month")

Notice = Literal[
    "model_loading",
    "phrase_not_found",
    "listed",
    "signs_as_text",
    "colon_as_text",
    "text_cut",
    "query_cut",
    "index_damaged",
    "other_model",
    "model_away",
    "tokens_missing",
    "tokens_read",
    "rerank_partial",
    "unfinished",
    "unindexed",
    "pictures_loading",
    "no_notes",
]


@frozen
class StageScore:
    """A hit's score at one stage; `rank` counts from 1, or None if the stage didn't return the hit."""

    score: float
    rank: int | None


@frozen
class Passage:
    """A hit with its neighbour chunks: a slice of the note's body, except where the user edited a chunk."""

    note: NoteSummary
    start: int
    end: int
    text: str


FileState = Literal["same", "stale", "gone"]
"""State of a note's file: `stale` if it was changed since it was indexed, `gone` if it no longer exists."""


@frozen
class Hit:
    """A chunk that answers the question, with its score and rank at every stage that it went through.

    `score` is on the scale of similarity, 0 to 1, and never rises with the rank. It ranges from the lowest to the
    highest similarity of the candidates, in the order of the last stage; exact words bring it nearer to 1. Without
    vectors, the best hit's score is the share of the question's words that it contains. In a list it is 1. No score is
    below `score_threshold`. `strength` is the score of the last stage on that stage's own scale.

    `matched` are the question's words in the chunk, set with `explain`. `joined` are the numbers of overlapping chunks
    of the same note that the hit represents, `copies` are chunks with nearly the same text in other notes. `asked` is
    the sub-query that found the chunk, empty if the question wasn't decomposed. `superseded_by` are the notes that
    replace the hit's note, and `file` is the state of its file as of this search. `page` is the page of the sentence
    that answers, 0 in a document without pages.
    """

    rank: int
    score: float
    chunk: Chunk
    note: NoteSummary
    scores: dict[str, StageScore]
    passage: Passage
    matched: Texts = ()
    joined: tuple[int, ...] = ()
    copies: tuple["Copy", ...] = ()
    asked: str = ""
    superseded_by: tuple[NoteSummary, ...] = ()
    file: FileState = "same"
    page: int = 0
    strength: float = 0.0

    @property
    def content(self) -> str:
        """The passage, followed by the definitions of its footnotes and reference links from elsewhere in the note."""
        return "\n\n".join((self.passage.text, *self.chunk.definitions))


@frozen
class PictureHit:
    """A picture that matches the question: its note, and its path from the top of the note's folder.

    It is before `start` in the note's body. `score` is the cosine to the question, or to the example pictures; negative
    cosines count as 0.
    """

    rank: int
    score: float
    note: NoteSummary
    picture: str
    start: int = 0


CLOSE = 0.42
"""Minimum nearness of a close hit; in two vaults, no hit for an unanswerable question reached it."""


@frozen
class Highlight:
    """The parts of a hit that answer, as character spans of the chunk's text, in order.

    `words` are the question's words; `sentence` is the sentence nearest to the question, None for a text without words.
    `nearness` is the mean over the question's tokens of the cosine to the chunk's nearest token, None if the chunk has
    no token bits or the model isn't loaded. `held` is the share of the question's words in the chunk or its titles.
    """

    words: tuple[Span, ...]
    sentence: Span | None
    nearness: float | None
    held: float

    @property
    def is_close(self) -> bool:
        return self.nearness is not None and self.nearness >= CLOSE


@frozen
class Copy:
    """A chunk of another note with nearly the same text as a hit."""

    note: NoteSummary
    chunk: Chunk


@frozen
class DroppedCandidate:
    """A candidate that didn't become a hit, and the stage that dropped it."""

    hit: Hit
    stage: LostAt


@frozen
class SubQueryResult(SubQuery):
    """A searched sub-query: its round, the number of chunks that it found, and how many were new."""

    round: int
    found: int
    new: int


@frozen
class Facet:
    """A field's value in the notes of `hits` hits; `term` narrows the question to it."""

    field: str
    value: str
    hits: int
    term: str


@frozen
class Floor:
    """Background similarity of a base: mean and standard deviation of unrelated questions' best cosines.

    `windows` is the number of the base's windows when it was measured, `questions` the number of questions.
    """

    mean: float
    spread: float
    windows: int
    questions: int = 0


@frozen
class LlmSelection:
    """A language model's choice among the hits of literal bases; `by` is the model.

    `chunks` are the ids of the chosen chunks, which come first, and `answer` is the model's own text, which is no more
    trusted than a note. Without `by`, the hits keep the order of keyword search: no model is set up, or it failed, and
    `problem` says why.
    """

    by: str = ""
    answer: str = ""
    chunks: Texts = ()
    problem: Message | None = None
    SHOWN: ClassVar = ("explanation",)

    @property
    def explanation(self) -> Message:
        """A sentence about who chose the order of the hits."""
        if self.problem:
            return message(
                "The language model didn't choose, so the hits are ordered by words. {reason}", reason=self.problem
            )
        if not self.by:
            return message("No language model is set up, so the hits are ordered by words.")
        if not self.chunks:
            return message("The language model {model} chose none of the sections:", model=self.by)
        return plural(
            "The language model {model} chose {n} section, which comes first:",
            "The language model {model} chose {n} sections, which come first:",
            n=len(self.chunks),
            model=self.by,
        )


@frozen
class SearchResult:
    """The hits of a search, with its settings, notices and problems.

    `settings` are complete. `reranker` ordered the hits; if reranking failed, it is empty and `rerank_problem` gives
    the reason. `spelled` maps words that no chunk contains to the nearest spelling, which was searched for instead.
    `confident` is False if the notes hardly answer the question, judged by `evidence` (`core/retrieval/confidence.py`).
    `asked` are the sub-queries of an exploratory search in order, `decompositions` the decompositions of the question,
    the used one first. `lost` is set with `explain`, and `choice` if all searched bases are literal. `pictures` are
    separate hits for a question that asks for pictures. `without_model`: no searched base supports semantic search.
    """

    query: str
    mode: ResultMode
    took_ms: float
    hits: tuple[Hit, ...]
    spelled: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    reranker: str = ""
    rerank_problem: Message | None = None
    classified: Classified = field(default_factory=lambda: Classified("simple", Message("")))
    understood: Understood = field(default_factory=lambda: Understood(""))
    facets: tuple[Facet, ...] = ()
    lost: tuple[DroppedCandidate, ...] = ()
    asked: tuple[SubQueryResult, ...] = ()
    decompositions: tuple[Decomposition, ...] = ()
    decompose_problem: Message | None = None
    cached: bool = False
    confident: bool = True
    evidence: float = inf
    settings: CompleteSettings = DEFAULTS
    choice: LlmSelection | None = None
    pictures: tuple[PictureHit, ...] = ()
    without_model: bool = False

    @property
    def is_comparison(self) -> bool:
        """Whether the question was decomposed into the sides of a comparison."""
        return bool(self.decompositions) and self.decompositions[0].kind == "comparison"


@frozen
class WhyNot:
    """Why a note isn't a hit: the stage that dropped it, and the scores of its best chunk at each stage.

    Ranks are among all chunks that pass the filters, not only among the candidates.
    """

    note: NoteSummary
    stage: LostAt | None
    message: Message
    chunk: Chunk | None = None
    scores: dict[str, StageScore] = field(default_factory=dict)


NOTE_MARKS = ("<note>", "</note>")
"""Marks around a note's own text in a context; the text itself never contains them."""


@frozen
class Citation:
    """A numbered source in a context: a slice of a note, or the recognized text of its `picture`.

    `page` and `line` come from the note's best hit; 0 for a document without pages, or for notes that aren't text
    files.
    """

    number: int
    note: NoteSummary
    section: Texts
    start: int
    end: int
    page: int = 0
    line: int = 0
    picture: str = ""


@frozen
class Context:
    """A block of passages for a prompt, with numbered citations; `left_out` hits exceed the token budget.

    Each passage has `[number] <note> title (path)` before it and `</note>` after it, on separate lines.

    `confident` and `notices` are copied from the search result.
    """

    text: str
    citations: tuple[Citation, ...]
    tokens: int
    budget: int
    left_out: int = 0
    confident: bool = True
    notices: tuple[Notice, ...] = ()


@frozen
class PastSearch:
    """An earlier question, and when and how often it was asked; a saved search has a `name`."""

    query: str
    at: datetime
    times: int
    name: str = ""
