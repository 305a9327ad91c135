"""What waits for a person, of all kinds and bases, and the decisions on it that no other room takes."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from core.base.errors import EditError, UnknownChoice
from core.base.text import digest
from core.features.packs.collection import Packs
from core.features.review.likeness import Likeness, Pair
from core.features.review.reminders import Reminders
from core.features.review.sides import Sides
from core.indexing.chunks import Chunks
from core.model import MATTERS, Matter, MatterKind, Note, NoteCard, SearchOptions, Side, lapses
from core.notes.collection import Notes
from core.notes.proposals import Proposals
from core.retrieval.supersession import Successors
from core.store import Store

if TYPE_CHECKING:
    from core.retrieval.engine import SearchEngine

LATER = timedelta(days=7)
"""Time for which a matter is put off."""
_WORDS = re.compile(r"\w+")
_COMPARED = 300
"""Characters of a new note by which the nearest one is looked for."""
MOST = 500
"""Matters of a kind that are read."""


class Review:
    """What waits for a person: notes and changes by programs, notes with two texts, edits without a place, refused
    passages, expired and replaced notes, copies and contradictions.
    """

    def __init__(
        self,
        store: Store,
        notes: Notes,
        chunks: Chunks,
        proposals: Proposals,
        packs: Packs,
        searching: Callable[[], "SearchEngine"],
        reminders: Reminders,
    ) -> None:
        """Take the parts; the engine is built when a nearest note is looked for, for a count is on every page."""
        self._store = store
        self._notes = notes
        self._chunks = chunks
        self._proposals = proposals
        self._searching = searching
        self._successors = Successors(store)
        self.sides = Sides(store, notes, packs)
        """The notes with two texts."""
        self.reminders = reminders
        self.likeness = Likeness(store)
        """The copies and contradictions among the notes."""
        self._sources: dict[MatterKind, Callable[[], Iterator[Matter]]] = {
            "note": self._submissions,
            "change": self._submissions,
            "conflict": self._submissions,
            "upgrade": self._upgrades,
            "file": self._files,
            "split": self._splits,
            "refused": self._refused,
            "expired": self._expired,
            "superseded": self._superseded,
            "copy": lambda: self._pairs("copy", self._apart(self.likeness.copies())),
            "contradiction": lambda: self._pairs("contradiction", self._apart(self.likeness.contradictions())),
            "reminder": self._reminders,
        }

    def all(self, *, kinds: Iterable[str] = (), base: str = "") -> list[Matter]:
        """Return what waits, by kind and then the oldest first; all kinds without one, all bases without one.

        Raises UnknownChoice for a kind.
        """
        wanted = set(kinds) or MATTERS.keys()
        if unknown := sorted(wanted - MATTERS.keys()):
            raise UnknownChoice("kind", unknown[0], MATTERS)
        chosen: list[MatterKind] = [kind for kind in MATTERS if kind in wanted]
        hidden = self._store.decisions.out_of_sight()
        sources = dict.fromkeys(self._sources[kind] for kind in chosen)
        waiting = [one for source in sources for one in source() if one.kind in chosen and one.key not in hidden]
        order = {kind: place for place, kind in enumerate(MATTERS)}
        return sorted(
            (one for one in waiting if base in ("", one.base)), key=lambda one: (order[one.kind], str(one.at), one.key)
        )

    def count(self) -> int:
        """Return the number of what waits, without the kinds that take a reading of all notes."""
        return len(self.all(kinds=[kind for kind, type_ in MATTERS.items() if type_.quick]))

    def get(self, key: str) -> Matter:
        """Return what waits by its key; raises EditError for what waits no longer."""
        one = next((one for one in self.all(kinds=_kinds(key)) if one.key == key), None)
        if one is None:
            raise EditError("This waits for you no longer. Look at the list again.")
        return one

    def postpone(self, keys: Collection[str]) -> None:
        """Put matters off for a week."""
        self._store.decisions.put(keys, datetime.now(UTC) + LATER)

    def let_be(self, keys: Collection[str]) -> None:
        """Let matters be as they are: they come back only when they change."""
        self._store.decisions.put(keys, None)

    def reopen(self, keys: Collection[str]) -> None:
        """Take back that matters were put off or let be."""
        self._store.decisions.drop(keys)

    def settle(self, one: Matter, side: Side) -> Callable[[], object]:
        """Choose a side of a note with two texts, and return what undoes it; raises as `Sides.settle`."""
        return self.sides.settle(one, side, partial(self.let_be, [one.key]), partial(self.reopen, [one.key]))

    def nearest(self, one: Matter) -> NoteCard | None:
        """Return the note of its base that is nearest to a new note, None where no note is near."""
        if one.note is None:
            return None
        note = self._store.notes.note(one.note.id)
        words = _WORDS.findall(f"{note.title} {note.body[:_COMPARED]}")
        options = SearchOptions(bases=[one.base], limit=1, reranker="none", wait=False)
        if not words:
            return None
        engine = self._searching()
        result = engine.answer(engine.prepare(" ".join(words), options))
        return result.hits[0].note if result.hits and result.confident else None

    def merge(self, one: Matter, into: str) -> Note:
        """Add the text of a new note to the end of another one, and put the new note into the trash; return the other.

        Raises EditError for anything but a new note, Conflict for one that was changed since, and as `Notes.update`.
        """
        if one.submission is None or one.submission.change or one.submission.note.id == into:
            raise EditError("Only a new note can be added to another one.")
        with self._store.changing:
            self._proposals.current([one.submission])
            new, old = self._store.notes.note(one.submission.note.id), self._store.notes.note(into)
            body = f"{old.body.rstrip()}\n\n{new.body.strip()}\n"
            merged = self._notes.update(into, body=body, expected_version=old.version, author="person", embed=False)
            self._proposals.reject([one.submission])  # what a log says isn't suggested again
        return merged

    # the kinds

    def _submissions(self) -> Iterator[Matter]:
        for one in self._proposals.all():
            key = _key(one.kind, one.note.id, one.note.version, one.change and one.change.at)
            yield Matter(one.kind, key, one.note, one.note.base, one.note.title, one.at, submission=one)

    def _reminders(self) -> Iterator[Matter]:
        for card in self.reminders.due():
            yield Matter("reminder", _key("reminder", card.id), card, card.base, card.title, card.updated_at)

    def _upgrades(self) -> Iterator[Matter]:
        for card, offered in self.sides.upgrades():
            key = _key("upgrade", card.id, offered)  # a later edit is no new question, another text of the pack is
            yield Matter("upgrade", key, card, card.base, card.title, card.updated_at)

    def _files(self) -> Iterator[Matter]:
        for first, second in self.sides.files():
            key = _key("file", first.id, second.id, second.version)
            yield Matter("file", key, first, first.base, first.title, second.updated_at, second)

    def _splits(self) -> Iterator[Matter]:
        for one in self._chunks.flagged():
            note = one.note
            title = note.title if note else ""
            yield Matter("split", _key("split", one.edit.id), note, note.base if note else "", title, flagged=one)

    def _refused(self) -> Iterator[Matter]:
        refused = self._chunks.refused()[:MOST]
        cards = self._notes.cards_of({one.note_id for one in refused})
        for one in refused:
            note = cards.get(one.note_id)
            yield Matter(
                "refused",
                _key("refused", one.chunk_id, one.at),
                note,
                one.base,
                one.title,
                _moment(one.at),
                refused=one,
            )

    def _expired(self) -> Iterator[Matter]:
        now = datetime.now(UTC)
        for card in self._notes.expiring(days=0):
            if card.expires_at and (end := lapses(card.expires_at)) <= now:
                yield Matter("expired", _key("expired", card.id, end), card, card.base, card.title, card.expires_at)

    def _superseded(self) -> Iterator[Matter]:
        newer = self._successors.read()
        cards = self._notes.cards_of({*newer, *(name for names in newer.values() for name in names)})
        for old, successors in newer.items():
            card, other = cards.get(old), cards.get(successors[0])
            if card and other and card.status == "active":
                key = _key("superseded", old, card.version, other.id)
                yield Matter("superseded", key, card, card.base, card.title, other.updated_at, other)

    def _apart(self, pairs: Iterator[Pair]) -> Iterator[Pair]:
        """Yield the pairs without those whose files are second texts: they are listed as such."""
        files = set(self.sides.pairs().items())
        yield from (one for one in pairs if not {(one.first, one.second), (one.second, one.first)} & files)

    def _pairs(self, kind: MatterKind, pairs: Iterator[Pair]) -> Iterator[Matter]:
        listed = [pair for pair, _ in zip(pairs, range(MOST), strict=False)]
        cards = self._notes.cards_of({note_id for pair in listed for note_id in (pair.first, pair.second)})
        newer = self._successors.read()
        for pair in listed:
            if pair.second in newer.get(pair.first, ()) or pair.first in newer.get(pair.second, ()):
                continue  # which of them holds is settled
            first, second = cards.get(pair.first), cards.get(pair.second)
            if first and second:
                older, later = _by_age(first, second)
                key = _key(kind, first.id, first.version, second.id, second.version)
                quotes = pair.quotes[::-1] if later is second else pair.quotes
                yield Matter(kind, key, later, later.base, later.title, later.updated_at, older, quotes)


def _key(kind: MatterKind, *state: object) -> str:
    """Return the name of a matter as it is: its kind, and a hash of what it is about and in which state."""
    return f"{kind}-{digest(json.dumps(state, default=str)).hex()[:12]}"


def _kinds(key: str) -> list[str]:
    kind = key.partition("-")[0]
    return [kind] if kind in MATTERS else [*MATTERS]


def _by_age(first: NoteCard, second: NoteCard) -> tuple[NoteCard, NoteCard]:
    """Return two notes, the one that was changed last behind the other."""
    times = [one.updated_at or datetime.min.replace(tzinfo=UTC) for one in (first, second)]
    return (first, second) if times[0] <= times[1] else (second, first)


def _moment(stored: str) -> datetime | None:
    """Return a stored time, None for one that can't be read."""
    with suppress(ValueError):
        return datetime.fromisoformat(stored)
    return None
