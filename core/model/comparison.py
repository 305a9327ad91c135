"""Comparison of two runs."""

from typing import ClassVar, Literal

from core.base.frozen import frozen
from core.base.messages import Message
from core.model.evaluation import QuestionResult, Run

RARE = 0.05
"""Share of cases in which chance may pass for a difference."""
MOST_RUNS = 2
"""Runs side by side."""

Change = Literal["gained", "lost", "better", "worse", "same"]


@frozen
class Comparison:
    """Differences between two runs' values on the same questions; `message` is a sentence about them.

    `difference` is the mean of new - old, `low` and `high` its interval of 95 %, `p` how often chance alone would
    put it as far off 0 on either side; below ENOUGH questions these three mean nothing. `more` estimates the number of
    further questions that settle the difference: 0 where it is settled, None where no number does, or below ENOUGH.
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
        """Whether the questions suffice and the interval excludes 0."""
        return self.more == 0


@frozen
class ComparisonRow:
    """Results of a question in each run, and those of METRICS and ANSWER_METRICS that are about it.

    `change` compares the second run with the first, and is None without one: `gained` is answered within DEPTH hits
    where the first run has no answer, `lost` the reverse, and `better`, `worse` and `same` compare the ranks.
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
        """Whether the notes have no answer."""
        return self.results[0].negative

    @property
    def ranks(self) -> tuple[int | None, ...]:
        """The answer's rank in each run."""
        return tuple(result.found_rank for result in self.results)


@frozen
class KindComparison:
    """The number of questions of a kind with an answer, and how many each run answers within DEPTH hits."""

    kind: str
    questions: int
    answered: tuple[int, ...]


@frozen
class SideBySide:
    """One run, or two over their common questions; the second is compared with the first.

    `figures` map METRICS, TIMES and those of ANSWER_METRICS that both runs have to each run's value. `comparisons` map
    the same without the times to the comparison of the runs, over the questions that both have a value of; they are
    empty for a single run. `metric` is the one to look at first, over the `answerable` questions. `settings` are those
    that differ, with each run's value, or all settings of a single run. `notices` are caveats, such as left out
    questions or changes between the runs.
    """

    runs: tuple[Run, ...]
    labels: tuple[str | Message, ...]
    metric: str
    rows: tuple[ComparisonRow, ...]
    answerable: int
    figures: dict[str, tuple[float, ...]]
    comparisons: dict[str, Comparison]
    kinds: tuple[KindComparison, ...]
    settings: dict[str, tuple[object, ...]]
    left_out: int
    notices: tuple[Message, ...]

    @property
    def is_better(self) -> bool:
        """Whether the second run is better than the first by more than chance explains."""
        comparison = self.comparisons.get(self.metric)
        return comparison is not None and comparison.settled and comparison.difference > 0 and comparison.p <= RARE
