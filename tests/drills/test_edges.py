"""Dates, numbers and texts at their edges, a few through every door."""

from datetime import date, datetime
from random import Random

import pytest

from benchmarks.drills import edges
from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally
from core.base import moments
from core.base.registry import Entry
from core.embedding import EMBEDDERS


@pytest.fixture(autouse=True)
def _model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDERS, "tfidf", Entry("tests.fakes:WordLengths"))


def test_values_at_their_edges_are_taken_or_refused_with_a_sentence() -> None:
    tally = Tally("edges")
    edges.drill(tally, Given(25, seed=3))
    assert not tally.faults
    assert {*tally.rows} >= {*edges.DOORS}
    assert tally.total.told > 40


def test_the_drill_notices_a_note_that_breaks_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def add(own: edges.Bench, _: Random) -> str:
        own.workspace.notes.add(own.base, edges.BODY, author="person", expires_at="2026-01-31", embed=False)
        return ""

    def midnight(day: date) -> datetime:
        raise OverflowError(day)

    monkeypatch.setattr(edges, "DOORS", {"library": add})
    monkeypatch.setattr(moments, "midnight", midnight)
    tally = Tally("edges")
    edges.drill(tally, Given(1))
    assert "OverflowError" in tally.faults[0]
    assert tally.total.lost == 1
