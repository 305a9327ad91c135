"""The SQLite database, which gives each thread a connection of its own and allows one writer at a time."""

import json
import os
import secrets
import sqlite3
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from threading import RLock, local
from typing import Any, TypeVar

from core.base import faults
from core.base.codec import DAMAGE
from core.base.errors import ConfigError, NotesDamaged, NotWritable, StoreError, WorkspaceLocked
from core.base.faults import translate_errors
from core.base.files import identity
from core.base.frozen import ValueMap
from core.base.threads import Call
from core.markdown.inline import tag_key
from core.store import filters, migrations
from core.store.folder import check_unused, has_content, make_private
from core.store.reading import Noun, Unread

# Number of characters to quote in an error before a character that can't be stored.
_SHOWN = 30
# Number of rows to fetch at a time.
_AT_ONCE = 100

Method = TypeVar("Method", bound=Callable[..., Any])


def _translate_errors(method: Method) -> Method:
    """Make a cursor or connection method translate SQLite's errors. Errors caused by bugs pass through unchanged."""

    @wraps(method)
    def call(self: "Cursor | Connection", *values: object, **more: object) -> object:
        try:
            return method(self, *values, **more)
        except sqlite3.Error as error:
            if faults.is_mistake(error):
                raise
            connection: Any = getattr(self, "connection", self)
            raise faults.translate_error(error, connection.folder) from error
        except OverflowError as error:
            raise ConfigError("A number has more than 18 digits. Enter a smaller number.") from error
        except UnicodeEncodeError as error:
            raise StoreError(
                "An incomplete character after '{before}' can't be stored. Delete the character, or type it again.",
                before=error.object[: error.start][-_SHOWN:],
            ) from error

    return call  # type: ignore[return-value]


class Cursor(sqlite3.Cursor):
    connection: "Connection"

    def __iter__(self) -> Iterator[object]:  # type: ignore[override]
        # Catching errors row by row would take longer than reading the rows.
        while rows := self.fetchmany(_AT_ONCE):
            yield from rows


class Connection(sqlite3.Connection):
    """A connection to the database in the workspace `folder`. It translates SQLite's errors."""

    folder: Path

    # sqlite3's own methods use a plain cursor.

    def execute(self, statement: str, values: Any = ()) -> Any:
        return self.cursor(Cursor).execute(statement, values)

    def executemany(self, statement: str, rows: Iterable[Any]) -> Any:
        return self.cursor(Cursor).executemany(statement, rows)

    def executescript(self, script: str) -> Any:
        return self.cursor(Cursor).executescript(script)


for _kind, _methods in (
    (Cursor, ("execute", "executemany", "executescript", "fetchone", "fetchmany", "fetchall", "__next__")),
    (Connection, ("commit", "rollback", "backup")),
):
    for _method in _methods:
        setattr(_kind, _method, _translate_errors(getattr(_kind, _method)))


@dataclass
class ThreadConnection:
    """Closes a thread's connection as soon as the thread ends.

    Every question and every display of a page may start a thread. Without this class, connections would stay open until
    the garbage collector runs, because a connection forms a reference cycle with its cached statements.
    """

    connection: Connection

    def __del__(self) -> None:
        self.connection.close()


# Size in bytes above which SQLite's write-ahead log is truncated. SQLite checkpoints the log every 4 MB.
_LOG = 8 << 20
# Environment variable for SQLite's temporary folder.
_TEMPORARY = "SQLITE_TMPDIR"
# Milliseconds to wait for readers of the log, and for another writer.
_READERS_END = 500
_WRITER_ENDS = 30_000


