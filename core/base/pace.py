"""Progress -> the time that is left."""

import time
from collections import deque
from collections.abc import Callable

_WINDOW = 30.0
"""Seconds of progress that an estimate is made from, so that a slower part of the work shows soon."""
_LEAST = 3.0
"""Seconds of progress before the first estimate."""


class Pace:
    """The pace of a piece of work over its latest progress."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._steps: deque[tuple[float, float]] = deque()

    def left(self, done: float, total: float) -> float | None:
        """Note a step and return the seconds that are left, None where they are unknown yet."""
        now, share = self._clock(), min(1.0, done / total) if total else 0.0
        if self._steps and share < self._steps[-1][1]:
            self._steps.clear()
        self._steps.append((now, share))
        while len(self._steps) > 2 and now - self._steps[1][0] >= _WINDOW:
            self._steps.popleft()
        began, before = self._steps[0]
        if now - began < _LEAST or share <= before:
            return None
        return (1 - share) * (now - began) / (share - before)
