"""Runs next to each other: their figures, each question's rank in all of them, and what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, inf
from typing import Literal

from core.errors import ConfigError, UnknownChoice
from core.evaluation import BUDGET, DEPTH, METRICS, metrics, nearness, summarise, values
from core.evaluation.compare import Comparison, compare
from core.evaluation.metrics import Rates
from core.model import ChunkingOptions, QuestionResult, Run

Brought = tuple[Run, Sequence[QuestionResult]]
"""A run and what its questions brought."""

Change = Literal["gained", "lost", "better", "worse", "same"]

TIMES = ("p50_ms", "p95_ms")
"""Figures beside METRICS; lower is better."""

BY_RANK, BY_BUDGET = "mrr@10", f"mrr@{BUDGET}chars"

KEEPING = 0.95
"""The share of the questions with an answer that shall keep a hit under a threshold."""

_LENGTHS = {*ChunkingOptions.__dataclass_fields__, "embedder", "expansion_size"}
"""Settings on which it depends how long a hit is."""


@dataclass(frozen=True, slots=True)
class Row:
    """What a question brought in each run, and its METRICS there: none where it is `negative`.

    `changes` are those of each run but the first, against the first: `gained` is answered within DEPTH hits where
    the first run doesn't, `lost` the other way round, and `better`, `worse` and `same` are of the ranks.
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
        """The rank by which each run answers it."""
        return tuple(result.found_rank for result in self.results)


@dataclass(frozen=True, slots=True)
class Kind:
    """The questions of a kind that have an answer, and how many of them each run answers within DEPTH hits."""

    kind: str
    questions: int
    answered: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FalsePositives:
    """What a threshold on the best cosine does in a run: `points` of its curve, the highest threshold first.

    `at` is the highest threshold, in thousandths, at which KEEPING of the questions with an answer keep a hit, None
    where there is none or no question is without an answer; `told` says it in a sentence.
    """

    points: tuple[Rates, ...]
    at: Rates | None
    told: str


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Runs over the questions that all of them asked; the first is what the others are compared with.

    `figures` are each run's by the names of METRICS and TIMES. `comparisons` are those of each run but the
    first, by the names of METRICS, over the `answerable` questions, and `metric` is the one to look at first.
    `settings` are those that differ, with each run's value, all where there is one run. `notices` say what to keep in
    mind: what was left out, what changed in between.
    """

    runs: tuple[Run, ...]
    labels: tuple[str, ...]
    metric: str
    rows: tuple[Row, ...]
    answerable: int
    figures: dict[str, tuple[float, ...]]
    comparisons: tuple[dict[str, Comparison], ...]
    kinds: tuple[Kind, ...]
    false_positives: tuple[FalsePositives, ...]
    settings: dict[str, tuple[object, ...]]
    left_out: int
    notices: tuple[str, ...]

    def changed(self, *changes: Change, run: int = -1) -> list[Row]:
        """Return the questions that changed so in a run, the last by default; `run` isn't the first."""
        at = len(self.runs) - 2 if run == -1 else run - 1
        return [row for row in self.rows if row.changes[at] in changes]


def side_by_side(runs: Sequence[Brought], metric: str | None = None) -> SideBySide:
    """Lay two or more runs of one base next to each other.

    Without a `metric` the first to look at is BY_RANK, or BY_BUDGET where the runs' hits differ in length, for a
    number of hits favours long ones. Raises ConfigError where there is nothing to compare.
    """
    if len(runs) < 2:
        raise ConfigError(
            "There is one run only. Choose at least two to compare." if runs else "Choose runs to compare."
        )
    return _laid(runs, metric)


def alone(run: Run, results: Sequence[QuestionResult], metric: str | None = None) -> SideBySide:
    """Lay out one run by itself, with nothing to compare it with."""
    return _laid([(run, results)], metric)


def shared(runs: Sequence[Brought]) -> list[tuple[QuestionResult, ...]]:
    """Return what the questions that all runs asked brought in each, in the order of the first run.

    Questions are the same that have the same id, text and right passages, by path and quote: where those stand may
    have changed. Raises ConfigError where there are none, or the runs are of different bases.
    """
    if len({run.base_id for run, _ in runs}) > 1:
        raise ConfigError("These runs are of different bases. Choose runs of one base.")
    asked = [{_key(result): result for result in results} for _, results in runs]
    rows = [tuple(one[key] for one in asked) for key in asked[0] if all(key in one for one in asked)]
    if not rows and len(runs) > 1:
        raise ConfigError("These runs have no question in common. Run one question set with each of them.")
    return rows


def answered(result: QuestionResult) -> bool:
    """Whether a question is answered within DEPTH hits."""
    return result.found_rank is not None and result.found_rank <= DEPTH


def _key(result: QuestionResult) -> tuple[object, ...]:
    return result.id, result.question, result.any, frozenset((gold.path, gold.quote) for gold in result.golds)