class Database:
    """The database `notes.db`, with one connection per thread. In statements, `IN ?` takes a list as its value.

    `outdated` is True if the database had an earlier schema when it was opened. A read-only database raises
    WorkspaceLocked on every write. Raises NewerSchema if the database comes from a newer version. SQLite's errors are
    translated by `core.base.faults`.
    """

    def __init__(self, file: Path, *, readonly: bool) -> None:
        self.file = file
        self.readonly = readonly
        self._log = file.with_name(f"{file.name}-wal")
        self._log_limit = _LOG
        self._writer = RLock()
        self._local = local()
        self.unread = Unread()
        self._opened: weakref.WeakSet[Connection] = weakref.WeakSet()
        with translate_errors(file.parent):
            if not (has_content(file) or file.is_dir()):
                check_unused(file.parent)
            if not readonly:
                # Don't open an existing file: closing it would release the locks held by this process's other
                # connections, so another process could delete the log in use: https://www.sqlite.org/howtocorrupt.html
                with suppress(FileExistsError):
                    os.close(os.open(file, os.O_CREAT | os.O_EXCL, 0o600))
                make_private(file.parent)
            self._identity = identity(file)
        try:
            if not (version := migrations.schema_version(self.connection)):
                check_unused(file.parent)
            self.outdated = version < len(migrations.MIGRATIONS)
            if not readonly:
                migrations.migrate(self.connection, file.parent)
        except BaseException:
            self.close()
            raise

    @property
    def connection(self) -> sqlite3.Connection:
        """This thread's connection, opened on first use. Columns in rows are accessible by name."""
        held: ThreadConnection | None = getattr(self._local, "held", None)
        if held:
            return held.connection
        self._check_identity()
        try:
            connection = self._connect("mode=rw")
        except NotWritable:
            # If the folder isn't writable, SQLite can read the file only while nothing writes to it.
            if not self.readonly or has_content(self._log):
                raise
            connection = self._connect("immutable=1")
        for name, function in (("tag_key", tag_key), *((item.__name__, item) for item in filters.FUNCTIONS)):
            connection.create_function(name, -1, _or_null(function), deterministic=True)
        self._local.held = ThreadConnection(connection)
        self._opened.add(connection)
        return connection

    def _check_identity(self) -> None:
        """Raise NotesDamaged if the file was deleted or replaced, because writes to the old file would be lost."""
        if identity(self.file) != self._identity:
            raise NotesDamaged(
                (
                    "{file} was deleted or replaced while Tessera was using it. Put it back, or "
                    "start Tessera again with the current files."
                ),
                file=self.file,
            )

    def _connect(self, how: str) -> Connection:
        folder = self.file.parent
        with translate_errors(folder):
            connection = sqlite3.connect(
                f"{self.file.as_uri()}?{how}",
                isolation_level=None,
                timeout=_WRITER_ENDS / 1000,
                check_same_thread=False,
                factory=Connection,
                uri=True,
            )
        connection.folder = folder
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda stored: str(stored, "utf-8", "replace")
        try:
            connection.executescript(
                ("PRAGMA journal_mode = WAL;" if how == "mode=rw" else "")
                + "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
                "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;"
                "CREATE VIRTUAL TABLE temp.occurrences USING fts5vocab(main, words, instance);"
                "CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, row);"
                + ("PRAGMA query_only = ON;" if self.readonly else "")
            )
        except BaseException:
            connection.close()
            raise
        return connection

    # statements

    def rows(self, statement: str, *values: object) -> sqlite3.Cursor:
        """Return a query's rows, read lazily."""
        return self.connection.execute(*_bound(statement, values))

    def row(self, statement: str, *values: object) -> sqlite3.Row | None:
        return self.rows(statement, *values).fetchone()  # type: ignore[no-any-return]

    def value(self, statement: str, *values: object) -> Any:
        """Return the first column of the first row, or None if there is no row."""
        row = self.row(statement, *values)
        return row and row[0]

    def nouns(self, read: Callable[[sqlite3.Row, Unread], Noun], statement: str, *values: object) -> list[Noun]:
        """Return a query's rows, each converted to an object by `read`."""
        return [read(row, self.unread) for row in self.rows(statement, *values)]

    def column(self, statement: str, *values: object) -> list[Any]:
        return [row[0] for row in self.rows(statement, *values)]

    def exists(self, source: str, *values: object) -> bool:
        """Return whether a query yields any rows. `source` is the part of the SQL after FROM."""
        return bool(self.value(f"SELECT EXISTS (SELECT 1 FROM {source})", *values))

    def execute_many(self, statement: str, rows: Iterable[Sequence[object] | ValueMap], *, aside: bool = False) -> None:
        """Execute a write statement for each row of values, in a `write` transaction."""
        with self.write(aside=aside) as connection:
            connection.executemany(statement, rows)

    def execute(self, statement: str, *values: object, aside: bool = False) -> int:
        """Execute a write statement in a `write` transaction, and return the number of changed rows."""
        with self.write(aside=aside) as connection:
            count = connection.execute(*_bound(statement, values)).rowcount
            if count and statement.startswith("DELETE"):
                self.unread.clear()
            return count

    def insert(self, table: str, row: ValueMap, *, replace: bool = False, aside: bool = False) -> int:
        """Insert a row in a `write` transaction, and return its rowid.

        With `replace`, the new row replaces any row with the same key.
        """
        columns = ", ".join(f'"{column}"' for column in row)
        marks = ", ".join("?" * len(row))
        with self.write(aside=aside) as connection:
            return (
                connection.execute(
                    f"INSERT {'OR REPLACE ' * replace}INTO {table} ({columns}) VALUES ({marks})", list(row.values())
                ).lastrowid
                or 0
            )

    @property
    def owner(self) -> str:
        """This workspace's name on a Chroma server, created on first use. A copied workspace keeps the name."""
        if not self.readonly:
            self.execute("UPDATE version SET owner = ? WHERE owner = ''", secrets.token_hex(8), aside=True)
        return str(self.value("SELECT owner FROM version"))

    # transactions

    def check_writable(self) -> None:
        """Raise WorkspaceLocked if the database was opened read-only."""
        if self.readonly:
            raise WorkspaceLocked(
                "This workspace is read-only here because another Tessera has it open. Close the other Tessera first."
            )

    @contextmanager
    def write(self, *, aside: bool = False) -> Iterator[sqlite3.Connection]:
        """Run the `with` block in a transaction. If this thread is already in a transaction, join it.

        Commit at the end of the block, or roll back on any error. Unless `aside` is set, the database's `version`
        increases. Set `aside` for writes that don't affect search results.
        """
        self.check_writable()
        if getattr(self._local, "reading", False):
            raise RuntimeError("a write within a snapshot would be lost")
        with self._writer:
            connection = self.connection
            if connection.in_transaction:
                yield connection
                return
            self._check_identity()
            connection.execute("BEGIN IMMEDIATE")
            self._local.following = following = list[Call]()
            try:
                yield connection
                if not aside:
                    connection.execute("UPDATE version SET number = number + 1")
                connection.commit()
            except BaseException:
                connection.rollback()
                raise
            finally:
                self._local.following = None
            if not aside:
                self.unread.clear()
            if _size(self._log) >= self._log_limit:
                self._shorten_log(connection)
        for work, values in following:
            work(*values)

    def after_commit(self, work: Callable[..., object], *values: object) -> None:
        """Call a function once this thread's transaction is committed, or immediately if there is no transaction.

        Identical calls in a transaction are made only once. After a rollback, none are made.
        """
        if (following := getattr(self._local, "following", None)) is None:
            work(*values)
        elif (work, values) not in following:
            following.append((work, values))

    def _shorten_log(self, connection: sqlite3.Connection) -> None:
        """Truncate the write-ahead log. SQLite itself can't reset the log while anyone is reading."""
        connection.execute(f"PRAGMA busy_timeout = {_READERS_END}")
        with suppress(StoreError):  # fails if this thread is also reading
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute(f"PRAGMA busy_timeout = {_WRITER_ENDS}")
        self._log_limit = max(_LOG, _size(self._log) + _LOG // 8)

    def compact(self) -> None:
        """Rewrite the file atomically without unused pages. Other writers have to wait."""
        self.check_writable()
        with self._writer:
            self._check_identity()
            # Make SQLite write the new file next to the old one. Other connections keep temporary data in memory.
            # Use putenv, which doesn't change `os.environ`, because other threads may be iterating over it.
            os.putenv(_TEMPORARY, str(self.file.parent))
            try:
                with closing(self._connect("mode=rw")) as connection:
                    connection.executescript("PRAGMA temp_store = FILE; VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")
            finally:
                os.putenv(_TEMPORARY, os.environ.get(_TEMPORARY, ""))  # SQLite ignores an empty value

    def version(self) -> int:
        """Return a number that increases with every write that may affect search results."""
        return int(self.value("SELECT number FROM version"))

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Read from a single snapshot within the `with` block."""
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
        self._local = local()


def _or_null(function: Callable[..., object]) -> Callable[..., Any]:
    """Make an SQL function return NULL for an unreadable value, so that statements don't fail on damaged rows."""

    def call(*values: object) -> object:
        try:
            return function(*values)
        except DAMAGE:
            return None

    return call


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _bound(statement: str, values: Sequence[object]) -> tuple[str, list[object]]:
    """Return a statement and its values as SQLite takes them: each `IN ?` reads its items from a JSON list."""
    return statement.replace(" IN ?", " IN (SELECT value FROM json_each(?))"), [
        json.dumps(list(value)) if isinstance(value, Iterable) and not isinstance(value, str | bytes) else value
        for value in values
    ]
