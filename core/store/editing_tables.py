"""Tables for versions, drafts, proposed changes, programs' requests, chunk edits, and file changes."""

import json
import sqlite3
import zlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime

from core.base.datetimes import utc_now
from core.base.errors import EditError, NoteNotFound, VersionNotFound
from core.base.frozen import Values, frozen
from core.base.messages import message
from core.model import Author, Creation, Edit, Note, NoteDraft, Proposal, Revision, Trashed, Version
from core.store.note_rows import data_of, extra, overridden
from core.store.picture_table import DocumentTable, PictureTable
from core.store.reading import RowReader, columns_of, loaded, stored
from core.store.table import Ids, StoreTable, decoding

_VERSION = "note_id, number, kind, author, at, title"
_NOTE = "note_id, number, base_id, title, body, fields"
_LAST = "number = (SELECT max(number) FROM versions AS later WHERE later.note_id = versions.note_id)"


class VersionTable(StoreTable):
    """Versions of a workspace's notes. For each note, only the newest `most` versions are stored."""

    most = 100

    def put(self, note: Note, change: Revision, at: datetime | None = None) -> None:
        """Store a note as a version, in the same transaction as its change. `at` defaults to the current time."""
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
            newest = "SELECT number, kind FROM versions WHERE note_id = ? ORDER BY number DESC LIMIT 1"
            if change.joins and (before := self._row(newest, note.id)):
                row["kind"] = before["kind"]
                self._execute("DELETE FROM versions WHERE note_id = ? AND number = ?", note.id, before["number"])
            self._insert("versions", row)
            self._execute(
                "DELETE FROM versions WHERE note_id = ?1 AND number <="
                " (SELECT number FROM versions WHERE note_id = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)",
                note.id,
                self.most,
            )

    def kind(self, note_id: str) -> str:
        """Return the kind of a note's newest version, or "" if it has no versions."""
        return str(
            self._value("SELECT kind FROM versions WHERE note_id = ? ORDER BY number DESC LIMIT 1", note_id) or ""
        )

    def last(self, note_id: str) -> int:
        """Return the number of a note's newest version, or 0 if it has no versions."""
        return self._value("SELECT max(number) FROM versions WHERE note_id = ?", note_id) or 0

    def note_ids(self, base_id: str | None = None) -> set[str]:
        """Return the ids of notes with versions, including deleted notes, in one base or in all bases."""
        return set(self._column("SELECT DISTINCT note_id FROM versions WHERE ?1 IS NULL OR base_id = ?1", base_id))

    def has(self, note_id: str) -> bool:
        return self.last(note_id) > 0

    def for_note(self, note_id: str) -> list[Version]:
        return self._nouns(
            _VERSION_READER, f"SELECT {_VERSION} FROM versions WHERE note_id = ? ORDER BY number DESC", note_id
        )

    def note(self, note_id: str, number: int) -> Note:
        """Return a note as it was in the given version. Raises VersionNotFound."""
        row = self._row(f"SELECT {_NOTE} FROM versions WHERE note_id = ? AND number = ?", note_id, number)
        if row is None:
            raise VersionNotFound(note_id, number)
        return self._note(row)

    def newest(self, note_id: str) -> Note | None:
        """Return a note's newest version, or None if it has no versions. This also works for deleted notes."""
        row = self._row(f"SELECT {_NOTE} FROM versions WHERE note_id = ? ORDER BY number DESC LIMIT 1", note_id)
        return self._note(row) if row else None

    def last_by(self, note_id: str, author: str) -> Note | None:
        """Return the given author's last version of a note, or None if there is none."""
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
        """Return the ids of active notes changed in a period, each with the author of its last change.

        Notes last changed by the user come after all other notes. Within each group, the most recent changes come
        first.
        """
        return {
            row["note_id"]: row["author"]
            for row in self._rows(
                "SELECT note_id, author, max(at) AS last FROM versions JOIN notes ON notes.id = note_id"
                " WHERE at > ? AND at <= ? AND status = 'active' GROUP BY note_id"
                " ORDER BY author = 'person', last DESC",
                *(moment.astimezone(UTC).isoformat() for moment in (after, until)),
            )
        }

    # trash

    def deleted(self, base_id: str | None = None) -> list[Trashed]:
        """Return the deleted notes in a base (by default, in all bases), most recently deleted first."""
        return [
            Trashed(
                _VERSION_READER(row, self._database.unread),
                row["base_id"],
                row["path"] and str(row["path"]),
                str(row["source_ref"] or ""),
            )
            for row in self._rows(
                f"SELECT {_VERSION}, base_id, iif(json_valid(fields), json_extract(fields, '$.path'), NULL) AS path,"
                " iif(json_valid(fields), json_extract(fields, '$.source_ref'), '') AS source_ref FROM versions"
                f" WHERE kind = 'delete' AND {_LAST} AND (?1 IS NULL OR base_id = ?1) ORDER BY at DESC, note_id",
                base_id,
            )
        ]

    def trashed(self, note_id: str) -> Note:
        """Return a deleted note. Raises NoteNotFound if it isn't in the trash."""
        if self._value(f"SELECT kind FROM versions WHERE note_id = ? AND {_LAST}", note_id) != "delete":
            raise NoteNotFound(note_id)
        return self.note(note_id, self.last(note_id))

    def drop(self, note_ids: Ids) -> None:
        """Delete all versions of the given notes, and any originals and pictures no longer in use."""
        self._execute("DELETE FROM versions WHERE note_id IN ?", note_ids, aside=True)
        DocumentTable(self._database).drop_unused()
        PictureTable(self._database).drop_unused()


