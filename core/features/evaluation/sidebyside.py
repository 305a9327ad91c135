"""Comparison of runs: their figures, each question's rank and change, and advice on settings."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor, inf

import numpy as np
from numpy.typing import NDArray

from core.base.errors import ConfigError, UnknownChoice
from core.base.messages import Message, message
from core.features.evaluation import metrics
from core.features.evaluation.scoring import nearness, summarise, values
from core.model import (
    ANSWER_METRICS,
    BUDGET,
    DEPTH,
    ENOUGH,
    METRICS,
    PARTS,
    TIMES,
    Advice,
    Change,
    ChunkingOptions,
    Comparison,
    ComparisonRow,
    FalsePositives,
    KindComparison,
    Measured,
    QuestionResult,
    Rates,
    Run,
    SideBySide,
    pipeline_label,
)
from core.retrieval.comparison import compare, rounded

BY_RANK, BY_BUDGET = "mrr@10", f"mrr@{BUDGET}chars"

KEEPING = 0.95
"""Share of the questions with an answer that must keep a hit under a threshold."""

_LENGTHS = {*ChunkingOptions.__dataclass_fields__, "embedder", *(name for name in PARTS if PARTS[name].lengthens)}
"""Settings that affect the length of hits."""

FOLDS, REPEATS = 5, 10
"""Kohavi, 'A Study of Cross-Validation and Bootstrap for Accuracy Estimation', 1995: 5 to 20 folds, repeated."""

RARE = 0.05
"""Largest `luck` of firm advice."""

RESAMPLES = 2000
SEED = 0

_BLOCK = 100

Values = NDArray[np.float64]
"""A row for each of the settings, the current ones first, a column for each question."""


def shared(runs: Sequence[Measured]) -> list[tuple[QuestionResult, ...]]:
    """Return each run's results of the questions that all runs asked, in the order of the first run.

    Questions are equal by id, text and right passages (path and quote; positions may differ). Raises ConfigError
    for no common question, or for runs of different bases.
    """
    if len({run.base_id for run, _ in runs}) > 1:
        raise ConfigError("These runs are of different bases. Choose runs of one base.")
    by_key = [{_key(result): result for result in results} for _, results in runs]
    rows = [tuple(results[key] for results in by_key) for key in by_key[0] if all(key in results for results in by_key)]
    if not rows and len(runs) > 1:
        raise ConfigError("These runs have no question in common. Run one question set with each of them.")
    return rows


def answered(result: QuestionResult) -> bool:
    """Whether a question is answered within DEPTH hits."""
    return result.found_rank is not None and result.found_rank <= DEPTH


def _key(result: QuestionResult) -> tuple[object, ...]:
    return result.id, result.question, result.any, frozenset((gold.path, gold.quote) for gold in result.golds)


def side_by_side(measured: Sequence[Measured], metric: str | None = None) -> SideBySide:
    """Compare runs of one base with the first of them, or lay out a single run.

    The default `metric` is BY_RANK, or BY_BUDGET where the runs' hits differ in length, because a number of hits
    favours long ones. Raises ConfigError for incomparable runs or none, UnknownChoice for a metric.
    """
    if not measured:
        raise ConfigError("Choose runs to compare.")
    if metric is not None and metric not in METRICS:
        raise UnknownChoice("figure", metric, METRICS)
    runs = tuple(run for run, _ in measured)
    rows = tuple(_row(results) for results in shared(measured))
    columns = [[row.results[number] for row in rows] for number in range(len(runs))]
    summaries = [summarise(column) for column in columns]
    every = {_key(result) for _, results in measured for result in results}
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
        figures={
            name: tuple(summary[name] for summary in summaries)
            for name in (*METRICS, *ANSWER_METRICS, *TIMES)
            if all(name in summary for summary in summaries)
        },
        comparisons=tuple(_compared(rows, number) for number in range(1, len(runs))),
        kinds=_kinds(rows),
        false_positives=tuple(map(_false_positives, columns)),
        settings=settings,
        left_out=left_out,
        notices=(*_notices(runs, labels, left_out, len(every), uneven=uneven), *_unjudged(columns, labels)),
    )


def _unjudged(columns: Sequence[Sequence[QuestionResult]], labels: Sequence[str | Message]) -> Iterator[Message]:
    """Yield a notice for each run in which a language model gave no judgement on some answers."""
    for column, label in zip(columns, labels, strict=True):
        judged = [question_result.judged for question_result in column if question_result.judged]
        if failed := sum(judgement.verdict is None for judgement in judged):
            yield message(
                "'{run}': the language model gave no judgement on {n} of {every} answers, which don't count there.",
                n=failed,
                every=len(judged),
                run=label,
            )


def _row(results: tuple[QuestionResult, ...]) -> ComparisonRow:
    first, *others = results
    figures = tuple(map(values, results))
    return ComparisonRow(results, figures, tuple(_change(first, other) for other in others))


def _change(old: QuestionResult, new: QuestionResult) -> Change:
    if answered(old) != answered(new):
        return "gained" if answered(new) else "lost"
    was, now = (inf if result.found_rank is None else result.found_rank for result in (old, new))
    return "same" if was == now else "better" if now < was else "worse"


def _compared(rows: Sequence[ComparisonRow], number: int) -> dict[str, Comparison]:
    compared = {}
    for name in (*METRICS, *ANSWER_METRICS):
        pairs = [(row.id, row.values[0], row.values[number]) for row in rows]
        both = [(key, old[name], new[name]) for key, old, new in pairs if name in old and name in new]
        if both or name in METRICS:
            compared[name] = compare({key: old for key, old, _ in both}, {key: new for key, _, new in both})
    return compared


def _kinds(rows: Sequence[ComparisonRow]) -> tuple[KindComparison, ...]:
    """Return the kinds by descending number of questions."""
    by_kind: dict[str, list[ComparisonRow]] = {}
    for row in rows:
        if not row.negative:
            by_kind.setdefault(row.kind, []).append(row)
    kinds = [
        KindComparison(
            kind, len(those), tuple(map(sum, zip(*(map(answered, row.results) for row in those), strict=True)))
        )
        for kind, those in by_kind.items()
    ]
    return tuple(sorted(kinds, key=lambda kind: -kind.questions))


def _false_positives(results: Sequence[QuestionResult]) -> FalsePositives:
    negatives = [nearness(result) for result in results if result.negative]
    others = [nearness(result) for result in results if not result.negative]
    points = tuple(metrics.rates(negatives, others))
    if not negatives:
        return FalsePositives(points, None, message("No question was asked that the notes don't answer."))
    if not others:
        return FalsePositives(points, None, message("No question was asked that the notes answer."))
    keeping = next((point.threshold for point in points if point.true_positives >= KEEPING), None)
    if keeping is None:
        text = message(
            "Whatever the minimum similarity, fewer than {share:.0f}% of the questions with an answer get a hit.",
            share=100 * KEEPING,
        )
        return FalsePositives(points, None, text)
    keeping = max(0.0, floor(keeping * 1000) / 1000)
    at = Rates(keeping, *(metrics.share_reaching(best, keeping) for best in (negatives, others)))
    text = message(
        "With a minimum similarity of {least:.3f}, {right:.0f}% of the questions with an answer "
        "still get a hit, and so do {wrong:.0f}% of those without one.",
        least=at.threshold,
        right=100 * at.true_positives,
        wrong=100 * at.false_positives,
    )
    return FalsePositives(points, at, text)


def _settings(runs: Sequence[Run]) -> dict[str, tuple[object, ...]]:
    names = dict.fromkeys(name for run in runs for name in run.settings)
    by_name = {name: tuple(run.settings.get(name) for run in runs) for name in names}
    return {
        name: values_of_runs
        for name, values_of_runs in by_name.items()
        if len(runs) == 1 or any(value != values_of_runs[0] for value in values_of_runs)
    }


def _labels(runs: Sequence[Run]) -> tuple[str | Message, ...]:
    """Return the pipelines' labels, equal ones with the run's number."""
    own = _own_chunking(runs)
    names = [pipeline_label(run.pipeline, own) for run in runs]
    return tuple(
        name if names.count(name) == 1 else message("{name} ({number})", name=name, number=number)
        for number, name in enumerate(names, 1)
    )


def _own_chunking(runs: Sequence[Run]) -> ChunkingOptions:
    """Return the base's chunking at that time, from a run that used it."""
    settings = next((run.settings for run in runs if run.pipeline.chunking is None), {})
    names = ChunkingOptions.__dataclass_fields__
    return ChunkingOptions(**{name: value for name, value in settings.items() if name in names})  # type: ignore[arg-type]


