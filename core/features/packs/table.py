"""Tables of installed packs, and of their files' hashes at the installation."""

from collections.abc import Iterable

from core.base.datetimes import utc_now
from core.model import InstalledPack, Note, Pack
from core.store.reading import RowReader
from core.store.table import AMONG, StoreTable

_PACK = """
    SELECT packs.name, version, base_id, bases.name AS base, folder, initialized_at, checked_at,
           (SELECT count(*) FROM notes WHERE source_ref = 'pack:' || packs.name) AS notes,
           (SELECT count(*) FROM chunks JOIN notes ON notes.id = note_id WHERE source_ref = 'pack:' || packs.name)
           AS chunks
    FROM packs JOIN bases ON bases.id = base_id
"""

_PASSED_BY = """
    SELECT notes.id, coalesce(hash, '') FROM packs
    JOIN notes ON notes.source = 'pack' AND notes.source_ref = 'pack:' || packs.name AND notes.path IS NOT NULL
    JOIN versions ON versions.note_id = notes.id AND versions.number = (
        SELECT max(number) FROM versions AS by_pack
        WHERE by_pack.note_id = notes.id AND by_pack.author = 'pack' AND by_pack.kind != 'delete'
    )
    LEFT JOIN pack_files ON pack_files.pack = packs.name AND pack_files.path = notes.path
    WHERE packs.version != '' AND notes.status != 'archived' AND json_valid(versions.fields)
    AND json_extract(versions.fields, '$.content_hash') IS NOT hash
    ORDER BY notes.path
"""
"""Query of notes whose last version from the pack doesn't match the recorded file, because an upgrade skipped them."""


class PackTable(StoreTable):
    """The packs of a workspace, by name."""

    def all(self) -> list[InstalledPack]:
        """Return the installed packs, by name."""
        return self._packs("ORDER BY packs.name")

    def named(self, name: str) -> InstalledPack | None:
        """Return the installed pack with the given name, None if there is none."""
        return next(iter(self._packs("WHERE packs.name = ?", name)), None)

    def _packs(self, where: str, *values: object) -> list[InstalledPack]:
        return [_READER(dict(row), self._database.unread) for row in self._rows(f"{_PACK} {where}", *values)]

    def passed_by(self) -> dict[str, str]:
        """Return the ids of edited notes that an upgrade skipped, each with the hash of the pack's file.

        The hash is "" if the pack no longer has the note, or if taking the pack's text was undone.
        """
        return dict(self._rows(_PASSED_BY))

    # writing

    def begin(self, pack: Pack, base_id: str, folder: str) -> None:
        """Store a pack before its notes are written."""
        now = utc_now().isoformat()
        row = {"name": pack.name, "version": "", "base_id": base_id, "folder": folder}
        self._insert("packs", row | {"initialized_at": now, "checked_at": now})

    def finish(self, name: str, version: str, folder: str) -> None:
        """Record the version whose notes are all written, and the folder of the pack."""
        now = utc_now().isoformat()
        self._execute(
            "UPDATE packs SET version = ?, folder = ?, checked_at = ? WHERE name = ?", version, folder, now, name
        )

    def check(self, names: Iterable[str]) -> None:
        """Record that packs have just been compared with their folders."""
        now = utc_now().isoformat()
        self._execute(f"UPDATE packs SET checked_at = ? WHERE name {AMONG}", now, list(names), aside=True)

    def drop(self, name: str) -> None:
        """Delete a pack; its notes stay."""
        self._execute("DELETE FROM packs WHERE name = ?", name)

    # files and notes

    def files(self, name: str) -> dict[str, str]:
        """Return the hash of each installed file of a pack, including files of deleted and edited notes."""
        return dict(self._rows("SELECT path, hash FROM pack_files WHERE pack = ?", name))

    def put_file(self, note: Note) -> None:
        """Record the file of a pack's note, in the transaction that writes the note."""
        self.put_files(note.source_ref.removeprefix("pack:"), {str(note.path): note.content_hash})

    def put_files(self, name: str, hashes: dict[str, str]) -> None:
        """Record the hashes of a pack's files."""
        with self._write(aside=True) as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO pack_files SELECT name, ?, ? FROM packs WHERE name = ?",
                [(path, content, name) for path, content in hashes.items()],
            )

    def drop_files(self, name: str, paths: Iterable[str]) -> None:
        """Delete the records of files that a pack no longer has."""
        self._execute(f"DELETE FROM pack_files WHERE pack = ? AND path {AMONG}", name, list(paths), aside=True)

    def notes(self, name: str) -> dict[str, str]:
        """Return the ids of a pack's notes by path."""
        return dict(
            self._rows(
                "SELECT path, id FROM notes WHERE source = 'pack' AND source_ref = ? AND path IS NOT NULL",
                f"pack:{name}",
            )
        )


_READER = RowReader(InstalledPack, "pack", "name", key="name")
