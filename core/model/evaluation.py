"""Questions with right passages, runs of them, and the runs' results and verdicts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal, Self

from core.base.codec import assemble
from core.base.frozen import frozen
from core.base.messages import Message, message_table
from core.model.chunking import ChunkingOptions
from core.model.search import Hit, LostAt, StageScore
from core.model.settings import OPEN, Level, SearchSettings

JudgedBy = Literal["none", "model"]

Agreement = Literal["agrees", "partly", "no"]

AGREED: dict[Agreement, float] = {"agrees": 1.0, "partly": 0.5, "no": 0.0}
"""The value of a verdict in the metric `agreed`."""

_VERDICTS: dict[Agreement | None, Message] = message_table(
    {
        "agrees": "Agrees with the expected answer",
        "partly": "Agrees in part",
        "no": "Doesn't agree",
        None: "No judgement",
    }
)

BUDGET = 4000
"""Characters of retrieved text that fit a prompt in addition to the question, roughly."""

DEPTH = 10
"""Number of hits that the metrics consider."""

MAIN = ("hit@1", "hit@5", "hit@10", "mrr@10", f"hit@{BUDGET}chars")
"""Metrics of a short table."""

METRICS = (
    *MAIN,
    f"mrr@{BUDGET}chars",
    "recall@10",
    "precision@10",
    "ndcg@10",
    "map@10",
    "span_recall",
    "span_precision",
    "span_iou",
)
"""Metrics of every question with an answer; `span_*` consider the first BUDGET retrieved characters."""

ANSWER_METRICS = ("answered", "cited_recall", "cited_precision", "quoted", "facts", "refused", "agreed")
"""Metrics of the answer above the hits, each over the questions that it is about: `refused` those without an answer,
`cited_precision` and `quoted` those that aren't refused, `facts` those with a wished answer, `agreed` those that
a language model judged. No other metric rests on a judgement."""

ENOUGH = 20
"""Least number of questions for a statement: below it, percentile intervals are too narrow."""

TIMES = ("p50_ms", "p95_ms")
"""Figures in addition to METRICS; lower is better."""

AnswersBy = Literal["quotes", "model", "none"]
MissedAt = Literal["gone", "not_indexed", "cut_apart", LostAt]

MISSED: dict[MissedAt, Message] = message_table(
    {
        "gone": "No note contains it any more: its note was deleted, or changed in this place.",
        "not_indexed": "Most of it is in no chunk: the text was deleted or replaced.",
        "cut_apart": "It was split across chunks, so that no chunk contains half of it.",
        "filters": "Its chunk doesn't match the filters.",
        "phrase": "Its chunk doesn't contain the exact phrase.",
        "excluded": "Its chunk contains an excluded word.",
        "pending": "Its chunk is not indexed yet, and contains no word of the question.",
        "pool": "Others are closer in meaning and in words, so its chunk wasn't considered.",
        "threshold": "Its chunk's similarity is below the minimum that is set.",
        "fusion": "By meaning or by words alone its chunk was among the first; with both combined, others are better.",
        "reranking": "Its chunk was among the first until reranking put others above it.",
        "literal": "Others contain your exact words, so they rank above its chunk.",
        "limit": "Its chunk was considered, but all hits shown are better.",
        "duplicate": "Its chunk says the same as a hit, which is shown instead.",
    }
)
"""Why a right passage is in no hit, by the stage that dropped it."""


@frozen
class Judgement:
    """The verdict of a language model on an answer, in its own words; without one, the `problem` says why."""

    verdict: Agreement | None = None
    reason: str = ""
    problem: Message | None = None

    @property
    def label(self) -> Message:
        """The verdict as people read it."""
        return _VERDICTS[self.verdict]

    @property
    def why(self) -> str | Message:
        """The reason of the verdict, or why there is none."""
        return self.problem or self.reason


@frozen
class Gold:
    """A right passage: `quote` occurs once in the file at `path`, else at `start` of the note's body."""

    path: str
    quote: str
    start: int | None = None


@frozen
class GoldSpan(Gold):
    """A right passage in a question set: `body[start:end] == quote` at the last look at the note.

    `path` is the note's path at that time, or its title where it has no file. `flagged`: the note no longer
    contains the quote, and the other fields keep their last values.
    """

    start: int
    end: int
    note_id: str
    flagged: bool = False

    def is_within(self, hit: Hit) -> bool:
        """Whether a hit's chunk contains the whole passage."""
        return self.note_id == hit.note.id and hit.chunk.start <= self.start and self.end <= hit.chunk.end


