"""Advice on settings from the runs of a grid: the best ones and their expected gain."""

from collections.abc import Mapping, Sequence
from math import ceil

import numpy as np
from numpy.typing import NDArray

from core.base.errors import ConfigError, UnknownChoice
from core.base.messages import Message, message
from core.features.evaluation.scoring import values as values_of
from core.features.evaluation.sidebyside import BY_BUDGET, shared
from core.model import ENOUGH, METRICS, Advice, Measured
from core.retrieval.comparison import compare, rounded

FOLDS, REPEATS = 5, 10
"""Kohavi, 'A Study of Cross-Validation and Bootstrap for Accuracy Estimation', 1995: 5 to 20 folds, repeated."""

RARE = 0.05
"""Largest `luck` of firm advice."""

RESAMPLES = 2000
SEED = 0

_BLOCK = 100

Values = NDArray[np.float64]
"""A row for each of the settings, the current ones first, a column for each question."""


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
    values = {
        run.id: {results[number].id: values_of(results[number])[metric] for results in rows}
        for number, (run, _) in enumerate(runs)
    }
    return advise(values, runs[0][0].id)


def _table(values: Sequence[Mapping[str, float]], questions: Sequence[str]) -> Values:
    if any(value.keys() != values[0].keys() for value in values):
        raise ConfigError("These runs weren't over the same questions. Run one question set with each of them.")
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
        "Advice needs {least} questions with an answer, and so far the runs have {n}: on so few, the best of several "
        "settings is mostly the luckiest. Add {more} more.",
        least=ENOUGH,
        n=count,
        more=ENOUGH - count,
    )


def _sentence(gain: float, *, changes: bool, keep: bool, more: int) -> Message:
    if not changes:
        return message("Keep the settings as they are: no others did better on these questions.")
    if keep:
        return message(
            "Keep the settings as they are: what was best on some of the questions was no better on the others."
        )
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
