"""The versions of a note, one for each change, with the whole note after it."""

from core.base.errors import NoteNotFound
from core.model import Author, Note, NoteDifference, Revision, Version
from core.notes import difference
from core.notes.texts import restore_version
from core.notes.writer import Writer
from core.store import Store


class Versions:
    """The versions of all notes, including deleted ones."""

    compare = staticmethod(difference.between)
    merge_texts = staticmethod(difference.merge_texts)

    def __init__(self, store: Store, writer: Writer) -> None:
        self._store, self._writer = store, writer

    def all(self, note_id: str) -> list[Version]:
        """Return the versions of a note, which may be deleted, newest first; raises NoteNotFound."""
        if versions := self._store.versions.for_note(note_id):
            return versions
        raise NoteNotFound(note_id)

    def get(self, note_id: str, number: int) -> Note:
        """Return the note in a version; raises VersionNotFound."""
        return self._store.versions.note(note_id, number)

    def difference(self, note_id: str, first: int, second: int) -> NoteDifference:
        """Return what differs between two versions of a note, word by word; raises VersionNotFound."""
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
        """Give a note the title, text and fields of one of its versions, as a new version; return the note."""
        old = self.get(note_id, number)
        return self._writer.change(
            note_id, lambda note: restore_version(note, old), Revision("revert", author), expected_version, embed=embed
        )
