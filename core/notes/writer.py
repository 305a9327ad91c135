"""The one way in which notes are changed: read, changed and written as a new version while nothing else writes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import PurePosixPath

from core import embedding
from core.base.call_log import log_bases, log_call
from core.base.errors import Conflict, EditError
from core.indexing.chunks import Chunks
from core.indexing.indexer import Indexed, Indexer
from core.intake.folder import free_path
from core.markdown.body import BodyMetadata
from core.model import KnowledgeBase, Note, Revision
from core.notes import filing, naming
from core.notes.fields import overriding
from core.notes.texts import at_path, with_body, with_title
from core.store import Store
from core.store.note_to_index import NoteToIndex

Change = Callable[[Note], Note]


class Writer:
    """Writes the notes of a workspace. Its methods raise WorkspaceLocked where it is open for reading only."""

    def __init__(self, store: Store, chunks: Chunks) -> None:
        self._store = store
        self.embed = chunks.embed_written

    @log_call("note.change")
    def change(
        self,
        note_id: str,
        change: Change,
        as_what: Revision,
        expected_version: int | None = None,
        *,
        body: str | None = None,
        embed: bool = False,
    ) -> Note:
        """Apply a function to a note, then set its `body`; write it as a new version, unless nothing changes.

        Return the note. Raises NoteNotFound, and Conflict if the note's version isn't the expected one.
        """
        with self._store.changing:
            self._store.database.check_writable()
            note = self._store.notes.note(note_id)
            check_version(note, expected_version)
            base = self._store.bases.by_id(note.base_id)
            log_bases([base])
            changed, inside = change(note), None
            if body is not None:
                rewritten = with_body(changed, body)
                changed, inside = rewritten.note, rewritten.inside
            if (body is not None and as_what.author == "person") or not changed.title:
                changed = with_title(note, changed, inside)
            if changed == note:
                return note
            if as_what.joins and changed.title != note.title and self._store.versions.kind(note.id) == "create":
                changed = self._renamed(changed)
            changed = replace(changed, updated_at=datetime.now(UTC))
            self._save(base, note, changed, as_what, inside)
        if embed and changed.body != note.body:
            self.embed([note_id])
        return self._store.notes.note(note_id)

    @log_call("note.change")
    def change_all(
        self, note_ids: Sequence[str], change: Change, as_what: Revision, expected_version: int | None = None
    ) -> None:
        """Change several notes as a function says; the fields of those that aren't written to files in one transaction.

        Raises NoteNotFound and Conflict before anything is written.
        """
        with self._store.changing:
            self._store.database.check_writable()
            now = datetime.now(UTC)
            notes = [self._store.notes.note(note_id) for note_id in dict.fromkeys(note_ids)]
            for note in notes:
                check_version(note, expected_version)
            pairs = [(note, changed) for note in notes if (changed := change(note)) != note]
            bases = {base.id: base for base in self._store.bases.all()}
            described = []
            for note, changed in pairs:
                base, changed = bases[note.base_id], replace(changed, updated_at=now)
                if _is_described(base, note, changed):
                    described.append(self._described(note, changed))
                else:
                    self._save(base, note, changed, as_what)
            self._store.describe(described, as_what)
            log_bases(bases[item] for item in dict.fromkeys(note.base_id for note in notes))

    @log_call("note.sync")
    def take_file(self, note_id: str) -> Note:
        """Read a note from its file as that is now, as a version of a sync; return the note."""
        with self._store.changing:
            self._store.database.check_writable()
            note = self._store.notes.note(note_id)
            read = filing.read(note)
            if read.note.content_hash != note.content_hash:
                self.write(self._store.bases.by_id(note.base_id), [replace(read, change=Revision("sync", "sync"))])
        return self._store.notes.note(note_id)

    def write(self, base: KnowledgeBase, notes: Sequence[NoteToIndex], *, strict: bool = True) -> Indexed:
        """Write notes, so that their words find them; return what was written.

        With `strict` raises SourceError for a note that can't be cut, else it is among those that failed.
        """
        if not notes:
            return Indexed()
        log_bases([base])
        done = Indexer(self._store, base, embedding.build(base.embedder)).write(notes, len(notes))
        if strict and done.failed:
            raise done.failed[0]
        return done

    def _save(
        self, base: KnowledgeBase, note: Note, changed: Note, as_what: Revision, inside: BodyMetadata | None = None
    ) -> None:
        """Write a changed note, and its file where the base writes files; `inside` is what its new text says."""
        if _is_described(base, note, changed):
            self._store.describe([self._described(note, changed)], as_what)
        elif note.in_text_file and base.write_files:
            self.write(base, [replace(filing.write(note, changed, inside), change=as_what)])
        else:
            check_text_writable(base, note, changed)
            changed = overriding(note, changed) if note.in_file else changed
            outline = inside.outline if inside else None
            stored_as = self._store.notes.indexed_as(note.id)
            self.write(base, [NoteToIndex(changed, change=as_what, outline=outline, **stored_as)])

    def _renamed(self, note: Note) -> Note:
        """Return a note that is being made at the path of its present title; a file stays where it is."""
        if note.source_ref:
            return note
        path = str(PurePosixPath(note.path or "").with_name(naming.title_filename(note.title)))
        others = self._store.notes.paths(self._store.bases.by_id(note.base_id)) - {note.path}
        return at_path(note, free_path(path, others))

    def _described(self, note: Note, changed: Note) -> Note:
        """Return a note with changed fields as its next version."""
        changed = overriding(note, changed) if note.in_file else changed
        return replace(changed, version=self._store.versions.last(note.id) + 1)


def _is_described(base: KnowledgeBase, note: Note, changed: Note) -> bool:
    """Return whether a note differs only in fields that are in no chunk and in no file."""
    written = note.in_text_file and base.write_files
    return not written and (changed.title, changed.body) == (note.title, note.body)


def check_text_writable(base: KnowledgeBase, note: Note, changed: Note) -> None:
    """Raise EditError for another text of a file in a base that doesn't write files, and of a document."""
    if note.in_file and note.document and changed.body != note.body:
        raise EditError(
            "The text of '{path}' is converted from a document. Edit the document, or a copy of the note.",
            path=str(note.path),
        )
    if note.in_file and not base.write_files and changed.body != note.body:
        raise EditError(
            "'{path}' is a file, and its base doesn't write to files. Let it do so, or edit a copy.",
            path=str(note.path),
        )


def check_version(note: Note, expected: int | None) -> None:
    """Raise Conflict for a note that isn't of the version that was expected, if one was."""
    if expected not in (None, note.version):
        raise Conflict(
            "'{title}' was changed meanwhile: it is version {now} now, and you changed version {before}.",
            note,
            int(expected or 0),
            title=note.title,
            now=note.version,
            before=expected,
        )
