"""A bounded cache whose values are computed once."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.base.cache import Cache


def test_the_value_stored_first_goes_first() -> None:
    cache: Cache[str, int] = Cache(2)
    for number, key in enumerate("abca", 1):
        cache.put(key, number)
    assert [cache.get(key) for key in "abc"] == [4, None, 3]


def test_threads_that_ask_at_once_compute_a_value_once() -> None:
    cache: Cache[str, int] = Cache(2)
    together, computed = threading.Barrier(8), []

    def compute() -> int:
        computed.append(1)
        return len(computed)

    def ask(_: int) -> int:
        together.wait()
        return cache.get_or_compute("a", compute)

    with ThreadPoolExecutor(8) as pool:
        assert {*pool.map(ask, range(8))} == {1}
    assert cache.get_or_compute("b", compute) == 2


def test_after_a_failure_the_next_one_computes() -> None:
    cache: Cache[str, int] = Cache(2)
    with pytest.raises(ZeroDivisionError):
        cache.get_or_compute("a", lambda: 1 // 0)
    assert cache.get_or_compute("a", lambda: 5) == 5
