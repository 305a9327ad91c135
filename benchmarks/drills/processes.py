"""One process writes, others read: is every answer the old note or the new one, and does nothing grow?

Every answer is judged by the writer's journal: what was acknowledged before the question must be seen, what was not
begun when the answer came can't be.
"""

import tempfile
import time
from collections import defaultdict
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from benchmarks.drills.children import Child
from benchmarks.drills.given import Given
from benchmarks.drills.killed import prepare
from benchmarks.drills.readers import END, READERS
from benchmarks.drills.tally import Tally
from benchmarks.drills.writer import write

MEGABYTE = 1 << 20
_NOTES = 40
_EVERY = 0.2
"""Seconds between two looks at what the processes hold."""
_LONG = 30
"""Seconds after which it can be said whether a process grows."""
_EARLY, _LATE = (0.3, 0.6), (0.7, 1.0)
"""The parts of the time that are compared: before the first, caches fill."""


class Holds(NamedTuple):
    """What a process holds: open files, threads, and memory in megabytes."""

    files: int
    threads: int
    memory: float


_MORE = Holds(files=2, threads=1, memory=24)
"""Growth that is no leak: SQLite's cache of pages may still fill, and a file may be open at every look."""
_MOST_LOG = 32
"""Megabytes of SQLite's log: it is copied into the database at 4, and begun anew once no reader is in it."""


def drill(tally: Tally, given: Given) -> None:
    """Let one process write and four read for `given.count` seconds, or until the deadline."""
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        place = Path(scratch) / "place"
        with Child(prepare, place, "full", _NOTES) as child:
            child.result()
        children = {}
        for function in (write, *READERS):
            name = function.__name__
            children[name] = stack.enter_context(Child(function, place, given.seed))
            children[name].result()
        started, looks = time.monotonic(), defaultdict[str, list[tuple[float, Holds]]](list)
        deadline, log = min(given.deadline, started + given.count), [0.0]
        while time.monotonic() < deadline:
            share = (time.monotonic() - started) / (deadline - started)
            for name, child in children.items():
                for pid in child.family():
                    with suppress(OSError):
                        looks[f"{name} {pid}"].append((share, held_by(pid)))
            log.append((place / "workspace" / "notes.db-wal").stat().st_size / MEGABYTE)
            time.sleep(_EVERY)
        (place / END).touch()
        for name, child in children.items():
            judged(tally, name, child)
        for name, seen in looks.items() if given.count >= _LONG else ():
            grown(tally, name, seen)
        tally.count("the log stays small", lost=f"{max(log):.0f} MB" if max(log) > _MOST_LOG else "")
        print("notes.db-wal:", " ".join(f"{size:.0f}" for size in log[:: max(1, len(log) // 20)]), "MB")


def judged(tally: Tally, name: str, child: Child) -> None:
    """Count what a process asked, and its faults."""
    try:
        judge = child.result()
    except RuntimeError as error:
        tally.count(name, died=str(error))
        return
    faults = defaultdict(list)
    for row, fault in judge.faults:
        faults[row].append(fault)
    for row, count in judge.asked.items():
        for number in range(count):
            lost = faults[row][number] if number < len(faults[row]) else ""
            tally.count(row, reported=row.startswith("second writer"), lost=lost)


def grown(tally: Tally, name: str, seen: list[tuple[float, Holds]]) -> None:
    """Compare the least that a process held early and late; a process of a few looks isn't long-lived."""
    early, late = ([holds for share, holds in seen if a <= share <= b] for a, b in (_EARLY, _LATE))
    if len(early) < 5 or len(late) < 5:
        return
    first, last = (Holds(*map(min, zip(*part, strict=True))) for part in (early, late))
    print(f"{name}: {first.files} to {last.files} files, {first.threads} to {last.threads} threads,", end=" ")
    print(f"{first.memory:.0f} to {last.memory:.0f} MB")
    more = [what for what in Holds._fields if getattr(last, what) > getattr(first, what) + getattr(_MORE, what)]
    tally.count("no process grows", lost=f"{name}: {more}, {first} -> {last}" if more else "")


def held_by(pid: int) -> Holds:
    """Return what a process holds now."""
    folder = Path(f"/proc/{pid}")
    memory = int((folder / "statm").read_text().split()[1]) * 4096 / MEGABYTE
    return Holds(len([*(folder / "fd").iterdir()]), len([*(folder / "task").iterdir()]), memory)
