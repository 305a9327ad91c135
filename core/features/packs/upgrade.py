"""Upgrade a pack note by note, except for notes that the user changed or deleted, and store the table of packs."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core import embedding
from core.base.datetimes import utc_now
from core.base.frozen import TextValues, Values, attributes, frozen
from core.features.packs.manifest import PackNote, PackNotes
from core.indexing.indexer import Indexer
from core.model import NOTE_FIELDS, EditedNote, InstalledPack, Note, Pack, PackReport, Progress, Revision, no_progress
from core.store import Store
from core.store.ids import fresh_id
from core.store.note_to_index import NoteToIndex
from core.store.reading import RowReader
from core.store.table import StoreTable

_DELETED = Revision("delete", "pack")


_PACK = """
    SELECT packs.name, version, base_id, bases.name AS base, folder, initialized_at, checked_at,
           (SELECT count(*) FROM notes WHERE source_ref = 'pack:' || packs.name) AS notes,
           (SELECT count(*) FROM chunks JOIN notes ON notes.id = note_id WHERE source_ref = 'pack:' || packs.name)
           AS chunks
    FROM packs JOIN bases ON bases.id = base_id
"""

# Selects the notes skipped by an upgrade: their last version from the pack differs from the recorded file.
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


# Hashes of files, or ids of notes, keyed by path.
ByPath = TextValues


class PackTable(StoreTable):
    """The table of the packs installed in a workspace."""

    def all(self) -> list[InstalledPack]:
        """Return the installed packs, sorted by name."""
        return self._packs("ORDER BY packs.name")

    def named(self, name: str) -> InstalledPack | None:
        """Return the installed pack with the given name, or None if there is none."""
        return next(iter(self._packs("WHERE packs.name = ?", name)), None)

    def _packs(self, where: str, *values: object) -> list[InstalledPack]:
        return self._nouns(_READER, f"{_PACK} {where}", *values)

    def passed_by(self) -> ByPath:
        """Return the ids of edited notes skipped by an upgrade, each with the hash of the pack's file.

        The hash is "" if the pack no longer contains the note, or if taking the pack's text was undone.
        """
        return dict(self._rows(_PASSED_BY))

    # writing

    def begin(self, pack: Pack, base_id: str, folder: str) -> None:
        """Record a pack before its notes are written."""
        now = utc_now().isoformat()
        self._insert(
            "packs",
            {
                "name": pack.name,
                "version": "",
                "base_id": base_id,
                "folder": folder,
                "initialized_at": now,
                "checked_at": now,
            },
        )

    def finish(self, name: str, version: str, folder: str) -> None:
        """Record that all notes in a version have been written. Also store the pack's folder."""
        self._execute(
            "UPDATE packs SET version = ?, folder = ?, checked_at = ? WHERE name = ?",
            version,
            folder,
            utc_now().isoformat(),
            name,
        )

    def check(self, names: Iterable[str]) -> None:
        """Record that the given packs have just been compared with their folders."""
        self._execute("UPDATE packs SET checked_at = ? WHERE name IN ?", utc_now().isoformat(), list(names), aside=True)

    def drop(self, name: str) -> None:
        """Delete a pack from the table, but keep its notes."""
        self._execute("DELETE FROM packs WHERE name = ?", name)

    # files and notes

    def files(self, name: str) -> ByPath:
        """Return the hashes of a pack's installed files, keyed by path, even for deleted and edited notes."""
        return dict(self._rows("SELECT path, hash FROM pack_files WHERE pack = ?", name))

    def put_file(self, note: Note) -> None:
        """Record the file for a pack's note, in the same transaction that writes the note."""
        self.put_files(note.source_ref.removeprefix("pack:"), {note.location: note.content_hash})

    def put_files(self, name: str, hashes: ByPath) -> None:
        """Record the hashes of a pack's files. `hashes` maps paths to hashes."""
        self._execute_many(
            "INSERT OR REPLACE INTO pack_files SELECT name, ?, ? FROM packs WHERE name = ?",
            [(path, content, name) for path, content in hashes.items()],
            aside=True,
        )

    def drop_files(self, name: str, paths: Iterable[str]) -> None:
        """Delete the records of files that are no longer in a pack."""
        self._execute("DELETE FROM pack_files WHERE pack = ? AND path IN ?", name, list(paths), aside=True)

    def notes(self, name: str) -> ByPath:
        """Return the ids of a pack's notes, keyed by path."""
        return dict(
            self._rows(
                "SELECT path, id FROM notes WHERE source = 'pack' AND source_ref = ? AND path IS NOT NULL",
                f"pack:{name}",
            )
        )


_READER = RowReader(InstalledPack, "pack", "name", key="name")


