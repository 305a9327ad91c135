"""Places of vectors on a plane: the two main directions first, then neighbours are drawn together.

The plane begins as the principal components. Each point is then drawn to its nearest vectors and pushed from points by
lot, with the forces of a Student t kernel as in t-SNE (van der Maaten and Hinton 2008), sampled as in UMAP (McInnes et
al. 2018). Deterministic.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from core.model import Matrix

NEIGHBOURS, PUSHED = 12, 6
"""Vectors that a point is drawn to, and points that it is pushed from, in each step."""
STEPS = 200
DIRECTIONS = 128
"""Main directions in which neighbours are looked for."""
_BLOCK, _DEALT = 256, 16
"""Points whose neighbours are looked for at once, and points of a group, of which the nearest is compared at first."""
_STRONGEST = 4.0
_SPREAD = 10.0
_PUSH = 10.0
"""Weight of a push: there are few of them for all the points that could push."""
_EVEN = 0.6
"""Share of a place that is its rank, which fills the plane; the rest is the place itself."""

Places = NDArray[np.float32]


def places(vectors: Matrix, step: Callable[[int], None] = lambda _: None) -> Places:
    """Return a place for each of n vectors of unit length, shape (n, 2), from 0 to 1; `step` hears of each step."""
    if len(vectors) < 3:
        return np.linspace(0.3, 0.7, 2 * len(vectors), dtype=np.float32).reshape(-1, 2)
    main = directions(vectors)
    near = neighbours(main, min(NEIGHBOURS, len(vectors) - 1)).T
    plane = np.ascontiguousarray(main[:, :2].T) / (np.abs(main[:, :2]).max() or 1.0) * np.float32(_SPREAD)
    chance = np.random.default_rng(0)
    for number in range(STEPS):
        step(number)
        rate = np.float32(1.0 - number / STEPS)
        force = np.zeros_like(plane)
        # One neighbour of each point at a time: arrays of all pairs take five times as long, too large to be reused.
        for others in near:
            drawn = plane.take(others, axis=1) - plane
            force += drawn * (2.0 / (1.0 + (drawn**2).sum(0)))
        for others in chance.integers(0, len(vectors), (PUSHED, len(vectors))):
            away = plane - plane.take(others, axis=1)
            squared = (away**2).sum(0)
            force += away * (_PUSH / ((0.01 + squared) * (1.0 + squared)))
        plane += rate * np.clip(force, -_STRONGEST, _STRONGEST) * np.float32(0.2)
    return _within(plane.T)


def neighbours(points: Matrix, count: int) -> NDArray[np.intp]:
    """Return the numbers of the nearest other points of each point, shape (n, count).

    Points are dealt to groups of `_DEALT`; those sought are in the `count` groups whose nearest points are the nearest.
    """
    groups = -(-len(points) // _DEALT)
    padded = np.pad(points, ((0, groups * _DEALT - len(points)), (0, 0)))
    half = (padded**2).sum(1) / 2
    half[len(points) :] = np.inf
    rows = []
    for start in range(0, len(points), _BLOCK):
        nearness = points[start : start + _BLOCK] @ padded.T
        nearness -= half
        own = np.arange(len(nearness))
        nearness[own, start + own] = -np.inf
        best = nearness.reshape(len(own), _DEALT, groups).max(1)
        chosen = np.argpartition(best, -min(count, groups), axis=1)[:, -count:]
        numbers = (chosen[:, None] + groups * np.arange(_DEALT)[:, None]).reshape(len(own), -1)
        nearest = np.argpartition(np.take_along_axis(nearness, numbers, 1), -count, axis=1)[:, -count:]
        rows.append(np.take_along_axis(numbers, nearest, 1))
    return np.concatenate(rows)


def directions(vectors: Matrix) -> Matrix:
    """Return the vectors in their main directions, the widest first."""
    centred = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    main: Matrix = centred @ axes[:, : -DIRECTIONS - 1 : -1]
    return main


def _within(plane: Places) -> Places:
    """Return places between 0 and 1, partly by their rank each way, so that far groups leave no empty plane."""
    low, high = plane.min(axis=0), plane.max(axis=0)
    scaled = (plane - low) / np.maximum(high - low, 1e-9)
    ranks = np.argsort(np.argsort(plane, axis=0, kind="stable"), axis=0) / (len(plane) - 1)
    return np.asarray(0.02 + 0.96 * (_EVEN * ranks + (1 - _EVEN) * scaled), np.float32)


def regions(plane: Places, count: int) -> NDArray[np.intp]:
    """Return the region of each place, from 0 to at most `count` - 1, by k-means with far first middles."""
    middles = plane[[int(np.argmin(((plane - plane.mean(0)) ** 2).sum(1)))]]
    farthest = np.full(len(plane), np.inf, np.float32)
    for _ in range(1, min(count, len(plane))):
        farthest = np.minimum(farthest, ((plane - middles[-1]) ** 2).sum(1))
        middles = np.concatenate((middles, plane[[int(farthest.argmax())]]))
    own = np.zeros(len(plane), np.intp)
    for _ in range(20):
        own = (plane @ middles.T - (middles**2).sum(1) / 2).argmax(1)
        sizes = np.bincount(own, minlength=len(middles))
        sums = [np.bincount(own, side, len(middles)) for side in plane.T]
        middles = np.where(sizes[:, None], np.stack(sums, 1) / np.maximum(sizes, 1)[:, None], middles)
    return own
