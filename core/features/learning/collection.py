"""Learning: logs are read, and what rules find in them becomes notes that wait for the person."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.base import files
from core.base.call_log import log_call
from core.base.errors import ConfigError, SourceError
from core.features.learning import reading, rules
from core.features.learning.masks import Masker
from core.features.learning.memory import Memory
from core.features.learning.model import RULE, ModelReader, ModelReading
from core.features.learning.suggestions import item_of, language_of
from core.features.learning.table import FactTable
from core.indexing.bases import Bases
from core.model import (
    Fact,
    LearningReport,
    LearntFact,
    LearntLog,
    LogText,
    Progress,
    RuleCard,
    UnreadLog,
    no_progress,
)
from core.notes.collection import Notes
from core.providers.chat import Chat
from core.settings.config import Settings
from core.settings.preferences import Preferences
from core.store import Store

BASE = "learnt"
"""The base of what a person learns without naming one."""
_LEARNING = "learning"
"""The preference that turns learning on."""
_PASTED = "log.txt"


class Learning:
    """Learns from logs. It is off until the settings or the person turn it on, and starts nothing by itself."""

    def __init__(self, store: Store, settings: Settings, preferences: Preferences, bases: Bases, notes: Notes) -> None:
        self._store = store
        self._facts = FactTable(store.database)
        self._settings = settings
        self._preferences = preferences
        self._bases = bases
        self._notes = notes

    @property
    def enabled(self) -> bool:
        """Whether logs may be learnt from: by the settings, else by the person's choice."""
        chosen = self._settings.enable_learning
        return self._preferences.get(_LEARNING) == "on" if chosen is None else chosen

    def enable(self, enabled: bool) -> None:
        """Store the person's choice whether logs may be learnt from."""
        self._preferences.set(_LEARNING, "on" if enabled else "off")

    def rules(self) -> list[RuleCard]:
        """Return the rules that read facts from logs."""
        return [RuleCard(name, rule.name) for name, rule in rules.RULES.items()]

    @log_call("learn")
    def learn(
        self,
        base: str = "",
        *,
        files: Sequence[Path] = (),
        text: str | None = None,
        events: Sequence[Mapping[str, Any]] | None = None,
        name: str = "",
        parser: str = "",
        with_model: bool = False,
        progress: Progress = no_progress,
    ) -> LearningReport:
        """Suggest notes for the facts in files, in a text, or in events that are parsed already.

        Secrets are masked before anything is stored or sent. What was suggested before, or rejected, isn't suggested
        again. `name` is what the text or the events are called. `with_model` the language model of the settings reads
        along; what its server does wrong is the `problem` of the report. Raises what `check` raises, UnknownChoice for
        a parser, and what `Notes.add` raises; a file that can't be read is among `failed`. What was suggested before a
        Cancelled stays.
        """
        self.check(files=files, text=text, events=events, with_model=with_model)
        failed: list[UnreadLog] = []
        logs = self._logs(files, text, events, name or _PASTED, parser, failed)
        into = base or BASE
        memory = Memory(self._facts.all())
        reader = ModelReader(Chat(self._settings.llm), self._settings.llm.input_characters) if with_model else None
        total = len(files) + (text is not None) + (events is not None)
        learnt: list[LearntLog] = []
        for number, log in enumerate(logs):

            def step(share: float, number: int = number, name: str = log.name) -> None:
                progress(number + share, total, name)

            step(0)
            learnt.append(self._suggest(into, log, memory, reader, step))
        progress(total, total, "")
        model, problem = (reader.name, reader.problem) if reader else ("", None)
        return LearningReport(into, tuple(learnt), tuple(failed), model, problem)

    def check(
        self,
        *,
        files: Sequence[Path] = (),
        text: str | None = None,
        events: Sequence[Mapping[str, Any]] | None = None,
        with_model: bool = False,
    ) -> None:
        """Raise ConfigError while learning is off, where nothing is given, and where a model isn't set up."""
        if not self.enabled:
            raise ConfigError("Learning from logs is off. Set enable_learning = true in tessera.toml to turn it on.")
        if not files and text is None and events is None:
            raise ConfigError("There is nothing to learn from. Name a file, or give a text or events.")
        if with_model:
            Chat(self._settings.llm)
        self._store.database.check_writable()

    def _logs(
        self,
        files: Sequence[Path],
        text: str | None,
        events: Sequence[Mapping[str, Any]] | None,
        name: str,
        parser: str,
        failed: list[UnreadLog],
    ) -> Iterator[LogText]:
        """Yield the logs; one that can't be read is added to those that failed, if it isn't the only one."""
        masker = Masker()
        for file in files:
            try:
                yield reading.read(_bytes(file), file.name, masker, parser=parser)
            except SourceError as error:
                if len(files) == 1:
                    raise
                failed.append(UnreadLog(file.name, error.reason))
        if text is not None:
            yield reading.read_text(text, name, masker, parser=parser)
        if events is not None:
            yield reading.read_events(events, name, masker)

    def _suggest(
        self, base: str, log: LogText, memory: Memory, reader: ModelReader | None, step: Callable[[float], None]
    ) -> LearntLog:
        language = language_of(log)
        by_rules = rules.facts(log)
        sorting = memory.sort(fact for _, fact in by_rules)
        names = {id(fact): name for name, fact in by_rules}
        items = [item_of(names[id(fact)], fact, log, language) for fact in sorting.fresh]
        learnt = LearntLog(
            name=log.name,
            format=log.format,
            events=len(log.events),
            secrets=log.secrets,
            cut=log.cut,
            left_out=log.left_out,
            facts=len(by_rules),
            known=sorting.known,
            rejected=sorting.rejected,
            suggested=self._write_notes(base, items, sorting.fresh),
        )
        if reader:
            known = [fact for _, fact in by_rules]
            for reading in reader.read(log, known, language, step):
                learnt = self._with(learnt, base, log, memory, reading, reader.name)
        return learnt

    def _with(
        self,
        learnt: LearntLog,
        base: str,
        log: LogText,
        memory: Memory,
        reading: ModelReading,
        model: str,
    ) -> LearntLog:
        """Write what a model read in a part of a log, and return what was learnt with it."""
        sorting = memory.sort(reading.facts)
        items = [item_of(RULE, fact, log, language_of(log), model) for fact in sorting.fresh]
        note_ids = self._write_notes(base, items, sorting.fresh)
        return replace(
            learnt,
            facts=learnt.facts + len(reading.facts),
            known=learnt.known + sorting.known,
            rejected=learnt.rejected + sorting.rejected,
            suggested=(*learnt.suggested, *note_ids),
            by_model=(*learnt.by_model, *note_ids),
            dropped=(*learnt.dropped, *reading.dropped),
            unsent=reading.unsent,
        )

    def _write_notes(self, base: str, items: Sequence[Mapping[str, Any]], fresh: Sequence[Fact]) -> tuple[str, ...]:
        """Write the notes of facts and the facts; a kill leaves both or none of a log."""
        if not items:
            return ()
        self._store.open_index()
        with self._store.changing, self._store.database.write():
            note_ids = self._notes.add_many(base, items, embed=False, strict=True).note_ids
            pairs = zip(fresh, note_ids, strict=True)
            self._facts.put(LearntFact(fact.rule, fact.key, note_id) for fact, note_id in pairs)
        return note_ids


def _bytes(file: Path) -> bytes:
    """Return the contents of an ordinary file; raises SourceError."""
    with files.open_user_file(file, reading.MOST_BYTES) as stream:
        return stream.read()
