"""Tables for searching pictures by content: where notes show them, and the vector of each file by hash and model."""

import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import NamedTuple

import numpy as np

from core.base.messages import Message, to_json
from core.documents.kinds import PICTURES
from core.model import Condition, Filters, ImageStatus, Matrix, NotePicture, PictureFile
from core.store import filters as narrowed
from core.store.picture_table import file_of, picture_of
from core.store.reading import failure_of
from core.store.table import StoreTable

_KINDS = ", ".join(map(repr, PICTURES))
_IS_PICTURE = f"coalesce(iif(json_valid(document), json_extract(document, '$.kind'), ''), '') IN ({_KINDS})"
_IN_FOLDER = (
    "notes.source = 'folder' AND EXISTS (SELECT 1 FROM syncs WHERE syncs.base_id = notes.base_id"
    " AND folder = source_ref) AND NOT EXISTS (SELECT 1 FROM bases WHERE bases.id = notes.base_id AND kind = 'literal')"
)
# A picture whose file hasn't been looked for yet has no time and size.
_PICTURE = "target, start, place, note_images.mtime_ns, note_images.size, note_images.hash, 1, 0, NULL"
_SHOWN = "note_images JOIN notes ON notes.id = note_id"
_AROUND = (
    "EXISTS (SELECT 1 FROM chunks WHERE chunks.note_id = notes.id AND chunks.start < note_images.start"
    " AND note_images.start <= chunks.\"end\" AND picture = '' AND state {} 'deleted')"
)
_IS_HIDDEN = f"({_AROUND.format('=')} AND NOT {_AROUND.format('!=')})"


class ImageRow(NamedTuple):
    """A picture of a note: its path in the synced folder, its position in the note's body, its hash and its vector."""

    note_id: str
    place: str
    start: int
    hash: str
    vector: Matrix


