"""The evaluation of searches, with questions, their gold passages, test runs, results, verdicts and comparisons."""

from collections.abc import Iterable, Sequence
from dataclasses import field
from datetime import datetime
from typing import ClassVar, Literal, Self

from core.base.codec import assemble
from core.base.frozen import AnyValues, Values, frozen
from core.base.messages import Message, Messages, Text, message_table
from core.model.search import Hit, LostAt, StageScore
from core.model.settings import OPEN, ChunkingOptions, Level, SearchSettings

JudgedBy = Literal["none", "model"]

Agreement = Literal["agrees", "partly", "no"]

# Scores of the judge's verdicts, averaged in the `agreed` metric.
AGREED: dict[Agreement, float] = {"agrees": 1.0, "partly": 0.5, "no": 0.0}

_VERDICTS: dict[Agreement | None, Message] = message_table(
    {
        "agrees": "Agrees with the expected answer",
        "partly": "Partly agrees",
        "no": "Doesn't agree",
        None: "No judgement",
    }
)

# Approximate number of retrieved characters that fit into a prompt along with the question.
BUDGET = 4000

DEPTH = 10

# Metrics shown in the short version of the results table.
MAIN = ("hit@1", "hit@5", "hit@10", "mrr@10", f"hit@{BUDGET}chars")

# Metrics for every answerable question. The `span_*` metrics consider the first BUDGET retrieved characters.
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

# Metrics for the answer shown above the hits. Each is computed over the questions that it applies to.
#
# `refused` applies to questions that the notes don't answer, `cited_precision` and `quoted` to answered questions,
# `facts` to questions with an expected answer, and `agreed` to questions judged by a language model. Only `agreed`
# depends on a model's judgement.
ANSWER_METRICS = ("answered", "cited_recall", "cited_precision", "quoted", "facts", "refused", "agreed")

# Values of metrics, by name.
MetricValues = dict[str, float]
# Minimum number of questions needed for a conclusion. With fewer, percentile confidence intervals are too narrow.
ENOUGH = 20

# Latency metrics reported along with METRICS. Lower values are better.
TIMES = ("p50_ms", "p95_ms")

AnswersBy = Literal["quotes", "model", "none"]
MissedAt = Literal["gone", "not_indexed", "cut_apart", LostAt]

# Reasons why no hit contains a gold passage, keyed by the stage that dropped the passage.
MISSED: dict[MissedAt, Message] = message_table(
    {
        "gone": "The passage is no longer in the notes because its note was deleted or the text was changed.",
        "not_indexed": "Most of the passage isn't in any chunk because the text was deleted or replaced.",
        "cut_apart": "The passage was split across chunks, so no chunk contains even half of it.",
        "filters": "The passage's chunk doesn't match the filters.",
        "phrase": "The passage's chunk doesn't contain the exact phrase.",
        "excluded": "The passage's chunk contains an excluded word.",
        "pending": "The passage's chunk isn't indexed yet and contains none of the question's words.",
        "pool": "Other chunks match better by meaning and by keyword, so the passage's chunk wasn't considered.",
        "threshold": "The similarity of the passage's chunk is below the minimum in the settings.",
        "fusion": (
            "By meaning or by keyword alone, the passage's chunk ranked near the top. With both combined, "
            "other chunks rank higher."
        ),
        "reranking": "The passage's chunk ranked near the top until reranking moved others above it.",
        "literal": "Other chunks contain your exact words, so they rank above the passage's chunk.",
        "limit": "The passage's chunk was considered, but all the hits shown rank higher.",
        "duplicate": "The passage's chunk has the same text as another hit, which is shown instead.",
    }
)


@frozen
class Judgement:
    """A language model's verdict on an answer, with its reason. `problem` says why there is no verdict."""

    verdict: Agreement | None = None
    reason: str = ""
    problem: Message | None = None

    @property
    def label(self) -> Message:
        return _VERDICTS[self.verdict]

    @property
    def why(self) -> Text:
        return self.problem or self.reason


