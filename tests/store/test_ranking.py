"""One order of scores: deterministic, and stable when fewer or more are looked for."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.store.top_k import best, best_of

SCORES = st.dictionaries(st.integers(1, 50), st.sampled_from([0.0, 0.5, 1.0]) | st.floats(-1, 1), max_size=30)


def test_of_equal_scores_the_earlier_chunk_comes_first() -> None:
    assert list(best({5: 1.0, 3: 1.0, 4: 2.0}, 2)) == [4, 3]


@given(SCORES, st.integers(0, 40))
def test_the_first_of_many_are_the_few(scores: dict[int, float], count: int) -> None:
    assert list(best(scores, count).items()) == list(best(scores).items())[:count]
    assert list(best(dict(reversed(scores.items()))).items()) == list(best(scores).items())


@given(SCORES, st.integers(0, 40))
def test_columns_are_ranked_alike(scores: dict[int, float], count: int) -> None:
    ranked = best_of(np.array(list(scores), np.int64), np.array(list(scores.values())), count)
    assert list(ranked.items()) == list(best(scores, count).items())
