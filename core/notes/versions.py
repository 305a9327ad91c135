"""Versions of a note, one per change, each with the whole note."""

from core.base.errors import NoteNotFound
from core.model import Author, Note, NoteDifference, Revision, Version
from core.notes import difference
from core.notes.texts import restore_version
from core.notes.writer import Writer
from core.store import Store


class Versions:
    """Versions of all notes, including deleted ones."""

    compare = staticmethod(difference.between)
    merge_texts = staticmethod(difference.merge_texts)

    def __init__(self, store: Store, writer: Writer) -> None:
        self._store, self._writer = store, writer

    def all(self, note_id: str) -> list[Version]:
        """Return the versions of a note, newest first; raises NoteNotFound. The note may be deleted."""
        if versions := self._store.versions.for_note(note_id):
            return versions
        raise NoteNotFound(note_id)

    def get(self, note_id: str, number: int) -> Note:
        """Return an earlier version of a note; raises VersionNotFound."""
        return self._store.versions.note(note_id, number)

    def difference(self, note_id: str, first: int, second: int) -> NoteDifference:
        """Return the differences between two versions of a note, word by word; raises VersionNotFound."""
        return difference.between(self.get(note_id, first), self.get(note_id, second))

    def revert(
        self,
        note_id: str,
        number: int,
        *,
        expected_version: int | None = None,
        author: Author = "person",
        embed: bool = True,
    ) -> Note:
        """Restore the title, text and fields of a note from an earlier version, as a new version; return the note."""
        old = self.get(note_id, number)
        return self._writer.change(
            note_id, lambda note: restore_version(note, old), Revision("revert", author), expected_version, embed=embed
        )