def _notices(
    runs: Sequence[Run], labels: Sequence[str | Message], left_out: int, every: int, *, uneven: bool
) -> tuple[Message, ...]:
    notices = []
    if left_out:
        notices.append(
            message(
                "{n} of {every} questions left out: not asked in every run, or their right passages were changed.",
                n=left_out,
                every=every,
            )
        )
    if len({run.index_version for run in runs}) > 1:
        notices.append(message("The notes or the base changed between these runs: a difference may come from that."))
    notices += [
        message("'{run}' was stopped after {n} of {every} questions.", run=name, n=run.asked, every=run.questions)
        for run, name in zip(runs, labels, strict=True)
        if run.ended_at is None
    ]
    if uneven:
        notices.append(
            message(
                "The hits of these runs may differ in length, and counting hits favours long ones: the "
                "figures within {n} characters are fairer.",
                n=BUDGET,
            )
        )
    return tuple(notices)


def advise(values: Mapping[str, Mapping[str, float]], current: str) -> Advice:
    """Choose settings by the values of one metric, by settings and question; higher is better.

    The best of many settings looks better than it is on the questions that chose it (Cawley and Talbot, 'On
    Over-fitting in Model Selection and Subsequent Selection Bias in Performance Evaluation', JMLR 11, 2010). So the
    choice itself is cross-validated (Stone, 'Cross-Validatory Choice and Assessment of Statistical Predictions', 1974):
    the best settings on four fifths of the questions are compared with the current ones on the last fifth, for each
    fifth of REPEATS partitions; a question's value is the mean of its turns. Of equally good settings the current ones
    are chosen, else the first of `values`, whose order is from simple to costly.

    Turns share most of their questions, so on noise alone the interval of the gain excludes 0 too often. `firm` also
    requires a `luck` of at most RARE, from the bootstrap test of the best of many of White, 'A Reality Check for Data
    Snooping', Econometrica 68, 2000.

    Raises ConfigError without the current settings or others, or where the questions differ.
    """
    if current not in values or len(values) < 2:
        raise _comparison_error()
    keys = [current, *(key for key in values if key != current)]
    questions = sorted(values[current])
    table = _table([values[key] for key in keys], questions)
    means = table.mean(axis=1).round(9) if questions else np.zeros(len(keys))
    refused = _explain_refusal(len(questions))
    best = 0 if refused else int(means.argmax())
    gains, times = (np.zeros(len(questions)), np.zeros(len(keys))) if refused else _cross_validated(table)
    comparison = compare(dict.fromkeys(questions, 0.0), dict(zip(questions, gains.tolist(), strict=True)))
    luck, untold = (1.0, 0) if refused else _luck(table)
    keep = best == 0 or comparison.difference <= 0
    firm = not keep and comparison.settled and luck <= RARE
    more = 0 if keep or firm else max(comparison.more or 0, untold, 1)
    return Advice(
        best=keys[best],
        mean=float(means[best]),
        current_mean=float(means[0]),
        gain=comparison.difference,
        comparison=comparison,
        chosen=float(times[best]) / (FOLDS * REPEATS),
        luck=luck,
        more=more,
        ranking=tuple((keys[at], float(means[at])) for at in np.argsort(-means, kind="stable")),
        keep=keep,
        firm=firm,
        refused=refused,
        message=refused or _sentence(comparison.difference, changes=best > 0, keep=keep, more=more),
    )


