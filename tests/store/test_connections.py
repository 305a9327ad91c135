"""Connections end with their threads, and readers don't let the log of changes grow."""

import gc
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.store import database
from core.store.database import Database


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    monkeypatch.setattr(database, "_LOG", 1 << 19)
    database_of_notes = Database(tmp_path / "notes.db", readonly=False)
    yield database_of_notes
    database_of_notes.close()


def test_a_thread_takes_its_connection_with_it(written: Database) -> None:
    gc.disable()
    try:
        for _ in range(3):
            thread = threading.Thread(target=lambda: written.value("SELECT count(*) FROM notes"))
            thread.start()
            thread.join()
        assert len(written._opened) == 1
    finally:
        gc.enable()


def test_the_log_stays_small_while_readers_follow_each_other(written: Database) -> None:
    done, reader = threading.Event(), Database(written.file, readonly=True)

    def read() -> None:
        while not done.is_set():
            with reader.read() as connection:
                connection.execute("SELECT count(*) FROM searches").fetchone()
                time.sleep(0.02)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for thread in readers:
        thread.start()
    log, largest = written.file.with_name("notes.db-wal"), 0
    for number in range(60):
        written.execute("INSERT INTO searches VALUES (?, '', 1, zeroblob(50000), 0)", f"{number}", aside=True)
        largest = max(largest, log.stat().st_size)
    done.set()
    for thread in readers:
        thread.join()
    reader.close()
    assert largest < 1 << 20
