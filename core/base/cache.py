"""A cache whose values are computed once and shared between threads."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from threading import RLock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Cache(Generic[K, V]):
    """A thread-safe LRU cache of at most `size` values. Values can't be None, and callers must not change them."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = RLock()
        self._values: OrderedDict[K, V] = OrderedDict()
        self._computing: dict[K, Future[V]] = {}

    def get(self, key: K) -> V | None:
        """Return the cached value of a key, or None."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: K, value: V) -> None:
        """Store a value, and drop the least recently used one if the cache is full."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._size:
                self._values.popitem(last=False)

    def get_or_compute(self, key: K, compute: Callable[[], V]) -> V:
        """Return the value for a key; the first thread computes it, and others wait for its value or its error.

        Errors aren't cached: the next call computes again.
        """
        while True:
            with self._lock:
                if (value := self.get(key)) is not None:
                    return value
                computing = self._computing.get(key)
                if computing is None:
                    own = self._computing[key] = Future()
                    break
            with suppress(CancelledError):
                return computing.result()
        try:
            value = compute()
            self.put(key, value)
        except Exception as error:
            own.set_exception(error)
            raise
        else:
            own.set_result(value)
            return value
        finally:
            own.cancel()  # if this thread was interrupted, the others don't wait for it
            with self._lock:
                del self._computing[key]
