"""A bounded cache whose values are computed once."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.base.cache import Cache


def test_the_value_stored_first_goes_first() -> None:
    cache: Cache[str, int] = Cache(2)
    for number, key in enumerate("abca", 1):
        cache.put(key, number)
    assert [cache.get(key) for key in "abc"] == [4, None, 3]


@pytest.mark.parametrize(
    "use",
    [
        lambda cache: cache.get("a"),
        lambda cache: cache.put("a", 1),
        lambda cache: cache.get_or_compute("a", lambda: 9),
    ],
    ids=["got", "stored again", "computed"],
)
def test_the_value_used_least_recently_goes_first(use: Callable[[Cache[str, int]], object]) -> None:
    cache: Cache[str, int] = Cache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    use(cache)
    cache.put("c", 3)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]


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


def test_others_compute_where_a_thread_was_stopped() -> None:
    cache: Cache[str, int] = Cache(2)
    begun, go_on = threading.Event(), threading.Event()

    def stop() -> int:
        begun.set()
        go_on.wait(60)
        raise KeyboardInterrupt

    with ThreadPoolExecutor(2) as pool:
        stopped = pool.submit(cache.get_or_compute, "a", stop)
        begun.wait(60)
        other = pool.submit(cache.get_or_compute, "a", lambda: 5)
        go_on.set()
        assert other.result(60) == 5
        assert isinstance(stopped.exception(5), KeyboardInterrupt)
