"""Bars: the least evidence of a search by which a base answers, by conformal calibration on questions of one side.

Of n questions of one side in order of evidence, the k-th is a bar that a new question of that side passes or misses
with a chance of at most the chosen share, whatever the distribution, where k = floor(share x (n + 1)) (split conformal
prediction, Vovk et al. 2005; the chance itself is then Beta(k, n + 1 - k)).
"""

from collections.abc import Sequence

import numpy as np

from core.model import AnswerThreshold, BarBasis, KnowledgeBase
from core.store import Store

ANSWERED = 0.2
"""Share of questions on other notes that may get an answer, where the base has no questions of its own."""
LEAST_OTHERS = 20
"""Fewest questions on other notes that say something."""
_CERTAIN = (0.05, 0.95)
_DRAWS = 20_000

_MOST = 100.0
"""Evidence of a search without limit, as a number."""
EXAMPLES = AnswerThreshold(3.0, "examples", 140, 0.12, 0.08, 0.17)
"""The bar of the questions that the program is tested with: those on the other vault and on Wikipedia, of which this
share has more evidence in `benchmarks.answers`; 1 in 20 that the notes answer has less."""


def current_threshold(store: Store, base: KnowledgeBase) -> AnswerThreshold:
    """Return the bar of a base as it was measured last, else that of the examples."""
    return store.bars.get(base) or EXAMPLES


def count_needed(share: float) -> int:
    """Return how many questions a bar with this share needs at least."""
    return int(np.ceil(1 / share)) - 1


def fit_below(evidence: Sequence[float], share: float, windows: int) -> AnswerThreshold:
    """Return the bar below which at most `share` of questions with an answer fall."""
    return _bar(sorted(evidence), share, "questions", windows)


def fit_above(evidence: Sequence[float], share: float, windows: int) -> AnswerThreshold:
    """Return the bar above which at most `share` of questions without an answer rise."""
    bar = _bar(sorted(-item for item in evidence), share, "others", windows)
    return AnswerThreshold(
        float(np.nextafter(-bar.least, np.inf)), bar.basis, bar.count, share, bar.low, bar.high, windows
    )


def _bar(ascending: Sequence[float], share: float, basis: BarBasis, windows: int) -> AnswerThreshold:
    ascending = [max(-_MOST, min(item, _MOST)) for item in ascending]
    count = len(ascending)
    place = int(share * (count + 1) + 1e-9)
    chances = np.random.default_rng(0).beta(place, count + 1 - place, _DRAWS)
    low, high = np.quantile(chances, _CERTAIN)
    return AnswerThreshold(ascending[place - 1], basis, count, share, float(low), float(high), windows)
