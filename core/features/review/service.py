"""Items in all bases that await the user's attention, decisions about them, and reminders."""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from time import monotonic

from core.base.codec import DAMAGE, decode, to_plain
from core.base.datetimes import local_now, utc_now
from core.base.errors import EditError, TesseraError, UnknownChoice
from core.base.frozen import Texts, frozen
from core.base.text import digest, keywords, query_keywords
from core.features.review import coming, questions
from core.features.review.two_texts import TextConflicts, Undo
from core.indexing.chunks import Chunks
from core.model import (
    MATTERS,
    Digest,
    MatterKind,
    Note,
    NoteChange,
    NotePair,
    NoteSummary,
    Progress,
    QuotedLine,
    ReviewItem,
    Side,
    Submission,
    in_utc,
)
from core.notes.collection import Notes
from core.notes.proposals import Proposals
from core.retrieval.neighbours.service import Neighbours
from core.retrieval.ranking import newer_notes
from core.settings.preferences import Preferences, Switchable
from core.store import Store
from core.store.table import StoreTable

Items = Iterator[ReviewItem]
_DIGEST = "digest"


@frozen
class DigestDay:
    """A day in local time, and the period covered by its digest.

    The period begins at `since` and ends at `until`, when the digest was first shown.
    """

    day: str
    since: datetime
    until: datetime
    put_away: bool = False


@dataclass(eq=False)
class DigestDays:
    """Reads and updates the day of the last digest, which is stored in the preferences."""

    _preferences: Preferences

    def today(self, now: datetime | None = None) -> DigestDay:
        """Return today's digest, creating it on the first call of the day. The very first digest covers no changes.

        `now` is the time on the user's clock, by default on this machine's. If it is already tomorrow on the clock of
        another browser, in another time zone, that browser's digest is returned, so that the two browsers don't keep
        replacing each other's digest.
        """
        now = since = now or local_now()
        day = now.date().isoformat()
        if last := self._last():
            if last.day == day or (last.day > day and last.until <= now):
                return last
            # The stored times may be in the future if the clock was fast.
            since = next((at for at in (last.until, last.since) if at <= now), now - timedelta(days=1))
        return self._store(DigestDay(day, since, now))

    def put_away(self, day: str) -> None:
        """Hide a day's digest. If a later digest has already replaced it, do nothing."""
        if (last := self._last()) and last.day == day:
            self._store(replace(last, put_away=True))

    def _last(self) -> DigestDay | None:
        with suppress(*DAMAGE):
            last: DigestDay = decode(DigestDay, json.loads(self._preferences.get(_DIGEST)))
            return last
        return None

    def _store(self, day: DigestDay) -> DigestDay:
        self._preferences.set(_DIGEST, json.dumps(to_plain(day)))
        return day


# Decisions on review items: postponed until a given time, or left unchanged.


class DecisionTable(StoreTable):
    """Review items that the user postponed or left unchanged. Writing to this table doesn't affect search results."""

    def put(self, matters: Iterable[str], until: datetime | None, *, at: datetime | None = None) -> None:
        """Hide the items with the given keys until a given time, or until they change if `until` is None.

        `at` is the time of the decision, by default now.
        """
        now = (at or utc_now()).isoformat()
        self._execute_many(
            "INSERT OR REPLACE INTO decisions (matter, until, at) VALUES (?, ?, ?)",
            [(matter, until and until.astimezone(UTC).isoformat(), now) for matter in matters],
            aside=True,
        )

    def drop(self, matters: Iterable[str]) -> None:
        """Delete the decisions on the items with the given keys."""
        self._execute("DELETE FROM decisions WHERE matter IN ?", list(matters), aside=True)

    def until(self, matters: Iterable[str]) -> dict[str, tuple[datetime, datetime]]:
        """Return when each item was postponed, and until when. Items with unreadable times are left out."""
        spans = {}
        for matter, at, until in self._rows("SELECT matter, at, until FROM decisions WHERE matter IN ?", list(matters)):
            with suppress(ValueError, TypeError):
                spans[matter] = in_utc(datetime.fromisoformat(at)), in_utc(datetime.fromisoformat(until))
        return spans

    def hidden_keys(self) -> set[str]:
        """Return the keys of the items that are postponed or left unchanged."""
        return set(self._column("SELECT matter FROM decisions WHERE until IS NULL OR until > ?", utc_now().isoformat()))


