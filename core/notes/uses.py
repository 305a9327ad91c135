"""Records of how notes are used, with the user's verdicts, and of clicks on search hits."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from logging import getLogger
from operator import attrgetter
from threading import Event, Lock, Thread
from typing import get_args

from core.base.call_log import log_call
from core.base.datetimes import utc_now
from core.base.errors import ConfigError, TesseraError, UnknownChoice
from core.base.text import find_half_character, make_storable
from core.model import (
    LONGEST_CONTEXT,
    VERDICTS,
    Answer,
    Click,
    ClickKind,
    Context,
    Filters,
    Helpful,
    SearchResult,
    Use,
    UseFigures,
    Verdict,
    local_now,
)
from core.settings.config import Settings
from core.settings.preferences import Preferences, Switchable
from core.store import Store
from core.store.table import NoteIds

_LOG = getLogger(__name__)
# Seconds for which uses are collected before they are written, so that an answer's uses go into one transaction.
_GATHERED = 0.5
# Maximum number of uses waiting to be written. Any more are dropped.
_MOST_WAITING = 10_000

# A note id and the id of one of the note's chunks. An empty chunk id means the whole note.
Place = tuple[str, str]


WriteUses = Callable[[Sequence[Use]], None]


def _check_place(store: Store, note_id: str, chunk_id: str) -> None:
    store.notes.card(note_id)  # raises NoteNotFound
    if chunk_id and chunk_id not in {chunk.id for chunk in store.chunks.for_note(note_id)}:
        raise ConfigError("The note has no passage '{id}'.", id=chunk_id)


@dataclass
class Uses(Switchable):
    """Records how notes are used, if enabled.

    To be fast, callers only append uses to a list. A background thread writes the list to the database.
    """

    _store: Store
    _settings: Settings
    _preferences: Preferences

    _switch = "uses"
    _usual = True

    def __post_init__(self) -> None:
        self._lock = Lock()
        self._writing = Lock()
        self._waiting = list[Use]()
        self._writer: Thread | None = None
        self._closing = Event()
        self._write: WriteUses | None = None if self._store.readonly else self._store.uses.add
        self._seconds = _GATHERED
        self.judged = self._store.uses.judged

    def hand_to(self, write: WriteUses, seconds: float) -> None:
        """Pass uses to `write` instead of the database, because this process is read-only.

        Each batch is collected for `seconds`.
        """
        self._write = write
        self._seconds = seconds

    @property
    def _decided(self) -> bool | None:
        return self._settings.search.record_uses

    def note(self, used_in: str, places: Iterable[Place], context: str = "") -> None:
        """Record uses of notes in the background. Uses that can't be recorded are dropped."""
        if self._write is None or not self.enabled:
            return
        now = utc_now()
        uses = [Use(note_id, used_in, context, now, chunk_id=chunk_id) for note_id, chunk_id in places]
        with self._lock:
            if uses and not self._closing.is_set() and len(self._waiting) < _MOST_WAITING:
                self._waiting += uses
                if self._writer is None:
                    self._writer = Thread(target=self.flush, args=(self._seconds,), name="tessera-uses", daemon=True)
                    self._writer.start()

    def found(self, result: SearchResult, chosen: Filters | None = None) -> None:
        """Record a search's hits.

        A search that filters by use is ignored, because recording it would change its results.
        """
        filters = (result.understood.filters, chosen or Filters())
        if not any(condition.field == "use" for item in filters for condition in item.conditions):
            self.note("found", dict.fromkeys((hit.note.id, "") for hit in result.hits))

    def cited(self, question: str, context: Context) -> None:
        self.note("context", dict.fromkeys((citation.note.id, "") for citation in context.citations), question)

    def answered(self, answer: Answer) -> None:
        self.note("answer", dict.fromkeys((quote.note.id, quote.chunk.id) for quote in answer.quotes), answer.query)

    def flush(self, seconds: float = 0) -> None:
        """Write the pending uses after collecting more for `seconds`. Also wait for other threads' writes to end."""
        if seconds:
            self._closing.wait(seconds)
            with self._lock:
                self._writer = None
        with self._writing:
            with self._lock:
                waiting = self._waiting
                self._waiting = []
            if waiting and self._write:
                try:
                    self._write(waiting)
                except TesseraError:
                    _LOG.warning("%d uses of notes aren't recorded", len(waiting), exc_info=True)

    @log_call("use.report")
    def report(
        self, note_id: str, used_in: str, context: str = "", *, helpful: Helpful | None = None, chunk_id: str = ""
    ) -> Use:
        """Record a use of a note or passage, and return it as stored.

        Raises NoteNotFound, WorkspaceLocked, and ConfigError if recording is off or a value is invalid.
        """
        if not self.enabled:
            raise ConfigError("The use of notes isn't recorded. Turn this on in Settings, under Search.")
        self._store.log_notes([note_id])
        if not used_in.strip():
            raise ConfigError("Specify where the note was used, such as the name of your program.")
        if helpful not in (None, *VERDICTS.values()):
            raise ConfigError("'{name}' must be 1 (helpful), 0 (not helpful) or -1 (misleading).", name="helpful")
        for text in (used_in, context):
            if len(text) > LONGEST_CONTEXT or find_half_character(text) is not None or "\0" in text:
                raise ConfigError(
                    "The place or context of a recorded use is too long or contains an incomplete character."
                )
        _check_place(self._store, note_id, chunk_id)
        use = Use(note_id, used_in.strip(), context, utc_now(), helpful, chunk_id=chunk_id)
        self._store.uses.add([use])
        same = attrgetter("used_in", "context", "chunk_id")
        return next(item for item in self.of(note_id) if same(item) == same(use))

    @log_call("use.take_back")
    def take_back(self, note_id: str, used_in: str, context: str = "", *, chunk_id: str = "") -> None:
        """Remove the verdict on a use, as if the user had never given it."""
        self._store.log_notes([note_id])
        self._store.uses.take_back(note_id, used_in, context, chunk_id)

    @log_call("use.judge")
    def judge(self, query: str, note_id: str, chunk_id: str, verdict: Verdict | None) -> None:
        """Record the user's verdict on a hit, replacing any earlier verdict. None removes the verdict."""
        if verdict is None:
            self.take_back(note_id, "search", query, chunk_id=chunk_id)
            return
        self._store.log_notes([note_id])
        self._store.uses.add([Use(note_id, "search", query, utc_now(), VERDICTS[verdict], times=0, chunk_id=chunk_id)])

    def of(self, note_id: str) -> list[Use]:
        self.flush()
        return self._store.uses.for_note(note_id)

    def figures(self, note_id: str) -> UseFigures:
        self.flush()
        return self._store.uses.figures(note_id)

    @log_call("use.forget")
    def forget(self, note_ids: NoteIds) -> int:
        self.flush()
        self._store.log_notes(note_ids)
        return self._store.uses.drop(note_ids)

    def close(self) -> None:
        """Write the pending uses and stop recording."""
        self._closing.set()
        self.flush()


