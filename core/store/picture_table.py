"""Tables of original documents, unread files, and the pictures of notes with the text read from them."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from core.base.datetimes import utc_now
from core.base.messages import Message, to_json
from core.model import (
    Failed,
    IncompleteNote,
    KnowledgeBase,
    NotePicture,
    Omission,
    PictureFile,
    ReadPicture,
    SourceFile,
)
from core.store.reading import RowReader, failure_of, stored
from core.store.table import AMONG, StoreTable

UnreadFile = tuple[SourceFile, Failed]
"""A file at the time of the attempt, and why it can't be read."""
_DOCUMENT = "iif(json_valid({0}), json_extract({0}, '{1}'), '')"
_UNUSED = f"""
    DELETE FROM originals
    WHERE hash NOT IN (SELECT {_DOCUMENT.format("document", "$.original")} FROM notes WHERE document != 'null')
      AND hash NOT IN (SELECT coalesce({_DOCUMENT.format("fields", "$.document.original")}, '') FROM versions)
      AND hash NOT IN (SELECT {_DOCUMENT.format("fields", "$.content_hash")} FROM versions WHERE kind = 'delete')
"""


class DocumentTable(StoreTable):
    """Originals of converted documents, and files that couldn't be read."""

    def keep(self, digest: str, data: bytes) -> None:
        """Store the bytes of an original under their hash."""
        self._execute("INSERT OR IGNORE INTO originals VALUES (?, ?)", digest, data)

    def original(self, digest: str) -> bytes | None:
        """Return the bytes of an original, None if it isn't stored."""
        data = self._value("SELECT data FROM originals WHERE hash = ?", digest)
        return None if data is None else bytes(data)

    def drop_unused(self) -> None:
        """Delete the originals that no note and no version uses."""
        if self._exists("originals"):
            self._execute(_UNUSED, aside=True)

    def unread(self, base: KnowledgeBase) -> list[Failed]:
        """Return the unreadable files of a base's folders and uploads, sorted by path."""
        rows = self._rows("SELECT path, reason FROM unread_files WHERE base_id = ? ORDER BY path", base.id)
        return [failure_of(path, reason) for path, reason in rows]

    def incomplete(self, base: KnowledgeBase) -> list[IncompleteNote]:
        """Return the notes of a base that lack parts of their files, sorted by path."""
        return self._nouns(
            _INCOMPLETE,
            "SELECT id AS note_id, coalesce(path, title) AS path, left_out FROM notes"
            " WHERE base_id = ? AND left_out != '[]' ORDER BY path, id",
            base.id,
        )

    def unread_of(self, base: KnowledgeBase, source_ref: str, readers: str) -> Mapping[str, UnreadFile]:
        """Return the files of one source that the given readers couldn't read, by path."""
        rows = self._rows(
            "SELECT path, mtime_ns, size, hash, stamp, reason FROM unread_files"
            " WHERE base_id = ? AND source_ref = ? AND readers = ?",
            *(base.id, source_ref, readers),
        )
        return {path: (SourceFile(path, *state), failure_of(path, reason)) for path, *state, reason in rows}

    def set_unread(self, base: KnowledgeBase, source_ref: str, readers: str, files: Iterable[UnreadFile]) -> None:
        """Replace the unreadable files of one source."""
        source = base.id, source_ref
        rows = [
            (*source, file.path, file.mtime_ns, file.size, readers, reason, file.stamp, file.content_hash)
            for file, failed in files
            for reason in [json.dumps(to_json(failed.error))]
        ]
        with self._write() as connection:
            connection.execute("DELETE FROM unread_files WHERE base_id = ? AND source_ref = ?", source)
            connection.executemany("INSERT OR REPLACE INTO unread_files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)


_INCOMPLETE = RowReader(IncompleteNote, "note", "path", "note_id", left_out=stored(tuple[Omission, ...]))


_PICTURE = "target, start, place, note_pictures.mtime_ns, note_pictures.size, note_pictures.hash, looked, placed"
_OF_READING_BASES = (
    "note_pictures JOIN notes ON notes.id = note_id JOIN bases ON bases.id = base_id AND bases.read_pictures"
)
_LEFT_OVER = (
    "SELECT note_id FROM note_pictures JOIN notes ON notes.id = note_id JOIN bases ON bases.id = base_id"
    " WHERE NOT read_pictures"
    " UNION SELECT note_id FROM chunks JOIN notes ON notes.id = note_id JOIN bases ON bases.id = base_id"
    " WHERE NOT read_pictures AND picture != ''"
)


class Unplaced(NamedTuple):
    """A note whose chunks don't reflect the text of its pictures yet; `differs`: it must be cut again."""

    base_id: str
    note_id: str
    differs: bool


class PictureTable(StoreTable):
    """The pictures of notes, and the text read from their files. A file is read once for all notes and bases."""

    # pictures of notes

    def put(self, note_id: str, pictures: Iterable[NotePicture]) -> None:
        """Replace the pictures of a stored note."""
        with self._write() as connection:
            connection.execute("DELETE FROM note_pictures WHERE note_id = ?", (note_id,))
            connection.executemany(
                "INSERT INTO note_pictures"
                " VALUES (:note, :target, :start, :place, :mtime_ns, :size, :hash, :looked, :placed)",
                [asdict(picture) | {"note": note_id} for picture in pictures],
            )
            connection.execute(
                "UPDATE notes SET pictured = (SELECT read_pictures FROM bases WHERE bases.id = base_id) WHERE id = ?",
                (note_id,),
            )

    def for_note(self, note_id: str) -> list[NotePicture]:
        """Return the pictures of a note, in the order of its text."""
        rows = self._rows(
            f"SELECT {_PICTURE}, text FROM note_pictures LEFT JOIN pictures ON pictures.hash = note_pictures.hash"
            " WHERE note_id = ? ORDER BY start, target",
            note_id,
        )
        return [picture_of(row) for row in rows]

    def is_read(self, base: KnowledgeBase) -> bool:
        """Return whether a base's settings say that its pictures are read."""
        return bool(self._value("SELECT read_pictures FROM bases WHERE id = ?", base.id))

    def any_read(self) -> bool:
        """Return whether the pictures of any base are read."""
        return self._exists("bases WHERE read_pictures")

    def unnamed(self) -> list[str]:
        """Return the ids of notes whose pictures must be found, and mark notes without pictures as done."""
        unknown = "pictured = 0 AND base_id IN (SELECT id FROM bases WHERE read_pictures)"
        with self._write(aside=True):
            self._execute(f"UPDATE notes SET pictured = 1 WHERE {unknown} AND NOT instr(body, '![')", aside=True)
        return self._column(f"SELECT id FROM notes WHERE {unknown} ORDER BY path, id")

    def files(self) -> list[PictureFile]:
        """Return the pictures of notes from synced folders, to check their files."""
        rows = self._rows(
            f"SELECT note_id, source_ref, path, {_PICTURE}, NULL FROM {_OF_READING_BASES}"
            " WHERE notes.source = 'folder' AND EXISTS (SELECT 1 FROM syncs WHERE syncs.base_id = notes.base_id"
            " AND folder = source_ref) ORDER BY path, note_id, start"
        )
        return [file_of(row) for row in rows]

    def look(self, note_id: str, picture: NotePicture) -> None:
        """Update the path, time, size and hash of the file of a note's picture."""
        self._execute(
            "UPDATE note_pictures SET place = ?1, mtime_ns = ?2, size = ?3, looked = 1, hash = ?4,"
            " placed = placed AND hash = ?4 AND place = ?1 WHERE note_id = ?5 AND target = ?6",
            *(picture.place, picture.mtime_ns, picture.size, picture.hash, note_id, picture.target),
            aside=True,
        )

    def unplaced(self) -> list[Unplaced]:
        """Return the notes with a read or missing picture that their chunks don't reflect yet."""
        rows = self._rows(
            "SELECT base_id, note_id, max(coalesce(pictures.text, '') != ''"
            " OR EXISTS (SELECT 1 FROM chunks WHERE chunks.note_id = notes.id AND picture != '')) AS differs"
            f" FROM {_OF_READING_BASES} LEFT JOIN pictures ON pictures.hash = note_pictures.hash"
            " WHERE looked AND NOT placed AND (note_pictures.hash = '' OR pictures.hash IS NOT NULL)"
            " GROUP BY base_id, note_id"
        )
        return [Unplaced(row[0], row[1], bool(row[2])) for row in rows]

    def settle(self, note_ids: Sequence[str]) -> None:
        """Mark the read and missing pictures of these notes as reflected in their chunks."""
        self._execute(
            f"UPDATE note_pictures SET placed = 1 WHERE note_id {AMONG} AND looked AND NOT placed"
            " AND (hash = '' OR hash IN (SELECT hash FROM pictures))",
            note_ids,
            aside=True,
        )

    def problems(self, note_id: str) -> list[Failed]:
        """Return the unreadable pictures of a note, by link target, with the reasons."""
        rows = self._rows(
            "SELECT target, reason FROM note_pictures JOIN pictures ON pictures.hash = note_pictures.hash"
            " WHERE note_id = ? AND reason != '' ORDER BY start",
            note_id,
        )
        return [failure_of(target, reason) for target, reason in rows]

    # pictures of bases that no longer read pictures

    def left_over(self) -> list[str]:
        """Return the ids of notes with pictures, or chunks from pictures, in bases that don't read pictures."""
        return self._column(_LEFT_OVER)

    def drop(self, note_ids: Collection[str]) -> None:
        """Delete the pictures of notes with their chunks, and renumber the remaining chunks."""
        ids = [*note_ids]
        chosen = f"note_id {AMONG} AND picture != ''"
        with self._write():
            stale = self._column(f"SELECT DISTINCT note_id FROM chunks WHERE {chosen}", ids)
            self._execute(f"DELETE FROM words WHERE rowid IN (SELECT rowid FROM chunks WHERE {chosen})", ids)
            self._execute(f"DELETE FROM chunks WHERE {chosen}", ids)
            # In two steps, because two chunks of a note can't have the same index.
            self._execute(f'UPDATE chunks SET "index" = -1 - "index" WHERE note_id {AMONG}', stale)
            self._execute(
                'UPDATE chunks SET "index" = (SELECT count(*) FROM chunks AS other'
                ' WHERE other.note_id = chunks.note_id AND (other."index" >= 0 OR other."index" > chunks."index"))'
                f" WHERE note_id {AMONG}",
                stale,
            )
            self._execute(f"DELETE FROM note_pictures WHERE note_id {AMONG}", ids)
            self._execute(f"UPDATE notes SET pictured = 0, generation = generation + 1 WHERE id {AMONG}", ids)

    # picture files

    def unread(self) -> list[PictureFile]:
        """Return one picture for each file that hasn't been read yet."""
        rows = self._rows(
            f"SELECT min(note_id), source_ref, path, {_PICTURE}, NULL FROM {_OF_READING_BASES}"
            " WHERE note_pictures.hash != '' AND note_pictures.hash NOT IN (SELECT hash FROM pictures)"
            " GROUP BY note_pictures.hash ORDER BY path, start"
        )
        return [file_of(row) for row in rows]

    def keep(self, read: ReadPicture, reason: Message | None = None, *, again: bool = False) -> None:
        """Store the text read from a file, or why it can't be read. `again`: the next import tries again."""
        self._execute(
            "INSERT OR REPLACE INTO pictures VALUES (?, ?, ?, ?, ?, ?)",
            *(read.hash, read.text, json.dumps(to_json(reason)) if reason else "", read.reader),
            *(utc_now().isoformat(), again),
            aside=True,
        )

    def forget_problems(self, *, lasting: bool) -> None:
        """Delete records of failed reads, so that they are tried again; with `lasting`, permanent failures too."""
        failed = "reason != ''" if lasting else "again"
        with self._write(aside=True):
            self._execute(
                f"UPDATE note_pictures SET placed = 0 WHERE hash IN (SELECT hash FROM pictures WHERE {failed})",
                aside=True,
            )
            self._execute(f"DELETE FROM pictures WHERE {failed}", aside=True)

    def drop_unused(self) -> None:
        """Delete the texts of files that no note shows."""
        self._execute("DELETE FROM pictures WHERE hash NOT IN (SELECT hash FROM note_pictures)", aside=True)


def file_of(row: sqlite3.Row) -> PictureFile:
    """Return a picture from a row of its note's id, folder and path, and the picture's columns."""
    note_id, source_ref, path, *picture = row
    return PictureFile(note_id, source_ref, path or "", picture_of(picture))


def picture_of(row: Iterable[Any]) -> NotePicture:
    """Return a picture from its columns, in the order of the object's fields."""
    target, start, place, mtime_ns, size, digest, looked, placed, text = row
    return NotePicture(target, start, place, mtime_ns, size, digest, bool(looked), bool(placed), text)
