"""The trash: deleted notes with their edits of chunks and versions."""

from collections.abc import Sequence
from dataclasses import replace

from core.intake.folder import free_path
from core.model import Author, KnowledgeBase, Note, Revision, Trashed
from core.notes import filing, naming
from core.notes.writer import Writer
from core.store import Store
from core.store.note_to_index import NoteToIndex


class NoteTrash:
    """The deleted notes of a workspace, restored or deleted for good."""

    def __init__(self, store: Store, writer: Writer) -> None:
        self._store = store
        self._writer = writer

    def put(self, note_ids: Sequence[str], author: Author) -> None:
        """Delete notes; those that aren't stored are left out. The notes of a base go in one transaction."""
        self._store.open_index()
        stored = self._store.notes.base_ids(note_ids)
        for base in self._store.bases.all():
            if here := [note_id for note_id, base_id in stored.items() if base_id == base.id]:
                self._store.delete_notes(base, here, Revision("delete", author))

    def restore(self, note_ids: Sequence[str], author: Author) -> None:
        """Bring deleted notes and archived ones back; raises NoteNotFound for one that is in neither state."""
        change = Revision("restore", author)
        with self._store.changing:
            stored = self._store.notes.base_ids(note_ids)
            gone = [note_id for note_id in dict.fromkeys(note_ids) if note_id not in stored]
            deleted = list(map(self._store.versions.trashed, gone))
            for base in self._store.bases.all():
                self._bring_back(base, [note for note in deleted if note.base_id == base.id], change)
            self._writer.change_all(list(stored), lambda note: replace(note, status="active"), change)

    def _bring_back(self, base: KnowledgeBase, notes: Sequence[Note], change: Revision) -> None:
        """Write deleted notes again, each at a free path; a note whose file is gone then lives in the workspace."""
        sources = {"", *(note.source_ref for note in notes)}
        paths = {source_ref: self._store.notes.paths(base, source_ref) for source_ref in sources}
        drafts = []
        for note in notes:
            if note.in_file and (note.path in paths[note.source_ref] or not filing.exists(note)):
                note = replace(note, source=change.author, source_ref="", overridden={})
            taken = paths[note.source_ref]
            note = replace(note, path=free_path(str(note.path), taken))
            taken.add(str(note.path))
            drafts.append(NoteToIndex(note, change=change))
        self._writer.write(base, drafts)

    def empty(self, note_ids: Sequence[str] | None = None) -> int:
        """Delete deleted notes for good: some, or all; return how many."""
        item = None if note_ids is None else set(note_ids)
        with self._store.changing:
            deleted = (trashed.version.note_id for trashed in self.all())
            chosen = [note_id for note_id in deleted if item is None or note_id in item]
            if chosen:
                self._store.forget_notes(chosen)
        return len(chosen)

    def all(self, base_id: str | None = None) -> list[Trashed]:
        """Return the deleted notes, of all bases or of one, the last deleted first."""
        return self._store.versions.deleted(base_id)

    def named(self, name: str) -> Trashed:
        """Return the deleted note of this id, path or title; raises NoteNotFound, and QueryError for several."""
        deleted = {
            trashed.version.note_id: trashed
            for trashed in self.all()
            if name in (trashed.version.note_id, trashed.path, trashed.version.title)
        }
        return deleted[naming.only(name, deleted)]
