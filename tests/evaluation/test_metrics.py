"""Every metric on an example that can be worked out on paper."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluation.metrics import Span, coverage, found_at, hit_at, iou, reciprocal_rank, within_budget

GOLD = ("a.md", 100, 200)


@pytest.mark.parametrize(
    ("retrieved", "share"),
    [
        ([], 0),
        ([("a.md", 0, 100)], 0),
        ([("a.md", 200, 300)], 0),
        ([("b.md", 100, 200)], 0),
        ([("a.md", 0, 150)], 0.5),
        ([("a.md", 120, 130)], 0.1),
        ([("a.md", 0, 1000)], 1),
        ([("a.md", 100, 130), ("a.md", 120, 140)], 0.4),
        ([("a.md", 180, 300), ("a.md", 0, 120)], 0.4),
        ([("a.md", 100, 160), ("a.md", 110, 120), ("a.md", 150, 170)], 0.7),
        ([("a.md", 100, 150), ("b.md", 150, 200), ("a.md", 100, 150)], 0.5),
    ],
)
def test_coverage_counts_each_character_once(retrieved: list[Span], share: float) -> None:
    assert coverage(GOLD, retrieved) == pytest.approx(share)


@given(
    st.tuples(st.integers(0, 50), st.integers(1, 50)),
    st.lists(st.tuples(st.integers(0, 100), st.integers(0, 40))),
)
def test_coverage_is_that_of_the_sets(gold: tuple[int, int], pieces: list[tuple[int, int]]) -> None:
    wanted = set(range(gold[0], gold[0] + gold[1]))
    got = {place for start, length in pieces for place in range(start, start + length)}
    spans = [("a.md", start, start + length) for start, length in pieces]
    assert coverage(("a.md", gold[0], gold[0] + gold[1]), spans) == len(wanted & got) / len(wanted)


HITS: list[Span] = [
    ("b.md", 100, 200),
    ("a.md", 0, 149),
    ("a.md", 149, 150),
    ("c.md", 0, 10),
]
OTHER = ("c.md", 0, 20)


@pytest.mark.parametrize(
    ("golds", "any_", "rank"),
    [
        ([GOLD], True, 3),
        ([GOLD], False, 3),
        ([GOLD, OTHER], True, 3),
        ([GOLD, OTHER], False, 4),
        ([OTHER, GOLD], False, 4),
        ([("c.md", 0, 21)], True, None),
        ([GOLD, ("d.md", 0, 9)], False, None),
        ([GOLD, ("d.md", 0, 9)], True, 3),
        ([], True, None),
        ([], False, None),
    ],
)
def test_found_at_is_the_first_rank_with_half_of_the_gold(golds: list[Span], any_: bool, rank: int | None) -> None:
    assert found_at(golds, HITS, any=any_) == rank


def test_hit_at() -> None:
    assert [hit_at(rank, 5) for rank in (1, 5, 6, None)] == [1, 1, 0, 0]


def test_reciprocal_rank() -> None:
    assert [reciprocal_rank(rank, 10) for rank in (1, 4, 10, 11, None)] == [1, 0.25, 0.1, 0, 0]


@pytest.mark.parametrize(
    ("budget", "kept"),
    [
        (0, []),
        (60, [("b.md", 100, 160)]),
        (100, [("b.md", 100, 200)]),
        (150, [("b.md", 100, 200), ("a.md", 0, 50)]),
        (250, [*HITS[:3]]),
        (4000, HITS),
    ],
)
def test_the_budget_cuts_the_hit_it_ends_in(budget: int, kept: list[Span]) -> None:
    assert within_budget(HITS, budget) == kept


@pytest.mark.parametrize(
    ("retrieved", "share"),
    [
        ([], 0),
        ([GOLD], 1),
        ([("b.md", 100, 200)], 0),
        ([("a.md", 100, 150)], 0.5),
        ([("a.md", 150, 250)], 50 / 150),
        ([("a.md", 100, 200), ("b.md", 0, 100)], 0.5),
        ([("a.md", 100, 180), ("a.md", 120, 200)], 1),
    ],
)
def test_iou_punishes_what_is_missing_and_what_is_too_much(retrieved: list[Span], share: float) -> None:
    assert iou([GOLD], retrieved) == pytest.approx(share)
