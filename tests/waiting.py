"""Waits for states, and a clock that a test sets; nothing in the tests says how long something may take."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock, Thread
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 120.0
"""Seconds; only what fails takes so long."""


def wait_until(holds: Callable[[], object], pause: Callable[[float], object] = time.sleep) -> None:
    """Wait until something holds; fail where it doesn't within PATIENCE. A browser's page brings its own `pause`.

    What takes long is looked for less often: each look may be a call of the process that is to get on.
    """
    ends, seconds = time.monotonic() + PATIENCE, 0.02
    while not holds():
        assert time.monotonic() < ends, "what was waited for never came"
        pause(seconds)
        seconds = min(seconds * 1.2, 0.1)


def within_patience(work: Callable[[], T]) -> T:
    """Return the result of work that is to end although what it waits for doesn't; fail where it doesn't end."""
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is taken
            done.set_exception(error)

    Thread(target=run, daemon=True).start()
    return done.result(PATIENCE / 2)


class ManualTime:
    """Stands for the module `time` in a module of core: its clock goes on only by `sleep`, which doesn't wait."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []
        self._changing = Lock()

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        with self._changing:
            self.slept.append(seconds)
            self.now += seconds
