"""Comparisons of two evaluation runs."""

from typing import ClassVar, Literal

from core.base.frozen import frozen
from core.base.messages import Message
from core.model.evaluation import QuestionResult, Run

RARE = 0.05
"""Significance level: the accepted probability of mistaking chance for a difference."""
MOST_RUNS = 2
"""Maximum number of runs in a comparison."""

Change = Literal["gained", "lost", "better", "worse", "same"]


@frozen
class Comparison:
    """Difference between two runs' values on the same questions; `message` describes it in a sentence.

    `difference` is the mean of new - old, `low` and `high` its 95 % confidence interval, `p` the two-sided p-value;
    `low`, `high` and `p` mean nothing below ENOUGH questions. `more` estimates how many further questions would settle
    the difference: 0 if it is settled, None if no number would, or below ENOUGH.
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
    """A question's results in each run, with the values of the METRICS and ANSWER_METRICS that apply to it.

    `change` compares the second run with the first, None without a second run. `gained`: only the second run has the
    answer within DEPTH hits; `lost`: only the first run has. `better`, `worse` and `same` compare the ranks.
    """

    results: tuple[QuestionResult, ...]
    values: tuple[dict[str, float], ...]
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
        """Whether the question has no answer in the notes."""
        return self.results[0].negative

    @property
    def missed(self) -> bool:
        """Whether the last run doesn't answer the question."""
        return not (self.negative or self.results[-1].answered)

    @property
    def ranks(self) -> tuple[int | None, ...]:
        """The answer's rank in each run."""
        return tuple(result.found_rank for result in self.results)


@frozen
class SideBySide:
    """One run, or a comparison of two over their common questions, the second against the first.

    `figures` maps METRICS, TIMES and the common ANSWER_METRICS to each run's value. `comparisons` maps the same metrics
    without TIMES to the comparison over the questions with a value in both runs; it is empty for a single run. `metric`
    is the main metric, over the `answerable` questions. `settings` are the differing settings with each run's value, or
    all settings of a single run. `notices` are caveats, such as left out questions or changes between the runs.
    """

    runs: tuple[Run, ...]
    labels: tuple[str | Message, ...]
    metric: str
    rows: tuple[ComparisonRow, ...]
    figures: dict[str, tuple[float, ...]]
    comparisons: dict[str, Comparison]
    settings: dict[str, tuple[object, ...]]
    notices: tuple[Message, ...]

    @property
    def answerable(self) -> int:
        """Number of questions with an answer in the notes."""
        return sum(not row.negative for row in self.rows)

    @property
    def is_better(self) -> bool:
        """Whether the second run is better than the first by more than chance would explain."""
        comparison = self.comparisons.get(self.metric)
        return comparison is not None and comparison.settled and comparison.difference > 0 and comparison.p <= RARE