def choose_run(runs: Sequence[Measured], metric: str = BY_BUDGET) -> Advice:
    """Choose a run; the first run has the current settings.

    The advice is over the questions with an answer that all runs asked. The default metric is within a budget of
    characters, because a number of hits favours long chunks. Raises as `advise` and `shared` do, and UnknownChoice.
    """
    if metric not in METRICS:
        raise UnknownChoice("figure", metric, METRICS)
    if not runs:
        raise _comparison_error()
    rows = [results for results in shared(runs) if not results[0].negative]
    by_run = {
        run.id: {results[number].id: values(results[number])[metric] for results in rows}
        for number, (run, _) in enumerate(runs)
    }
    return advise(by_run, runs[0][0].id)


def _table(values: Sequence[Mapping[str, float]], questions: Sequence[str]) -> Values:
    if any(value.keys() != values[0].keys() for value in values):
        raise ConfigError("These runs asked different questions. Run one question set with each of them.")
    table = np.array([[value[question] for question in questions] for value in values], dtype=np.float64)
    if not np.isfinite(table).all():
        raise ConfigError("The value of a question isn't a number. Run the question set again.")
    return table


def _cross_validated(table: Values) -> tuple[Values, Values]:
    """Return the mean gain of the choice at each question, and the number of times that each row was chosen."""
    random = np.random.default_rng(SEED)
    gains, times = np.zeros(table.shape[1]), np.zeros(len(table))
    for _ in range(REPEATS):
        for held_out in np.array_split(random.permutation(table.shape[1]), FOLDS):
            training = np.delete(table, held_out, axis=1)
            chosen = int(training.mean(axis=1).round(9).argmax())
            times[chosen] += 1
            gains[held_out] += table[chosen, held_out] - table[0, held_out]
    return gains / REPEATS, times


