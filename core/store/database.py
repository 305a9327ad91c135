"""One SQLite file: a connection per thread, one writer at a time."""

import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import StoreError, WorkspaceLocked
from core.markdown import tags
from core.store import filters, schema
from core.text import fold


class _Connection(sqlite3.Connection):
    """Closes with its thread: a screen makes a thread for every run."""

    def __del__(self) -> None:
        self.close()


class Database:
    """The connections to `notes.db`; `outdated` says that it was opened in an earlier version's schema.

    A read-only database refuses every write with WorkspaceLocked. Raises StoreError for a file
    that isn't a database, NewerSchema for one from the future.
    """

    def __init__(self, file: Path, *, readonly: bool) -> None:
        self.file = file
        self.readonly = readonly
        self._writer = threading.RLock()
        self._local = threading.local()
        self._opened: weakref.WeakSet[_Connection] = weakref.WeakSet()
        try:
            self.outdated = schema.schema_version(self.connection) < len(schema.MIGRATIONS)
            if not readonly:
                schema.migrate(self.connection)
        except sqlite3.DatabaseError as error:
            self.close()
            raise StoreError(
                "{file} can't be opened: {why}. Restore it from a backup, or choose another workspace.",
                file=str(file),
                why=str(error),
            ) from error

    @property
    def connection(self) -> sqlite3.Connection:
        """This thread's connection; rows answer by column name."""
        existing: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if existing is not None:
            return existing
        connection = sqlite3.connect(
            self.file, isolation_level=None, timeout=30, check_same_thread=False, factory=_Connection, uri=True
        )
        connection.row_factory = sqlite3.Row
        connection.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
            "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;"
            "CREATE VIRTUAL TABLE temp.occurrences USING fts5vocab(main, words, instance);"
            "CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, row);"
            + ("PRAGMA query_only = ON;" if self.readonly else "")
        )
        connection.create_function("fold", 1, fold, deterministic=True)
        connection.create_function("tag_key", 1, tags.key, deterministic=True)
        connection.create_function("titles", 2, filters.titles, deterministic=True)
        self._local.connection = connection
        self._opened.add(connection)
        return connection

    def check_writable(self) -> None:
        """Raise WorkspaceLocked where this process may only read."""
        if self.readonly:
            raise WorkspaceLocked(
                "This workspace is open for reading only: another Tessera is writing to it. Close that one first."
            )

    @contextmanager
    def write(self, *, aside: bool = False) -> Iterator[sqlite3.Connection]:
        """One transaction: committed at the end, rolled back on any error.

        It counts up the version of what searches find, except where it writes `aside` of that.
        """
        self.check_writable()
        assert not getattr(self._local, "reading", False), "what is written within a snapshot would be lost"
        with self._writer:
            connection = self.connection
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                if not aside:
                    connection.execute("UPDATE version SET number = number + 1")
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    def version(self) -> int:
        """Return a number that grows whenever what searches find may have changed."""
        return int(self.connection.execute("SELECT number FROM version").fetchone()[0])

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """One snapshot for several reads."""
        connection = self.connection
        if connection.in_transaction:
            yield connection
            return
        connection.execute("BEGIN")
        self._local.reading = True
        try:
            yield connection
        finally:
            self._local.reading = False
            connection.rollback()

    def close(self) -> None:
        for connection in list(self._opened):
            connection.close()
        self._local = threading.local()
