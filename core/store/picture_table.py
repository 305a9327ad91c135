"""Tables for original documents, unreadable files, and the pictures in notes with their text and vectors."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import numpy as np

from core.base.datetimes import utc_now
from core.base.messages import Message, to_json
from core.documents.kinds import PICTURES
from core.model import (
    Condition,
    Failed,
    Filters,
    ImageStatus,
    IncompleteNote,
    KnowledgeBase,
    Matrix,
    NotePicture,
    Omissions,
    PictureFile,
    ReadPicture,
    SourceFile,
)
from core.store import filters as narrowed
from core.store.reading import RowReader, failure_of, stored
from core.store.table import Ids, StoreTable

# The state of a file that couldn't be read, and the reason.
UnreadFile = tuple[SourceFile, Failed]
_UNUSED = """
    DELETE FROM originals
    WHERE hash NOT IN (
        SELECT iif(json_valid(document), json_extract(document, '$.original'), '') FROM notes WHERE document != 'null'
    ) AND hash NOT IN (
        SELECT coalesce(iif(json_valid(fields), json_extract(fields, '$.document.original'), ''), '') FROM versions
    ) AND hash NOT IN (
        SELECT iif(json_valid(fields), json_extract(fields, '$.content_hash'), '') FROM versions WHERE kind = 'delete'
    )
"""


class DocumentTable(StoreTable):
    """Original files of converted documents, and files that couldn't be read."""

    def keep(self, digest: str, data: bytes) -> None:
        self._execute("INSERT OR IGNORE INTO originals VALUES (?, ?)", digest, data)

    def original(self, digest: str) -> bytes | None:
        data = self._value("SELECT data FROM originals WHERE hash = ?", digest)
        return None if data is None else bytes(data)

    def drop_unused(self) -> None:
        """Delete the originals that aren't used by any note or version."""
        if self._exists("originals"):
            self._execute(_UNUSED, aside=True)

    def unread(self, base: KnowledgeBase) -> list[Failed]:
        """Return the unreadable files in a base's folders and uploads, sorted by path."""
        return self._made(failure_of, "SELECT path, reason FROM unread_files WHERE base_id = ? ORDER BY path", base.id)

    def incomplete(self, base: KnowledgeBase) -> list[IncompleteNote]:
        """Return a base's notes that lack some of the contents of their files, sorted by path."""
        return self._nouns(
            _INCOMPLETE,
            "SELECT id AS note_id, coalesce(path, title) AS path, left_out FROM notes"
            " WHERE base_id = ? AND left_out != '[]' ORDER BY path, id",
            base.id,
        )

    def unread_of(self, base: KnowledgeBase, source_ref: str, readers: str) -> Mapping[str, UnreadFile]:
        """Return, by path, the files in a folder or among a base's uploads that the given readers couldn't read."""
        return {
            path: (SourceFile(path, *state), failure_of(path, reason))
            for path, *state, reason in self._rows(
                "SELECT path, mtime_ns, size, hash, stamp, reason FROM unread_files"
                " WHERE base_id = ? AND source_ref = ? AND readers = ?",
                base.id,
                source_ref,
                readers,
            )
        }

    def set_unread(self, base: KnowledgeBase, source_ref: str, readers: str, files: Iterable[UnreadFile]) -> None:
        with self._write():
            self._execute("DELETE FROM unread_files WHERE base_id = ? AND source_ref = ?", base.id, source_ref)
            for file, failed in files:
                self._execute(
                    "INSERT OR REPLACE INTO unread_files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    base.id,
                    source_ref,
                    file.path,
                    file.mtime_ns,
                    file.size,
                    readers,
                    json.dumps(to_json(failed.error)),
                    file.stamp,
                    file.content_hash,
                )


_INCOMPLETE = RowReader(IncompleteNote, "note", "path", "note_id", left_out=stored(Omissions))


_PICTURE = "target, start, place, note_pictures.mtime_ns, note_pictures.size, note_pictures.hash, looked, placed"
_OF_READING_BASES = (
    "note_pictures JOIN notes ON notes.id = note_id JOIN bases ON bases.id = base_id AND bases.read_pictures"
)