class ImageTable(StoreTable):
    """The pictures that notes show. A model embeds a file once, however many notes and bases show it."""

    # pictures of notes

    def notes_without_pictures(self) -> list[str]:
        """Return the ids of notes whose pictures must be found, and mark changed notes without pictures as done."""
        unknown = f"imaged != generation AND {_IN_FOLDER}"
        shows_none = f"NOT instr(body, '![') AND NOT {_IS_PICTURE}"
        with self._write(aside=True) as connection:
            connection.execute(
                f"DELETE FROM note_images WHERE note_id IN (SELECT id FROM notes WHERE {unknown} AND {shows_none})"
            )
            connection.execute(f"UPDATE notes SET imaged = generation WHERE {unknown} AND {shows_none}")
        return self._column(f"SELECT id FROM notes WHERE {unknown} ORDER BY path, id")

    def for_note(self, note_id: str) -> list[NotePicture]:
        """Return the stored pictures of a note."""
        rows = self._rows(f"SELECT {_PICTURE} FROM note_images WHERE note_id = ?", note_id)
        return [picture_of(row) for row in rows]

    def put(self, note_id: str, pictures: Iterable[NotePicture], generation: int) -> None:
        """Replace the pictures of a note with the pictures in its text at this generation."""
        with self._write(aside=True) as connection:
            connection.execute("DELETE FROM note_images WHERE note_id = ?", (note_id,))
            connection.executemany(
                "INSERT INTO note_images VALUES (:note, :target, :start, :place, :mtime_ns, :size, :hash)",
                [asdict(picture) | {"note": note_id} for picture in pictures],
            )
            connection.execute("UPDATE notes SET imaged = ? WHERE id = ?", (generation, note_id))

    def files(self) -> list[PictureFile]:
        """Return the pictures of notes from synced folders, to check their files."""
        return self._files(f"SELECT note_id, source_ref, path, {_PICTURE} FROM {_SHOWN} WHERE {_IN_FOLDER}")

    def update_file(self, note_id: str, picture: NotePicture) -> None:
        """Update the path, time, size and hash of the file of a note's picture."""
        self._execute(
            "UPDATE note_images SET place = ?, mtime_ns = ?, size = ?, hash = ? WHERE note_id = ? AND target = ?",
            *(picture.place, picture.mtime_ns, picture.size, picture.hash, note_id, picture.target),
            aside=True,
        )

    # picture files

    def pending_files(self, model: str) -> list[PictureFile]:
        """Return one picture for each file that the model hasn't embedded yet."""
        return self._files(
            f"SELECT min(note_id), source_ref, path, {_PICTURE} FROM {_SHOWN} WHERE {_IN_FOLDER} AND note_images.hash"
            " NOT IN (SELECT '' UNION ALL SELECT hash FROM image_vectors WHERE model = ?) GROUP BY note_images.hash",
            model,
        )

    def keep(self, model: str, digest: str, vector: Matrix | None, reason: Message | None = None) -> None:
        """Store the vector of a file, or the reason why it can't be embedded."""
        self._execute(
            "INSERT OR REPLACE INTO image_vectors VALUES (?, ?, ?, ?)",
            *(model, digest, None if vector is None else vector.astype("<f4").tobytes()),
            json.dumps(to_json(reason)) if reason else "",
            aside=True,
        )

    def forget_problems(self) -> None:
        """Delete the records of unreadable files, so that reading them is tried again."""
        self._execute("DELETE FROM image_vectors WHERE reason != ''", aside=True)

    def drop_unused(self, model: str) -> None:
        """Delete vectors of other models, and vectors of files that no note shows."""
        self._execute(
            "DELETE FROM image_vectors WHERE model != ? OR hash NOT IN (SELECT hash FROM note_images)",
            model,
            aside=True,
        )

    def status(self, model: str) -> ImageStatus:
        """Return how many files a model has embedded, which files it can't read, and how many are pending."""
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
        """Return the pictures with a vector in answering notes that pass the filters, once for each of the notes.

        All conditions on passages, except those about pictures, must be true for a single passage of the note.
        """
        conditions = [condition for condition in filters.conditions if not is_of_pictures(condition)]
        rest = replace(filters, conditions=tuple(conditions))
        where, passages = narrowed.answerable_conditions(rest), narrowed.chunk_conditions(rest)
        if passages:
            holds = f"SELECT 1 FROM chunks WHERE chunks.note_id = notes.id AND state != 'deleted' AND {passages}"
            where.add(f"EXISTS ({holds})", *passages.values)
        return self._shown(f"{where} AND NOT {_IS_HIDDEN}", model, *where.values)

    def named(self, name: str, model: str) -> list[ImageRow]:
        """Return the pictures with a vector that have this path, or this link target in their note."""
        return self._shown("fold(place) = fold(?1) OR fold(target) = fold(?1)", model, name)

    def in_note(self, note_id: str, model: str) -> list[ImageRow]:
        """Return the pictures with a vector in a note."""
        return self._shown("note_id = ?", model, note_id)

    def _shown(self, where: str, model: str, *values: object) -> list[ImageRow]:
        rows = self._rows(
            f"SELECT note_id, place, note_images.start, note_images.hash, vector FROM {_SHOWN}"
            " JOIN image_vectors ON image_vectors.hash = note_images.hash AND length(vector) % 4 = 0"
            " AND typeof(vector) = 'blob'"
            f" WHERE ({where}) AND {_IN_FOLDER} AND model = ? ORDER BY path, note_id, note_images.start",
            *values,
            model,
        )
        return [
            ImageRow(note_id, place, start, digest, np.frombuffer(vector, "<f4"))
            for note_id, place, start, digest, vector in rows
        ]

    def _files(self, statement: str, *values: object) -> list[PictureFile]:
        return [file_of(row) for row in self._rows(f"{statement} ORDER BY path, start", *values)]


def is_of_pictures(condition: Condition) -> bool:
    """Return whether a condition asks for pictures: it is true for every picture."""
    return condition.field == "like" or (
        condition.field == "has" and not condition.negated and "image" in condition.values
    )
