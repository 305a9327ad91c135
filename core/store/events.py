"""Events of the store: what was written, published to its subscribers once it is committed."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from core.store.database import Database
from core.store.lock import WriteLock

Subscriber = Callable[[Any], object]
"""Takes an event."""


class Events:
    """Publishes what was written. `changing` is the lock that writers hold."""

    def __init__(self, database: Database, changing: WriteLock) -> None:
        self._database, self._changing = database, changing
        self._subscribers = defaultdict[type, list[Subscriber]](list)

    def subscribe(self, event: type, subscriber: Subscriber) -> None:
        """Have a function called with each event of a type, after those that subscribed before."""
        self._subscribers[event].append(subscriber)

    def publish(self, event: object) -> None:
        """Call the subscribers of an event, once its transaction is committed and this thread has released `changing`.

        None is called for a transaction that is rolled back. Equal events of one write are one. What a subscriber
        raises is logged: what was written stays, and the others are called too.
        """
        for subscriber in self._subscribers[type(event)]:
            self._database.after_commit(self._changing.follow, subscriber, event)