class Unplaced(NamedTuple):
    """A note whose chunks don't contain the latest text read from its pictures yet.

    `differs` is True if the note must be re-chunked to include that text.
    """

    base_id: str
    note_id: str
    differs: bool


class _FileTable(StoreTable):
    """Base class for tables of the pictures in notes, with the state of each picture's file."""

    name: str
    # SQL for additional columns to set when a picture's file has been looked up.
    looked = ""

    def look(self, note_id: str, picture: NotePicture) -> None:
        """Update the path, modification time, size and hash of a picture's file."""
        self._execute_many(
            f"UPDATE {self.name} SET place = :place, mtime_ns = :mtime_ns, size = :size, hash = :hash{self.looked}"
            " WHERE note_id = :note AND target = :target",
            [asdict(picture) | {"note": note_id}],
            aside=True,
        )

    def _files(self, statement: str, *values: object) -> list[PictureFile]:
        """Return a query's pictures. The query's rows must be (note id, folder, path, *picture columns)."""
        return [
            PictureFile(note_id, source_ref, path or "", picture_of(picture))
            for note_id, source_ref, path, *picture in self._rows(f"{statement} ORDER BY path, start", *values)
        ]


class PictureTable(_FileTable):
    """The pictures in notes, and the text read from their files. Each file is read once, for all notes and bases."""

    name = "note_pictures"
    looked = ", looked = 1, placed = placed AND hash = :hash AND place = :place"

    # pictures in notes

    def put(self, note_id: str, pictures: Iterable[NotePicture]) -> None:
        with self._write():
            self._execute("DELETE FROM note_pictures WHERE note_id = ?", note_id)
            self._execute_many(
                "INSERT INTO note_pictures"
                " VALUES (:note, :target, :start, :place, :mtime_ns, :size, :hash, :looked, :placed)",
                [asdict(picture) | {"note": note_id} for picture in pictures],
            )
            self._execute(
                "UPDATE notes SET pictured = (SELECT read_pictures FROM bases WHERE bases.id = base_id) WHERE id = ?",
                note_id,
            )

    def for_note(self, note_id: str) -> list[NotePicture]:
        """Return a note's pictures in order of appearance."""
        return [
            picture_of(row)
            for row in self._rows(
                f"SELECT {_PICTURE}, text FROM note_pictures LEFT JOIN pictures ON pictures.hash = note_pictures.hash"
                " WHERE note_id = ? ORDER BY start, target",
                note_id,
            )
        ]

    def is_read(self, base: KnowledgeBase) -> bool:
        return bool(self._value("SELECT read_pictures FROM bases WHERE id = ?", base.id))

    def any_read(self) -> bool:
        return self._exists("bases WHERE read_pictures")

    def unnamed(self) -> list[str]:
        """Return the ids of notes that haven't been searched for pictures yet, in bases that read pictures.

        Notes without any pictures are marked as searched and left out.
        """
        unknown = "pictured = 0 AND base_id IN (SELECT id FROM bases WHERE read_pictures)"
        self._execute(f"UPDATE notes SET pictured = 1 WHERE {unknown} AND NOT instr(body, '![')", aside=True)
        return self._column(f"SELECT id FROM notes WHERE {unknown} ORDER BY path, id")

    def files(self) -> list[PictureFile]:
        """Return the pictures in notes from synced folders, so that their files can be checked."""
        return self._files(
            f"SELECT note_id, source_ref, path, {_PICTURE}, NULL FROM {_OF_READING_BASES}"
            " WHERE notes.source = 'folder' AND EXISTS (SELECT 1 FROM syncs WHERE syncs.base_id = notes.base_id"
            " AND folder = source_ref)"
        )

    def unplaced(self) -> list[Unplaced]:
        """Return the notes that must be updated because one of their pictures has been read or is missing."""
        return self._made(
            Unplaced,
            "SELECT base_id, note_id, max(coalesce(pictures.text, '') != ''"
            " OR EXISTS (SELECT 1 FROM chunks WHERE chunks.note_id = notes.id AND picture != '')) AS differs"
            f" FROM {_OF_READING_BASES} LEFT JOIN pictures ON pictures.hash = note_pictures.hash"
            " WHERE looked AND NOT placed AND (note_pictures.hash = '' OR pictures.hash IS NOT NULL)"
            " GROUP BY base_id, note_id",
        )

    def settle(self, note_ids: Ids) -> None:
        """Record that the notes' chunks are up to date with all their pictures that have been read or are missing."""
        self._execute(
            "UPDATE note_pictures SET placed = 1 WHERE note_id IN ? AND looked AND NOT placed"
            " AND (hash = '' OR hash IN (SELECT hash FROM pictures))",
            note_ids,
            aside=True,
        )

    def problems(self, note_id: str) -> list[Failed]:
        """Return the link targets of a note's unreadable pictures, each with the reason."""
        return self._made(
            failure_of,
            "SELECT target, reason FROM note_pictures JOIN pictures ON pictures.hash = note_pictures.hash"
            " WHERE note_id = ? AND reason != '' ORDER BY start",
            note_id,
        )

    # bases that no longer read pictures

    def left_over(self) -> list[str]:
        """Return the ids of notes that still have pictures or picture chunks although their base reads no pictures."""
        return self._column(
            "SELECT note_id FROM note_pictures JOIN notes ON notes.id = note_id JOIN bases ON bases.id = base_id"
            " WHERE NOT read_pictures"
            " UNION SELECT note_id FROM chunks JOIN notes ON notes.id = note_id JOIN bases ON bases.id = base_id"
            " WHERE NOT read_pictures AND picture != ''"
        )

    def drop(self, note_ids: Ids) -> None:
        """Delete the notes' pictures, and the chunks with text read from them. Renumber the remaining chunks."""
        ids = list(note_ids)
        chosen = "note_id IN ? AND picture != ''"
        with self._write():
            stale = self._column(f"SELECT DISTINCT note_id FROM chunks WHERE {chosen}", ids)
            self._execute(f"DELETE FROM words WHERE rowid IN (SELECT rowid FROM chunks WHERE {chosen})", ids)
            self._execute(f"DELETE FROM chunks WHERE {chosen}", ids)
            # Renumber in two steps, because a note can't have two chunks with the same index.
            self._execute('UPDATE chunks SET "index" = -1 - "index" WHERE note_id IN ?', stale)
            self._execute(
                'UPDATE chunks SET "index" = (SELECT count(*) FROM chunks AS other'
                ' WHERE other.note_id = chunks.note_id AND (other."index" >= 0 OR other."index" > chunks."index"))'
                " WHERE note_id IN ?",
                stale,
            )
            self._execute("DELETE FROM note_pictures WHERE note_id IN ?", ids)
            self._execute("UPDATE notes SET pictured = 0, generation = generation + 1 WHERE id IN ?", ids)

    # picture files

    def unread(self) -> list[PictureFile]:
        """Return the picture files that haven't been read yet, each only once even if several notes show it."""
        return self._files(
            f"SELECT min(note_id), source_ref, path, {_PICTURE}, NULL FROM {_OF_READING_BASES}"
            " WHERE note_pictures.hash != '' AND note_pictures.hash NOT IN (SELECT hash FROM pictures)"
            " GROUP BY note_pictures.hash"
        )

    def keep(self, read: ReadPicture, reason: Message | None = None, *, again: bool = False) -> None:
        """Store the text read from a file, or the reason why the file can't be read.

        With `again`, the next import retries the file.
        """
        self._execute(
            "INSERT OR REPLACE INTO pictures VALUES (?, ?, ?, ?, ?, ?)",
            read.hash,
            read.text,
            json.dumps(to_json(reason)) if reason else "",
            read.reader,
            utc_now().isoformat(),
            again,
            aside=True,
        )

    def forget_problems(self, *, lasting: bool) -> None:
        """Delete records of files that couldn't be read, so that the files are retried.

        With `lasting`, permanent failures are included.
        """
        failed = "reason != ''" if lasting else "again"
        with self._write(aside=True):
            self._execute(
                f"UPDATE note_pictures SET placed = 0 WHERE hash IN (SELECT hash FROM pictures WHERE {failed})"
            )
            self._execute(f"DELETE FROM pictures WHERE {failed}")

    def drop_unused(self) -> None:
        """Delete the text of files that aren't shown in any note."""
        self._execute("DELETE FROM pictures WHERE hash NOT IN (SELECT hash FROM note_pictures)", aside=True)


