"""Requests by the API's own schema: none fails, none that is refused writes."""

from pathlib import Path

import pytest

from benchmarks.drills import http
from benchmarks.drills.doors import SHAPES
from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally
from core.base.registry import Entry
from core.embedding import EMBEDDERS
from tests import samples


def test_requests_by_the_schema_are_answered_or_refused_without_a_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EMBEDDERS, "words", Entry("tests.fakes:WordLengths"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "words")
    monkeypatch.setenv("TESSERA_SEARCH__RERANKER", "none")
    tally = Tally("http")
    http.drill(tally, Given(count=80, seed=1, vault=samples.write(tmp_path / "vault")))
    assert not tally.faults
    assert tally.total.told > 25
    assert len(tally.rows) > 16
    assert {*SHAPES} <= {*tally.rows}
