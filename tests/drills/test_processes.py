"""The drill of several processes, for three seconds."""

from benchmarks.drills.given import Given
from benchmarks.drills.processes import drill
from benchmarks.drills.tally import Tally


def test_answers_beside_a_writer_are_the_old_note_or_the_new_one() -> None:
    tally = Tally("processes")
    drill(tally, Given(3))
    assert not tally.faults
    assert {"writer: searches meanwhile", "searches, held open", "tessera search", "second writer"} <= tally.rows.keys()
