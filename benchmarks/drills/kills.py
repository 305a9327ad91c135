"""Kill operations at drawn moments, alone or with their process group; is the workspace whole, and does it go on?

A moment is a share of the operation's measured time, or one of its steps: before and after each commit and each write
to the index. Then the next opening may be killed too.
"""

import random
import shutil
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.drills import vault
from benchmarks.drills.children import Child
from benchmarks.drills.given import Given
from benchmarks.drills.killed import check, prepare, work
from benchmarks.drills.packings import UPGRADE
from benchmarks.drills.tally import Tally

STARTS: dict[str, tuple[str, ...]] = {
    "import, fresh": ("empty",),
    "import, incremental": ("full", "large"),
    "import, by command": ("full", "empty"),
    "index": ("waiting",),
    "index, by command": ("waiting",),
    "rechunk": ("full", "large"),
    "switch": ("full", "large"),
    "rebuild": ("full", "large"),
    "delete notes": ("full", "large"),
    "delete a base": ("full",),
    "edit chunks": ("full", "large"),
    "evaluate": ("full",),
    "history, choices": ("full",),
    "save": ("written",),
    "accept": ("written",),
    "revert": ("written",),
    "restore": ("put away",),
    "delete written notes": ("written",),
    UPGRADE: ("packed",),
}
OPENING = "opening after a kill"
_NOTES = {"full": 48, "waiting": 48, "large": 220, "written": 48, "put away": 48, "packed": 48}
_LARGE, _AGAIN = 0.15, 0.25
"""Shares of the attempts on the large workspace, and of those whose next opening is killed."""


@dataclass(frozen=True)
class Kill:
    """One drawn kill: `share` of the time, or of the steps, of an operation."""

    operation: str
    start: str
    seed: int
    share: float
    by_step: bool
    alone: bool
    again: bool

    @staticmethod
    def drawn(draw: random.Random, operation: str = "") -> "Kill":
        operation = operation or draw.choice([*STARTS])
        start, large = STARTS[operation][0], draw.random() < _LARGE
        return Kill(
            operation,
            STARTS[operation][-1] if large else start,
            draw.randrange(1000),
            *(draw.random(), draw.random() < 0.5, draw.random() < 0.5, draw.random() < _AGAIN),
        )

    def __str__(self) -> str:
        what = "steps" if self.by_step else "time"
        whom = "alone" if self.alone else "its group"
        return f"{self.operation} on {self.start} (seed {self.seed}), at {self.share:.2f} of its {what}, {whom}"


class Kills:
    """The kills of one run of the drill, in a scratch folder."""

    def __init__(self, scratch: Path, tally: Tally) -> None:
        self._scratch = scratch
        self._place = scratch / "place"
        self.tally = tally
        self._measured: dict[tuple[str, str, int], tuple[float, int]] = {}

    def kill(self, kill: Kill) -> None:
        """Break off an operation, maybe the opening after it, and look at the workspace."""
        attempts = [(kill.operation, str(kill))]
        if kill.again:
            attempts.append((OPENING, f"{kill}, then its next opening"))
        place, seen, died, killed = self._copied(kill), {"faults": [], "reported": False}, "", []
        try:
            for operation, _ in attempts:
                killed.append(self._break_off(place, operation, kill))
            with Child(check, place, kill.operation, kill.seed) as child:
                seen = child.result()
        except RuntimeError as error:
            died = str(error)
        if survivors := [pid for child in killed for pid in child.end()]:
            seen["faults"].append(f"{len(survivors)} processes outlive the killed one that started them")
        for row, what in attempts:
            lost = "; ".join(seen["faults"])
            self.tally.count(
                row, reported=seen["reported"], died=died and f"{what}: {died}", lost=lost and f"{what}: {lost}"
            )
        shutil.rmtree(place)

    def _break_off(self, place: Path, operation: str, kill: Kill) -> Child:
        """Kill an operation at its moment, and return its process; one that ends before is tried a little earlier."""
        before, key, share = self._scratch / "before", (operation, kill.start, kill.seed % 2), kill.share
        _copy(place, before)
        while True:
            seconds, steps = self._measured.get(key, (0.0, 0))
            at = max(1, round(steps * share)) if kill.by_step and steps else None
            moment = seconds * share if steps and not at else None
            with Child(work, place, operation, kill.seed, at, kill.alone) as child:
                done = child.done_or_killed(moment, alone=kill.alone)
            if done is None:
                shutil.rmtree(before)
                return child
            if steps:
                share *= 0.7
            else:
                self._measured[key] = done
            shutil.rmtree(place)
            shutil.copytree(before, place)

    def _copied(self, kill: Kill) -> Path:
        """Copy a prepared workspace with its vault, and change the vault for an import."""
        prepared = self._scratch / kill.start
        if not prepared.exists():
            # At the path where it is used: a sync knows notes by their folder.
            with Child(prepare, self._place, kill.start, _NOTES.get(kill.start, 0)) as child:
                child.result()
            self._place.rename(prepared)
        shutil.copytree(prepared, self._place)
        if kill.operation.startswith("import"):
            change(self._place / "vault", random.Random(kill.seed))
        return self._place


def _copy(place: Path, copy: Path) -> None:
    """Copy a place, in which the index of a killed process may still be ending and delete a file of its own."""
    while True:
        with suppress(shutil.Error):
            shutil.copytree(place, copy)
            return
        shutil.rmtree(copy)


def change(folder: Path, draw: random.Random) -> None:
    """Change, add, remove and move notes of a vault."""
    numbers = sorted(vault.versions(folder))
    draw.shuffle(numbers)
    for number in numbers[:12]:
        vault.write(folder, number, 2)
    for number in numbers[12:16]:
        (folder / f"{number}.md").unlink()
    for number in numbers[16:18]:
        (folder / "moved").mkdir(exist_ok=True)
        (folder / f"{number}.md").rename(folder / "moved" / f"{number}.md")
    for number in range(1000, 1008 if numbers else 1048):
        vault.write(folder, number, 1)


def drill(tally: Tally, given: Given) -> None:
    """Kill `given.count` times."""
    draw, started = random.Random(given.seed), time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        kills = Kills(Path(scratch), tally)
        while (before := tally.total.tried) < given.count and given.goes_on:
            kills.kill(Kill.drawn(draw))
            if tally.total.tried // 25 > before // 25:
                seconds = time.monotonic() - started
                print(f"{tally.total.tried} kills, {len(tally.faults)} faults, {seconds:.0f} s", flush=True)