@frozen
class Question:
    """A question with its right passages; `any`: one of them is enough.

    `line` is its line in the question file, 0 without a file. A `suggested` question waits for the user to accept it.
    `answer` is the expected one.
    """

    id: str
    text: str
    gold: tuple[Gold, ...]
    any: bool = True
    kind: str = ""
    line: int = 0
    note: str = ""
    suggested: bool = False
    answer: str = ""
    FIELD_TYPES: ClassVar = {"gold": tuple[GoldSpan, ...]}

    @property
    def spans(self) -> tuple[GoldSpan, ...]:
        """Right passages with a place in a note: all of them, for a question of a set."""
        return tuple(gold for gold in self.gold if isinstance(gold, GoldSpan))


@frozen
class QuestionSet:
    """A named list of questions on a base: numbers of all, of suggested ones, and of those with a flagged passage."""

    id: str
    base_id: str
    name: str
    created_at: datetime
    questions: int = 0
    suggested: int = 0
    flagged: int = 0


@frozen
class Pipeline:
    """A measured way to search; the base, else the settings decide what is None or empty.

    `name` is chosen by the user. An open limit is DEPTH, because the metrics consider that many hits. Notes with
    another chunking or embedder than the base's are indexed in a scratch store. `answers` are quotes of
    the notes, what the language model of the settings writes, or none; `judge` says whether that model judges them.
    """

    name: str = ""
    chunking: ChunkingOptions | None = None
    embedder: str = ""
    search: SearchSettings = OPEN
    answers: AnswersBy = "quotes"
    judge: JudgedBy = "none"


@frozen
class FoundSpan:
    """A hit in a result: its passage's place in the note's body; `nearness` is its cosine, None where unknown."""

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
        """Start in the note's file, front matter included."""
        return self.body_start + self.start

    @property
    def file_end(self) -> int:
        """End in the note's file."""
        return self.body_start + self.end


@frozen
class Diagnosis:
    """Why a right passage, by its number in the question, is in no hit.

    `share` is the largest share of its characters in one chunk, `chunk_id`. `scores` have that chunk's rank at
    each stage, among all chunks where it was no candidate.
    """

    gold: int
    stage: MissedAt
    share: float = 0.0
    chunk_id: str = ""
    scores: dict[str, StageScore] = field(default_factory=dict)

    @property
    def message(self) -> Message:
        """The reason as a sentence."""
        return MISSED[self.stage]


@frozen
class GivenAnswer:
    """What a run answered: its text, empty where it refused, and the passage of each citation.

    `quoted` of its `sentences` have a citation whose quote is in its note. The text of a language model holds only
    those; `problem` is why its server gave no answer. `judged` is None without a judge.
    """

    text: str
    cited: tuple[FoundSpan, ...]
    sentences: int
    quoted: int
    problem: Message | None = None
    judged: Judgement | None = None

    @property
    def refused(self) -> bool:
        return not self.sentences


@frozen
class QuestionResult:
    """Result of one question.

    `found_rank` is the rank that completes the answer, `budget_rank` that rank within BUDGET characters; None without
    an answer. A question without gold passages is `negative`: it has no rank and counts in no rank metric. `wished` is
    the expected answer, `given` the one of the run, None in a run of an older version.
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
    wished: str = ""
    given: GivenAnswer | None = None

    @property
    def negative(self) -> bool:
        """Whether the notes have no answer."""
        return not self.golds

    @property
    def judged(self) -> Judgement | None:
        """The verdict of a language model on the answer, None without a judge."""
        return self.given.judged if self.given else None


@dataclass(frozen=True, slots=True)
class Run:
    """One pipeline over one question set.

    `settings` are complete, as of the run. `index_version` grows with every change that may affect search
    results. A stopped run has no `ended_at`; `asked` of its `questions` have results, and `metrics` are over those.
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

    @property
    def progress(self) -> str:
        """How many of its questions have results, of a stopped run with the number of all."""
        return f"{self.asked}" if self.asked == self.questions else f"{self.asked} / {self.questions}"


@frozen
class RunView:
    """A run as it is shown; `pipeline` is the name of its setup."""

    id: str
    set_id: str
    set_name: str
    questions: int
    asked: int
    metrics: dict[str, float]
    settings: dict[str, Any]
    pipeline: str
    started_at: datetime
    ended_at: datetime | None


@frozen
class RunList:
    """Runs of question sets as they are shown."""

    runs: tuple[RunView, ...]

    @classmethod
    def from_runs(cls, runs: Iterable[Run]) -> Self:
        return cls(tuple(assemble(RunView, run, pipeline=run.pipeline.name) for run in runs))


Measured = tuple[Run, Sequence[QuestionResult]]
"""A run and the results of its questions."""
