"""Base classes and SQL shared by the database's tables."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from itertools import starmap
from typing import TypeVar

from core.base.codec import DAMAGE
from core.base.faults import damage_error
from core.model import Rowids
from core.store.database import Database, Method

# Ids of notes, chunks, bases or questions.
Ids = Iterable[str]
NoteIds = Sequence[str]
Made = TypeVar("Made")


class StoreTable:
    """Base class for classes that read and write one or more database tables."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._rows = database.rows
        self._row = database.row
        self._value = database.value
        self._nouns = database.nouns
        self._column = database.column
        self._exists = database.exists
        self._execute = database.execute
        self._execute_many = database.execute_many
        self._insert = database.insert
        self._write = database.write

    def _made(self, kind: Callable[..., Made], statement: str, *values: object) -> list[Made]:
        """Return the result of calling `kind` with the columns of each row that a query returns."""
        return list(starmap(kind, self._rows(statement, *values)))

    def _ids(self, statement: str, fingerprint: str, hashes: Iterable[bytes]) -> dict[bytes, int]:
        """Return the ids that a query finds for a model's text hashes. Hashes that aren't found are left out."""
        return {key: found for key in set(hashes) if (found := self._value(statement, fingerprint, key)) is not None}


class QuestionedTable(StoreTable):
    """A table that contains the user's questions.

    `asked` holds the name of the table, the column with the questions, and a condition for the rows with questions.
    """

    asked: tuple[str, str, str]

    def reword(self, reworded: Callable[[str], str]) -> None:
        """Apply a function to the text of each question. Rows that become equal are merged."""
        table, column, which = self.asked
        with self._write(aside=True):
            for text in self._column(f"SELECT DISTINCT {column} FROM {table} WHERE {which}"):
                if (now := reworded(text)) != text:
                    self._execute(
                        f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {column} = ? AND {which}", now, text
                    )


def first_of_notes(rows: Iterable[sqlite3.Row], allowed: Rowids | None) -> Iterator[int]:
    """Yield the first allowed chunk of each note, from rows of (chunk rowid, note id)."""
    passing = None if allowed is None else set(allowed.tolist())
    reached = set()
    for rowid, note_id in rows:
        if note_id not in reached and (passing is None or rowid in passing):
            reached.add(note_id)
            yield rowid


def decoding(method: Method) -> Method:
    """Decorate a method that reads the database, so that it raises NotesDamaged if a stored value can't be decoded."""

    @wraps(method)
    def call(self: StoreTable, /, *values: object, **more: object) -> object:
        try:
            return method(self, *values, **more)
        except DAMAGE as error:
            raise damage_error(self._database.file.parent, f"{type(error).__name__}: {error}") from error

    return call  # type: ignore[return-value]