def _luck(table: Values) -> tuple[float, int]:
    """Return the share of resamples in which chance puts the best of equally good rows as far ahead of the first.

    The second number estimates the further questions after which that share is RARE, if the best stays as far ahead:
    what chance does shrinks with the root of their number.
    """
    ahead = table[1:] - table[0]
    means = ahead.mean(axis=1)
    centred, best = ahead - means[:, None], means.max().round(9)
    random = np.random.default_rng(SEED)
    count = ahead.shape[1]
    furthest: list[float] = []
    for _ in range(0, RESAMPLES, _BLOCK):
        draws = random.multinomial(count, np.full(count, 1 / count), _BLOCK) / count
        furthest.extend((draws @ centred.T).max(axis=1).round(9))
    as_far = sum(chance >= best for chance in furthest)
    rare = float(np.quantile(furthest, 1 - RARE))
    more = max(0, ceil(count * ((rare / best) ** 2 - 1))) if best > 0 else 0
    # The sample itself counts as one resample, as in compare.
    return (as_far + 1) / (RESAMPLES + 1), more


def _comparison_error() -> ConfigError:
    return ConfigError(
        "For advice, run the question set with the base's own settings and with at least one other setup."
    )


def _explain_refusal(count: int) -> Message | None:
    if count >= ENOUGH:
        return None
    return message(
        "Advice needs {least} questions with an answer, and so far the runs have {n}: with so few, the best "
        "of several settings is mostly luck. Add {more} more.",
        least=ENOUGH,
        n=count,
        more=ENOUGH - count,
    )


def _sentence(gain: float, *, changes: bool, keep: bool, more: int) -> Message:
    if not changes:
        return message("Keep the current settings: no others did better on these questions.")
    if keep:
        return message("Keep the current settings: what was best on some of the questions was no better on the others.")
    if not more:
        return message(
            "These settings are better: on questions that weren't used for choosing them, the figure rose by "
            "{gain:.3f} on average, by more than chance explains (95%).",
            gain=gain,
        )
    return message(
        "These settings may help: on questions that weren't used for choosing them, the figure rose by {gain:.3f} "
        "on average. That could be chance; about {n} more questions like these would tell.",
        gain=gain,
        n=rounded(more),
    )