# Size in bytes of the sample used to find out whether text contains repetition.
_SAMPLE = 4_096


def _packed(text: str) -> bytes:
    """Return text as compressed UTF-8.

    Text without repetition, such as a pasted picture in base64, is compressed by Huffman coding alone. This takes a
    fifth of the time and no more space.
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
    """Return the text from compressed UTF-8. Raises ValueError or TypeError if the data is invalid."""
    try:
        return zlib.decompress(data).decode("utf-8", "surrogatepass")
    except zlib.error as error:
        raise ValueError(str(error)) from error


_WHAT = message("version")
_VERSION_READER = RowReader(Version, _WHAT, "title", key="note_id")
_NOTE_READER = RowReader(Note, _WHAT, "title", overridden=overridden, extra=extra, body=_unpacked)


_DRAFT = "SELECT key, base_id, version, title, body, fields, at FROM drafts"


class DraftTable(StoreTable):
    """A workspace's drafts. A draft's key is its note's id, or a name chosen by the page."""

    def put(self, draft: NoteDraft) -> None:
        self._insert("drafts", columns_of(draft), replace=True, aside=True)

    def all(self) -> list[NoteDraft]:
        return self._nouns(_DRAFT_READER, f"{_DRAFT} ORDER BY at DESC")

    def find(self, key: str) -> NoteDraft | None:
        return next(iter(self._nouns(_DRAFT_READER, f"{_DRAFT} WHERE key = ?", key)), None)

    def delete_for_good(self, key: str) -> None:
        """Delete the draft with the given key, if it exists."""
        self._execute("DELETE FROM drafts WHERE key = ?", key, aside=True)


_DRAFT_READER = RowReader(NoteDraft, "draft", "title", key="key", fields=stored(Values))


class ProposalTable(StoreTable):
    def put(self, proposal: Proposal) -> None:
        """Store a proposal, replacing any earlier proposal for the same note."""
        self._insert("proposals", columns_of(proposal), replace=True, aside=True)

    def all(self, base_id: str | None = None) -> list[Proposal]:
        """Return the proposals for a base (by default, for all bases), oldest first."""
        return self._nouns(
            _PROPOSAL_READER,
            "SELECT note_id, proposals.version, proposals.body, fields, at FROM proposals"
            " JOIN notes ON notes.id = note_id WHERE ?1 IS NULL OR base_id = ?1 ORDER BY at, note_id",
            base_id,
        )

    def drop(self, note_id: str) -> None:
        self._execute("DELETE FROM proposals WHERE note_id = ?", note_id, aside=True)


_PROPOSAL_READER = RowReader(Proposal, "proposed change", "note_id", key="note_id", fields=stored(Values))


# Maximum total size of the stored responses in bytes. The oldest are deleted first.
_MOST_BYTES = 32 * 1024 * 1024
# Number of bytes to count for each row in addition to its response.
_ROW = 1000


class CreationTable(StoreTable):
    """Programs' requests to create something, kept for a day with their responses, by idempotency key."""

    @decoding
    def begin(self, key: str, request: bytes) -> Creation | None:
        """Reserve a key for a request, and return None.

        If the key is already in use, return the creation stored for it.
        """
        with self._write(aside=True):
            self._execute("DELETE FROM creations WHERE at < datetime('now', '-1 day')")
            self._execute(
                "DELETE FROM creations WHERE key IN (SELECT key FROM"
                " (SELECT key, sum(coalesce(length(body), 0) + ?) OVER (ORDER BY at DESC, key) AS bytes FROM creations)"
                " WHERE bytes > ?)",
                _ROW,
                _MOST_BYTES,
            )
            row = self._row("SELECT request, status, headers, body FROM creations WHERE key = ?", key)
            if row is None:
                self._execute("INSERT INTO creations (key, request, at) VALUES (?, ?, datetime('now'))", key, request)
                return None
        return Creation(row["request"], row["status"], json.loads(row["headers"]), row["body"])

    def end(self, key: str, done: Creation) -> None:
        self._execute(
            "UPDATE creations SET status = ?, headers = ?, body = ? WHERE key = ?",
            done.status,
            json.dumps(dict(done.headers)),
            done.body,
            key,
            aside=True,
        )

    def release(self, key: str) -> None:
        """Free the key of a request that created nothing."""
        self._execute("DELETE FROM creations WHERE key = ?", key, aside=True)


