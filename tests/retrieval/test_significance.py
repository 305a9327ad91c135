"""Two runs whose difference is known are told apart, or not, as the numbers say."""

from collections.abc import Sequence
from dataclasses import astuple
from itertools import accumulate
from math import comb, isfinite
from random import Random

import pytest

from core.base.errors import ConfigError
from core.base.messages import message
from core.model import ENOUGH, Comparison
from core.retrieval.significance import compare


def compared(differences: Sequence[float], start: float = 0.0) -> Comparison:
    old = {f"{number}": start for number in range(len(differences))}
    return compare(old, {f"{number}": start + value for number, value in enumerate(differences)})


def outcome(wins: int, losses: int, ties: int) -> Comparison:
    return compared([1.0] * wins + [-1.0] * losses + [0.0] * ties)


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ((0, 0, 0), "There are no questions to compare."),
        ((0, 0, 1), "Better on 0, worse on 0, the same on 1. There are too few questions to tell. Ask at least 20."),
        ((15, 1, 3), "Better on 15, worse on 1, the same on 3. There are too few questions to tell. Ask at least 20."),
        ((0, 0, 38), "The same on all 38 questions."),
        ((3, 3, 31), "Better on 3, worse on 3, the same on 31. There is no difference on average."),
        (
            (12, 1, 27),
            "Better on 12, worse on 1, the same on 27. "
            "This is better on average, by more than chance would explain (95%).",
        ),
        (
            (1, 12, 27),
            "Better on 1, worse on 12, the same on 27. "
            "This is worse on average, by more than chance would explain (95%).",
        ),
        (
            (20, 0, 0),
            "Better on 20, worse on 0, the same on 0. "
            "This is better on average, by more than chance would explain (95%).",
        ),
        (
            (7, 2, 31),
            "Better on 7, worse on 2, the same on 31. This could be chance. "
            "It would take about 20 more questions like these to tell.",
        ),
        (
            (22, 18, 160),
            "Better on 22, worse on 18, the same on 160. This could be chance. "
            "It would take about 1,800 more questions like these to tell.",
        ),
        (
            (21, 20, 400),
            "Better on 21, worse on 20, the same on 400. This could be chance. "
            "It would take more than 10,000 more questions like these to tell.",
        ),
    ],
)
def test_the_sentence_says_what_the_numbers_do(counts: tuple[int, int, int], told: str) -> None:
    comparison = outcome(*counts)
    assert str(comparison.message) == told
    assert (comparison.wins, comparison.losses, comparison.ties) == counts
    assert comparison.settled == ("more than chance would explain" in told)


@pytest.mark.parametrize("differences", [[], [0.0], [0.5], [0.0] * 25, [0.5] * 25, [1.0] + [0.0] * 24])
def test_every_number_is_one(differences: list[float]) -> None:
    comparison = compared(differences)
    assert all(isfinite(value) for value in astuple(comparison) if isinstance(value, float))
    assert comparison.low <= comparison.difference <= comparison.high
    assert 0 < comparison.p <= 1
    assert comparison.questions == len(differences)


def test_identical_runs_differ_by_nothing() -> None:
    run = {f"{number}": number / 30 for number in range(30)}
    comparison = compare(run, dict(reversed(run.items())))
    text = message("The same on all {n} questions.", n=30)
    assert comparison == Comparison(30, 0.0, 0.0, 0.0, 1.0, 0, 0, 30, None, text)


def test_the_noise_of_adding_in_another_order_is_no_difference() -> None:
    comparison = compare(dict.fromkeys("abc", 0.3), dict.fromkeys("abc", 0.1 + 0.2))
    assert (comparison.ties, comparison.difference) == (3, 0.0)


def test_a_difference_with_both_sides_even_is_none_however_it_is_added() -> None:
    comparison = compared([0.1, 0.2, -0.3] * 10)
    assert (comparison.difference, comparison.more) == (0.0, None)


@pytest.mark.parametrize(("wins", "count"), [(5, 40), (30, 60), (3, 200)])
def test_the_interval_is_that_of_the_binomial_distribution(wins: int, count: int) -> None:
    """Where the differences are 0 and 1, a resample's sum is binomial."""
    comparison = outcome(wins, 0, count - wins)
    share = wins / count
    cumulated = list(accumulate(comb(count, n) * share**n * (1 - share) ** (count - n) for n in range(count + 1)))
    for end, quantile in ((comparison.low, 0.025), (comparison.high, 0.975)):
        exact = next(n for n, so_far in enumerate(cumulated) if so_far >= quantile)
        assert end * count == pytest.approx(exact, abs=1)
    assert comparison.p == pytest.approx(2 * cumulated[0], abs=0.01)


def test_the_other_way_round_everything_is_mirrored() -> None:
    random = Random(3)
    differences = [random.gauss(0.1, 0.5) for _ in range(50)]
    one, other = compared(differences), compared([-value for value in differences])
    assert (other.difference, other.low, other.high) == pytest.approx((-one.difference, -one.high, -one.low))
    assert (other.p, other.more, other.wins, other.losses) == (one.p, one.more, one.losses, one.wins)


def test_the_same_runs_give_the_same_figures_whatever_they_start_from() -> None:
    differences = [0.25, -0.5, 0.0, 0.75] * 10
    assert compared(differences) == compared(differences, start=0.5)


def test_the_order_of_the_questions_is_all_the_same() -> None:
    random = Random(4)
    old = {f"{number}": random.random() for number in range(40)}
    new = {question: random.random() for question in old}
    assert compare(dict(reversed(old.items())), new) == compare(old, new)


def test_of_equal_runs_about_one_in_twenty_is_called_different() -> None:
    random = Random(1)
    told = [compared([random.choice((-1.0, -0.5, 0.0, 0.5, 1.0)) for _ in range(40)]).settled for _ in range(200)]
    assert 0 < sum(told) <= 20


def test_more_questions_are_those_of_the_formula() -> None:
    # mean 0.125 and variance (9 - 40 x 0.125^2) / 39 = 0.2147: 1.96^2 x 0.2147 / 0.125^2 = 52.8
    assert outcome(7, 2, 31).more == 53 - 40


def test_so_many_more_questions_settle_it() -> None:
    asked = [1.0] * 9 + [-1.0] * 4 + [0.0] * 27
    more = compared(asked).more
    assert more is not None
    assert 30 < more < 50
    assert not compared(asked).settled
    assert compared(asked * 3).settled


def test_below_enough_nothing_is_settled() -> None:
    assert not compared([1.0] * (ENOUGH - 1)).settled
    assert compared([1.0] * ENOUGH).settled


def test_other_questions_are_an_error() -> None:
    old, new = {"a": 1.0, "b": 0.0, "c": 1.0}, {"b": 0.0, "c": 1.0, "d": 1.0}
    with pytest.raises(
        ConfigError, match=r"Only one of them asked 2 of the questions, such as 'a', 'd'\. Run the same"
    ):
        compare(old, new)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_is_an_error(value: float) -> None:
    with pytest.raises(ConfigError, match="value of question 'b'"):
        compare({"a": 1.0, "b": 0.0}, {"a": 1.0, "b": value})