def _laid(brought: Sequence[Brought], metric: str | None) -> SideBySide:
    if metric is not None and metric not in METRICS:
        raise UnknownChoice("metric", metric, METRICS)
    runs = tuple(run for run, _ in brought)
    rows = tuple(_row(results) for results in shared(brought))
    columns = [[row.results[number] for row in rows] for number in range(len(runs))]
    summaries = [summarise(column) for column in columns]
    every = {_key(result) for _, results in brought for result in results}
    settings = _settings(runs)
    uneven = len(runs) > 1 and not _LENGTHS.isdisjoint(settings)
    left_out = len(every) - len(rows)
    labels = _labels(runs)
    return SideBySide(
        runs=runs,
        labels=labels,
        metric=metric or (BY_BUDGET if uneven else BY_RANK),
        rows=rows,
        answerable=sum(not row.negative for row in rows),
        figures={name: tuple(summary[name] for summary in summaries) for name in (*METRICS, *TIMES)},
        comparisons=tuple(_compared(rows, number) for number in range(1, len(runs))),
        kinds=_kinds(rows),
        false_positives=tuple(map(_false_positives, columns)),
        settings=settings,
        left_out=left_out,
        notices=_notices(runs, labels, left_out, len(every), uneven=uneven),
    )


def _row(results: tuple[QuestionResult, ...]) -> Row:
    first, *others = results
    told = tuple({} if result.negative else values(result) for result in results)
    return Row(results, told, tuple(_change(first, other) for other in others))


def _change(old: QuestionResult, new: QuestionResult) -> Change:
    if answered(old) != answered(new):
        return "gained" if answered(new) else "lost"
    was, now = (inf if result.found_rank is None else result.found_rank for result in (old, new))
    return "same" if was == now else "better" if now < was else "worse"


def _compared(rows: Sequence[Row], number: int) -> dict[str, Comparison]:
    scored = [row for row in rows if not row.negative]
    return {
        name: compare(
            {row.id: row.values[0][name] for row in scored}, {row.id: row.values[number][name] for row in scored}
        )
        for name in METRICS
    }


def _kinds(rows: Sequence[Row]) -> tuple[Kind, ...]:
    """By the number of their questions, the most first."""
    by_kind: dict[str, list[Row]] = {}
    for row in rows:
        if not row.negative:
            by_kind.setdefault(row.kind, []).append(row)
    kinds = [
        Kind(kind, len(those), tuple(map(sum, zip(*(map(answered, row.results) for row in those), strict=True))))
        for kind, those in by_kind.items()
    ]
    return tuple(sorted(kinds, key=lambda one: -one.questions))


def _false_positives(results: Sequence[QuestionResult]) -> FalsePositives:
    negatives = [nearness(result) for result in results if result.negative]
    others = [nearness(result) for result in results if not result.negative]
    points = tuple(metrics.rates(negatives, others))
    if not negatives:
        return FalsePositives(points, None, "No question was asked that the notes don't answer.")
    if not others:
        return FalsePositives(points, None, "No question was asked that the notes answer.")
    keeping = next((point.threshold for point in points if point.true_positives >= KEEPING), None)
    if keeping is None:
        told = f"No threshold keeps a hit for {100 * KEEPING:.0f} % of the questions with an answer."
        return FalsePositives(points, None, told)
    keeping = max(0.0, floor(keeping * 1000) / 1000)
    at = Rates(keeping, *(metrics.share_reaching(best, keeping) for best in (negatives, others)))
    told = (
        f"With a score threshold of {at.threshold:.3f}, {100 * at.true_positives:.0f} % of the questions with an "
        f"answer keep a hit, and {100 * at.false_positives:.0f} % of those without one have one too."
    )
    return FalsePositives(points, at, told)


def _settings(runs: Sequence[Run]) -> dict[str, tuple[object, ...]]:
    names = dict.fromkeys(name for run in runs for name in run.settings)
    told = {name: tuple(run.settings.get(name) for run in runs) for name in names}
    return {name: given for name, given in told.items() if len(runs) == 1 or any(one != given[0] for one in given)}


def _labels(runs: Sequence[Run]) -> tuple[str, ...]:
    """The pipelines' names, with the run's number where two have the same."""
    names = [run.pipeline.name or f"run {number}" for number, run in enumerate(runs, 1)]
    return tuple(name if names.count(name) == 1 else f"{name} ({number})" for number, name in enumerate(names, 1))


def _notices(runs: Sequence[Run], labels: Sequence[str], left_out: int, every: int, *, uneven: bool) -> tuple[str, ...]:
    told = []
    if left_out:
        told.append(
            f"{left_out} of {every} questions left out: not asked in every run, or their right passages were changed."
        )
    if len({run.index_version for run in runs}) > 1:
        told.append("The notes or the base changed between these runs: a difference may come from that.")
    told += [
        f"'{label}' was stopped after {run.asked} of {run.questions} questions."
        for run, label in zip(runs, labels, strict=True)
        if run.ended_at is None
    ]
    if uneven:
        told.append(
            f"The hits of these runs may differ in length, and a number of hits favours long ones: "
            f"figures within {BUDGET} characters are the fairer ones."
        )
    return tuple(told)
