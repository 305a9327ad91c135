"""Items from all bases that wait for the user, and the decisions on them that no other feature handles."""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice

from core.base.datetimes import utc_now
from core.base.errors import EditError, UnknownChoice
from core.base.frozen import frozen
from core.base.text import digest
from core.features.review.digest import DigestDay, DigestDays
from core.features.review.reminders import DecisionTable, Reminders
from core.features.review.two_texts import TextConflicts, Upgrades
from core.indexing.chunks import Chunks
from core.model import (
    MATTERS,
    Digest,
    MatterKind,
    Note,
    NoteChange,
    NotePair,
    NoteSummary,
    ReviewItem,
    Side,
    Submission,
    lapses,
)
from core.notes.collection import Notes
from core.notes.proposals import Proposals
from core.notes.trash import Trash
from core.notes.versions import Versions
from core.retrieval.neighbours.service import Neighbours
from core.retrieval.ranking import newer_notes
from core.store import Store

LATER = timedelta(days=7)
"""How long an item is postponed."""
_WORDS = re.compile(r"\w+")
_COMPARED = 300
"""Number of characters of a new note that are used to find the nearest note."""
MOST = 500
"""Maximum number of refused passages, and of pairs per kind, to list."""
_NEVER = datetime.min.replace(tzinfo=UTC)


@frozen
class ReviewParts:
    """The parts of a workspace that items come from; `upgrades` is None without the feature of packs."""

    store: Store
    notes: Notes
    versions: Versions
    trash: Trash
    chunks: Chunks
    proposals: Proposals
    neighbours: Neighbours
    upgrades: Upgrades | None = None


