"""A few commands with texts that control terminals; `python -m benchmarks.drills terminal` tries every one."""

import pytest

from benchmarks.drills import terminal
from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally


@pytest.mark.usefixtures("bundled")
def test_nothing_that_commands_print_controls_a_terminal() -> None:
    tally = Tally("terminal")
    terminal.drill(tally, Given(count=120, seed=4))
    assert not tally.faults
    assert tally.total.tried == 121
    assert 20 < tally.total.told < 100
    assert len(tally.rows) > 30
