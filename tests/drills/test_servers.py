"""The drill of the killed server of the search index, twice."""

from benchmarks.drills.given import Given
from benchmarks.drills.servers import ANSWERS, END, EXACT, drill
from benchmarks.drills.tally import Tally


def test_after_a_kill_of_its_server_the_index_holds_what_the_base_holds() -> None:
    tally = Tally("servers")
    drill(tally, Given(2))
    assert not tally.faults
    assert {EXACT, ANSWERS, END} <= tally.rows.keys()
    assert tally.rows[ANSWERS].told
