"""What waits for a person, of all kinds and bases, and the decisions on it that no other room takes."""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from core.base.datetimes import utc_now
from core.base.errors import EditError, UnknownChoice
from core.base.frozen import frozen
from core.base.text import digest
from core.features.review.likeness import Likeness
from core.features.review.reminders import DecisionTable, Reminders
from core.features.review.two_texts import TextConflicts, Upgrades
from core.indexing.chunks import Chunks
from core.model import (
    MATTERS,
    MatterKind,
    Note,
    NotePair,
    NoteSummary,
    ReviewItem,
    SearchOptions,
    Side,
    Submission,
    lapses,
)
from core.notes.collection import Notes
from core.notes.proposals import Proposals
from core.notes.trash import Trash
from core.notes.versions import Versions
from core.retrieval.grouping import Successors
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
_NEVER = datetime.min.replace(tzinfo=UTC)


@frozen
class ReviewParts:
    """The parts of a workspace that have what waits; `upgrades` where there are packs.

    `build_engine` is called when a nearest note is looked for, since a count is on every page.
    """

    store: Store
    notes: Notes
    versions: Versions
    trash: Trash
    chunks: Chunks
    proposals: Proposals
    build_engine: Callable[[], "SearchEngine"]
    upgrades: Upgrades | None = None


class Review:
    """What waits for a person: notes and changes by programs, notes with two texts, edits without a place, refused
    passages, expired and replaced notes, copies and contradictions.
    """

    def __init__(self, parts: ReviewParts, reminders: Reminders) -> None:
        self._store = store = parts.store
        self._table = DecisionTable(store.database)
        self._notes = parts.notes
        self._chunks = parts.chunks
        self._proposals = parts.proposals
        self._build_engine = parts.build_engine
        self._successors = Successors(store)
        self.sides = TextConflicts(store, parts.notes, parts.versions, parts.trash, parts.upgrades)
        """The notes with two texts."""
        self.reminders = reminders
        self.likeness = Likeness(store)
        """The copies and contradictions among the notes."""
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
            "copy": lambda: self._pairs("copy", self.likeness.copies()),
            "contradiction": lambda: self._pairs("contradiction", self.likeness.contradictions()),
            "reminder": self._reminders,
        }

    def all(self, *, kinds: Iterable[str] = (), base: str = "") -> list[ReviewItem]:
        """Return what waits, by kind and then the oldest first; all kinds without one, all bases without one.

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
        """Return the number of items of each kind; hints on pairs of notes are among them once the notes are read."""
        is_read = self.likeness.is_read
        kinds = [kind for kind, type_ in MATTERS.items() if type_.quick or is_read]
        return Counter(item.kind for item in self.all(kinds=kinds))

    def count(self) -> int:
        """Return the number of what waits, without the kinds that take a reading of all notes."""
        return len(self.all(kinds=[kind for kind, type_ in MATTERS.items() if type_.quick]))

    def get(self, key: str) -> ReviewItem:
        """Return what waits by its key; raises EditError for what waits no longer."""
        kinds = {key.partition("-")[0]} & MATTERS.keys()
        matter = next((matter for matter in self.all(kinds=kinds) if matter.key == key), None)
        if matter is None:
            raise EditError("This item no longer needs a decision. Reload the list.")
        return matter

    def postpone(self, keys: Collection[str]) -> None:
        """Put matters off for a week."""
        self._table.put(keys, utc_now() + LATER)

    def let_be(self, keys: Collection[str]) -> None:
        """Let matters be as they are: they come back only when they change."""
        self._table.put(keys, None)

    def reopen(self, keys: Collection[str]) -> None:
        """Take back that matters were put off or let be."""
        self._table.drop(keys)

    def settle(self, matter: ReviewItem, side: Side) -> Callable[[], object]:
        """Choose a side of a note with two texts, and return what undoes it; raises as `TextConflicts.settle`."""
        return self.sides.settle(matter, side, partial(self.let_be, [matter.key]), partial(self.reopen, [matter.key]))

    def nearest(self, matter: ReviewItem) -> NoteSummary | None:
        """Return the note of its base that is nearest to a new note, None where no note is near."""
        if matter.note is None:
            return None
        note = self._store.notes.note(matter.note.id)
        words = _WORDS.findall(f"{note.title} {note.body[:_COMPARED]}")
        options = SearchOptions(bases=[matter.base], limit=1, reranker="none", wait=False)
        if not words:
            return None
        engine = self._build_engine()
        result = engine.answer(engine.prepare(" ".join(words), options))
        return result.hits[0].note if result.hits and result.confident else None

    def merge(self, matter: ReviewItem, into: str) -> Note:
        """Add the text of a new note to the end of another one, and put the new note into the trash; return the other.

        Raises EditError for anything but a new note, Conflict for one that was changed since, and as `Notes.update`.
        """
        if matter.submission is None or matter.submission.change or matter.submission.note.id == into:
            raise EditError("Only a new note can be added to another one.")
        with self._store.changing:
            self._proposals.current([matter.submission])
            new, old = self._store.notes.note(matter.submission.note.id), self._store.notes.note(into)
            body = f"{old.body.rstrip()}\n\n{new.body.strip()}\n"
            merged = self._notes.update(into, body=body, expected_version=old.version, author="person", embed=False)
            self._proposals.reject([matter.submission])  # what a log says isn't suggested again
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
            # A later edit is no new question, another text of the pack is.
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
        newer = self._successors.read()
        cards = self._store.notes.cards_of({*newer, *(name for names in newer.values() for name in names)})
        for old, successors in newer.items():
            card, other = cards.get(old), cards.get(successors[0])
            if card and other and card.status == "active":
                yield _about_note("superseded", card, other.updated_at, old, card.version, other.id, other=other)

    def _pairs(self, kind: MatterKind, pairs: Iterator[NotePair]) -> Iterator[ReviewItem]:
        """Yield the pairs but for those whose files are second texts: they are listed as such."""
        files = set(self.sides.second_texts.pairs().items())
        others = (pair for pair in pairs if not {(pair.first, pair.second), (pair.second, pair.first)} & files)
        listed = [*islice(others, MOST)]
        cards = self._store.notes.cards_of({note_id for pair in listed for note_id in (pair.first, pair.second)})
        newer = self._successors.read()
        for pair in listed:
            if pair.second in newer.get(pair.first, ()) or pair.first in newer.get(pair.second, ()):
                continue  # which of them holds is settled
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
    """Return the item about a note in a state."""
    return ReviewItem(kind, _key(kind, *state), note, note.base, note.title, at, other, quotes, submission)


def _key(kind: MatterKind, *state: object) -> str:
    """Return the name of a matter as it is: its kind, and a hash of what it is about and in which state."""
    return f"{kind}-{digest(json.dumps(state, default=str)).hex()[:12]}"
