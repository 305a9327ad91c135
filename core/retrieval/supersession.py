"""The notes that supersede others, and the order of superseded candidates: behind their successors, no further."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.model import Chunk
from core.notes.links import NoteLinks
from core.store import Store

NewerNotes = Mapping[str, Sequence[str]]
"""The ids of the active notes that supersede each superseded note."""


class Successors:
    """The notes that supersede others, read anew when a note has changed; safe to share between threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._read: tuple[object, NewerNotes] | None = None

    def read(self) -> NewerNotes:
        """Return the newer notes of each; a note says what it supersedes by a path, file name, title or alias."""
        stamp, read = self._store.fields.version(), self._read
        if read is None or read[0] != stamp:
            self._read = read = stamp, self._successors()
        return read[1]

    def _successors(self) -> NewerNotes:
        superseding = self._store.fields.superseding()
        if not superseding:
            return {}
        links = NoteLinks(self._store)
        successors: dict[str, dict[str, None]] = {}
        for note_id in superseding:
            note = self._store.notes.note(note_id)
            for link in links.resolve(note, note.supersedes):
                if link.note_id:
                    successors.setdefault(link.note_id, {})[note_id] = None
        return {old: tuple(new) for old, new in successors.items()}


def demote_superseded(
    order: Sequence[int], chunks: Mapping[int, Chunk], hits: Iterable[int], successors: NewerNotes
) -> Sequence[int]:
    """Return the candidates with those of each superseded note behind the first hit of every note that supersedes it.

    `hits` are the candidates that are shown, of which some are superseded. All others keep their order; notes that
    supersede each other do too.
    """
    first: dict[str, int] = {}
    for rowid in sorted(hits, key={rowid: place for place, rowid in enumerate(order)}.__getitem__):
        first.setdefault(chunks[rowid].note_id, rowid)
    waits = {
        old: {
            first[new]
            for new in successors.get(old, ())
            if new in first and not _is_superseded_by(new, old, successors)
        }
        for old in first
    }
    if not any(waits.values()):
        return order
    postponed: list[int] = []
    done: set[int] = set()

    def passed(rowids: Sequence[int]) -> Iterator[int]:
        for rowid in rowids:
            if waits.get(chunks[rowid].note_id, set()) <= done:
                done.add(rowid)
                yield rowid
            else:
                postponed.append(rowid)

    result: list[int] = []
    for rowid in order:
        waiting = [rowid]
        while freed := list(passed(waiting)):
            result += freed
            waiting, postponed = postponed, []
    return [*result, *postponed]


def _is_superseded_by(old: str, new: str, successors: NewerNotes) -> bool:
    """Return whether a note is superseded, directly or over others, by another."""
    seen, waiting = {old}, [old]
    while waiting:
        for successor in successors.get(waiting.pop(), ()):
            if successor == new:
                return True
            if successor not in seen:
                seen.add(successor)
                waiting.append(successor)
    return False
