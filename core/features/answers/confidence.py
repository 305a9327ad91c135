"""How likely the first excerpt of an answer is right."""

from collections.abc import Mapping, Sequence

from core.features.answers.excerpts import Excerpt
from core.model import Hit

WEIGHTS: Mapping[str, float] = {
    "read": 0.2,
    "near": 2.49,
    "held": 0.35,
    "margin": 0.27,
    "top": 3.23,
    "rivals": -0.29,
}
"""Weight of each feature in the logarithm of the odds that an excerpt is right.

`read`: the best score of the reader in it; `near` and `held`: those of its strongest unit
(`core/features/answers/evidence.py`);
`margin`: how far its score is above the best one of another note; `top`: the nearest unit of all; `rivals`: the number
of hits with nearly the score of the best hit.
"""
CONSTANT = -3.25
"""Fitted by `benchmarks.answers --fit`."""
SURE, LIKELY = 0.75, 0.0
"""Least confidence of an answer that is shown as such, and of one that is shown as *Perhaps* (decision 59)."""
_FAR = 5.0
"""Largest margin that counts, and that of an excerpt without another note."""
_RIVAL = 0.8
"""Share of the best hit's score from which on a hit is a rival."""
_USUAL_RIVALS = 3
"""Rivals where the scores of hits are ranks: the median of the natural questions that aren't decomposed."""


def features(excerpt: Excerpt, ranked: Sequence[Excerpt], hits: Sequence[Hit]) -> dict[str, float]:
    """Return the features of one of ranked excerpts of some hits; without `hits` the number of rivals is the usual."""
    others = [other.score for other in ranked if other.hit.note.id != excerpt.hit.note.id]
    best = max((hit.score for hit in hits), default=0.0)
    return {
        "read": max(unit.parts["read"] for unit in excerpt.units),
        "near": excerpt.strongest.parts["near"],
        "held": excerpt.strongest.parts["held"],
        "margin": min(excerpt.score - max(others), _FAR) if others else _FAR,
        "top": max(unit.parts["near"] for other in ranked for unit in other.units),
        "rivals": sum(hit.score > _RIVAL * best for hit in hits) if hits else _USUAL_RIVALS,
    }


def confidence(excerpt: Excerpt, ranked: Sequence[Excerpt], hits: Sequence[Hit]) -> float:
    """Return the logarithm of the odds that one of ranked excerpts of some hits is right."""
    return CONSTANT + sum(WEIGHTS[name] * value for name, value in features(excerpt, ranked, hits).items())
