"""The drill of acts on many files, small; in tests/notes/test_whole_acts.py the same at every step."""

import pytest

from benchmarks.drills import linked
from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally


def test_a_killed_rename_leaves_no_dead_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linked, "ACTS", {"rename": linked.ACTS["rename"]})
    tally = Tally("linked")
    linked.drill(tally, Given(count=1))
    assert not tally.faults
    assert tally.rows["rename"].survived == 2
