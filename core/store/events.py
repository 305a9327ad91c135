"""The lock for writers, and the store's events, which are published to subscribers after a write is committed."""

from collections import defaultdict
from collections.abc import Callable
from logging import getLogger
from threading import RLock
from typing import Any

from core.base.threads import Call
from core.store.database import Database

_LOG = getLogger(__name__)

Subscriber = Callable[[Any], object]


class WriteLock:
    """A reentrant lock that runs queued work when its outermost holder releases it."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._depth = 0
        self._following: list[Call] = []

    def __enter__(self) -> None:
        self._lock.acquire()
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        following: list[Call] = []
        if not self._depth:
            following = self._following
            self._following = []
        self._lock.release()
        for work, values in following:
            try:
                work(*values)
            except Exception:  # noqa: BLE001 the write is committed, and the other work must still run
                _LOG.exception("Work after a write failed")

    def follow(self, work: Callable[..., object], *values: object) -> None:
        """Call a function once this thread no longer holds the lock. Equal calls are made once; errors are logged."""
        with self:
            if (work, values) not in self._following:
                self._following.append((work, values))


class Events:
    """Publishes events to their subscribers. `changing` is the lock for writers."""

    def __init__(self, database: Database, changing: WriteLock) -> None:
        self._database = database
        self._changing = changing
        self._subscribers = defaultdict[type, list[Subscriber]](list)

    def subscribe(self, event: type, subscriber: Subscriber) -> None:
        """Call a function for each event of a type, after the functions that subscribed earlier."""
        self._subscribers[event].append(subscriber)

    def publish(self, event: object) -> None:
        """Call the subscribers of an event once its transaction is committed and this thread has released `changing`.

        Equal events of one write are published once, and a transaction that is rolled back publishes none. An exception
        in a subscriber is logged: the write is kept, and the other subscribers are called too.
        """
        for subscriber in self._subscribers[type(event)]:
            self._database.after_commit(self._changing.follow, subscriber, event)
