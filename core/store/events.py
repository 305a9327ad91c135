"""Events of the store, published to subscribers after the commit of a write."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from core.store.database import Database
from core.store.lock import WriteLock

Subscriber = Callable[[Any], object]
"""A function that takes an event."""


class Events:
    """Publishes events to their subscribers. `changing` is the lock of the writers."""

    def __init__(self, database: Database, changing: WriteLock) -> None:
        self._database, self._changing = database, changing
        self._subscribers = defaultdict[type, list[Subscriber]](list)

    def subscribe(self, event: type, subscriber: Subscriber) -> None:
        """Call a function for each event of a type, after functions that subscribed earlier."""
        self._subscribers[event].append(subscriber)

    def publish(self, event: object) -> None:
        """Call the subscribers of an event once its transaction is committed and this thread has released `changing`.

        Equal events of one write are published once, and a transaction that is rolled back publishes none. An exception
        in a subscriber is logged: the write is kept, and the other subscribers are called too.
        """
        for subscriber in self._subscribers[type(event)]:
            self._database.after_commit(self._changing.follow, subscriber, event)