_EDITS = "SELECT * FROM edits"


class EditTable(StoreTable):
    """The user's edits to chunks.

    A note's edits keep their order, which matters if several of them add text at the same position.
    """

    def for_note(self, note_id: str) -> list[Edit]:
        return self._nouns(_EDIT_READER, f"{_EDITS} WHERE note_id = ? ORDER BY number", note_id)

    def for_base(self, base_id: str) -> list[Edit]:
        return self._nouns(_EDIT_READER, f"{_EDITS} WHERE base_id = ? ORDER BY note_id, number", base_id)

    def all(self, *, flagged: bool = False) -> list[Edit]:
        """Return all edits, or only the flagged ones. Edits to deleted notes are included."""
        return self._nouns(_EDIT_READER, f"{_EDITS} WHERE flagged >= ? ORDER BY note_id, number", flagged)

    def edit(self, edit_id: str) -> Edit:
        """Return the edit with the given id. Raises EditError if it doesn't exist."""
        for edit in self._nouns(_EDIT_READER, f"{_EDITS} WHERE id = ?", edit_id):
            return edit
        raise EditError("There is no edit '{edit}'. It may have been resolved already.", edit=edit_id)

    def put(self, note: Note, edits: Sequence[Edit]) -> None:
        with self._write():
            self.delete([note.id])
            for number, edit in enumerate(edits):
                self._insert("edits", columns_of(edit) | {"base_id": note.base_id, "number": number})

    def flag(self, note_ids: Ids) -> int:
        """Flag all edits to the given notes, which are being deleted, and return the number of flagged edits."""
        return self._execute("UPDATE edits SET flagged = 1 WHERE note_id IN ?", note_ids)

    def delete(self, note_ids: Ids) -> None:
        self._execute("DELETE FROM edits WHERE note_id IN ?", note_ids)

    def drop(self, edit_id: str) -> None:
        self._execute("DELETE FROM edits WHERE id = ?", edit_id)


_EDIT_READER = RowReader(Edit, "chunk edit", "note_id")


@frozen
class FileStep:
    """A change to a file in a folder.

    `path` and `new_path` are the paths before and after the change. `new_path` is "" if the file is deleted. `before`
    holds the old contents, which are empty for a new file. `after` is the hash of the new contents. If the file is only
    renamed, `before` is None and `after` is "". `left` is True if the change couldn't be undone.
    """

    folder: str
    path: str
    new_path: str
    before: bytes | None = None
    after: str = ""
    left: bool = False

    @property
    def paths(self) -> tuple[str, str]:
        return self.path, self.new_path or self.path

    @property
    def is_plain(self) -> bool:
        """Whether the step only changes an existing file's contents.

        If such a step is left unfinished, the folder's next sync picks up the change.
        """
        return self.path == self.new_path and not self.is_new

    @property
    def is_new(self) -> bool:
        """Whether the change creates the file. Empty old contents imply this, because an empty file is never a note."""
        return self.before == b""


class IntentTable(StoreTable):
    """File changes, by number, that are in progress or couldn't be undone."""

    def put(self, steps: Iterable[FileStep]) -> dict[int, FileStep]:
        """Store steps in a single transaction, flushed to disk, and return the steps by number."""
        connection = self._database.connection
        connection.execute("PRAGMA synchronous = FULL")  # steps must be on disk before the files change
        try:
            with self._write(aside=True):
                return {self._insert("file_intents", asdict(step)): step for step in steps}
        finally:
            connection.execute("PRAGMA synchronous = NORMAL")

    def all(self) -> dict[int, FileStep]:
        return {
            number: FileStep(*values)
            for number, *values in self._rows(
                "SELECT id, folder, path, new_path, before, after, left FROM file_intents"
            )
        }

    def left(self) -> list[str]:
        return self._column("SELECT path FROM file_intents WHERE left")

    def leave(self, numbers: Collection[int]) -> None:
        self._execute("UPDATE file_intents SET left = 1 WHERE id IN ?", numbers, aside=True)

    def drop(self, numbers: Collection[int]) -> None:
        self._execute("DELETE FROM file_intents WHERE id IN ?", numbers, aside=True)
