"""Kill the migration of each earlier schema, by time and at each of its statements; the next opening finishes it.

Every row that a migration without a kill leaves has to be there, in the database and in the backup made before it.
"""

import multiprocessing
import os
import random
import shutil
import signal
import sqlite3
import tempfile
import time
import zipfile
from contextlib import closing
from functools import cache
from pathlib import Path

from benchmarks.drills.given import Given
from benchmarks.drills.tally import Tally
from core.base.errors import TesseraError
from core.base.faults import newest_backup
from core.store import Store
from core.store.database import Connection

_WORKSPACES = Path(__file__).parents[2] / "tests" / "store" / "workspaces"
FORK = multiprocessing.get_context("fork")
SECONDS = 120
"""Longest time of an opening before it counts as hanging."""
FILES = {int(file.stem.removeprefix("schema-")): file for file in _WORKSPACES.glob("schema-*.db")}


def drill(tally: Tally, given: Given) -> None:
    """Kill migrations, in turn of each schema, until there are `count` of them or the time is up."""
    draw = random.Random(given.seed)
    with tempfile.TemporaryDirectory(prefix="schemas") as scratch:
        place = Path(scratch).resolve()
        control = cache(lambda version: _control(FILES[version], place / f"control-{version}"))
        for number in range(given.count):
            if not given.goes_on:
                break
            version = sorted(FILES)[number % len(FILES)]
            _kill(tally, FILES[version], version, control(version), place / str(number), draw)


def _kill(
    tally: Tally, file: Path, version: int, control: tuple[list[str], float, int], place: Path, draw: random.Random
) -> None:
    """Kill a migration, look at the database and its backup, open it again, and compare it with the control."""
    expected, seconds, statements = control
    folder = _folder(file, place)
    by_statement = draw.random() < 0.5
    at = draw.randrange(1, statements + 1) if by_statement else 0
    moment = draw.random() * seconds
    process = FORK.Process(target=_migrate, args=(folder, at))
    process.start()
    if not by_statement:
        process.join(moment)
        process.kill()
    process.join()
    what = f"at statement {at} of {statements}" if by_statement else f"after {moment:.3f} s"
    killed = process.exitcode == -signal.SIGKILL
    with closing(sqlite3.connect(folder / "notes.db")) as left:
        reached = left.execute("PRAGMA user_version").fetchone()[0]
    lost = ""
    if reached > version and _backup(folder) != rows(file):
        lost = f"{what}: no whole backup at schema {reached}"
    again = FORK.Process(target=_migrate, args=(folder, 0))
    again.start()
    again.join(SECONDS)
    died = "" if again.exitcode == 0 else f"{what}: the next opening ends with {again.exitcode}"
    again.kill()
    if not lost and not died and rows(folder / "notes.db") != expected:
        lost = f"{what}: rows differ from those of a migration without a kill"
    row = f"schema {version}" if killed else "done before the kill"
    tally.count(row, died=died, lost=lost)
    shutil.rmtree(folder)


def _folder(file: Path, folder: Path) -> Path:
    folder.mkdir()
    shutil.copyfile(file, folder / "notes.db")
    return folder


def _control(file: Path, place: Path) -> tuple[list[str], float, int]:
    """Migrate without a kill; return the rows then, the seconds it took, and its number of statements."""
    folder, counted = _folder(file, place), FORK.Value("i", 0)
    process = FORK.Process(target=_migrate, args=(folder, 0, counted))
    started = time.monotonic()
    process.start()
    process.join()
    seconds = time.monotonic() - started
    assert process.exitcode == 0, f"{file} doesn't migrate"
    return rows(folder / "notes.db"), seconds, counted.value


def _migrate(folder: Path, at: int, counted: object = None) -> None:
    """Open a workspace and end this process at a statement of it, counted from 1; 0 for never."""
    number = 0
    opened = Connection.create_function

    def watched(self: Connection, *values: object, **more: object) -> None:
        # `create_function` comes when a connection is ready.
        self.set_trace_callback(count)
        opened(self, *values, **more)  # type: ignore[arg-type]

    def count(_: str) -> None:
        nonlocal number
        number += 1
        if number == at:
            os.kill(os.getpid(), signal.SIGKILL)

    Connection.create_function = watched  # type: ignore[method-assign, assignment]
    try:
        Store(folder).close()
    except TesseraError as error:
        raise SystemExit(str(error)) from error
    if counted is not None:
        counted.value = number  # type: ignore[attr-defined]


def _backup(folder: Path) -> list[str]:
    """Return the rows of the newest backup in a workspace, none without one."""
    backup = newest_backup(folder)
    if backup is None:
        return []
    with zipfile.ZipFile(backup) as archive:
        return rows(Path(archive.extract("notes.db", folder / "unpacked")))


def rows(file: Path) -> list[str]:
    """Return everything that a database holds, in an order of its own."""
    with closing(sqlite3.connect(file)) as database:
        return sorted(database.iterdump())
