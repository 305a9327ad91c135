"""Growth of work with the size of its input; no other module of the tests reads a clock (`test_clocks.py`).

A limit in seconds fails on a busy machine and passes slow code on a fast one; the ratio of two sizes does neither.
"""

import gc
import sys
import time
from collections.abc import Callable
from typing import TypeVar

Text = TypeVar("Text", str, bytes)

_TIMES = 8
_MARGIN = 3
"""Linear work takes 8 times as long for 8 times the input, quadratic work 64 times; the limit is 24 times."""
_TRIES = 3


def assert_linear(work: Callable[[Text], object], text: Text, *, power: int = 1) -> None:
    """Fail where work on a text takes over 24 times the processor time of an eighth: the text without its middle."""
    part = len(text) // _TIMES // 2
    texts = {1: text[:part] + text[-part:], _TIMES: text}
    assert_grows_linearly(lambda size: lambda: work(texts[size]), _TIMES, power=power)


def assert_grows_linearly(prepare: Callable[[int], Callable[[], object]], size: int, *, power: int = 1) -> None:
    """Fail where the work prepared for a size takes over 24 times the processor time of that for an eighth of it.

    The shortest of up to three spans of the thread counts for each size; a size of some milliseconds suffices. Work
    that may be quadratic, because its input is short, has the `power` 2.
    """
    small, large = prepare(size // _TIMES), prepare(size)
    spans: list[tuple[float, float]] = []
    while len(spans) < _TRIES:
        spans.append((_seconds(small), _seconds(large)))
        least, most = map(min, zip(*spans, strict=True))
        if most <= _MARGIN * _TIMES**power * least:
            return
    raise AssertionError(
        f"{_TIMES} times the input takes {most / least:.0f} times as long: {least:.4f} s, {most:.4f} s"
    )


def count_calls(work: Callable[[], object]) -> int:
    """Return how many calls of functions, of Python and of C, work makes in this thread."""
    calls = 0

    def count(_: object, event: str, __: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def _seconds(work: Callable[[], object]) -> float:
    gc.disable()  # it goes through all that earlier tests left
    began = time.thread_time()
    try:
        work()
        return time.thread_time() - began
    finally:
        gc.enable()
