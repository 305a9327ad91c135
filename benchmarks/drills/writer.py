"""The process that writes while others read: as the app does, each change in a thread of its own."""

import os
import random
import threading
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from benchmarks.drills import operations, readers, sound, vault
from benchmarks.drills.children import Begin
from benchmarks.drills.journal import Journal
from benchmarks.drills.operations import Place
from benchmarks.drills.readers import Judge
from core.workspace import Workspace

_STRATEGIES = "none", "recursive", "lines", "lines"


def write(begin: Begin, place: Path, seed: int) -> Judge:
    """Change the workspace until the end, search it meanwhile, and look at it in the end."""
    judge, draw = Judge.at(place), random.Random(seed)
    with Workspace(place / "workspace") as workspace:
        workspace.store.index.open()
        (place / "writer").write_text(str(os.getpid()))
        begin()
        target = Place(place / "workspace", place / "vault", Journal(place / "journal"), workspace=workspace)
        while judge.goes_on:
            row, act = draw.choice(_ACTS)
            thread = threading.Thread(target=_done, args=(judge, row, act, replace(target, seed=draw.randrange(1000))))
            thread.start()
            while thread.is_alive():
                judge.ask("writer: searches meanwhile", lambda may: readers.searched(workspace, may, draw))
        judge.ask("writer: everything in the end", lambda may: readers.everything(workspace))
        judge.faults += [("writer: everything in the end", fault) for fault in sound.faults(workspace)]
    return judge


def _done(judge: Judge, row: str, act: Callable[[Place], None], place: Place) -> None:
    judge.asked[row] += 1
    try:
        act(place)
    except Exception:  # noqa: BLE001 a thread has no caller to raise to
        judge.faults.append((row, traceback.format_exc(limit=-3)))


def _import(place: Place) -> None:
    """Change, add and remove a few notes, then import; deleted notes come back, for their files change too."""
    draw, held = random.Random(place.seed), vault.versions(place.vault)
    with place.opened() as workspace:
        known = {*sound.state(workspace)}
    deleted = [number for number in held if f"note {operations.BASE}/{number}" not in known]
    for number in {*draw.sample(sorted(held), 6), *deleted}:
        vault.write(place.vault, number, held[number] + 1)
    for number in draw.sample(range(100, 110), 2):
        if number in held:
            (place.vault / f"{number}.md").unlink()
        else:
            vault.write(place.vault, number, place.seed + 1)
    operations.importing(place)


def _rechunk(place: Place) -> None:
    operations.rechunking(place, _STRATEGIES)


_ACTS: tuple[tuple[str, Callable[[Place], None]], ...] = (
    *[("writer: import", _import)] * 4,
    *[("writer: edit chunks", operations.editing)] * 3,
    *[("writer: delete notes", operations.deleting_notes)] * 2,
    ("writer: rechunk", _rechunk),
    ("writer: rebuild", operations.rebuilding),
)