@frozen
class Gold:
    """A gold passage, which a search should find for a question.

    Its `quote` occurs only once in the file at `path`, or starts at offset `start` in the body.
    """

    path: str
    quote: str
    start: int | None = None


@frozen
class GoldSpan(Gold):
    """A gold passage in a question set. When the note was last checked, `body[start:end]` was the `quote`.

    `path` is the note's path at that time, or its title if it has no file. `flagged` is True if the note no longer
    contains the quote. The other fields of a flagged passage keep their last values.
    """

    start: int
    end: int
    note_id: str
    flagged: bool = False

    def is_within(self, hit: Hit) -> bool:
        return self.note_id == hit.note.id and hit.chunk.start <= self.start and self.end <= hit.chunk.end


@frozen
class Question:
    """A question with its gold passages. If `any` is True, finding one gold passage is enough.

    `line` is the question's line in the question file, or 0 if there is no file. A `suggested` question awaits the
    user's approval. `answer` is the expected answer.
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
        """The gold passages with a known position in a note. In a question set, these are all of them."""
        return tuple(gold for gold in self.gold if isinstance(gold, GoldSpan))


@frozen
class QuestionSet:
    """A named list of questions about a base, with counts of all, suggested and flagged questions."""

    id: str
    base_id: str
    name: str
    created_at: datetime
    questions: int = 0
    suggested: int = 0
    flagged: int = 0


@frozen
class Pipeline:
    """A search setup to evaluate.

    Fields that are None or empty are taken from the base, then from the settings. `name` is chosen by the user. The
    default limit is DEPTH, the number of hits considered by the metrics. If the chunking or the embedder differs from
    the base's, the notes are indexed in a scratch store. `answers` says whether answers are quotes from the notes, are
    written by the language model in the settings, or are omitted. `judge` says whether that language model judges the
    answers.
    """

    name: str = ""
    chunking: ChunkingOptions | None = None
    embedder: str = ""
    search: SearchSettings = OPEN
    answers: AnswersBy = "quotes"
    judge: JudgedBy = "none"


@frozen
class FoundSpan:
    """A hit for an evaluated question, with its position in the note's body.

    `nearness` is its cosine similarity, or None if unknown.
    """

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
        """Start offset in the note's file, front matter included."""
        return self.body_start + self.start

    @property
    def file_end(self) -> int:
        """End offset in the note's file, front matter included."""
        return self.body_start + self.end


@frozen
class Diagnosis:
    """Why no hit contains a gold passage. `gold` is the passage's index (from 0) in the question.

    `chunk_id` is the chunk that got furthest in the search, of those that contain enough of the passage. `share` is the
    share of the passage's characters in it, and `scores` holds its rank at each stage. If it wasn't a candidate, the
    rank is among all chunks.
    """

    gold: int
    stage: MissedAt
    share: float = 0.0
    chunk_id: str = ""
    scores: dict[str, StageScore] = field(default_factory=dict)

    @property
    def message(self) -> Message:
        return MISSED[self.stage]


@frozen
class GivenAnswer:
    """An answer in a test run, with the passages that it cites. The text is empty if the question was refused.

    `quoted` counts the `sentences` with a citation whose quote is in the cited note. An answer written by a language
    model contains only such sentences. `problem` says why the model's server gave no answer. `judged` is None if the
    run has no judge.
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
    """The result of one question in a test run.

    `found_rank` is the rank by which all required gold passages have been found, or None if some are missing.
    `budget_rank` is the same, but considers only the first BUDGET characters. A question without gold passages is
    `negative`: it has no rank, and rank metrics ignore it. `wished` is the expected answer. `given` is the run's
    answer, or None if an older version of Tessera made the run.
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
        return not self.golds

    @property
    def identity(self) -> tuple[object, ...]:
        """The values that identify the question in all test runs.

        The positions of its gold passages may differ between runs.
        """
        return self.id, self.question, self.any, frozenset((gold.path, gold.quote) for gold in self.golds)

    @property
    def answered(self) -> bool:
        return self.found_rank is not None and self.found_rank <= DEPTH

    @property
    def judged(self) -> Judgement | None:
        return self.given.judged if self.given else None


