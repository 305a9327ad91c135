"""Places of vectors on a plane, and regions of the plane."""

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from core.model import Matrix

NEIGHBOURS, PUSHED = 12, 6
"""Number of neighbours that attract a point, and of random points that repel it, in each step."""
STEPS = 200
DIRECTIONS = 128
"""Number of principal components that are used to find neighbours."""
_BLOCK, _DEALT = 256, 16
"""Number of points whose neighbours are searched at once, and of points per group, ranked by its nearest point."""
_STRONGEST = 4.0
_SPREAD = 10.0
_PUSH = 10.0
"""Weight of a repulsion; it is high because only `PUSHED` of all other points repel a point."""
_EVEN = 0.6
"""Weight of the rank in a coordinate, which fills the plane evenly; the rest is the scaled coordinate."""

Places = NDArray[np.float32]


def places(vectors: Matrix) -> Places:
    """Lay out n unit vectors on a plane; return coordinates from 0 to 1, shape (n, 2).

    The two main directions come first, then neighbours are drawn together.
    """
    # While other programs keep the cores busy, two threads of BLAS take longer than one: they wait for each other.
    with ThreadpoolController().select(internal_api="openblas").limit(limits=1):
        return _places(vectors)


def _places(vectors: Matrix) -> Places:
    if len(vectors) < 3:
        return np.linspace(0.3, 0.7, 2 * len(vectors), dtype=np.float32).reshape(-1, 2)
    main = directions(vectors)
    near = neighbours(main, min(NEIGHBOURS, len(vectors) - 1)).T
    plane = np.ascontiguousarray(main[:, :2].T) / (np.abs(main[:, :2]).max() or 1.0) * np.float32(_SPREAD)
    chance = np.random.default_rng(0)
    for number in range(STEPS):
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
    """Return the indices of each point's nearest other points, shape (n, count).

    Points are split into groups of `_DEALT`. The `count` groups with the nearest members contain the result.
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
    """Project vectors onto their principal components, largest variance first."""
    centred = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    main: Matrix = centred @ axes[:, : -DIRECTIONS - 1 : -1]
    return main


def _within(plane: Places) -> Places:
    """Scale coordinates to 0 to 1, partly by their rank on each axis, so that distant groups leave no empty space."""
    low, high = plane.min(axis=0), plane.max(axis=0)
    scaled = (plane - low) / np.maximum(high - low, 1e-9)
    ranks = np.argsort(np.argsort(plane, axis=0, kind="stable"), axis=0) / (len(plane) - 1)
    return np.asarray(0.02 + 0.96 * (_EVEN * ranks + (1 - _EVEN) * scaled), np.float32)


def regions(plane: Places, count: int) -> NDArray[np.intp]:
    """Cluster points by k-means, starting from distant centres; return cluster numbers below `count`."""
    middles = plane[[int(np.argmin(((plane - plane.mean(0)) ** 2).sum(1)))]]
    farthest = np.full(len(plane), np.inf, np.float32)
    for _ in range(1, min(count, len(plane))):
        farthest = np.minimum(farthest, ((plane - middles[-1]) ** 2).sum(1))
        middles = np.concatenate((middles, plane[[int(farthest.argmax())]]))
    own = np.zeros(len(plane), np.intp)
    for _ in range(20):
        own = (plane @ middles.T - (middles**2).sum(1) / 2).argmax(1)
        inside = [plane[own == number] for number in range(len(middles))]
        middles = np.stack(
            [members.mean(0) if len(members) else old for members, old in zip(inside, middles, strict=True)]
        )
    return own
