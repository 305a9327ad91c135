"""Questions with right passages, runs of them, and the runs' results."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, Literal, TypeVar

from core.messages import Message, message
from core.model.bases import ChunkingOptions
from core.model.search import Hit, LostAt, StageScore
from core.model.settings import OPEN, Level, SearchSettings

BUDGET = 4000
"""Characters of retrieved text that fit a prompt beside the question, roughly."""

DEPTH = 10
"""Number of hits that the metrics look at."""

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
"""Metrics of every question with an answer; `span_*` look at the first BUDGET retrieved characters."""


ENOUGH = 20
"""Least number of questions for a statement: below it, percentile intervals are too narrow."""

TIMES = ("p50_ms", "p95_ms")
"""Figures beside METRICS; lower is better."""

MissedAt = Literal["gone", "not_indexed", "cut_apart", LostAt]


MISSED: dict[MissedAt, Message] = {
    "gone": message("It stands in no note any more: its note is gone, or was changed in this place."),
    "not_indexed": message(
        "Most of it is in no chunk: what stood there was deleted, or something else was written over it."
    ),
    "cut_apart": message("It was cut apart, so that no chunk holds half of it."),
    "filters": message("The filters don't let its chunk through."),
    "phrase": message("Its chunk doesn't hold the phrase as it stands."),
    "excluded": message("Its chunk holds a word that is excluded."),
    "pending": message("Its chunk is not indexed yet, and holds no word of the question."),
    "pool": message("Others are nearer in meaning and in words: its chunk became no candidate."),
    "threshold": message("Its chunk's similarity is below the minimum that is asked for."),
    "fusion": message("One way of searching had its chunk among the first; with both counted, others are better."),
    "reranking": message("Its chunk was among the first until the second look put others before it."),
    "limit": message("Its chunk is a candidate, but more hits than are shown are better."),
    "duplicate": message("Its chunk says the same as a hit, which stands for it."),
}
"""Why a right passage is in no hit, by the stage that dropped it."""


@dataclass(frozen=True, slots=True)
class Gold:
    """A right passage: `quote` occurs once in the file at `path`, else at `start` of the note's body."""

    path: str
    quote: str
    start: int | None = None


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its right passages; `any`: one of them is enough.

    `line` is its line in the question file, 0 without a file. A `suggested` question waits for a person
    to accept it.
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
        """Right passages with a place in a note: all of them, for a question of a set."""
        return tuple(gold for gold in self.gold if isinstance(gold, GoldSpan))


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A named list of questions on a base: numbers of all, of suggested ones, and of those with a flagged passage."""

    id: str
    base_id: str
    name: str
    created_at: datetime
    questions: int = 0
    suggested: int = 0
    flagged: int = 0


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A measured way to search; the base, else the settings decide what is None or empty.

    `name` is the person's name for it. An open limit is DEPTH, because the metrics look at that many hits. Notes
    with another chunking or embedder than the base's are indexed in a scratch store.
    """

    name: str = ""
    chunking: ChunkingOptions | None = None
    embedder: str = ""
    search: SearchSettings = OPEN


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """Result of one question.

    `found_rank` is the rank that completes the answer, `budget_rank` that rank within BUDGET characters; None
    without an answer. A question without gold passages is `negative`: it has no rank and counts in no rank metric.
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


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of the questions without and with an answer that get a hit at a threshold."""

    threshold: float
    false_positives: float
    true_positives: float


Measured = tuple[Run, Sequence[QuestionResult]]
"""A run and the results of its questions."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences between two runs' values on the same questions; `message` is a sentence about them.

    `difference` is the mean of new - old, `low` and `high` its interval of 95 %, `p` how often chance alone would
    put it as far off 0 on either side; below ENOUGH questions these three mean nothing. `more` estimates the number of
    further questions that settle the difference: 0 where it is settled, None where no number does, or below ENOUGH.
    """

    questions: int
    difference: float
    low: float
    high: float
    p: float
    wins: int
    losses: int
    ties: int
    more: int | None
    message: Message

    @property
    def settled(self) -> bool:
        """Whether the questions suffice and the interval excludes 0."""
        return self.more == 0


Change = Literal["gained", "lost", "better", "worse", "same"]


@dataclass(frozen=True, slots=True)
class Row:
    """Results of a question in each run, and its METRICS: none where it is `negative`.

    `changes` compare each later run with the first: `gained` is answered within DEPTH hits where the first run
    has no answer, `lost` the reverse, and `better`, `worse` and `same` compare the ranks.
    """

    results: tuple[QuestionResult, ...]
    values: tuple[dict[str, float], ...]
    changes: tuple[Change, ...]

    @property
    def id(self) -> str:
        return self.results[0].id

    @property
    def question(self) -> str:
        return self.results[0].question

    @property
    def kind(self) -> str:
        return self.results[0].kind

    @property
    def negative(self) -> bool:
        """Whether the notes have no answer."""
        return self.results[0].negative

    @property
    def ranks(self) -> tuple[int | None, ...]:
        """The answer's rank in each run."""
        return tuple(result.found_rank for result in self.results)


@dataclass(frozen=True, slots=True)
class Kind:
    """The number of questions of a kind with an answer, and how many each run answers within DEPTH hits."""

    kind: str
    questions: int
    answered: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FalsePositives:
    """Effect of a threshold on the best cosine in a run: `points` of the ROC curve, the highest threshold first.

    `at` is the highest threshold, in thousandths, at which KEEPING of the questions with an answer keep a hit, None
    where there is none or every question has an answer; `message` is a sentence about it.
    """

    points: tuple[Rates, ...]
    at: Rates | None
    message: Message


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Runs over their common questions; the others are compared with the first.

    `figures` map METRICS and TIMES to each run's value. `comparisons` map METRICS to the comparison of each later run
    with the first, over the `answerable` questions; `metric` is the one to look at first. `settings` are those that
    differ, with each run's value, or all settings of a single run. `notices` are caveats, such as left out questions
    or changes between the runs.
    """

    runs: tuple[Run, ...]
    labels: tuple[str | Message, ...]
    metric: str
    rows: tuple[Row, ...]
    answerable: int
    figures: dict[str, tuple[float, ...]]
    comparisons: tuple[dict[str, Comparison], ...]
    kinds: tuple[Kind, ...]
    false_positives: tuple[FalsePositives, ...]
    settings: dict[str, tuple[object, ...]]
    left_out: int
    notices: tuple[Message, ...]

    def changed(self, *changes: Change, run: int = -1) -> list[Row]:
        """Return the questions with these changes in a run, by default the last; `run` is at least 1."""
        at = len(self.runs) - 2 if run == -1 else run - 1
        return [row for row in self.rows if row.changes[at] in changes]


K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Advice(Generic[K]):
    """Advice from the runs of a grid; `message` is the advice in a sentence.

    `best` has the highest mean over all questions; `ranking` has every mean, the highest first. `gain` is the
    cross-validated gain of the choice, on questions outside the choosing folds, with its `comparison`. `chosen` is
    the share of the folds that chose `best`, and `luck` how often chance alone puts the best of the others as far
    ahead. `keep`: nothing to change. `firm`: more than chance explains. `refused` gives the reason for no advice;
    then `best` is the current one.
    """

    best: K
    mean: float
    current_mean: float
    gain: float
    comparison: Comparison
    chosen: float
    luck: float
    ranking: tuple[tuple[K, float], ...]
    keep: bool
    firm: bool
    refused: Message | None
    message: Message