# Factor for the third and later intervals. It is SM-2's initial ease factor, which grade 4 doesn't change.
EASE = 2.5
FIRST = timedelta(days=1)
SECOND = timedelta(days=6)
LONGEST = timedelta(days=3650)
# Minimum time since a note's last use and last change before it is shown as a reminder.
UNSEEN = timedelta(days=30)
# A note is shown as a reminder only if a search found it within this time.
TODAY = timedelta(days=1)
# Maximum number of reminders to list.
SHOWN = 10


def next_interval(interval: timedelta | None) -> timedelta:
    """Return the interval until the next reminder. `interval` is the previous one, or None before the first reminder.

    Source: SM-2 (Wozniak, 'Optimization of learning', 1990): 1 day, 6 days, then the last interval times the ease
    factor. *Seen* is the only grade here (4 of 5), so the ease factor stays at 2.5.
    """
    if interval is None:
        return FIRST
    return min(interval * EASE, LONGEST) if interval >= SECOND else SECOND


@dataclass(eq=False)
class Reminders(Switchable):
    """Reminders of notes that are worth another look. Reminders are off unless the user turns them on."""

    _store: Store
    _preferences: Preferences

    _switch = "reminders"

    def __post_init__(self) -> None:
        self._table = DecisionTable(self._store.database)

    def due(self) -> Iterator[NoteSummary]:
        """Yield the active notes to look at again. Notes that have been unused for the longest time come first."""
        if not self.enabled:
            return
        now = utc_now()
        unseen = now - UNSEEN
        touched = self._store.uses.touched(now - TODAY, unseen)
        waiting = self._table.until(map(_seen_key, touched))
        cards = self._store.notes.cards_of(touched)
        due = (
            card
            for item in touched
            if (card := cards.get(item)) and waiting.get(_seen_key(item), (now, now))[1] <= now
            if card.status == "active" and card.updated_at and card.updated_at <= unseen
        )
        yield from islice(due, SHOWN)

    def seen(self, note_ids: Collection[str]) -> Callable[[], None]:
        """Postpone the notes' next reminders, for longer each time. Return a function that undoes this."""
        keys = [_seen_key(item) for item in note_ids]
        now = utc_now()
        before = self._table.until(keys)
        for key in keys:
            at, end = before.get(key, (now, now))
            self._table.put([key], now + next_interval(end - at if key in before else None), at=now)

        def undo() -> None:
            self._table.drop(keys)
            for key, (at, end) in before.items():
                self._table.put([key], end, at=at)

        return undo


def _seen_key(note_id: str) -> str:
    return f"seen-{note_id}"


# How long an item is postponed.
LATER = timedelta(days=7)
# Number of characters of a new note's text to use when looking for the nearest note.
_COMPARED = 300
# Maximum number of refused passages, and of pairs per kind, to list.
MOST = 500
# Seconds for asking questions again when notes have changed, because each takes a whole search.
ASKING = 60.0
_NEVER = datetime.min.replace(tzinfo=UTC)
# Kinds of items that are hints. Finding them means searching all notes, and they depend on nothing but the notes.
_HINTS = {"superseded", "copy", "contradiction"}


