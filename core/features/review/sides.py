"""Notes with two texts of which one is to be chosen: an upgrade of a pack met an edit, or a file was doubled."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from core.base.errors import EditError, UnknownChoice
from core.features.packs.collection import Packs
from core.features.review.second_texts import SecondTexts
from core.model import SIDES, Note, NoteDifference, NoteSummary, ReviewItem, Side
from core.notes.collection import Notes
from core.store import Store

Undo = Callable[[], object]


class TextConflicts:
    """The notes with two texts, and the choice of one or both."""

    def __init__(self, store: Store, notes: Notes, packs: Packs) -> None:
        self._store = store
        self._notes = notes
        self._packs = packs
        self._second_texts = SecondTexts(store)

    def upgrades(self) -> Iterator[tuple[NoteSummary, str]]:
        """Yield the notes that upgrades of their packs passed by, with the hash of what the pack has for each."""
        passed = self._store.packs.passed_by()
        cards = self._notes.cards_of(passed)
        yield from ((cards[note_id], offered) for note_id, offered in passed.items() if note_id in cards)

    def pairs(self) -> Mapping[str, str]:
        """Return the ids of active notes of second texts, each with that of the note of its file."""
        return self._second_texts.pairs()

    def files(self) -> Iterator[tuple[NoteSummary, NoteSummary]]:
        """Yield the active notes of files with a second text beside them, and the notes of that."""
        pairs = self.pairs()
        cards = self._notes.cards_of({*pairs, *pairs.values()})
        for copy_id, own in pairs.items():
            two = tuple(cards[note_id] for note_id in (own, copy_id) if note_id in cards)
            if len(two) == 2:
                yield two

    def other(self, matter: ReviewItem) -> Note | None:
        """Return the note of a matter with its other text; None for a pack that has the note no more.

        Raises NoteNotFound, PackError for a pack that can't be read, and EditError for a matter of another kind.
        """
        if matter.kind == "upgrade" and matter.note:
            return self._packs.offered(matter.note.id)
        if matter.kind == "file" and matter.other:
            return self._notes.get(matter.other.id)
        raise EditError("This waits for another decision.")

    def difference(self, matter: ReviewItem) -> NoteDifference | None:
        """Return what the other text of a matter would change in its note, None for one that would go."""
        other = self.other(matter)
        return self._notes.compare(self._notes.get(str(matter.note_id)), other) if other else None

    def settle(self, matter: ReviewItem, side: Side, let_be: Undo, reopen: Undo) -> Undo:
        """Choose a side of a matter, and return what undoes it; with `let_be` it waits no longer, with `reopen` again.

        The text that isn't chosen stays in the history, in the archive or in the trash. Raises UnknownChoice for a
        side, Conflict for a note that was changed since, and as `other` and `Notes.update`.
        """
        if side not in SIDES:
            raise UnknownChoice("side", side, SIDES)
        other = self.other(matter) if side != "mine" or matter.kind == "file" else None
        if matter.kind == "file" and side != "both" and other:
            return self._take_file_side(matter, other, side)
        if side == "theirs":
            return self._take_pack_side(matter, other)
        if side == "both" and matter.kind == "upgrade":
            if other is None:
                raise EditError("The pack no longer has this note. Keep it, or put it into the trash.")
            title = f"{other.title} ({other.source_ref.removeprefix('pack:')})"
            added = self._notes.add(matter.base, other.body, title=title, tags=other.tags, author="person", embed=False)
            reopen = partial(_both, partial(self._notes.delete, added.id), reopen)
        let_be()
        return reopen

    def _take_file_side(self, matter: ReviewItem, other: Note, side: Side) -> Undo:
        back = partial(self._notes.restore, [other.id], embed=False)
        if side == "theirs":
            before, note_id = self._version(matter), str(matter.note_id)
            self._notes.update(note_id, body=other.body, expected_version=before, author="person", embed=False)
            back = partial(_both, partial(self._notes.revert, note_id, before, embed=False), back)
        self._notes.archive([other.id])
        return back

    def _take_pack_side(self, matter: ReviewItem, other: Note | None) -> Undo:
        note_id, before = str(matter.note_id), self._version(matter)
        self._packs.take(note_id, before)
        if other is None:
            return partial(self._notes.restore, [note_id], embed=False)
        return partial(
            _both, partial(self._notes.revert, note_id, before, embed=False), partial(self._packs.leave, note_id)
        )

    def _version(self, matter: ReviewItem) -> int:
        return matter.note.version if matter.note else 0


def _both(first: Undo, second: Undo) -> None:
    first()
    second()
