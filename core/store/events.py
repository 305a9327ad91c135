"""The write lock, and the store's events. Events are published to subscribers once a write is committed."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from logging import getLogger
from threading import RLock
from typing import Any

from core.base.threads import Call
from core.store.database import Database

_LOG = getLogger(__name__)

Subscriber = Callable[[Any], object]


class WriteLock:
    """A reentrant lock that runs queued functions after its outermost release."""

    _depth = 0

    def __init__(self) -> None:
        self._lock = RLock()
        self._following: list[Call] = []

    def __enter__(self) -> None:
        self._lock.acquire()
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        following = list[Call]()
        if not self._depth:
            following = self._following
            self._following = []
        self._lock.release()
        for work, values in following:
            try:
                work(*values)
            except Exception:  # noqa: BLE001 the write is committed, and the remaining work must still run
                _LOG.exception("Work after a write failed")

    def follow(self, work: Callable[..., object], *values: object) -> None:
        """Call a function once this thread has released the lock. Duplicate calls are dropped. Errors are logged."""
        with self:
            if (work, values) not in self._following:
                self._following.append((work, values))


@dataclass
class Events:
    """Publishes events to subscribers. `_changing` is the store's write lock."""

    _database: Database
    _changing: WriteLock

    def __post_init__(self) -> None:
        self._subscribers = defaultdict[type, list[Subscriber]](list)

    def subscribe(self, event: type, subscriber: Subscriber) -> None:
        """Register a function to call for each event of the given type. Functions are called in registration order."""
        self._subscribers[event].append(subscriber)

    def publish(self, event: object) -> None:
        """Call an event's subscribers once the transaction is committed and this thread has released the write lock.

        Identical events from one write are published only once. After a rollback, no events are published. If a
        subscriber raises an exception, the exception is logged, and the remaining subscribers are still called.
        """
        for subscriber in self._subscribers[type(event)]:
            self._database.after_commit(self._changing.follow, subscriber, event)