@dataclass(eq=False)
class Review:
    """The items awaiting the user's attention.

    The items are new notes and changes from programs, notes with two texts, edits that lost their position, passages
    rejected by the model, unanswered questions, expired, expiring and superseded notes, copies, contradictions, and
    reminders.
    """

    _store: Store
    _notes: Notes
    _chunks: Chunks
    _proposals: Proposals
    _neighbours: Neighbours
    sides: TextConflicts
    reminders: Reminders
    days: DigestDays

    def __post_init__(self) -> None:
        self._table = DecisionTable(self._store.database)
        self._hints = Counter[MatterKind]()
        self._asked = dict[str, float]()
        self.reopen = self._table.drop
        """Undo `postpone` and `let_be` for the items with the given keys."""
        self._sources: dict[MatterKind, Callable[[], Items]] = {
            "note": self._submissions,
            "change": self._submissions,
            "conflict": self._submissions,
            # A later edit doesn't reopen the item, but new text in the pack does.
            "upgrade": lambda: (
                _about_note("upgrade", card, card.updated_at, card.id, offered)
                for card, offered in self.sides.upgrades()
            ),
            "file": lambda: (
                _about_note("file", own, copy.updated_at, own.id, copy.id, copy.version, other=copy)
                for own, copy in self.sides.files()
            ),
            "split": self._splits,
            "refused": self._refused_passages,
            "question": self._questions,
            "expired": self._expiring_notes,
            "expiring": self._expiring_notes,
            "superseded": self._superseded_notes,
            "copy": lambda: self._pairs("copy", self._neighbours.likeness.copies()),
            "contradiction": lambda: self._pairs("contradiction", self._neighbours.likeness.contradictions()),
            "reminder": lambda: (
                _about_note("reminder", card, card.updated_at, card.id) for card in self.reminders.due()
            ),
        }

    def all(self, *, kinds: Iterable[str] = (), base: str = "") -> list[ReviewItem]:
        """Return the waiting items, by default those of all kinds in all bases.

        Items are sorted by kind, the oldest first. Raises UnknownChoice for an unknown kind.
        """
        return self.lists(kinds=kinds, base=base)[0]

    def lists(self, *, kinds: Iterable[str] = (), base: str = "") -> tuple[list[ReviewItem], list[ReviewItem]]:
        """Return the waiting items, and those that the user postponed or left unchanged. See `all`."""
        wanted = set(kinds) or MATTERS.keys()
        if unknown := sorted(wanted - MATTERS.keys()):
            raise UnknownChoice("kind", unknown[0], MATTERS)
        order = [*MATTERS]
        hidden = self._table.hidden_keys()
        found = [
            matter
            for source in dict.fromkeys(source for kind, source in self._sources.items() if kind in wanted)
            for matter in source()
            if matter.kind in wanted and base in ("", matter.base)
        ]
        found.sort(key=lambda matter: (order.index(matter.kind), str(matter.at), matter.key))
        return [item for item in found if item.key not in hidden], [item for item in found if item.key in hidden]

    def counts(self) -> Counter[MatterKind]:
        """Return the number of waiting items per kind.

        While changed notes are being read, hints keep their last known counts.
        """
        if self._neighbours.likeness.is_read:
            self._hints = self._store.remembered.get(
                ("hints", frozenset(self._table.hidden_keys()), self._store.fields.expired()),
                lambda: self._count(_HINTS),
            )
        return self._hints + self._count(MATTERS.keys() - _HINTS)

    def _count(self, kinds: Iterable[str]) -> Counter[MatterKind]:
        return Counter(item.kind for item in self.all(kinds=kinds))

    def digest(self, now: datetime | None = None) -> Digest | None:
        """Return today's digest, or None if the user hid it or if there is nothing to report.

        `now` is the time on the user's clock, by default on this machine's.
        """
        today = self.days.today(now)
        if today.put_away:
            return None
        changed = self._store.remembered.get(("digest", today), lambda: self._changed(today))
        first = (now or local_now()).date()
        dated = self._store.remembered.get(
            ("coming", first, self._store.fields.expired()), lambda: coming.find(self._store, first)
        )
        waiting = self.counts()
        return Digest(today.day, waiting, changed, dated) if waiting or changed or dated else None

    def open_tasks(self, now: datetime | None = None) -> tuple[QuotedLine, ...]:
        """Return the open tasks in recently changed notes, those that name a day first. `now` is as in `digest`."""
        today = (now or local_now()).date()
        return self._store.remembered.get(
            ("tasks", today, self._store.fields.expired()), lambda: coming.open_tasks(self._store, today)
        )

    def _changed(self, today: DigestDay) -> tuple[NoteChange, ...]:
        """Return the notes changed in the period that a digest covers, with the authors of the changes.

        Notes that await review are left out.
        """
        authors = self._store.versions.changed(today.since, today.until)
        cards = self._store.notes.cards_of(authors)
        return tuple(
            NoteChange(cards[item], author)
            for item, author in authors.items()
            if item in cards and cards[item].status != "pending"
        )

    def get(self, key: str) -> ReviewItem:
        """Return the item with the given key. Raises EditError if it is no longer waiting."""
        for matter in self.all(kinds={key.partition("-")[0]} & MATTERS.keys()):
            if matter.key == key:
                return matter
        raise EditError("This item no longer needs a decision. Reload the list.")

    def postpone(self, keys: Collection[str]) -> None:
        """Postpone items by a week."""
        self._table.put(keys, utc_now() + LATER)

    def let_be(self, keys: Collection[str]) -> None:
        """Close items without changing anything. They are listed again only if they change."""
        self._table.put(keys, None)

    def settle(self, matter: ReviewItem, side: Side) -> Undo:
        """Choose a side of a note with two texts. Return a function that undoes the choice.

        Raises the same errors as `TextConflicts.settle`.
        """
        return self.sides.settle(matter, side, partial(self.let_be, [matter.key]), partial(self.reopen, [matter.key]))

    def nearest(self, matter: ReviewItem) -> NoteSummary | None:
        """Return the note nearest to a new note in the same base, or None if no note is near.

        The nearest note has at least half of the words in the new note's title.
        """
        if (note_id := matter.note_id) is None:
            return None
        return self._store.remembered.get(("nearest", matter.key), lambda: self._nearest(note_id, matter.base))

    def _nearest(self, note_id: str, base: str) -> NoteSummary | None:
        note = self._store.note(note_id)
        words = re.findall(r"\w+", f"{note.title} {note.body[:_COMPARED]}")
        about = {*query_keywords(note.title)}
        for hit in self._neighbours.passages(words, 1, [base]) if words else ():
            held = about & {*keywords(f"{hit.note.title} {hit.chunk.text}")}
            if 2 * len(held) >= max(1, len(about)):
                return hit.note
        return None

    def merge(self, matter: ReviewItem, into: str) -> Note:
        """Append a new note's text to the note `into`, and return the merged note.

        The new note is moved to the trash. Raises EditError if the item isn't a new note, Conflict if the new note has
        changed, and the same errors as `Notes.update`.
        """
        if matter.submission is None or matter.submission.change or matter.submission.note.id == into:
            raise EditError("Only a new note can be added to another one.")
        with self._store.changing:
            self._proposals.current([matter.submission])
            new = self._store.note(matter.submission.note.id)
            old = self._store.note(into)
            merged = self._notes.update(
                into,
                body=f"{old.body.rstrip()}\n\n{new.body.strip()}\n",
                expected_version=old.version,
                author="person",
                embed=False,
            )
            self._proposals.reject([matter.submission])  # so that the same fact from a log isn't suggested again
        return merged

    def ask_again(self, is_answered: Callable[[str], bool], progress: Progress) -> None:
        """Ask unanswered questions again, and stop listing those that the notes surely answer by now. Raises Cancelled.

        Those asked again longest ago, or never, come first, and of these the newest. After ASKING seconds, the others
        wait for the next call.
        """
        end = monotonic() + ASKING
        newest = self._store.searches.unanswered()[::-1]
        asked = sorted(newest, key=lambda search: self._asked.get(search.query, 0.0))
        for number, search in enumerate(asked):
            progress(number, len(asked), "")
            if (now := monotonic()) > end:
                return
            self._asked[search.query] = now
            with suppress(TesseraError):  # such as a model that can't be loaded
                if is_answered(search.query):
                    self._store.searches.mark([search.query], unanswered=False)

    # items of each kind

    def _submissions(self) -> Items:
        for proposal in self._proposals.all():
            note = proposal.note
            change = proposal.change
            yield _about_note(
                proposal.kind, note, proposal.at, note.id, note.version, change and change.at, submission=proposal
            )

    def _splits(self) -> Items:
        for flagged in self._chunks.flagged():
            note = flagged.note
            yield ReviewItem(
                "split",
                _key("split", flagged.edit.id),
                note,
                note.base if note else "",
                note.title if note else "",
                flagged=flagged,
            )

    def _refused_passages(self) -> Items:
        refused = self._store.refusals.all(self._store.bases.all())[:MOST]
        cards = self._store.notes.cards_of({chunk.note_id for chunk in refused})
        for chunk in refused:
            key = _key("refused", chunk.chunk_id, chunk.at)
            at = None
            with suppress(ValueError):
                at = datetime.fromisoformat(chunk.at)
            yield ReviewItem("refused", key, cards.get(chunk.note_id), chunk.base, chunk.title, at, refused=chunk)

    def _questions(self) -> Items:
        hidden = self._table.hidden_keys()
        past = {search.query: search for search in self._store.searches.unanswered()}
        for wordings in questions.group(tuple(past)):
            last = past[wordings[-1]]
            # Asking the question again, in whatever words, doesn't reopen the item.
            keys = [_key("question", wording) for wording in wordings]
            key = next((key for key in keys if key in hidden), keys[0])
            yield ReviewItem("question", key, None, "", last.query, last.at, quotes=wordings)

    def _expiring_notes(self) -> Items:
        for card in self._notes.expiring():
            kind: MatterKind = "expired" if card.expired else "expiring"
            yield _about_note(kind, card, card.expires_at, card.id, card.version)

    def _superseded_notes(self) -> Items:
        newer = newer_notes(self._store)
        cards = self._store.notes.cards_of({*newer, *(successors[0] for successors in newer.values())})
        for old, successors in newer.items():
            card = cards.get(old)
            other = cards.get(successors[0])
            if card and other and card.status == "active":
                yield _about_note("superseded", card, other.updated_at, old, card.version, other.id, other=other)

    def _pairs(self, kind: MatterKind, pairs: Iterator[NotePair]) -> Items:
        """Yield items for pairs of notes.

        Pairs of a file and its conflict copy are left out, because their kind is `file`.
        """
        files = set(map(frozenset, self.sides.second_texts().items()))
        listed = [*islice((pair for pair in pairs if frozenset((pair.first, pair.second)) not in files), MOST)]
        cards = self._store.notes.cards_of({note_id for pair in listed for note_id in (pair.first, pair.second)})
        for pair in listed:
            first = cards.get(pair.first)
            second = cards.get(pair.second)
            if first and second:
                older, later = sorted((first, second), key=lambda note: note.updated_at or _NEVER)
                yield _about_note(
                    kind,
                    later,
                    later.updated_at,
                    first.id,
                    first.version,
                    second.id,
                    second.version,
                    *pair.quotes,
                    other=older,
                    quotes=(pair.reversed if later is second else pair).quotes,
                )


def _about_note(
    kind: MatterKind,
    note: NoteSummary,
    at: datetime | None,
    *state: object,
    other: NoteSummary | None = None,
    quotes: Texts = (),
    submission: Submission | None = None,
) -> ReviewItem:
    """Return an item about a note. `state` is hashed into the item's key, so a changed state makes a new item."""
    return ReviewItem(kind, _key(kind, *state), note, note.base, note.title, at, other, quotes, submission)


def _key(kind: MatterKind, *state: object) -> str:
    """Return an item's key: its kind, and a hash of its subject and state."""
    return f"{kind}-{digest(json.dumps(state, default=str)).hex()[:12]}"
