"""Questions, from typed text to sub-queries, and search results with their hits, scores and contexts."""

from dataclasses import field
from datetime import datetime
from math import inf
from typing import ClassVar, Literal

from core.base.blobs import Span
from core.base.frozen import TextMap, Texts, frozen
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
    """A condition on a chunk or its note.

    `field` must have one of the `values`. If `negated`, it must have none of them.

    `tag` and word fields such as `type` match the note's fields, ignoring case. `status` matches the note's status,
    which is `expired` for an active note past its expiry. `priority` matches a range of numbers, such as 1..3, 2.. or
    ..3. `in` matches part of the title or path, and `path` matches the path by prefix or glob. `section` matches part
    of any section title above the chunk. `has:code` matches a chunk with code.
    """

    field: str
    values: Texts
    negated: bool = False


@frozen
class Filters:
    """Filters for chunks. All conditions must hold.

    The note must have been updated at or after `after` and before `before`. If `bases` is empty, all bases match.
    Without a condition on `status`, only active notes match. Expired notes match only if a condition names `expired`.
    """

    bases: Texts = ()
    conditions: tuple[Condition, ...] = ()
    after: datetime | None = None
    before: datetime | None = None


@frozen
class Term:
    """A parsed span of a question. `start` and `end` are its offsets in the typed text.

    `value` is the text after the colon, between the quotation marks, or after the minus sign.
    """

    kind: TermKind
    value: str
    start: int
    end: int
    field: str = ""
    negated: bool = False


@frozen
class _Wanted:
    """The parts of a parsed question that determine what to search for."""

    text: str
    phrases: Texts = ()
    excluded: Texts = ()
    filters: Filters = Filters()
    emphasised: Texts = ()
    preferred: tuple[Condition, ...] = ()
    avoided: Texts = ()


@frozen
class Understood(_Wanted):
    """A parsed question. Its `text`, used for semantic and keyword search, includes the phrases.

    A chunk must contain all `phrases` literally and nothing from `excluded`. `terms` are in the order typed. Chunks
    containing `emphasised` phrases rank higher. Notes that meet any of the `preferred` conditions come first, and
    chunks only about an `avoided` subject come last. `signs_as_text` is True if an unclosed quotation mark, or a
    question consisting only of symbols, is searched literally. `colons` lists the words before a colon that are
    searched as text because they aren't fields, each with the field that was probably meant.
    """

    terms: tuple[Term, ...] = ()
    signs_as_text: bool = False
    colons: tuple[tuple[str, str], ...] = ()

    @property
    def quoted(self) -> Texts:
        """All phrases, including emphasised ones. Decomposing a question keeps each phrase whole."""
        return self.phrases + self.emphasised


# Kinds of terms that rank notes first or last without excluding any.
ORDERING: frozenset[TermKind] = frozenset(("preferred", "avoided"))
# Kinds of terms that don't exclude notes.
NOT_NARROWING: frozenset[TermKind] = ORDERING | {"words", "emphasis"}

# Score boost, on a scale from 0 to 1, for a hit whose note has one of the caller's scopes or all of the caller's tags.
SCOPE_GAIN = TAGS_GAIN = 0.1


@frozen
class CallerContext:
    """The context in which a program searches.

    Notes of any type not in `types` are excluded, and so are notes with none of the `tags`. A note's score is raised by
    `SCOPE_GAIN` if the note has one of the scopes, and by `TAGS_GAIN` times the share of the tags that the note has.
    Empty fields have no effect.
    """

    types: Texts = ()
    tags: Texts = ()
    scopes: Texts = ()


@frozen
class Query(_Wanted):
    """A question as passed to the retriever, with its search settings.

    `typed` is the whole question, which may contain a note's title. With `explain`, the result includes the candidates
    that were dropped. `as_typed` keeps words from being replaced by other spellings. `choose` lets a language model
    choose among the hits. `indexed` excludes chunks without vectors.
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
    """A part of a decomposed question. `why` is a short name for the part, such as "one side"."""

    text: str
    why: Message


@frozen
class Decomposition:
    """A question's sub-queries. `by` is `rules` or the name of a language model."""

    kind: ExploratoryKind
    sub_queries: tuple[SubQuery, ...]
    by: str = "rules"


