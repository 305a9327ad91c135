"""Run a drill, print its table, and exit 1 if anything died or was lost.

python -m benchmarks.drills NAME [--count N] [--seed 1] [--minutes 30] [--vault FOLDER]
"""

import argparse
import importlib
import sys
import time
from pathlib import Path

from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally

DRILLS = ("kills", "writing", "processes", "fuzz", "schemas", "linked")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=DRILLS)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--vault", type=Path, default=Given.vault)
    said = parser.parse_args()
    tally = Tally(said.name)
    drill = importlib.import_module(f"benchmarks.drills.{said.name}").drill
    drill(tally, Given(said.count, said.seed, time.monotonic() + said.minutes * 60, said.vault))
    print(tally)
    sys.exit(bool(tally.faults))


if __name__ == "__main__":
    main()
