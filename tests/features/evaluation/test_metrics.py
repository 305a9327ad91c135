"""Every metric on an example that can be worked out on paper, against sets of characters, and against trec_eval."""

from itertools import accumulate
from math import log2
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.features.evaluation.scoring import (
    Span,
    average_precision,
    coverage,
    found_at,
    hit_at,
    iou,
    ndcg_at,
    needed,
    percentile,
    precision_at,
    recall_at,
    reciprocal_rank,
    relevance,
    span_precision,
    span_recall,
    within_budget,
)

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


SPANS = st.lists(
    st.builds(
        lambda path, start, length: (path, start, start + length),
        st.sampled_from(["a.md", "b.md"]),
        st.integers(0, 60),
        st.integers(1, 30),
    ),
    max_size=6,
)


def characters(spans: list[Span]) -> set[tuple[str, int]]:
    return {(path, place) for path, start, end in spans for place in range(start, end)}


@given(SPANS, SPANS)
def test_span_metrics_are_those_of_the_sets(golds: list[Span], retrieved: list[Span]) -> None:
    wanted, got = characters(golds), characters(retrieved)
    both = len(wanted & got)
    assert span_recall(golds, retrieved, any=False) == (both / len(wanted) if wanted else 0)
    assert span_precision(golds, retrieved) == (both / len(got) if got else 0)
    assert iou(golds, retrieved) == (both / len(wanted | got) if wanted | got else 0)
    shares = [len(characters([gold]) & got) / len(characters([gold])) for gold in golds]
    assert span_recall(golds, retrieved, any=True) == max(shares, default=0)


def test_span_recall_and_precision() -> None:
    retrieved: list[Span] = [("a.md", 150, 250), ("b.md", 0, 100)]
    assert span_recall([GOLD, OTHER], retrieved, any=False) == 50 / 120
    assert span_recall([GOLD, OTHER], retrieved, any=True) == 0.5
    assert span_precision([GOLD, OTHER], retrieved) == 0.25


@pytest.mark.parametrize(
    ("golds", "any_", "found"),
    [
        ([GOLD], True, [0, 0, 1, 0]),
        ([GOLD, OTHER], False, [0, 0, 1, 1]),
        ([GOLD, OTHER], True, [0, 0, 1, 0]),
        ([OTHER, ("c.md", 0, 8), ("d.md", 0, 9)], False, [0, 0, 0, 2]),
        ([OTHER, ("c.md", 0, 8)], True, [0, 0, 0, 1]),
        ([("a.md", 0, 100), ("a.md", 50, 150), ("b.md", 0, 300)], False, [0, 2, 0, 0]),
        ([], False, [0, 0, 0, 0]),
    ],
)
def test_a_hit_is_relevant_where_a_passage_is_found_by_it(golds: list[Span], any_: bool, found: list[int]) -> None:
    assert relevance(golds, HITS, any=any_) == found


@given(SPANS, SPANS, st.booleans())
def test_relevance_is_that_of_the_sets(golds: list[Span], hits: list[Span], any_: bool) -> None:
    def found_by(rank: int) -> int:
        got = characters(hits[:rank])
        found = sum(2 * len(characters([gold]) & got) >= len(characters([gold])) for gold in golds)
        return min(found, needed(golds, any=any_))

    assert list(accumulate(relevance(golds, hits, any=any_))) == [found_by(rank + 1) for rank in range(len(hits))]


def test_recall_counts_passages_and_precision_hits() -> None:
    assert [recall_at([0, 2, 1], k, 4) for k in (1, 2, 3, 10)] == [0, 0.5, 0.75, 0.75]
    assert [precision_at([0, 2, 1], k) for k in (1, 2, 3, 10)] == [0, 1 / 2, 2 / 3, 2 / 10]


def test_where_one_passage_is_enough_recall_is_hit() -> None:
    golds = [GOLD, OTHER]
    found = relevance(golds, HITS, any=True)
    for k in range(1, 6):
        assert recall_at(found, k, needed(golds, any=True)) == hit_at(found_at(golds, HITS, any=True), k)