@frozen
class Run:
    """A test run of a pipeline over a question set.

    `settings` is a snapshot of all settings that the run used. `index_version` increases with every change that may
    affect search results. A stopped run has no `ended_at`. Only `asked` of its `questions` have results, and `metrics`
    covers only those.
    """

    id: str
    base_id: str
    set_id: str
    set_name: str
    pipeline: Pipeline
    settings: Values
    index_version: int
    started_at: datetime
    ended_at: datetime | None
    questions: int
    asked: int = 0
    metrics: MetricValues = field(default_factory=dict)

    @property
    def progress(self) -> str:
        """The number of questions with results, followed by the total if the test run was stopped."""
        return f"{self.asked}" if self.asked == self.questions else f"{self.asked} / {self.questions}"


@frozen
class RunView:
    id: str
    set_id: str
    set_name: str
    questions: int
    asked: int
    metrics: MetricValues
    settings: AnyValues
    pipeline: str
    started_at: datetime
    ended_at: datetime | None


@frozen
class RunList:
    runs: tuple[RunView, ...]

    @classmethod
    def from_runs(cls, runs: Iterable[Run]) -> Self:
        return cls(tuple(assemble(RunView, run, pipeline=run.pipeline.name) for run in runs))


Measured = tuple[Run, Sequence[QuestionResult]]


# Significance level, which is the accepted probability of mistaking chance for a real difference.
RARE = 0.05
MOST_RUNS = 2

Change = Literal["gained", "lost", "better", "worse", "same"]


@frozen
class Comparison:
    """The difference between two test runs' values on the same questions. `message` describes it in a sentence.

    `difference` is the mean of new - old, `low` and `high` are its 95 % confidence interval, and `p` is the two-sided
    p-value. With fewer than ENOUGH questions, `low`, `high` and `p` are meaningless. `more` estimates how many further
    questions are needed to settle whether the runs differ. It is 0 if that is settled. It is None if no number of
    questions would settle it, or if there are fewer than ENOUGH questions.
    """

    SHOWN: ClassVar = ("settled",)

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
        """Whether there are enough questions and the interval excludes 0."""
        return self.more == 0


@frozen
class ComparisonRow:
    """A question's results in each test run, with the values of the METRICS and ANSWER_METRICS that apply to it.

    `change` compares the second run with the first, or is None if there is no second run. `gained` means that only the
    second run found the answer within DEPTH hits, and `lost` that only the first run did. `better`, `worse` and `same`
    compare the answer's ranks in the two runs.
    """

    results: tuple[QuestionResult, ...]
    values: tuple[MetricValues, ...]
    change: Change | None

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
        return self.results[0].negative

    @property
    def missed(self) -> bool:
        return not (self.negative or self.results[-1].answered)

    @property
    def ranks(self) -> tuple[int | None, ...]:
        return tuple(result.found_rank for result in self.results)


@frozen
class SideBySide:
    """A single test run, or a comparison of a second run with the first over the questions they share.

    `figures` maps METRICS, TIMES and the ANSWER_METRICS that the runs share to each run's value, and `comparisons` maps
    the same metrics, except TIMES, to a comparison. Both cover the questions that have a value in every run.
    `comparisons` is empty for a single run. `metric` is the main metric, computed over the `answerable` questions.
    `settings` holds the settings that differ, with each run's value. For a single run, it holds all settings. `notices`
    are caveats, such as omitted questions or changes between the runs.
    """

    runs: tuple[Run, ...]
    labels: tuple[Text, ...]
    metric: str
    rows: tuple[ComparisonRow, ...]
    figures: dict[str, tuple[float, ...]]
    comparisons: dict[str, Comparison]
    settings: dict[str, tuple[object, ...]]
    notices: Messages

    @property
    def answerable(self) -> int:
        return sum(not row.negative for row in self.rows)

    @property
    def is_better(self) -> bool:
        """Whether the second test run is better than the first by more than chance would explain."""
        comparison = self.comparisons.get(self.metric)
        return comparison is not None and comparison.settled and comparison.difference > 0 and comparison.p <= RARE
