"""Table of versions of notes. Versions outlive their notes: a deleted note can be restored from its last version."""

import json
import sqlite3
import zlib
from collections.abc import Iterable
from datetime import UTC, datetime

from core.base.datetimes import utc_now
from core.base.errors import NoteNotFound, VersionNotFound
from core.base.messages import message
from core.model import Author, Note, Revision, Trashed, Version
from core.store.note_rows import data_of, extra, overridden
from core.store.picture_table import DocumentTable, PictureTable
from core.store.reading import RowReader, loaded
from core.store.table import AMONG, StoreTable

_VERSION = "note_id, number, kind, author, at, title"
_NOTE = "note_id, number, base_id, title, body, fields"
_NEWEST = "SELECT number, kind FROM versions WHERE note_id = ? ORDER BY number DESC"
_NEWEST_NUMBER = "SELECT number FROM versions WHERE note_id = ?1 ORDER BY number DESC"
_SAMPLE = 4_096
"""Size in bytes of the sample that shows whether a text has repetitions."""
_LAST = "number = (SELECT max(number) FROM versions AS later WHERE later.note_id = versions.note_id)"


class VersionTable(StoreTable):
    """The versions of a workspace's notes. Only the newest `most` versions per note are stored."""

    most = 100

    def put(self, note: Note, change: Revision, at: datetime | None = None) -> None:
        """Store a note as a version, in the transaction of its change; `at`: the time of the change, by default now."""
        row = {
            "note_id": note.id,
            "number": note.version,
            "base_id": note.base_id,
            "kind": change.kind,
            "author": change.author,
            "at": (at or utc_now()).isoformat(),
            "title": note.title,
            "body": _packed(note.body),
            "fields": json.dumps(data_of(note), ensure_ascii=False),
        }
        with self._write():
            if change.joins and (before := self._row(f"{_NEWEST} LIMIT 1", note.id)):
                row["kind"] = before["kind"]
                self._execute("DELETE FROM versions WHERE note_id = ? AND number = ?", note.id, before["number"])
            self._insert("versions", row)
            self._execute(
                f"DELETE FROM versions WHERE note_id = ?1 AND number <= ({_NEWEST_NUMBER} LIMIT 1 OFFSET ?2)",
                note.id,
                self.most,
            )

    def kind(self, note_id: str) -> str:
        """Return the kind of a note's newest version, "" if it has no versions."""
        kind = "SELECT kind FROM versions WHERE note_id = ? ORDER BY number DESC LIMIT 1"
        return str(self._value(kind, note_id) or "")

    def last(self, note_id: str) -> int:
        """Return the number of a note's newest version, 0 if it has no versions."""
        return self._value("SELECT max(number) FROM versions WHERE note_id = ?", note_id) or 0

    def note_ids(self, base_id: str | None = None) -> set[str]:
        """Return the ids of the notes with versions, in one base or in all, including deleted notes."""
        statement = "SELECT DISTINCT note_id FROM versions WHERE ?1 IS NULL OR base_id = ?1"
        return set(self._column(statement, base_id))

    def has(self, note_id: str) -> bool:
        """Return whether a note, which may be deleted, has versions."""
        return self.last(note_id) > 0

    def for_note(self, note_id: str) -> list[Version]:
        """Return the versions of a note, the newest first."""
        statement = f"SELECT {_VERSION} FROM versions WHERE note_id = ? ORDER BY number DESC"
        return self._nouns(_READER, statement, note_id)

    def note(self, note_id: str, number: int) -> Note:
        """Return a note as it was in an earlier version; raises VersionNotFound."""
        row = self._row(f"SELECT {_NOTE} FROM versions WHERE note_id = ? AND number = ?", note_id, number)
        if row is None:
            raise VersionNotFound(note_id, number)
        return self._note(row)

    def newest(self, note_id: str) -> Note | None:
        """Return the newest version of a note, which may be deleted; None if it has no versions."""
        row = self._row(f"SELECT {_NOTE} FROM versions WHERE note_id = ? ORDER BY number DESC LIMIT 1", note_id)
        return self._note(row) if row else None

    def last_by(self, note_id: str, author: str) -> Note | None:
        """Return the last version of a note by the given author, None if there is none."""
        number = self._value(
            "SELECT max(number) FROM versions WHERE note_id = ? AND author = ? AND kind != 'delete'", note_id, author
        )
        return self.note(note_id, number) if number else None

    def _note(self, row: sqlite3.Row) -> Note:
        fields = loaded(row["fields"])
        text = {name: row[name] for name in ("title", "body", "base_id")}
        known = {"content_hash": "", **(fields if isinstance(fields, dict) else {"extra": None})}
        return _NOTE_READER(known | text | {"id": row["note_id"], "version": row["number"]}, self._database.unread)

    def changed(self, after: datetime, until: datetime) -> dict[str, Author]:
        """Return the ids of the active notes that were changed in a period, each with the last author.

        The last changed note is first, after all others those that the user changed.
        """
        rows = self._rows(
            "SELECT note_id, author, max(at) AS last FROM versions JOIN notes ON notes.id = note_id"
            " WHERE at > ? AND at <= ? AND status = 'active' GROUP BY note_id"
            " ORDER BY author = 'person', last DESC",
            *(moment.astimezone(UTC).isoformat() for moment in (after, until)),
        )
        return {row["note_id"]: row["author"] for row in rows}

    # trash

    def deleted(self, base_id: str | None = None) -> list[Trashed]:
        """Return the deleted notes of a base, by default of all bases, the last deleted first."""
        rows = self._rows(
            f"SELECT {_VERSION}, base_id, iif(json_valid(fields), json_extract(fields, '$.path'), NULL) AS path,"
            " iif(json_valid(fields), json_extract(fields, '$.source_ref'), '') AS source_ref FROM versions"
            f" WHERE kind = 'delete' AND {_LAST} AND (?1 IS NULL OR base_id = ?1) ORDER BY at DESC, note_id",
            base_id,
        )
        return [
            Trashed(
                _READER(row, self._database.unread),
                row["base_id"],
                row["path"] and str(row["path"]),
                str(row["source_ref"] or ""),
            )
            for row in rows
        ]

    def trashed(self, note_id: str) -> Note:
        """Return a deleted note; raises NoteNotFound if it isn't in the trash."""
        kind = self._value(f"SELECT kind FROM versions WHERE note_id = ? AND {_LAST}", note_id)
        if kind != "delete":
            raise NoteNotFound(note_id)
        return self.note(note_id, self.last(note_id))

    def drop(self, note_ids: Iterable[str]) -> None:
        """Delete all versions of the given notes, and originals and pictures that are no longer used."""
        self._execute(f"DELETE FROM versions WHERE note_id {AMONG}", note_ids, aside=True)
        DocumentTable(self._database).drop_unused()
        PictureTable(self._database).drop_unused()


def _packed(text: str) -> bytes:
    """Return a text as compressed UTF-8.

    A pasted picture (base64) has no repetitions: Huffman coding alone takes a fifth of the time, and no more space.
    """
    data = text.encode("utf-8", "surrogatepass")
    middle = len(data) // 2
    sample = data[middle : middle + _SAMPLE]
    repeats = len(zlib.compress(sample)) < len(_compressed(sample, zlib.Z_HUFFMAN_ONLY))
    return _compressed(data, zlib.Z_DEFAULT_STRATEGY if repeats else zlib.Z_HUFFMAN_ONLY)


def _compressed(data: bytes, strategy: int) -> bytes:
    compressor = zlib.compressobj(strategy=strategy)
    return compressor.compress(data) + compressor.flush()


def _unpacked(data: bytes) -> str:
    """Return the text of compressed UTF-8; raises ValueError or TypeError for other data."""
    try:
        return zlib.decompress(data).decode("utf-8", "surrogatepass")
    except zlib.error as error:
        raise ValueError(str(error)) from error


_WHAT = message("version")
_READER = RowReader(Version, _WHAT, "title", key="note_id")
_NOTE_READER = RowReader(Note, _WHAT, "title", overridden=overridden, extra=extra, body=_unpacked)
