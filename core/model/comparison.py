"""Comparison of runs."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from core.base.messages import Message
from core.model.evaluation import QuestionResult, Run

RARE = 0.05
"""Share of cases in which chance may pass for a difference."""

Change = Literal["gained", "lost", "better", "worse", "same"]


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """Results of a question in each run, and those of METRICS and ANSWER_METRICS that are about it.

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
class KindComparison:
    """The number of questions of a kind with an answer, and how many each run answers within DEPTH hits."""

    kind: str
    questions: int
    answered: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Runs over their common questions; the others are compared with the first.

    `figures` map METRICS, TIMES and those of ANSWER_METRICS that all runs have to each run's value. `comparisons` map
    the same without the times to the comparison of each later run with the first, over the questions that both have a
    value of; `metric` is the one to look at first, over the `answerable` questions. `settings` are those that differ,
    with each run's value, or all settings of a single run. `notices` are caveats, such as left out questions or
    changes between the runs.
    """

    runs: tuple[Run, ...]
    labels: tuple[str | Message, ...]
    metric: str
    rows: tuple[ComparisonRow, ...]
    answerable: int
    figures: dict[str, tuple[float, ...]]
    comparisons: tuple[dict[str, Comparison], ...]
    kinds: tuple[KindComparison, ...]
    settings: dict[str, tuple[object, ...]]
    left_out: int
    notices: tuple[Message, ...]

    def changed(self, *changes: Change, run: int = -1) -> list[ComparisonRow]:
        """Return the questions with these changes in a run, by default the last; `run` is at least 1."""
        at = len(self.runs) - 2 if run == -1 else run - 1
        return [row for row in self.rows if row.changes[at] in changes]

    def best(self) -> int | None:
        """Return the run with the highest figure, None unless it is better than the first by more than chance explains.

        The best of many looks better than it is, so its p counts once for each comparison (Bonferroni's correction).
        """
        figures = self.figures[self.metric]
        best = figures.index(max(figures))
        if not best:
            return None
        comparison = self.comparisons[best - 1][self.metric]
        firm = comparison.settled and comparison.p * len(self.comparisons) <= RARE
        return best if firm else None