@frozen
class Prepared:
    """A question that is ready for searching, with the `typed` text and a complete `query`, which is within all limits.

    `decomposition` is the rule-based decomposition of an exploratory question, or None. `asks_model` is True if a
    language model is set up and chooses among the hits. Unless `wait` is True, a base whose model is still loading gets
    keyword search only.
    """

    typed: str
    understood: Understood
    classified: Classified
    query: Query
    decomposition: Decomposition | None = None
    asks_model: bool = False
    wait: bool = field(default=True, compare=False)


class SearchOptions(Chosen, NoteOptions, total=False):
    """Options for a single search. Options that are None are taken from the base, then from the settings.

    `filters` are added to the question's filters. Only hybrid search is reranked, unless a reranker is chosen here. The
    semantic and keyword modes keep their own order. Unless `wait` is True, a base whose model is still loading gets
    keyword search only, with a notice. With `plain`, the question is literal text, without query syntax, and is always
    accepted. `as_typed` keeps words from being replaced by other spellings. Unless `choose` is False, a configured
    language model chooses among the hits of literal bases. `indexed` excludes chunks without vectors.
    """

    filters: Filters | None
    explain: bool
    as_typed: bool
    plain: bool
    choose: bool
    indexed: bool
    wait: bool
    caller: CallerContext


# A result's search mode.
#
# For a question with only filters, it is `listed`, and the hits are the most recently changed notes.
ResultMode = Literal["semantic", "keyword", "hybrid", "listed"]

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
    """A hit's score at one stage. `rank` counts from 1, or is None if the stage didn't return the hit."""

    score: float
    rank: int | None


@frozen
class Passage:
    """A hit with its neighbouring chunks.

    Its text is a slice of the note's body, except where the user edited a chunk.
    """

    note: NoteSummary
    start: int
    end: int
    text: str
    fence: str = ""
    """The opening line of the fenced code in which the text begins, or ""."""


# State of a note's file. It is `stale` if it has changed since it was indexed, and `gone` if it no longer exists.
FileState = Literal["same", "stale", "gone"]


@frozen
class Hit:
    """A chunk found for a question, with its score and rank at every stage it went through.

    `score` is on the similarity scale, 0 to 1, and never increases from one hit to the next. Scores range from the
    lowest to the highest similarity of the candidates, in the last stage's order. Exact words bring a score closer to
    1. Without vectors, the best hit's score is the share of the question's words that the hit contains. In a list,
    every score is 1. No score is below `score_threshold`. `strength` is the last stage's score on that stage's own
    scale.

    `matched` are the question's words found in the chunk. They are empty unless the search was run with `explain`.
    `joined` are the numbers of overlapping chunks of the same note that the hit represents. `copies` are chunks of
    other notes with nearly the same text. `asked` is the sub-query that found the chunk, or empty if the question
    wasn't decomposed. `superseded_by` are the notes that replace the hit's note, and `file` is the state of that note's
    file at the time of this search. `page` is the page of the answering sentence, or 0 if the document has no pages.
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
    """A picture that matches the question. `picture` is its path relative to the top of the note's folder.

    The picture comes before `start` in the note's body. `score` is its cosine similarity to the question, or to the
    example pictures. Negative values count as 0.
    """

    rank: int
    score: float
    note: NoteSummary
    picture: str
    start: int = 0


# Minimum nearness of a close hit. In two vaults, no hit for an unanswerable question reached this value.
CLOSE = 0.42


@frozen
class Highlight:
    """The parts of a hit that answer the question, as character spans in the chunk's text.

    `words` are the spans of the question's words, in order. `sentence` is the sentence nearest to the question, or None
    if the text has no words. `nearness` is the mean, over the question's tokens, of the cosine similarity to the
    chunk's nearest token. It is None if the chunk has no token bits or the model isn't loaded. `held` is the share of
    the question's words found in the chunk or its titles.
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
    """A sub-query that was run, with its round, the number of chunks it found, and how many of these were new."""

    round: int
    found: int
    new: int


