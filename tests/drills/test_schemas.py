"""The drill of migrations that are killed, small."""

import pytest

from benchmarks.drills import schemas
from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally
from core.store import migrations as schema


def test_a_killed_migration_is_done_at_the_next_start() -> None:
    tally = Tally("schemas")
    schemas.drill(tally, Given(count=6))
    assert not tally.faults
    assert tally.total.tried == 6


def test_the_drill_notices_a_missing_backup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "make", lambda *_: None)
    tally = Tally("schemas")
    schemas.drill(tally, Given(count=2))
    assert "no whole backup" in "; ".join(tally.faults)
