"""The drill of files that another program writes too, small."""

import os
from pathlib import Path

import pytest

from benchmarks.drills import files
from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally
from core.base.swapping import Changed
from core.notes import filing


def test_no_text_is_lost() -> None:
    tally = Tally("files")
    files.drill(tally, Given(count=96))
    assert not tally.faults
    assert 0 < tally.total.told < 96


def test_the_drill_notices_a_save_that_looks_and_then_replaces(monkeypatch: pytest.MonkeyPatch) -> None:
    def swap(file: Path, data: bytes, expected: bytes) -> os.stat_result:
        if file.read_bytes() != expected:
            raise Changed
        new = file.with_name("new")
        with new.open("wb") as stream:
            stream.write(data)
            os.fsync(stream.fileno())
        new.replace(file)
        return file.stat()

    monkeypatch.setattr(filing, "swap", swap)
    tally = Tally("files")
    files.drill(tally, Given(count=80))
    assert tally.faults
