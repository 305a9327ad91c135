"""Which notes are superseded, and by which."""

from collections.abc import Mapping

from core.notes.links import NoteLinks
from core.store import Store


class Succession:
    """The notes that supersede others, read anew when a note has changed; safe to share between threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._read: tuple[tuple[int, int], Mapping[str, tuple[str, ...]]] | None = None

    def successors(self) -> Mapping[str, tuple[str, ...]]:
        """Return the ids of the active notes that supersede each superseded note.

        A note says what it supersedes by a path, a file name, a title or an alias.
        """
        stamp = self._store.database.version(), self._store.fields.expired()
        read = self._read
        if read is None or read[0] != stamp:
            self._read = read = stamp, self._successors()
        return read[1]

    def _successors(self) -> Mapping[str, tuple[str, ...]]:
        superseding = self._store.fields.superseding()
        if not superseding:
            return {}
        links = NoteLinks(self._store)
        successors: dict[str, dict[str, None]] = {}
        for note_id in superseding:
            note = self._store.notes.note(note_id)
            for link in links.of(note, note.supersedes):
                if link.note_id:
                    successors.setdefault(link.note_id, {})[note_id] = None
        return {old: tuple(new) for old, new in successors.items()}