def picture_of(row: Iterable[Any]) -> NotePicture:
    """Return the picture in a row whose columns are in field order."""
    target, start, place, mtime_ns, size, digest, looked, placed, text = row
    return NotePicture(target, start, place, mtime_ns, size, digest, bool(looked), bool(placed), text)


_KINDS = ", ".join(map(repr, PICTURES))
_IS_PICTURE = f"coalesce(iif(json_valid(document), json_extract(document, '$.kind'), ''), '') IN ({_KINDS})"
_IN_FOLDER = (
    "notes.source = 'folder' AND EXISTS (SELECT 1 FROM syncs WHERE syncs.base_id = notes.base_id"
    " AND folder = source_ref) AND NOT EXISTS (SELECT 1 FROM bases WHERE bases.id = notes.base_id AND kind = 'literal')"
)
# Columns of a picture. If its file hasn't been looked up yet, there is no modification time or size.
_IMAGE = "target, start, place, note_images.mtime_ns, note_images.size, note_images.hash, 1, 0, NULL"
_SHOWN = "note_images JOIN notes ON notes.id = note_id"
# Whether the chunks around a picture are all deleted. If there are no chunks around it, this isn't the case.
_IS_HIDDEN = (
    "(SELECT max(state != 'deleted') FROM chunks WHERE chunks.note_id = notes.id"
    " AND chunks.start < note_images.start AND note_images.start <= chunks.\"end\" AND picture = '') IS 0"
)


