"""How long notes take to be added by `add_many`, with hashed words for a model: the last ones against the first.

python -m benchmarks.adding [--notes 10000] : a workspace of its own; ends with 1 where the last tenth takes over FACTOR
times the first.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

FACTOR = 1.3
TENTHS = 10
_SYLLABLES = "ba de fo gu ka le mi no pa re su ti vo xa ze".split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    count = parser.parse_args().notes
    os.environ["TESSERA_EMBEDDER"] = "tfidf"
    with tempfile.TemporaryDirectory() as scratch:
        seconds = measure(Path(scratch), count)
    part = count // TENTHS
    for number, taken in enumerate(seconds):
        print(
            f"{number * part + 1:>7,} - {(number + 1) * part:>7,}   {taken:7.2f} s   {part / taken:7.1f} notes a second"
        )
    factor = seconds[-1] / seconds[0]
    print(
        f"the last {part:,} take {factor:.2f} times the first {part:,} (at most {FACTOR}); {sum(seconds):.1f} s in all"
    )
    sys.exit(factor > FACTOR)


def measure(folder: Path, count: int) -> list[float]:
    """Return the seconds that each tenth of the notes takes, found by word and by meaning at its end."""
    from core.workspace import Workspace

    seconds = []
    items = notes(count)
    with Workspace(folder) as workspace:
        workspace.notes.add("adding", "The first note makes the base and opens the index.")
        for _ in range(TENTHS):
            batch = [next(items) for _ in range(count // TENTHS)]
            started = time.perf_counter()
            added = workspace.notes.add_many("adding", batch)
            seconds.append(time.perf_counter() - started)
            assert len(added.note_ids) == len(batch)
            assert not workspace.chunks.pending("adding")
    return seconds


def notes(count: int) -> Iterator[dict[str, object]]:
    """Yield notes of some hundred words each, a quarter of them with sections; the same at every run."""
    random = Random(20261123)
    words = ["".join(random.choices(_SYLLABLES, k=random.randint(1, 4))) for _ in range(20_000)]
    for number in range(count):
        paragraphs = [" ".join(random.choices(words, k=random.randint(20, 60))) for _ in range(random.randint(1, 6))]
        heads = [f"## {random.choice(words)}" if number % 4 == 0 else "" for _ in paragraphs]
        body = "\n\n".join(f"{head}\n\n{text}.".strip() for head, text in zip(heads, paragraphs, strict=True))
        yield {"title": f"Note {number} {random.choice(words)}", "body": body, "tags": random.choices(words, k=2)}


if __name__ == "__main__":
    main()
