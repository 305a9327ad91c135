"""The drill of full and read-only disks, small."""

import pytest

from benchmarks.drills import disks
from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally
from benchmarks.drills.verbs import Outcome


def test_what_was_stored_is_there_after_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {name: disks.VERBS[name] for name in ("edit", "migration")}
    monkeypatch.setattr(disks, "VERBS", few)
    monkeypatch.setattr(disks, "NOTES", 12)
    tally = Tally("disks")
    disks.drill(tally, Given(count=6))
    assert not tally.faults
    assert tally.total.tried == 6
    assert tally.total.told


def test_the_drill_notices_a_wrong_sentence_and_a_loss() -> None:
    tally = Tally("disks")
    disks._count(tally, "full: edit", Outcome(told="Rebuild the index."), Outcome(answer=""), disks.TOLD["full"], "0")
    disks._count(tally, "full: edit", Outcome(), Outcome(answer="note 1 is gone"), disks.TOLD["full"], "0")
    assert tally.faults == ["full: edit: 0: says: Rebuild the index.", "full: edit: 0: note 1 is gone"]
