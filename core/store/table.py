"""Base class and SQL shared by the tables of the database."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from core.base.faults import damage_error
from core.model import Rowids
from core.store.database import Database

AMONG = "IN (SELECT value FROM json_each(?))"
"""SQL for "in a list"; `Database` passes a list as JSON."""


class StoreTable:
    """Base class for the queries and writes of one or more database tables."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._rows, self._row, self._value = database.rows, database.row, database.value
        self._nouns, self._column, self._exists = database.nouns, database.column, database.exists
        self._execute, self._insert, self._write = database.execute, database.insert, database.write

    def _reword(self, reworded: Callable[[str], str], table: str, column: str, which: str = "TRUE") -> None:
        """Change the texts in a column of certain rows with a function; rows that become equal are merged."""
        with self._write(aside=True) as connection:
            for (text,) in connection.execute(f"SELECT DISTINCT {column} FROM {table} WHERE {which}").fetchall():
                if (now := reworded(text)) != text:
                    connection.execute(
                        f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {column} = ? AND {which}", (now, text)
                    )


def first_of_notes(rows: Iterable[sqlite3.Row], allowed: Rowids | None) -> Iterator[int]:
    """Yield the first allowed chunk of each note, from rows of (chunk, note id)."""
    passing = None if allowed is None else set(allowed.tolist())
    reached = set()
    for rowid, note_id in rows:
        if note_id not in reached and (passing is None or rowid in passing):
            reached.add(note_id)
            yield rowid


class _Reader(Protocol):
    _database: Database


Reader = TypeVar("Reader", bound=_Reader)
Values = ParamSpec("Values")
Result = TypeVar("Result")


def decoding(method: Callable[Concatenate[Reader, Values], Result]) -> Callable[Concatenate[Reader, Values], Result]:
    """Translate errors from decoding a stored value to NotesDamaged, in a method that reads the database."""

    @wraps(method)
    def call(self: Reader, /, *values: Values.args, **more: Values.kwargs) -> Result:
        try:
            return method(self, *values, **more)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise damage_error(self._database.file.parent, f"{type(error).__name__}: {error}") from error

    return call
