"""Nothing but the errors of the tree comes of inputs at random."""

from pathlib import Path

import pytest

from benchmarks.drills import fuzz
from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally
from tests import samples


@pytest.mark.usefixtures("bundled")
def test_random_inputs_are_used_or_refused_with_a_reason(tmp_path: Path) -> None:
    tally = Tally("fuzz")
    fuzz.drill(tally, Given(count=8, seed=1, vault=samples.write(tmp_path / "vault")))
    assert not tally.faults
    assert list(tally.rows) == [*fuzz.KINDS]
    assert {row.tried for row in tally.rows.values()} == {8}
    assert tally.total.reported > 15