def test_ndcg_and_average_precision_by_hand() -> None:
    assert ndcg_at([0, 1, 0, 1], 10, 2) == pytest.approx((1 / log2(3) + 1 / log2(5)) / (1 + 1 / log2(3)))
    assert ndcg_at([0, 1, 0, 1], 3, 2) == pytest.approx((1 / log2(3)) / (1 + 1 / log2(3)))
    assert ndcg_at([1, 0, 0], 1, 5) == 1
    assert average_precision([0, 1, 0, 1], 10, 2) == (1 / 2 + 2 / 4) / 2
    assert average_precision([0, 1, 0, 1], 3, 2) == (1 / 2) / 2


def test_two_passages_in_one_hit_count_like_two_hits_at_best() -> None:
    assert ndcg_at([2], 10, 2) == average_precision([2], 10, 2) == 1
    assert ndcg_at([0, 2], 10, 2) == pytest.approx(2 / log2(3) / (1 + 1 / log2(3)))
    assert average_precision([0, 2], 10, 2) == (1 / 2 + 2 / 2) / 2
    assert ndcg_at([2], 10, 3) == pytest.approx(ndcg_at([1, 1], 10, 3))


RELEVANCE = st.lists(st.integers(0, 3), min_size=2, max_size=8)


@given(RELEVANCE, st.integers(0, 6), st.integers(1, 10), st.integers(0, 3))
def test_what_is_found_earlier_never_counts_less(found: list[int], at: int, k: int, unfound: int) -> None:
    total = sum(found) + unfound
    at %= len(found) - 1
    moved = min(1, found[at + 1])
    earlier = [*found[:at], found[at] + moved, found[at + 1] - moved, *found[at + 2 :]]
    for metric in (recall_at, ndcg_at, average_precision):
        assert 0 <= metric(found, k, total) <= metric(earlier, k, total) + 1e-12
        assert metric(earlier, k, total) <= 1 + 1e-12


def test_nothing_to_measure_is_0() -> None:
    assert [metric([], 10, total) for metric in (recall_at, ndcg_at, average_precision) for total in (0, 2)] == [0] * 6
    assert precision_at([], 10) == 0
    assert percentile([], 95) == 0
    assert span_recall([], [GOLD], any=False) == span_recall([], [GOLD], any=True) == span_precision([GOLD], []) == 0


@pytest.mark.parametrize("k", [1, 3, 5, 10, 20])
def test_rank_metrics_are_those_of_trec_eval(k: int) -> None:
    measures = pytest.importorskip("ir_measures", reason="has no wheel for this machine")
    random = Random(20)
    rankings = {}
    for number in range(1000):
        found = [int(random.random() < 0.3) for _ in range(random.randint(0, 30))]
        rankings[f"{number}"] = found, random.randint(not any(found), 4)
    qrels = {
        name: {f"{rank}": 1 for rank, one in enumerate(found) if one} | {f"no {one}": 1 for one in range(unfound)}
        for name, (found, unfound) in rankings.items()
    }
    run = {name: {f"{rank}": float(-rank) for rank in range(len(found))} for name, (found, _) in rankings.items()}
    ours = {}
    for name, (found, unfound) in rankings.items():
        total, rank = sum(found) + unfound, found.index(1) + 1 if any(found) else None
        ours[name, f"Success@{k}"] = hit_at(rank, k)
        ours[name, f"RR@{k}"] = reciprocal_rank(rank, k)
        ours[name, f"R@{k}"] = recall_at(found, k, total)
        ours[name, f"P@{k}"] = precision_at(found, k)
        ours[name, f"nDCG@{k}"] = ndcg_at(found, k, total)
        ours[name, f"AP@{k}"] = average_precision(found, k, total)
    asked = [measures.parse_measure(name) for name in sorted({name for _, name in ours})]
    theirs = {(one.query_id, str(one.measure)): one.value for one in measures.iter_calc(asked, qrels, run)}
    assert theirs == pytest.approx(ours, rel=0, abs=1e-9)


def test_percentile() -> None:
    assert [percentile([15, 50, 20, 40, 35], percent) for percent in (5, 30, 40, 50, 95, 100)] == [
        15,
        20,
        20,
        35,
        50,
        50,
    ]
    assert percentile(range(1, 101), 55) == 55


@given(st.lists(st.integers(0, 20).map(float), min_size=1, max_size=40), st.integers(1, 100))
def test_a_percentile_is_the_smallest_value_that_enough_do_not_exceed(values: list[float], percent: int) -> None:
    enough = [value for value in values if 100 * sum(other <= value for other in values) >= percent * len(values)]
    assert percentile(values, percent) == min(enough)