class ImageRow(NamedTuple):
    """A picture in a note, with its vector.

    `place` is the picture's path in the synced folder, and `start` its position in the note's body.
    """

    note_id: str
    place: str
    start: int
    hash: str
    vector: Matrix


class ImageTable(_FileTable):
    """The pictures shown in notes. Each file is embedded once per model, however many notes and bases show it."""

    name = "note_images"

    # pictures in notes

    def notes_without_pictures(self) -> list[str]:
        """Return the ids of new and changed notes that may show pictures. Mark other notes as searched."""
        unknown = f"imaged != generation AND {_IN_FOLDER}"
        shows_none = f"NOT instr(body, '![') AND NOT {_IS_PICTURE}"
        with self._write(aside=True):
            self._execute(
                f"DELETE FROM note_images WHERE note_id IN (SELECT id FROM notes WHERE {unknown} AND {shows_none})"
            )
            self._execute(f"UPDATE notes SET imaged = generation WHERE {unknown} AND {shows_none}")
        return self._column(f"SELECT id FROM notes WHERE {unknown} ORDER BY path, id")

    def for_note(self, note_id: str) -> list[NotePicture]:
        return list(map(picture_of, self._rows(f"SELECT {_IMAGE} FROM note_images WHERE note_id = ?", note_id)))

    def put(self, note_id: str, pictures: Iterable[NotePicture], generation: int) -> None:
        """Replace a note's pictures. `generation` is the note's generation when the pictures were found in its text."""
        with self._write(aside=True):
            self._execute("DELETE FROM note_images WHERE note_id = ?", note_id)
            self._execute_many(
                "INSERT INTO note_images VALUES (:note, :target, :start, :place, :mtime_ns, :size, :hash)",
                [asdict(picture) | {"note": note_id} for picture in pictures],
            )
            self._execute("UPDATE notes SET imaged = ? WHERE id = ?", generation, note_id)

    def files(self) -> list[PictureFile]:
        """Return the pictures in notes from synced folders, so that their files can be checked."""
        return self._files(f"SELECT note_id, source_ref, path, {_IMAGE} FROM {_SHOWN} WHERE {_IN_FOLDER}")

    # picture files

    def pending_files(self, model: str) -> list[PictureFile]:
        """Return the picture files that the model hasn't embedded yet, each only once even if several notes show it."""
        return self._files(
            f"SELECT min(note_id), source_ref, path, {_IMAGE} FROM {_SHOWN} WHERE {_IN_FOLDER} AND note_images.hash"
            " NOT IN (SELECT '' UNION ALL SELECT hash FROM image_vectors WHERE model = ?) GROUP BY note_images.hash",
            model,
        )

    def keep(self, model: str, digest: str, vector: Matrix | None, reason: Message | None = None) -> None:
        """Store a file's vector, or the reason why the file can't be embedded."""
        self._execute(
            "INSERT OR REPLACE INTO image_vectors VALUES (?, ?, ?, ?)",
            model,
            digest,
            None if vector is None else vector.astype("<f4").tobytes(),
            json.dumps(to_json(reason)) if reason else "",
            aside=True,
        )

    def forget_problems(self) -> None:
        """Delete records of files that couldn't be embedded, so that the files are retried."""
        self._execute("DELETE FROM image_vectors WHERE reason != ''", aside=True)

    def drop_unused(self, model: str) -> None:
        """Delete other models' vectors, and the vectors of files that aren't shown in any note."""
        self._execute(
            "DELETE FROM image_vectors WHERE model != ? OR hash NOT IN (SELECT hash FROM note_images)",
            model,
            aside=True,
        )

    def status(self, model: str) -> ImageStatus:
        """Return how many files a model has embedded, which files couldn't be embedded, and how many are pending."""
        rows = self._rows(
            "SELECT min(place), vector IS NOT NULL, reason FROM note_images LEFT JOIN image_vectors"
            " ON image_vectors.hash = note_images.hash AND model = ? WHERE note_images.hash != ''"
            " GROUP BY note_images.hash ORDER BY 1",
            model,
        ).fetchall()
        failed = [failure_of(place, reason) for place, _, reason in rows if reason]
        known = sum(bool(is_known) for _, is_known, _ in rows)
        return ImageStatus(known, tuple(failed), len(rows) - known - len(failed))

    # searching

    def shown(self, filters: Filters, model: str) -> list[ImageRow]:
        """Return the pictures that have vectors, once for each searchable note that passes the filters.

        Conditions that ask for pictures are met by every picture. Any other conditions on passages must be met together
        by a single passage in the note. Pictures in deleted passages are left out.
        """
        rest = replace(
            filters, conditions=tuple(condition for condition in filters.conditions if not is_of_pictures(condition))
        )
        where = narrowed.answerable_conditions(rest)
        if passages := narrowed.chunk_conditions(rest):
            where.add(
                f"EXISTS (SELECT 1 FROM chunks WHERE chunks.note_id = notes.id AND state != 'deleted' AND {passages})",
                *passages.values,
            )
        return self._shown(f"{where} AND NOT ({_IS_HIDDEN})", model, *where.values)

    def named(self, name: str, model: str) -> list[ImageRow]:
        """Return the pictures with vectors that `name` refers to, by path in the folder or link target in the note."""
        return self._shown("fold(place) = fold(?1) OR fold(target) = fold(?1)", model, name)

    def in_note(self, note_id: str, model: str) -> list[ImageRow]:
        return self._shown("note_id = ?", model, note_id)

    def _shown(self, where: str, model: str, *values: object) -> list[ImageRow]:
        return [
            ImageRow._make((*image, np.frombuffer(vector, "<f4")))
            for *image, vector in self._rows(
                f"SELECT note_id, place, note_images.start, note_images.hash, vector FROM {_SHOWN}"
                " JOIN image_vectors ON image_vectors.hash = note_images.hash AND length(vector) % 4 = 0"
                " AND typeof(vector) = 'blob'"
                f" WHERE ({where}) AND {_IN_FOLDER} AND model = ? ORDER BY path, note_id, note_images.start",
                *values,
                model,
            )
        ]


def is_of_pictures(condition: Condition) -> bool:
    """Return whether a condition asks for pictures, so that every picture meets it."""
    return condition.field == "like" or (
        condition.field == "has" and not condition.negated and "image" in condition.values
    )
