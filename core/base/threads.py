"""A thread pool that, unlike the one in `concurrent.futures`, doesn't delay the program's exit."""

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")

Call = tuple[Callable[..., object], tuple[object, ...]]


@dataclass
class DaemonPool(AbstractContextManager["DaemonPool"]):
    """A pool of at most `_count` daemon threads, which run tasks in the order they were submitted.

    On exit, the context manager waits for running tasks and cancels those still queued.
    """

    _count: int
    _name: str
    _tasks: "SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]" = field(default_factory=SimpleQueue)
    _threads: list[Thread] = field(default_factory=list)
    _is_closed: bool = False

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Submit a call and return a future for its result or error."""
        future: Future[T] = Future()
        self._tasks.put((future, work))
        if len(self._threads) < self._count:
            self._threads.append(Thread(target=self._run, name=self._name, daemon=True))
            self._threads[-1].start()
        return future

    def __exit__(self, *_: object) -> None:
        self._is_closed = True
        for _thread in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        while task := self._tasks.get():
            future, work = task
            if self._is_closed:
                future.cancel()
                continue
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 the future raises it in the waiting thread
                future.set_exception(error)
            del task, future, work  # an idle thread must not hold a result
