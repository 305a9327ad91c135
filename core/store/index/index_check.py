"""Whether the vector index holds what SQLite holds, and finds what exact search finds."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from core.base.errors import IndexDamaged
from core.model import Matrix

_QUESTIONS, _NEAREST, _AGREEMENT = 12, 10, 0.95
"""Stored vectors that are searched for at an opening, the hits of each, and the least share of exact hits in them."""
_NEARLY = 1e-3
"""Difference of two cosines that rounding explains."""

Windows = Iterable[tuple[list[str], Matrix]]
"""The vectors of a base with their ids, a block at a time."""


def agrees(windows: Callable[[], Windows], search: Callable[[Matrix, int], Mapping[str, float]]) -> bool:
    """Whether a search for a few stored vectors finds them, with neighbours as near as exact search finds."""
    questions = _sample(windows())
    if not len(questions):
        return True
    cosines = np.concatenate([_cosines(questions, vectors) for _, vectors in windows()], axis=1)
    exact = -np.sort(-cosines, axis=1)[:, :_NEAREST]
    hits = [list(search(question, _NEAREST).values()) for question in questions]
    right = sum(score >= nearest[-1] - _NEARLY for scores, nearest in zip(hits, exact, strict=True) for score in scores)
    return bool(right >= _AGREEMENT * exact.size)


def compare(entries: Mapping[str, Matrix], ids: Sequence[str], vectors: Matrix) -> None:
    """Raise IndexDamaged where an entry isn't its vector."""
    for key, vector in zip(ids, vectors, strict=True):
        if key in entries and not np.allclose(entries[key], vector, atol=_NEARLY):
            raise IndexDamaged("The search index holds other numbers than were stored in it.")


def _sample(windows: Windows) -> Matrix:
    """Return a few vectors, chosen at random: another choice at each opening."""
    sample: list[Matrix] = []
    for number, vector in enumerate(vector for _, vectors in windows for vector in vectors):
        if number < _QUESTIONS:
            sample.append(vector)
        elif (place := random.randrange(number + 1)) < _QUESTIONS:
            sample[place] = vector
    return np.array(sample, np.float32)


def _cosines(questions: Matrix, vectors: Matrix) -> Matrix:
    """Return the cosine of each question with each vector, 0 for a vector of zeros."""
    lengths = np.linalg.norm(questions, axis=1)[:, None] * np.linalg.norm(vectors, axis=1)
    return np.asarray(questions @ vectors.T / np.where(lengths, lengths, 1), np.float32)
