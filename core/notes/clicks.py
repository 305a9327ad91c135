"""Clicks on hits: recorded while the user wants them to rank hits, shown and forgotten."""

import logging
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, time
from typing import get_args

from core.base.call_log import log_bases, log_call
from core.base.errors import ConfigError, NoteNotFound, TesseraError, UnknownChoice
from core.base.text import make_storable
from core.model import LONGEST_CONTEXT, Click, ClickKind, local_now
from core.notes.uses import Place
from core.settings.config import Settings
from core.settings.preferences import Preferences
from core.store import Store

_LOG = logging.getLogger(__name__)
_PREFERENCE = "clicks"
"""The preference that turns recording and ranking on."""


class Clicks:
    """The hits that were opened, copied or cited, by their questions; off unless the user wants them.

    `clock` tells the local time.
    """

    def __init__(
        self, store: Store, settings: Settings, preferences: Preferences, clock: Callable[[], datetime] = local_now
    ) -> None:
        self._store = store
        self._settings = settings
        self._preferences = preferences
        self._clock = clock

    @property
    def enabled(self) -> bool:
        """Whether clicks are recorded and rank hits: by the settings, else by the user's choice."""
        chosen = self._settings.search.use_clicks
        return self._preferences.get(_PREFERENCE) == "on" if chosen is None else chosen

    def enable(self, enabled: bool) -> None:
        """Store the user's choice. Recorded clicks stay, and rank nothing while it is off."""
        self._preferences.set(_PREFERENCE, "on" if enabled else "off")

    @property
    def today(self) -> datetime:
        """The bare day by the user's clock."""
        return datetime.combine(self._clock().date(), time(), UTC)

    @log_call("click.record")
    def record(self, note_id: str, question: str, kind: ClickKind, *, chunk_id: str = "") -> Click:
        """Record that a hit was opened, copied or cited for a question; return the click.

        Raises ConfigError while clicks are off and for values that can't be, UnknownChoice, NoteNotFound,
        WorkspaceLocked.
        """
        if not self.enabled:
            raise ConfigError("Clicks aren't recorded. Turn them on in the settings, under Search.")
        log_bases(self._store.bases.for_notes([note_id]))
        if kind not in get_args(ClickKind):
            raise UnknownChoice("kind of click", kind, get_args(ClickKind))
        if not question.strip() or len(question) > LONGEST_CONTEXT or make_storable(question) != question:
            raise ConfigError(
                "Give the question that the note was found for, in at most {n} characters.", n=LONGEST_CONTEXT
            )
        if note_id not in self._store.notes.cards_of([note_id]):
            raise NoteNotFound(note_id)
        if chunk_id and chunk_id not in {chunk.id for chunk in self._store.chunks.for_note(note_id)}:
            raise ConfigError("The note has no passage '{id}'.", id=chunk_id)
        click = Click(note_id, question.strip(), kind, self.today, chunk_id)
        self._store.clicks.add([click], click.day)
        return click

    def note(self, kind: ClickKind, question: str, places: Iterable[Place]) -> None:
        """Record the user's acts on hits if clicks are on; acts that can't be recorded are left out."""
        if not self.enabled or self._store.readonly:
            return
        for note_id, chunk_id in dict.fromkeys(places):
            try:
                self.record(note_id, question, kind, chunk_id=chunk_id)
            except TesseraError:
                _LOG.warning("A click isn't recorded", exc_info=True)

    def all(self, note_ids: Iterable[str] | None = None) -> list[Click]:
        """Return the clicks on notes, by default on all, the newest first."""
        return self._store.clicks.for_notes(note_ids)

    @log_call("click.forget")
    def forget(self, note_ids: Sequence[str] | None = None) -> int:
        """Delete the clicks on notes, by default all; return how many."""
        if note_ids is not None:
            log_bases(self._store.bases.for_notes(note_ids))
        return self._store.clicks.drop(note_ids)
