"""What the rules suggest of the labelled facts in the logs of the tests, and how fast a long log is read.

`python -m benchmarks.learning`; with paths as arguments it shows what the rules make of those logs.
"""

import sys
import time
from pathlib import Path

from core.features.learning.masks import Masker
from core.features.learning.reading import read, read_text
from core.features.learning.rules import facts
from tests.features.learning.measure import LOGS, all_measured

_LINES = 50_000


def labelled() -> None:
    results = all_measured()
    for one in results:
        print(f"{one.log:28} labels {one.labels:3}  missing {len(one.missing):3}  noise {len(one.noise):3}")
    labels = sum(one.labels for one in results)
    hits = labels - sum(len(one.missing) for one in results)
    suggestions = sum(len(one.suggestions) for one in results)
    noise = sum(len(one.noise) for one in results)
    print(f"{hits} of {labels} labelled facts suggested; {noise} of {suggestions} suggestions are noise")


def speed() -> None:
    lines = (LOGS / "shop-service.log").read_text(encoding="utf-8").splitlines()
    text = "\n".join(lines[number % len(lines)] for number in range(_LINES))
    before = time.process_time()
    log = read_text(text, "long.log", Masker())
    middle = time.process_time()
    facts(log)
    print(f"{_LINES} lines: read in {middle - before:.1f} s, rules in {time.process_time() - middle:.1f} s of one core")


def shown(paths: list[str]) -> None:
    for path in paths:
        log = read(Path(path).read_bytes(), Path(path).name, Masker())
        print(f"{path}: {log.format}, {len(log.events)} events, {log.secrets} secrets")
        for _, fact in facts(log):
            print(f"  {fact.rule}: {fact.text}")


if __name__ == "__main__":
    if sys.argv[1:]:
        shown(sys.argv[1:])
    else:
        labelled()
        speed()