@frozen
class Upgrade:
    """Updates an installed pack's notes from its folder.

    Each note is written in the same transaction as the hash of its file, so an interrupted upgrade can be resumed.
    """

    store: Store
    pack: Pack
    notes: PackNotes
    installed: InstalledPack

    def apply(self, folder: str, progress: Progress) -> PackReport:
        """Write the changes without embedding them, and return a report."""
        store = self.store
        table = PackTable(store.database)
        name = self.pack.name
        hashes = table.files(name)
        stored = table.notes(name)
        contents = {path: pack_note.note.content_hash for path, pack_note in self.notes.items()}
        drafts = []
        deleted = []
        passed = []
        ids = store.notes.ids() | store.versions.note_ids()
        trashed = {} if hashes else self._trashed()
        forgotten = hashes.keys() - self.notes.keys()
        for path in (*self.notes, *forgotten):
            pack_note = self.notes.get(path)
            before = hashes.get(path)
            note_id = stored.get(path)
            note = store.note(note_id) if note_id and contents.get(path, "") != before else None
            if note and not untouched(store, note):
                passed.append(edited(note, pack_note))
            elif note and pack_note:
                drafts.append(self._draft(pack_note, note))
            elif note:
                deleted.append(note.id)
            elif pack_note and before is None:
                new_id = trashed.get(path) or fresh_id(f"{self.installed.base_id}/{name}/{path}", ids)
                ids.add(new_id)
                drafts.append(self._draft(pack_note, None, new_id))
        if drafts or deleted:
            store.index.open()
        self._write(drafts, progress)
        delete(store, deleted, _DELETED)
        table.put_files(name, contents)
        table.drop_files(name, forgotten)
        table.finish(name, self.pack.version, folder)
        added = sum(draft.change is not None and draft.change.kind == "create" for draft in drafts)
        return PackReport(
            name,
            self.pack.version,
            added,
            changed=len(drafts) - added,
            removed=len(deleted),
            unchanged=len(hashes.items() & contents.items()),
            edited=tuple(passed),
        )

    def take(self, note: Note) -> None:
        """Replace a note with the pack's version, discarding the user's changes.

        If the pack no longer contains the note, move it to the trash.
        """
        self.store.index.open()
        if pack_note := self.notes.get(note.location):
            self._write([self._draft(pack_note, note)], no_progress)
        else:
            delete(self.store, [note.id], _DELETED)

    def offered(self, note: Note) -> Note | None:
        """Return a note with the pack's text, or None if the pack no longer contains the note."""
        pack_note = self.notes.get(note.location)
        return self._draft(pack_note, note).note if pack_note else None

    def _write(self, drafts: Sequence[NoteToIndex], progress: Progress) -> None:
        """Write notes to the bases they are in now, because the user may have moved some of them."""
        for base_id in {draft.note.base_id for draft in drafts}:
            base = self.store.base(base_id)
            own = [draft for draft in drafts if draft.note.base_id == base_id]
            indexer = Indexer(self.store, base, embedding.build(base.embedder))
            for error in indexer.write(own, len(own), progress).failed:
                raise error

    def _draft(self, pack_note: PackNote, stored: Note | None, new_id: str = "") -> NoteToIndex:
        """Return a note with the pack's text, to replace the `stored` note or to be added with the id `new_id`."""
        now = utc_now()
        return NoteToIndex(
            replace(
                pack_note.note,
                id=stored.id if stored else new_id,
                base_id=stored.base_id if stored else self.installed.base_id,
                created_at=pack_note.note.created_at or (stored.created_at if stored else now),
                updated_at=pack_note.note.updated_at or now,
            ),
            outline=pack_note.outline,
            change=Revision("update" if stored else "create", "pack"),
        )

    def _trashed(self) -> ByPath:
        """Return the ids of the notes moved to the trash when this pack was removed, keyed by path."""
        versions = self.store.versions
        notes = [versions.trashed(trashed.version.note_id) for trashed in versions.deleted(self.installed.base_id)]
        return {note.location: note.id for note in notes if note.source_ref == self.pack.source_ref}


def delete(store: Store, note_ids: Sequence[str], change: Revision) -> None:
    """Move notes from one or more bases to the trash."""
    of_base = store.notes.base_ids(note_ids)
    for base_id in set(of_base.values()):
        store.delete_notes(store.base(base_id), [note_id for note_id, of in of_base.items() if of == base_id], change)


def untouched(store: Store, note: Note) -> bool:
    """Return whether a note's text and fields are unchanged since the pack last wrote the note."""
    left = store.versions.last_by(note.id, "pack")
    return left is not None and _values(note) == _values(left)


def edited(note: Note, offered: PackNote | None) -> EditedNote:
    """Return an edited note together with the text offered by its pack."""
    return EditedNote(note.id, note.location, note.title, note.body, offered.note.body if offered else None)


def _values(note: Note) -> Values:
    """Return a note's text and fields for comparison, with tags as a set."""
    return attributes(note, ("body", *NOTE_FIELDS)) | {"tags": set(note.tags)}
