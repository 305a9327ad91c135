"""Originals of converted notes, and files that weren't read, with the reasons."""

import json
from collections.abc import Iterable, Mapping

from core.base.messages import from_json, message, to_json
from core.model import Failed, IncompleteNote, KnowledgeBase, Omission, SourceFile
from core.store.reading import RowReader, loaded, stored
from core.store.table import StoreTable

_DOCUMENT = "iif(json_valid({0}), json_extract({0}, '{1}'), '')"
_UNUSED = f"""
    DELETE FROM originals
    WHERE hash NOT IN (SELECT {_DOCUMENT.format("document", "$.original")} FROM notes WHERE document != 'null')
      AND hash NOT IN (SELECT coalesce({_DOCUMENT.format("fields", "$.document.original")}, '') FROM versions)
"""


class DocumentTable(StoreTable):
    """Originals of documents and unread files, in addition to their notes."""

    def keep(self, digest: str, data: bytes) -> None:
        """Write the bytes of an original under its hash."""
        self._database.execute("INSERT OR IGNORE INTO originals VALUES (?, ?)", digest, data)

    def original(self, digest: str) -> bytes | None:
        """Return the bytes of an original, None if it isn't here."""
        data = self._database.value("SELECT data FROM originals WHERE hash = ?", digest)
        return None if data is None else bytes(data)

    def drop_unused(self) -> None:
        """Delete the originals that no note and no version has."""
        if self._database.value("SELECT EXISTS (SELECT 1 FROM originals)"):
            self._database.execute(_UNUSED, aside=True)

    def unread(self, base: KnowledgeBase) -> list[Failed]:
        """Return the files of a base's folders and uploads that weren't read, by their paths."""
        rows = self._database.rows("SELECT path, reason FROM unread_files WHERE base_id = ? ORDER BY path", base.id)
        return [Failed(str(path), from_json(loaded(reason) or str(reason))) for path, reason in rows]

    def incomplete(self, base: KnowledgeBase) -> list[IncompleteNote]:
        """Return the notes of a base that lack parts of their files, by their paths."""
        rows = self._database.rows(
            "SELECT id AS note_id, coalesce(path, title) AS path, left_out FROM notes"
            " WHERE base_id = ? AND left_out != '[]' ORDER BY path, id",
            base.id,
        )
        return [_INCOMPLETE(dict(row), self._database.unread) for row in rows]

    def unread_of(self, base: KnowledgeBase, source_ref: str, readers: str) -> Mapping[str, tuple[SourceFile, Failed]]:
        """Return the files of one source that these readers couldn't read, by their paths, as they were then."""
        rows = self._database.rows(
            "SELECT path, mtime_ns, size, hash, stamp, reason FROM unread_files"
            " WHERE base_id = ? AND source_ref = ? AND readers = ?",
            *(base.id, source_ref, readers),
        )
        return {
            path: (SourceFile(path, *state), Failed(str(path), from_json(loaded(reason) or str(reason))))
            for path, *state, reason in rows
        }

    def set_unread(
        self, base: KnowledgeBase, source_ref: str, readers: str, files: Iterable[tuple[SourceFile, Failed]]
    ) -> None:
        """Write the files of one source that weren't read, in place of those before."""
        source = base.id, source_ref
        rows = [
            (*source, file.path, file.mtime_ns, file.size, readers, reason, file.stamp, file.content_hash)
            for file, failed in files
            for reason in [json.dumps(to_json(failed.error))]
        ]
        with self._database.write() as connection:
            connection.execute("DELETE FROM unread_files WHERE base_id = ? AND source_ref = ?", source)
            connection.executemany("INSERT OR REPLACE INTO unread_files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)


_INCOMPLETE = RowReader(IncompleteNote, message("note"), "path", "note_id", left_out=stored(tuple[Omission, ...]))
