"""The time that is left follows the latest progress, and is said once there is enough of it."""

from itertools import pairwise
from random import Random

import pytest

from core.base.jobs import Pace
from core.model import left_line


def test_the_time_left_follows_the_latest_pace() -> None:
    now = 0.0
    pace = Pace(lambda: now)
    assert pace.left(0, 100) is None
    now = 2.0
    assert pace.left(20, 100) is None, "too early to say"
    now = 4.0
    assert pace.left(40, 200) is None, "not known to be steady"
    now = 14.0
    assert pace.left(140, 200) == pytest.approx(6)
    for second in range(15, 60):
        now = second
        left = pace.left(140 + (second - 14) / 2, 200)
    assert left == pytest.approx(2 * (60 - 45 / 2), rel=1 / 4), "the slower part of the work counts alone"
    assert pace.left(0, 100) is None, "other work begins"


def test_nothing_is_said_while_the_expected_end_moves() -> None:
    now = 0.0
    pace, told = Pace(lambda: now), []
    for second in range(60):
        now = second
        total = 100 + 40 * min(second, 30)  # half of the minute, more work comes in than is done
        told.append(pace.left(10 * second, total))
    assert not any(told[:30])
    assert told[45] == pytest.approx((1300 - 450) / 10, rel=1 / 4)


def test_one_slow_step_changes_little() -> None:
    now = done = 0.0
    pace, told = Pace(lambda: now), []
    for step in range(90):
        now += 12.0 if step == 60 else 1.0
        done += 1
        if (left := pace.left(done, 200)) is not None and step > 30:
            told.append(now + left)
    assert max(told) - min(told) < 15, "its end moves by no more than the step took"


def test_the_time_left_falls_steadily_while_an_import_adds_work_unevenly() -> None:
    """An import stores notes while they are indexed: the total grows, and some notes take longer than others."""
    now = done = 0.0
    pace, chance, told = Pace(lambda: now), Random(1), []
    for _ in range(600):
        now += 0.5
        done += chance.choice((0, 0.2, 1, 1, 1, 3))
        total = 700 + min(now, 60) * 3 + chance.random() * 20
        told.append(pace.left(done, total))
    known = told[told.index(next(filter(None, told))) :]
    assert None not in known, "an estimate doesn't vanish"
    rises = [after / (before - 0.5) for before, after in pairwise(known) if after > before]
    assert len(rises) <= 4
    assert min(rises, default=2) >= 4 / 3


def test_no_progress_has_no_estimate() -> None:
    now = 0.0
    pace = Pace(lambda: now)
    pace.left(0, 0)
    now = 50.0
    assert pace.left(0, 0) is None
    assert pace.left(0, 10) is None


@pytest.mark.parametrize(("seconds", "text"), [(1, "10 seconds"), (44, "40 seconds"), (100, "2 minutes")])
def test_it_is_told_roughly(seconds: float, text: str) -> None:
    assert str(left_line(seconds)) == f"about {text} left"
