"""A cache that computes each value once and shares it between threads."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Cache(Generic[K, V]):
    """A thread-safe LRU cache of at most `size` values. Values can't be None, and callers must not change them."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = Lock()
        self._values: OrderedDict[K, V] = OrderedDict()
        self._computing: dict[K, Lock] = {}

    def get(self, key: K) -> V | None:
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
        """Return the value for a key, computing it if necessary. Wait if another thread is already computing it.

        Errors aren't cached, so the next thread tries again.
        """
        if (value := self.get(key)) is not None:
            return value
        with self._lock:
            computing = self._computing.setdefault(key, Lock())
        with computing:
            try:
                if (value := self.get(key)) is None:
                    value = compute()
                    self.put(key, value)
            finally:
                with self._lock:
                    self._computing.pop(key, None)
        return value
