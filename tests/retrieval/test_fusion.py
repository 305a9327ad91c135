"""Fusion: figures that can be worked out on paper."""

import pytest

from core.retrieval.ranking import add_gains, fuse_reciprocal, fuse_weighted, normalise


def test_scores_go_from_nought_to_one() -> None:
    assert normalise({1: 2.0, 2: 4.0, 3: 3.0}) == {1: 0.0, 2: 1.0, 3: 0.5}
    assert normalise({1: 0.0, 2: 0.0}) == {1: 0.0, 2: 0.0}
    assert normalise({1: 7.0}) == {1: 1.0}
    assert normalise({}) == {}


def test_the_weight_divides_between_meaning_and_words() -> None:
    vector, keyword = {1: 0.9, 2: 0.7, 3: 0.8}, {1: 0.0, 2: 10.0, 3: 5.0}
    assert fuse_weighted(vector, keyword, 1.0, {}) == pytest.approx({1: 1.0, 2: 0.0, 3: 0.5})
    assert fuse_weighted(vector, keyword, 0.0, {}) == pytest.approx({1: 0.0, 2: 1.0, 3: 0.5})
    assert fuse_weighted(vector, keyword, 0.75, {}) == pytest.approx({1: 0.75, 2: 0.25, 3: 0.5})


def test_a_chunk_without_a_vector_has_the_mean_meaning_and_more_by_its_words() -> None:
    fused = fuse_weighted({1: 0.9, 2: 0.7}, {1: 0.0, 2: 0.0, 3: 10.0, 4: 5.0}, 0.5, {})
    assert fused == pytest.approx({1: 0.5, 2: 0.0, 3: 0.5 * 0.625 + 0.5, 4: 0.5 * 0.5625 + 0.25})


def test_reciprocal_ranks_by_hand() -> None:
    fused = fuse_reciprocal({7: 0.9, 8: 0.5}, {8: 12.0})
    assert fused == {7: pytest.approx(1 / 61), 8: pytest.approx(1 / 62 + 1 / 61)}


def test_a_gain_is_added_to_scores_from_nought_to_one() -> None:
    assert add_gains({1: 30.0, 2: 20.0, 3: 10.0}, {3: 0.6}) == {1: 1.0, 3: 0.6, 2: 0.5}
