"""Connections to SQLite that translate its errors into errors with advice."""

import sqlite3
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

from core.base import faults
from core.base.errors import ConfigError, StoreError

_SHOWN = 30
"""Characters that are shown before one that can't be stored."""
_AT_ONCE = 100
"""Rows that are read ahead."""

Method = TypeVar("Method", bound=Callable[..., Any])


def _translate_errors(method: Method) -> Method:
    """Translate the errors of a method of a cursor or a connection; errors of a wrong statement stay as they are."""

    @wraps(method)
    def call(self: "Cursor | Connection", *values: Any, **more: Any) -> Any:
        try:
            return method(self, *values, **more)
        except sqlite3.Error as error:
            self.fail(error)
        except OverflowError as error:
            raise ConfigError("A number has more than 18 digits. Give a smaller one.") from error
        except UnicodeEncodeError as error:
            before = error.object[max(0, error.start - _SHOWN) : error.start]
            raise StoreError(
                "Half of a character stands behind '{before}', which can't be stored. Delete it, or type it again.",
                before=before,
            ) from error

    return call  # type: ignore[return-value]


class Cursor(sqlite3.Cursor):
    """Reads rows."""

    connection: "Connection"

    execute = _translate_errors(sqlite3.Cursor.execute)
    executemany = _translate_errors(sqlite3.Cursor.executemany)
    executescript = _translate_errors(sqlite3.Cursor.executescript)
    fetchone = _translate_errors(sqlite3.Cursor.fetchone)
    fetchmany = _translate_errors(sqlite3.Cursor.fetchmany)
    fetchall = _translate_errors(sqlite3.Cursor.fetchall)
    __next__ = _translate_errors(sqlite3.Cursor.__next__)

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]
        # Translating row by row would cost more than reading it.
        while rows := self.fetchmany(_AT_ONCE):
            yield from rows

    def fail(self, error: sqlite3.Error) -> None:
        self.connection.fail(error)


class Connection(sqlite3.Connection):
    """A connection to the database of a workspace, whose folder is `folder`; it can be referred to weakly."""

    folder: Path

    commit = _translate_errors(sqlite3.Connection.commit)
    rollback = _translate_errors(sqlite3.Connection.rollback)
    backup = _translate_errors(sqlite3.Connection.backup)

    def cursor(self, factory: type[sqlite3.Cursor] = Cursor) -> Any:  # type: ignore[override]
        return super().cursor(factory)

    # The library's own methods make a cursor without calling `cursor`.

    def execute(self, *values: Any) -> Any:
        return self.cursor().execute(*values)

    def executemany(self, *values: Any) -> Any:
        return self.cursor().executemany(*values)

    def executescript(self, *values: Any) -> Any:
        return self.cursor().executescript(*values)

    def fail(self, error: sqlite3.Error) -> None:
        if faults.is_mistake(error):
            raise error
        raise faults.translate_error(error, self.folder) from error


class ThreadConnection:
    """Closes a thread's connection with the thread: a screen makes one for every run, a question another.

    A connection refers to itself by the statements it caches, so it would be open until the garbage collector comes.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def __del__(self) -> None:
        self.connection.close()
