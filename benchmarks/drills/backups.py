"""Backups while another process imports, brought back elsewhere and over what is there; and kills in between.

A backup has to hold exactly the rows of its moment. What is brought back has to open, the doctor has to find nothing
but what an import under way explains, and searches have to give the hits of that moment. After a kill every backup that
is listed is whole, and a workspace is as it was before or as the backup has it.
"""

import hashlib
import os
import random
import shutil
import signal
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally
from benchmarks.drills.used import WORDS
from benchmarks.drills.verbs import FORK, run
from core.base.errors import TesseraError
from core.base.registry import Entry
from core.embedding import EMBEDDERS
from core.workspace import Workspace
from core.workspace.offline import OfflineWorkspace

STATIC, MOVING = "static", "moving"
NOTES, AT_ONCE = 40, 8
EXPLAINED = {"backups", "waiting", "unused", "files"}
"""What the doctor may find: a workspace without a backup of its own, an import under way, files deleted since."""
QUESTIONS = [" ".join(WORDS[number::17]) for number in range(6)]
_INSIDE = 0.002
"""Seconds within which a kill is tried again a little later: the process had not begun."""


def drill(tally: Tally, given: Given) -> None:
    """Make backups while notes are imported, kill some, and bring them back, `count` times."""
    EMBEDDERS["damage"] = Entry("benchmarks.drills.used:Projected")
    os.environ |= {"TESSERA_EMBEDDER": "damage", "TESSERA_SEARCH__RERANKER": "none", "TESSERA_INDEX__KIND": "none"}
    draw = random.Random(given.seed)
    with tempfile.TemporaryDirectory(prefix="backups") as scratch:
        place = Path(scratch).resolve()
        before = run(partial(_make, place))
        assert not before.died + before.told, before
        importer = FORK.Process(target=_import, args=(place, given.seed))
        importer.start()
        try:
            for number in range(given.count):
                if not given.goes_on or not importer.is_alive():
                    break
                _round(tally, place, number, draw, before.answer)
        finally:
            importer.kill()
            importer.join()


def _make(place: Path) -> list[Any]:
    """Make a workspace, and return the hits in the base that stays as it is."""
    _write(place / STATIC, 0, NOTES)
    with Workspace(place / "workspace") as workspace:
        workspace.notes.apply(workspace.notes.plan_folder(place / STATIC, STATIC))
        return _hits(workspace)


def _write(folder: Path, first: int, notes: int) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(first, first + notes):
        draw = random.Random(number)
        (folder / f"{number}.md").write_text(f"# Note {number}\n\n" + " ".join(draw.choices(WORDS, k=300)))


def _hits(workspace: Workspace) -> list[Any]:
    options: Any = {"bases": [STATIC], "mode": "semantic", "limit": 8}
    results = (workspace.search(question, **options).hits for question in QUESTIONS)
    return [[(hit.chunk.id, round(hit.score, 4)) for hit in hits] for hits in results]


def _import(place: Path, seed: int) -> None:
    """Import without end: new notes, changed ones, deleted ones."""
    draw = random.Random(seed)
    with Workspace(place / "workspace") as workspace:
        for first in count(1000, AT_ONCE):
            _write(place / MOVING, first, AT_ONCE)
            for file in draw.sample(sorted((place / MOVING).glob("*.md")), 3):
                file.unlink() if draw.random() < 0.3 else file.write_text(f"{file.read_text()} {first}")
            workspace.notes.apply(workspace.notes.plan_folder(place / MOVING, MOVING), confirmed=True)


def _round(tally: Tally, place: Path, number: int, draw: random.Random, hits: list[Any]) -> None:
    started = time.monotonic()
    made = run(partial(_back_up, place / "workspace"))
    seconds = time.monotonic() - started
    lost = made.told or ("" if made.died else _restored_elsewhere(place, number, *made.answer, hits))
    tally.count("made while importing, restored elsewhere", died=made.died, lost=lost)
    if made.answer is None:
        return
    killed = _killed(partial(_back_up, place / "workspace"), draw.random() * seconds)
    whole = run(partial(_all_whole, place / "workspace"))
    tally.count(
        "backup that was killed" if killed else "backup, done before the kill", died=whole.died, lost=whole.told
    )
    _restore_over(tally, place, number, draw, made.answer)
    for older in sorted((place / "workspace" / "backups").glob("*.zip"))[:-1]:
        older.unlink()
    print(f"{number + 1}: {len(tally.faults)} faults", flush=True)


