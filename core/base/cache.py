"""Values by key, computed once and shared between threads."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Cache(Generic[K, V]):
    """At most `size` values, none of them None; the one stored first goes first. Who gets a value doesn't change it."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = Lock()
        self._values: OrderedDict[K, V] = OrderedDict()
        self._computing: dict[K, Lock] = {}

    def get(self, key: K) -> V | None:
        """Return the value of a key, None without one."""
        with self._lock:
            return self._values.get(key)

    def put(self, key: K, value: V) -> None:
        """Store the value of a key."""
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._size:
                self._values.popitem(last=False)

    def get_or_compute(self, key: K, compute: Callable[[], V]) -> V:
        """Return the value of a key, computed and stored by the first thread that asks; others wait for it.

        Raises what `compute` raises; nothing is stored then, and the next thread computes.
        """
        with self._lock:
            computing = self._computing.setdefault(key, Lock())
        with computing:
            try:
                value = self.get(key)
                if value is None:
                    value = compute()
                    self.put(key, value)
                return value
            finally:
                with self._lock:
                    self._computing.pop(key, None)
