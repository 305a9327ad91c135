"""Statistical comparison of two test runs over the same questions."""

from collections.abc import Mapping
from math import ceil

import numpy as np

from core.base.errors import ConfigError
from core.base.messages import Message, message
from core.model import ENOUGH, Comparison

# Number of bootstrap samples. It is ten times the rough minimum for interval bounds (Efron and Tibshirani, 1993).
RESAMPLES = 10_000

SEED = 0

# Highest number of further questions that the message states exactly. Beyond it, the message says "more than".
MOST = 10_000

_BLOCK = 1 << 13  # 64 KB: the OS reclaims larger blocks after every use, which doubles the time
_Z = 1.959964


def compare(old: Mapping[str, float], new: Mapping[str, float]) -> Comparison:
    """Compare two test runs on a metric, given as a dict from question id to value. Higher values are better.

    The paired bootstrap resamples the differences, which keeps each question's two values together (Sakai, 'Evaluating
    Evaluation Metrics Based on the Bootstrap', SIGIR 2006). The interval's bounds are percentiles. To be consistent
    with the interval, p is twice the share of resampled means on the other side of 0 (Efron and Tibshirani, 'An
    Introduction to the Bootstrap', 1993, chapter 13). Raises ConfigError if the questions differ or a value isn't a
    number.
    """
    if only := old.keys() ^ new.keys():
        raise ConfigError(
            "The two test runs asked different questions. Only one of them asked {n} of the questions, such as "
            "{ids}. Run the same question set both times.",
            n=len(only),
            ids=[message("'{text}'", text=question) for question in sorted(only)[:3]],
        )
    for question in old:
        if not np.isfinite([old[question], new[question]]).all():
            raise ConfigError("The value of question '{id}' isn't a number. Run the question set again.", id=question)
    # Beyond nine decimals, differences are rounding noise. Sorting makes the samples deterministic.
    differences = np.array([round(new[question] - old[question], 9) for question in sorted(old)])
    count = len(differences)
    difference = round(float(differences.sum()) / max(1, count), 12)
    wins = int((differences > 0).sum())
    losses = int((differences < 0).sum())
    low = 0.0
    high = 0.0
    p = 1.0
    if wins or losses:
        # Draw RESAMPLES samples with replacement, in batches.
        random = np.random.default_rng(SEED)
        rows = max(1, _BLOCK // count)
        batches = [
            differences.take(random.integers(0, count, (min(rows, RESAMPLES - done), count))).mean(axis=1)
            for done in range(0, RESAMPLES, rows)
        ]
        means = np.concatenate(batches).round(12)
        low, high = map(float, np.quantile(means, (0.025, 0.975)))
        # The sample itself counts as a resample, so p is never 0 (Davison and Hinkley, 1997, chapter 4).
        other_side = min(int((means <= 0).sum()), int((means >= 0).sum()))
        p = min(1.0, 2 * (other_side + 1) / (RESAMPLES + 1))
    # With its 95% interval on one side of 0, a difference is settled. If it stays the same, the others need a total of
    # n = (z × sd / difference)² questions, because the normal interval has a half-width of z × sd / √n (Cochran,
    # 'Sampling Techniques', 1977, chapter 4). With n questions, about half of all trials would settle the difference.
    more = None
    if count >= ENOUGH and difference:
        settled = low > 0 or high < 0
        more = 0 if settled else max(1, ceil((_Z * float(differences.std(ddof=1)) / difference) ** 2) - count)
    return Comparison(
        count,
        difference,
        low,
        high,
        p,
        wins,
        losses,
        len(old) - wins - losses,
        more,
        _sentence(wins, losses, count, difference, more),
    )


def _sentence(wins: int, losses: int, count: int, difference: float, more: int | None) -> Message:
    if not count:
        return message("There are no questions to compare.")
    counts = message(
        "Better on {wins}, worse on {losses}, the same on {ties}", wins=wins, losses=losses, ties=count - wins - losses
    )
    if count < ENOUGH:
        return message(
            "{counts}. There are too few questions to tell. Ask at least {least}.", counts=counts, least=ENOUGH
        )
    if not wins and not losses:
        return message("The same on all {n} questions.", n=count)
    if more is None:
        return message("{counts}. There is no difference on average.", counts=counts)
    if more == 0 and difference > 0:
        return message("{counts}. This is better on average, by more than chance would explain (95%).", counts=counts)
    if more == 0:
        return message("{counts}. This is worse on average, by more than chance would explain (95%).", counts=counts)
    if more > MOST:
        return message(
            "{counts}. This could be chance. It would take more than {n} more questions like these to tell.",
            counts=counts,
            n=MOST,
        )
    return message(
        "{counts}. This could be chance. It would take about {n} more questions like these to tell.",
        counts=counts,
        n=rounded(more),
    )


def rounded(number: int) -> int:
    """Round up to two significant digits, or to tens for small numbers, because the estimate isn't more precise."""
    step: int = 10 ** max(1, len(str(number)) - 2)
    return -(-number // step) * step