@dataclass
class Clicks(Switchable):
    """Records which hits were opened, copied or cited for a question, if the user has enabled this.

    While clicks are off, existing clicks are kept but don't affect ranking. `_clock` returns the local time.
    """

    _store: Store
    _settings: Settings
    _preferences: Preferences
    _clock: Callable[[], datetime] = local_now

    _switch = "clicks"

    @property
    def _decided(self) -> bool | None:
        return self._settings.search.use_clicks

    @property
    def today(self) -> datetime:
        """Today's date in the user's time zone, represented as midnight UTC."""
        return datetime.combine(self._clock().date(), time(), UTC)

    @log_call("click.record")
    def record(self, note_id: str, question: str, kind: ClickKind, *, chunk_id: str = "") -> Click:
        """Record that a hit was opened, copied or cited for a question, and return the click.

        Raises UnknownChoice, NoteNotFound, WorkspaceLocked, and ConfigError if clicks are off or a value is invalid.
        """
        if not self.enabled:
            raise ConfigError("Clicks aren't recorded. Turn this on in Settings, under Search.")
        self._store.log_notes([note_id])
        if kind not in get_args(ClickKind):
            raise UnknownChoice("kind of click", kind, get_args(ClickKind))
        if not question.strip() or len(question) > LONGEST_CONTEXT or make_storable(question) != question:
            raise ConfigError("Specify the question that found the note, in at most {n} characters.", n=LONGEST_CONTEXT)
        _check_place(self._store, note_id, chunk_id)
        click = Click(note_id, question.strip(), kind, self.today, chunk_id)
        self._store.clicks.add([click], click.day)
        return click

    def note(self, kind: ClickKind, question: str, places: Iterable[Place]) -> None:
        """Record what the user did with hits, if clicks are on. Clicks that can't be recorded are dropped."""
        if not self.enabled or self._store.readonly:
            return
        for note_id, chunk_id in dict.fromkeys(places):
            try:
                self.record(note_id, question, kind, chunk_id=chunk_id)
            except TesseraError:
                _LOG.warning("A click isn't recorded", exc_info=True)

    def all(self, note_ids: Iterable[str] | None = None) -> list[Click]:
        """Return the clicks on the given notes, or on all notes by default, newest first."""
        return self._store.clicks.for_notes(note_ids)

    @log_call("click.forget")
    def forget(self, note_ids: NoteIds | None = None) -> int:
        """Delete the clicks on the given notes, or on all notes by default. Return the number deleted."""
        if note_ids is not None:
            self._store.log_notes(note_ids)
        return self._store.clicks.drop(note_ids)