def _back_up(folder: Path) -> tuple[str, str]:
    """Make a backup, and return its name and a digest of the rows of its moment."""
    with Workspace(folder, readonly=True) as workspace, workspace.store.database.read() as connection:
        rows = _rows(connection)
        return str(workspace.backups.make().file), rows


def _rows(connection: sqlite3.Connection) -> str:
    digest = hashlib.sha256()
    for line in connection.iterdump():
        digest.update(line.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _rows_of(file: Path) -> str:
    with closing(sqlite3.connect(f"{file.as_uri()}?immutable=1", uri=True)) as connection:
        return _rows(connection)


def _restored_elsewhere(place: Path, number: int, file: str, rows: str, hits: list[Any]) -> str:
    """Bring a backup back in a new folder, and return what is wrong there, empty if nothing is."""
    folder = place / f"restored-{number}"
    OfflineWorkspace(folder).backups.restore(file, to=folder)
    if _rows_of(folder / "notes.db") != rows:
        return "it doesn't hold the rows of its moment"
    looked = run(partial(_looked_at, folder, hits))
    shutil.rmtree(folder)
    return looked.died or looked.told or str(looked.answer)


def _looked_at(folder: Path, hits: list[Any]) -> str:
    with Workspace(folder) as workspace:
        health = workspace.doctor.examine()
        found = {one.name: str(one.problem) for one in health.checks if one.problem and one.name not in EXPLAINED}
        if found:
            return f"the doctor finds {found}"
        return "" if _hits(workspace) == hits else "other hits"


def _killed(work: Callable[[], Any], seconds: float) -> bool:
    """Do work in a process that is killed after some seconds; return whether it was."""
    process = FORK.Process(target=work)
    process.start()
    process.join(max(seconds, _INSIDE))
    process.kill()
    process.join()
    return process.exitcode == -signal.SIGKILL


def _all_whole(folder: Path) -> None:
    """Check every backup that is listed; raises what is wrong with one."""
    backups = OfflineWorkspace(folder).backups
    for one in backups.all():
        if one.problem:
            raise TesseraError(one.problem)
        backups.verify(one.name)


def _restore_over(tally: Tally, place: Path, number: int, draw: random.Random, made: tuple[str, str]) -> None:
    """Bring a backup back over a workspace with other notes, and kill that at a random moment."""
    file, rows = made
    folder = place / f"over-{number}"
    control = place / f"control-{number}"
    seconds = 0.0
    for target in (control, folder):
        outcome = run(partial(_other, target))
        assert not outcome.died + outcome.told, outcome
    started = time.monotonic()
    done = run(partial(_over, control, file))
    seconds = time.monotonic() - started
    other = _rows_of(folder / "notes.db")
    killed = _killed(partial(_over, folder, file), draw.random() * seconds)
    again = run(partial(_completed, folder, {rows, other}))
    lost = done.told or again.told or str(again.answer or "")
    row = "restore over what is there, killed" if killed else "restore over what is there, done before the kill"
    tally.count(row, died=done.died or again.died, lost=lost)
    shutil.rmtree(folder)
    shutil.rmtree(control)


def _other(folder: Path) -> None:
    with Workspace(folder) as workspace:
        workspace.notes.add("other", "what was there", title="There")


def _over(folder: Path, file: str) -> None:
    closed = OfflineWorkspace(folder)
    closed.take()
    closed.backups.restore(file)
    closed.take()


def _completed(folder: Path, either: set[str]) -> str:
    """Let the next opening go on, and return what is wrong: rows of neither, or what the doctor finds."""
    OfflineWorkspace(folder).take()
    if _rows_of(folder / "notes.db") not in either:
        return "it is neither as it was nor as the backup has it"
    with Workspace(folder) as workspace:
        health = workspace.doctor.examine()
    found = {
        one.name: str(one.problem) for one in health.checks if one.problem and one.name not in EXPLAINED | {"replaced"}
    }
    return f"the doctor finds {found}" if found else ""
