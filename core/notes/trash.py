"""The trash, which holds deleted notes with their files until they are restored or permanently deleted."""

from collections import defaultdict, deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path

from core.base.call_log import log_call
from core.base.errors import NoteNotFound, SourceError
from core.indexing.bases import Bases
from core.intake.folder import content_hash, is_entered
from core.model import Author, KnowledgeBase, Note, Revision, Trashed
from core.notes import file_writing
from core.notes.file_writing import FileChange, is_synced, plan_removal, put_away, read_synced
from core.notes.links import NoteLinks
from core.notes.texts import title_filename
from core.notes.writer import Files, Writer, check_version
from core.settings.config import Settings
from core.store import Store
from core.store.editing_tables import FileStep
from core.store.note_rows import NoteNames
from core.store.note_to_index import NoteToIndex
from core.store.table import NoteIds

# Maximum total size of the files in a transaction, in bytes. Larger deletions are split to save memory.
_MOST_BYTES = 50_000_000


@dataclass
class Trash:
    """The notes in the trash. Changes raise WorkspaceLocked in a read-only workspace."""

    _store: Store
    _settings: Settings
    _bases: Bases
    _writer: Writer
    _files: Files

    def __post_init__(self) -> None:
        self.stays = timedelta(days=self._settings.trash_days)
        """How long a deleted note can be restored."""

    def all(self, base: str | None = None) -> list[Trashed]:
        return self._store.versions.deleted(self._bases.get(base).id if base else None)

    def resolve(self, name: str) -> Trashed:
        """Return the deleted note with the given name. Raises the same errors as `Notes.resolve`."""
        deleted = {trashed.version.note_id: trashed for trashed in self.all()}
        links = NoteLinks(
            self._store,
            [
                NoteNames(note_id, trashed.base_id, trashed.source_ref, trashed.path, trashed.version.title, ())
                for note_id, trashed in deleted.items()
            ],
        )
        return deleted[links.single(name)]

    @log_call("note.delete")
    def put(self, note_ids: NoteIds | str, *, author: Author = "person") -> set[Path]:
        """Move notes to the trash, with their versions and chunk edits, and return any folders used for their files.

        Notes already in the trash stay there. If a base writes files, a note's file goes to the system trash, or to a
        folder if there is no system trash. All other files stay where they are, and updates of their folder ignore them
        until they change. A program can delete files only if the base trusts programs. Raises NoteNotFound before any
        note is moved.
        """
        chosen = [note_ids] if isinstance(note_ids, str) else note_ids
        store = self._store
        self._check_known(chosen)
        store.log_notes(chosen)
        store.index.open()
        folders = set[Path]()
        with store.changing:
            waiting = deque(store.notes.base_ids(chosen).items())
            bases = {base.id: base for base in store.bases.all()}
            while waiting:
                group = defaultdict(list)
                removals = []
                size = 0
                while waiting and size <= _MOST_BYTES:
                    note_id, base_id = waiting.popleft()
                    note = store.note(note_id) if bases[base_id].writes_files_of(author) else None
                    if note and note.in_file and file_writing.exists(note):
                        if note.in_text_file:
                            with suppress(SourceError):  # a file that is no longer a note is deleted unchanged
                                note = self._files.read(note_id)
                        removals.append(plan_removal(note))
                        size += len(removals[-1].step.before or b"")
                    group[base_id].append(note_id)
                with self._writer.files.carry_out(removals, put_away) as places:
                    for removal in removals:
                        store.documents.keep(removal.note.content_hash, removal.step.before or b"")
                    for base_id, here in group.items():
                        store.delete_notes(bases[base_id], here, Revision("delete", author))
                folders.update(filter(None, places.values()))
        return folders

    def _check_known(self, note_ids: Iterable[str]) -> None:
        """Raise NoteNotFound if an id belongs to neither a note nor a deleted note."""
        for note_id in note_ids:
            if not self._store.versions.last(note_id):
                raise NoteNotFound(note_id)

    @log_call("note.take_back")
    def take_back(self, note_id: str, *, expected_version: int | None = None) -> None:
        """Move a note that was just created to the trash, along with its file.

        Before anything is changed, raises Conflict if the note or its file has changed since it was created.
        """
        with self._store.changing:
            note = self._store.note(note_id)
            check_version(note, expected_version)
            if self._files.is_writable(note) and file_writing.exists(note):
                read_synced(note)
            self.put(note_id)

    @log_call("note.restore")
    def restore(self, note_ids: NoteIds, *, author: Author = "person", embed: bool = True) -> None:
        """Restore deleted notes from the trash, and make archived notes active again.

        If a base writes files, the file of a restored note is written again. Otherwise, a note whose file is gone
        becomes a note without a file. Raises NoteNotFound if a note is neither stored nor in the trash.
        """
        change = Revision("restore", author)
        with self._store.changing:
            stored = self._store.notes.base_ids(note_ids)
            deleted = [
                self._store.versions.trashed(note_id) for note_id in dict.fromkeys(note_ids) if note_id not in stored
            ]
            for note in deleted:
                self._bring_back(self._store.base(note.base_id), note, change)
            self._writer.change_all(list(stored), partial(replace, status="active"), change)
        self._store.log_notes(note_ids)
        self._writer.index(note_ids, embed=embed)

    def _bring_back(self, base: KnowledgeBase, note: Note, change: Revision) -> None:
        """Restore a deleted note, with its file, at a free path.

        If the file is gone and can't be written again, the note becomes a note without a file.
        """
        root = note.folder
        path = note.location
        files = []
        is_there = is_synced if base.write_files else file_writing.exists
        if not note.in_file or self._store.notes.has_path(base, path, note.source_ref) or not is_there(note):
            writes = note.in_file and base.writes_files_of(change.author) and root.is_dir() and is_entered(root, path)
            data = self._store.documents.original(note.content_hash) if writes else None
            if note.in_file and data is None:
                note = replace(note, source=change.author, source_ref="", overridden={})
            note = replace(
                note, path=self._writer.free_path(replace(note, path=None), path or title_filename(note.title))
            )
            if data is not None:
                files.append(
                    FileChange(
                        FileStep(note.source_ref, note.location, note.location, b"", content_hash(data)),
                        note,
                        note,
                        data,
                    )
                )
        with self._writer.files.carry_out(files, lambda new: file_writing.create(root, new.step.path, new.data)):
            self._writer.write(base, [NoteToIndex(note, change=change)])

    @log_call("note.delete_for_good")
    def delete_for_good(self, note_ids: NoteIds) -> int:
        """Permanently delete notes in the trash, with their versions and edits, and return the number deleted.

        Raises NoteNotFound if an id is unknown.
        """
        with self._store.changing:
            self._check_known(note_ids)
            if chosen := list({trashed.version.note_id for trashed in self.all()}.intersection(note_ids)):
                self._store.forget_notes(chosen)
        return len(chosen)

    def empty(self) -> int:
        """Permanently delete all notes in the trash, and return the number deleted."""
        return self.delete_for_good([trashed.version.note_id for trashed in self.all()])