@frozen
class Facet:
    """A value of a note field, and the number of `hits` whose notes have it.

    Adding `term` to the question narrows the search to that value.
    """

    field: str
    value: str
    hits: int
    term: str


@frozen
class Floor:
    """A base's background similarity, which even unrelated questions reach.

    `mean` and `spread` are the mean and standard deviation of unrelated questions' best cosine similarities. `windows`
    is the number of windows in the base when they were measured, and `questions` the number of the user's questions.
    """

    mean: float
    spread: float
    windows: int
    questions: int = 0


@frozen
class LlmSelection:
    """A language model's choice among the hits of literal bases. `by` is the model.

    `chunks` are the ids of the chosen chunks, which become the first hits. `answer` is the model's own text. It is no
    more trustworthy than a note. If `by` is empty, no model is set up or the model failed, and the hits keep the order
    of keyword search. `problem` says why the model failed.
    """

    by: str = ""
    answer: str = ""
    chunks: Texts = ()
    problem: Message | None = None
    SHOWN: ClassVar = ("explanation",)

    @property
    def explanation(self) -> Message:
        """A sentence about how the hits were ordered."""
        if self.problem:
            return message(
                "The language model didn't make a choice, so the hits are ranked by keyword. {reason}",
                reason=self.problem,
            )
        if not self.by:
            return message("No language model is set up, so the hits are ranked by keyword.")
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
    """The hits of a search, along with the search's settings, notices and problems.

    `settings` are the settings used, after all defaults are filled in. `reranker` names the reranker that ordered the
    hits. If reranking failed, `reranker` is empty and `rerank_problem` gives the reason. `spelled` maps words that no
    chunk contains to the nearest spelling, which was searched for instead. `confident` is False if the notes probably
    don't answer the question, judging by `evidence` (`core/retrieval/confidence.py`).

    `asked` are the sub-queries of an exploratory search, in order. `decompositions` are the question's decompositions,
    starting with the one that was used. `lost` holds the candidates that were dropped. It is empty unless the search
    was run with `explain`. `choice` is a language model's choice among the hits, or None unless all searched bases are
    literal. `pictures` are the pictures found if the question asks for pictures. `without_model` is True if no searched
    base supports semantic search. `expired` is the number of expired notes with the question's words, which were left
    out.
    """

    query: str
    mode: ResultMode
    took_ms: float
    hits: tuple[Hit, ...]
    spelled: TextMap = field(default_factory=dict)
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
    expired: int = 0

    @property
    def is_comparison(self) -> bool:
        """Whether the question was decomposed into the sides of a comparison."""
        return bool(self.decompositions) and self.decompositions[0].kind == "comparison"


@frozen
class WhyNot:
    """The reason why a note isn't a hit.

    `stage` is the stage that dropped the note, or None if the note is a hit. `chunk` is the note's best chunk, and
    `scores` holds that chunk's score at each stage. Ranks are among all chunks that pass the filters, not just the
    candidates.
    """

    note: NoteSummary
    stage: LostAt | None
    message: Message
    chunk: Chunk | None = None
    scores: dict[str, StageScore] = field(default_factory=dict)


# Markers around a note's own text in a context. The text itself never contains them.
NOTE_MARKS = ("<note>", "</note>")


@frozen
class Citation:
    """A numbered source in a context. It is a slice of a note, or text recognized in a note's `picture`.

    `page` and `line` come from the note's best hit. `page` is 0 if the document has no pages, and `line` is 0 if the
    note isn't a text file.
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
    """Passages for a prompt, joined into one text with numbered citations.

    `left_out` counts the hits beyond the token budget.

    Each passage is preceded by `[number] <note> title (path)` and followed by `</note>`, on separate lines.

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
    """An earlier question, with when and how often it was asked. A saved search has a `name`.

    `unanswered` is True if the notes didn't answer the question when it was last asked.
    """

    query: str
    at: datetime
    times: int
    name: str = ""
    unanswered: bool = False