class Review:
    """The items that wait for the user.

    They are new notes and changes from programs, notes with two texts, edits without a place, refused passages, expired
    and superseded notes, copies, contradictions, and reminders.
    """

    def __init__(self, parts: ReviewParts, reminders: Reminders, days: DigestDays) -> None:
        self._store = store = parts.store
        self._table = DecisionTable(store.database)
        self._notes = parts.notes
        self._chunks = parts.chunks
        self._proposals = parts.proposals
        self._neighbours = parts.neighbours
        self.sides = TextConflicts(store, parts.notes, parts.versions, parts.trash, parts.upgrades)
        """The notes with two texts."""
        self.reminders = reminders
        self.days = days
        self._sources: dict[MatterKind, Callable[[], Iterator[ReviewItem]]] = {
            "note": self._submissions,
            "change": self._submissions,
            "conflict": self._submissions,
            "upgrade": self._upgrades,
            "file": self._files,
            "split": self._splits,
            "refused": self._refused_passages,
            "expired": self._expired_notes,
            "superseded": self._superseded_notes,
            "copy": lambda: self._pairs("copy", parts.neighbours.likeness.copies()),
            "contradiction": lambda: self._pairs("contradiction", parts.neighbours.likeness.contradictions()),
            "reminder": self._reminders,
        }

    def all(self, *, kinds: Iterable[str] = (), base: str = "") -> list[ReviewItem]:
        """Return the waiting items by kind, then the oldest first; by default of all kinds and all bases.

        Raises UnknownChoice for a kind.
        """
        wanted = set(kinds) or MATTERS.keys()
        if unknown := sorted(wanted - MATTERS.keys()):
            raise UnknownChoice("kind", unknown[0], MATTERS)
        chosen: list[MatterKind] = [kind for kind in MATTERS if kind in wanted]
        hidden = self._table.hidden_keys()
        sources = dict.fromkeys(self._sources[kind] for kind in chosen)
        waiting = [
            matter for source in sources for matter in source() if matter.kind in chosen and matter.key not in hidden
        ]
        order = {kind: place for place, kind in enumerate(MATTERS)}
        return sorted(
            (matter for matter in waiting if base in ("", matter.base)),
            key=lambda matter: (order[matter.kind], str(matter.at), matter.key),
        )

    def counts(self) -> Counter[MatterKind]:
        """Return the number of items of each kind; copies and contradictions count only once all notes are read."""
        is_read = self._neighbours.likeness.is_read
        kinds = [kind for kind, type_ in MATTERS.items() if type_.quick or is_read]
        return Counter(item.kind for item in self.all(kinds=kinds))

    def digest(self) -> Digest | None:
        """Return today's digest, None if the user put it away, or if nothing waits and no note has changed."""
        today = self.days.today()
        if today.put_away:
            return None
        changed = self._store.remembered.get(("digest", today), lambda: self._changed(today))
        waiting = self.counts()
        return Digest(today.day, waiting, changed) if waiting or changed else None

    def _changed(self, today: DigestDay) -> tuple[NoteChange, ...]:
        """Return the notes of whose changes a digest tells."""
        authors = self._store.versions.changed(today.since, today.until)
        cards = self._store.notes.cards_of(authors)
        return tuple(NoteChange(cards[item], author) for item, author in authors.items() if item in cards)

    def count(self) -> int:
        """Return the number of items, except the kinds that need all notes to be read."""
        return len(self.all(kinds=[kind for kind, type_ in MATTERS.items() if type_.quick]))

    def get(self, key: str) -> ReviewItem:
        """Return the item with the given key; raises EditError if it no longer waits."""
        kinds = {key.partition("-")[0]} & MATTERS.keys()
        matter = next((matter for matter in self.all(kinds=kinds) if matter.key == key), None)
        if matter is None:
            raise EditError("This item no longer needs a decision. Reload the list.")
        return matter

    def postpone(self, keys: Collection[str]) -> None:
        """Postpone items by a week."""
        self._table.put(keys, utc_now() + LATER)

    def let_be(self, keys: Collection[str]) -> None:
        """Leave items unchanged: they are listed again only after they change."""
        self._table.put(keys, None)

    def reopen(self, keys: Collection[str]) -> None:
        """Undo `postpone` and `let_be`."""
        self._table.drop(keys)

    def settle(self, matter: ReviewItem, side: Side) -> Callable[[], object]:
        """Choose a side of a note with two texts, and return a function that undoes it.

        Raises the errors of `TextConflicts.settle`.
        """
        return self.sides.settle(matter, side, partial(self.let_be, [matter.key]), partial(self.reopen, [matter.key]))

    def nearest(self, matter: ReviewItem) -> NoteSummary | None:
        """Return the nearest note to a new note in its base, None if no note is near."""
        if matter.note is None:
            return None
        note = self._store.notes.note(matter.note.id)
        words = _WORDS.findall(f"{note.title} {note.body[:_COMPARED]}")
        near = self._neighbours.passages(words, 1, [matter.base]) if words else []
        return near[0].note if near else None

    def merge(self, matter: ReviewItem, into: str) -> Note:
        """Append the text of a new note to another note, and move the new note to the trash; return the other note.

        Raises EditError for an item that isn't a new note, Conflict if the note has changed, and the errors of
        `Notes.update`.
        """
        if matter.submission is None or matter.submission.change or matter.submission.note.id == into:
            raise EditError("Only a new note can be added to another one.")
        with self._store.changing:
            self._proposals.current([matter.submission])
            new, old = self._store.notes.note(matter.submission.note.id), self._store.notes.note(into)
            body = f"{old.body.rstrip()}\n\n{new.body.strip()}\n"
            merged = self._notes.update(into, body=body, expected_version=old.version, author="person", embed=False)
            self._proposals.reject([matter.submission])  # so that the same fact from a log isn't suggested again
        return merged

    # the kinds

    def _submissions(self) -> Iterator[ReviewItem]:
        for proposal in self._proposals.all():
            note, change = proposal.note, proposal.change
            state = note.id, note.version, change and change.at
            yield _about_note(proposal.kind, note, proposal.at, *state, submission=proposal)

    def _reminders(self) -> Iterator[ReviewItem]:
        for card in self.reminders.due():
            yield _about_note("reminder", card, card.updated_at, card.id)

    def _upgrades(self) -> Iterator[ReviewItem]:
        for card, offered in self.sides.upgrades():
            # A later edit doesn't reopen the item, but a new text of the pack does.
            yield _about_note("upgrade", card, card.updated_at, card.id, offered)

    def _files(self) -> Iterator[ReviewItem]:
        for first, second in self.sides.files():
            state = first.id, second.id, second.version
            yield _about_note("file", first, second.updated_at, *state, other=second)

    def _splits(self) -> Iterator[ReviewItem]:
        for flagged in self._chunks.flagged():
            note = flagged.note
            title = note.title if note else ""
            yield ReviewItem(
                "split", _key("split", flagged.edit.id), note, note.base if note else "", title, flagged=flagged
            )

    def _refused_passages(self) -> Iterator[ReviewItem]:
        refused = self._store.refusals.all(self._store.bases.all())[:MOST]
        cards = self._store.notes.cards_of({chunk.note_id for chunk in refused})
        for chunk in refused:
            key, at = _key("refused", chunk.chunk_id, chunk.at), None
            with suppress(ValueError):
                at = datetime.fromisoformat(chunk.at)
            yield ReviewItem("refused", key, cards.get(chunk.note_id), chunk.base, chunk.title, at, refused=chunk)

    def _expired_notes(self) -> Iterator[ReviewItem]:
        now = utc_now()
        for card in self._notes.expiring(days=0):
            if card.expires_at and (end := lapses(card.expires_at)) <= now:
                yield _about_note("expired", card, card.expires_at, card.id, end)

    def _superseded_notes(self) -> Iterator[ReviewItem]:
        newer = newer_notes(self._store)
        cards = self._store.notes.cards_of({*newer, *(name for names in newer.values() for name in names)})
        for old, successors in newer.items():
            card, other = cards.get(old), cards.get(successors[0])
            if card and other and card.status == "active":
                yield _about_note("superseded", card, other.updated_at, old, card.version, other.id, other=other)

    def _pairs(self, kind: MatterKind, pairs: Iterator[NotePair]) -> Iterator[ReviewItem]:
        """Yield items for pairs of notes, except pairs of files with two texts, which are items of the kind `file`."""
        files = set(self.sides.second_texts.pairs().items())
        others = (pair for pair in pairs if not {(pair.first, pair.second), (pair.second, pair.first)} & files)
        listed = [*islice(others, MOST)]
        cards = self._store.notes.cards_of({note_id for pair in listed for note_id in (pair.first, pair.second)})
        for pair in listed:
            first, second = cards.get(pair.first), cards.get(pair.second)
            if first and second:
                older, later = sorted((first, second), key=lambda note: note.updated_at or _NEVER)
                state = first.id, first.version, second.id, second.version
                quotes = pair.quotes[::-1] if later is second else pair.quotes
                yield _about_note(kind, later, later.updated_at, *state, other=older, quotes=quotes)


def _about_note(
    kind: MatterKind,
    note: NoteSummary,
    at: datetime | None,
    *state: object,
    other: NoteSummary | None = None,
    quotes: tuple[str, ...] = (),
    submission: Submission | None = None,
) -> ReviewItem:
    """Return an item about a note in the given state."""
    return ReviewItem(kind, _key(kind, *state), note, note.base, note.title, at, other, quotes, submission)


def _key(kind: MatterKind, *state: object) -> str:
    """Return the key of an item: its kind, and a hash of its subject and state."""
    return f"{kind}-{digest(json.dumps(state, default=str)).hex()[:12]}"
