"""Kill what a person does with notes that are written here, and the upgrade of a pack; each operation equally often."""

import random
import tempfile
from pathlib import Path

from benchmarks.drills.given import Given
from benchmarks.drills.kills import Kill, Kills
from benchmarks.drills.packings import UPGRADE
from benchmarks.drills.tally import Tally

OPERATIONS = ("save", "accept", "revert", "restore", "delete written notes", UPGRADE)


def drill(tally: Tally, given: Given) -> None:
    """Kill `given.count` times."""
    draw = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as scratch:
        kills = Kills(Path(scratch), tally)
        for number in range(given.count):
            if not given.goes_on:
                return
            kills.kill(Kill.drawn(draw, OPERATIONS[number % len(OPERATIONS)]))
