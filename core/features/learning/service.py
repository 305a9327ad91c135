"""Learning from logs: new facts become pending notes, which the user accepts or rejects."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from core.base import files
from core.base.call_log import log_call
from core.base.errors import ConfigError, SourceError
from core.base.frozen import frozen
from core.base.messages import ENGLISH, Message, message, render
from core.base.text import CJK, keywords
from core.features.learning import reading, rules
from core.features.learning.masks import Masker
from core.features.learning.model import RULE, ModelReader, ModelReading
from core.features.learning.rules import RULES
from core.features.learning.rules.common import MOST_TITLE, abbreviate
from core.features.learning.table import FactTable
from core.indexing.bases import Bases
from core.markdown.writing import code_block
from core.model import (
    ORIGIN,
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

_TESTS = ("pytest", "junit")
"""Formats of test reports."""
_PLAIN = re.compile(rf"[\w{CJK}](?:[\w{CJK} .,;()'\"%=/？！。，：；（）、“”-]|:(?!/)|\n(?! ?[-=+]))*")
"""A value that Markdown shows unchanged, without links, tags or markup."""
_EMPHASIS = re.compile(r"(?i)(?<!\w)_|_(?!\w)|__|www\.")
_CHINESE = re.compile(rf"[{CJK}]")
_LANGUAGE = "zh_CN"
_SHARE = 0.15
"""Minimum share of Chinese characters among a log's letters for notes in Chinese."""
_MOST_LINES = 12
_RULES = "rules"
"""Author of notes from rules."""

_NEAR = 0.8
"""Minimum share of common words between keys of the same fact."""
_FEWEST = 5
"""Minimum number of words in a key for comparing it by words."""
_OPPOSITES = frozenset(
    "not no never without don won isn cannot enable disable enabled disabled on off true false yes start"
    " stop up down before"
    " after more less increase decrease allow deny add remove 不 没 无 未 非 禁 开 关 启 停 前 后 增 减".split()
)
"""Words that change the meaning of a sentence, and so make it a different fact."""
_BY_KEY = frozenset(name for name, rule in RULES.items() if rule.by_key)
_VALUE = re.compile(r"\d")

BASE = "learnt"
"""Default base for suggested notes."""
_LEARNING = "learning"
"""Key of the preference that turns learning on."""
_PASTED = "log.txt"


@frozen
class Sorting:
    """New facts, and the numbers of known and rejected facts."""

    fresh: Sequence[Fact]
    known: int
    rejected: int


def language_of(log: LogText) -> str:
    """Return the language for the notes of a log."""
    text = "".join(event.text[:200] for event in log.events[:200])
    letters = sum(letter.isalpha() for letter in text)
    return _LANGUAGE if letters and len(_CHINESE.findall(text)) > _SHARE * letters else ENGLISH


def item_of(rule: str, fact: Fact, log: LogText, language: str, model: str = "") -> Mapping[str, object]:
    """Return the pending note of a fact, as an item for `Notes.add_many`; `model`: the model that suggested it."""
    place = place_of(fact, log)
    return {
        "body": _body(rule, fact, place, language, model),
        "title": abbreviate(render(fact.title, language), MOST_TITLE),
        "path": "learnt/",
        "type": fact.type,
        "category": fact.category,
        "tags": fact.tags,
        "scope": fact.scope,
        "priority": fact.priority,
        "status": "pending",
        "source": "test_learning" if log.format in _TESTS else "log_learning",
        ORIGIN: place,
        "created_by": model or _RULES,
        "metadata": {**fact.metadata, "rule": rule, "format": log.format, "lines": list(fact.lines)},
    }


def place_of(fact: Fact, log: LogText) -> str:
    """Return the file and lines of a fact, such as `app.log:12-14,31`."""
    spans: list[list[int]] = []
    for line in sorted({*fact.lines}):
        if spans and line <= spans[-1][1] + 1:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    written = [str(start) if start == end else f"{start}-{end}" for start, end in spans[:_MOST_LINES]]
    return f"{log.name}:{','.join(written)}"


def _body(rule: str, fact: Fact, place: str, language: str, model: str) -> str:
    text = render(_quote_values(fact.text), language).strip()
    if model:
        note = message("Suggested by the language model {model}, from {place}.", model=_code(model), place=_code(place))
    else:
        kind = render(RULES[rule].name, language)
        note = message(
            "Suggested by the rule '{rule}' ({kind}), from {place}.", rule=rule, kind=kind, place=_code(place)
        )
    quotes = code_block("\n".join(fact.quotes), "text")
    return f"{text}\n\n{render(note, language)}\n\n{quotes}\n"


def _quote_values(text: Message) -> Message:
    """Return a message with values from a log as code, if Markdown would interpret them otherwise."""
    fields = {
        name: _quote_values(value) if isinstance(value, Message) else _safe(value) if isinstance(value, str) else value
        for name, value in text.fields.items()
    }
    return replace(text, fields=fields)


def _safe(value: str) -> str:
    return value if _PLAIN.fullmatch(value) and not _EMPHASIS.search(value) else _code(value)


def _code(value: str) -> str:
    marks = "`" * (1 + max(map(len, re.findall("`+", value)), default=0))
    edge = " " if len(marks) > 1 else ""
    return f"{marks}{edge}{value}{edge}{marks}"


@frozen
class _Key:
    words: frozenset[str]
    fact: LearntFact

    @property
    def values(self) -> frozenset[str]:
        return frozenset(word for word in self.words if _VALUE.search(word))


class Memory:
    """Facts that were suggested or rejected before, to which new facts are added."""

    def __init__(self, facts: Iterable[LearntFact]) -> None:
        self._facts: dict[tuple[str, str], LearntFact] = {}
        self._near: dict[str, list[_Key]] = defaultdict(list)
        for fact in facts:
            self.add(fact)

    def add(self, fact: LearntFact) -> None:
        self._facts[fact.rule, fact.key] = fact
        if fact.rule not in _BY_KEY:
            self._near[fact.rule].append(_Key(frozenset(keywords(fact.key)), fact))

    def sort(self, facts: Iterable[Fact]) -> Sorting:
        """Separate new facts from known ones, and add the new ones to the memory."""
        fresh = []
        known = rejected = 0
        for fact in facts:
            before = self.find(fact)
            if before is None:
                fresh.append(fact)
                self.add(LearntFact(fact.rule, fact.key, ""))
            elif before.rejected:
                rejected += 1
            else:
                known += 1
        return Sorting(fresh, known, rejected)

    def find(self, fact: Fact) -> LearntFact | None:
        """Return the known fact with an equal key, or else with the most similar key; None for a new fact."""
        if known := self._facts.get((fact.rule, fact.key)):
            return known
        if fact.rule in _BY_KEY:
            return None
        words = frozenset(keywords(fact.key))
        values = frozenset(word for word in words if _VALUE.search(word))
        if len(words) < _FEWEST:
            return None
        near = [(_shared(words, key.words), key) for key in self._near[fact.rule] if key.values == values]
        best = max(near, key=lambda item: item[0], default=(0.0, None))
        return best[1].fact if best[1] and best[0] >= _NEAR and not (words ^ best[1].words) & _OPPOSITES else None


def _shared(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / max(1, len(first | second))


class Learning:
    """Suggests notes from logs, on request only. It is off until the settings or the user turn it on."""

    def __init__(self, store: Store, settings: Settings, preferences: Preferences, bases: Bases, notes: Notes) -> None:
        self._store = store
        self._facts = FactTable(store.database)
        self._settings = settings
        self._preferences = preferences
        self._bases = bases
        self._notes = notes

    @property
    def enabled(self) -> bool:
        """Whether learning is on: from the settings, else from the user's choice."""
        chosen = self._settings.enable_learning
        return self._preferences.get(_LEARNING) == "on" if chosen is None else chosen

    def enable(self, enabled: bool) -> None:
        """Store the user's choice to turn learning on or off."""
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
        events: Sequence[Mapping[str, object]] | None = None,
        name: str = "",
        parser: str = "",
        with_model: bool = False,
        progress: Progress = no_progress,
    ) -> LearningReport:
        """Suggest notes for the facts in files, in a text, or in parsed events.

        Secrets are masked before anything is stored or sent. Facts that were suggested or rejected before aren't
        suggested again. `name` is the name of the text or events. With `with_model`, the configured language model
        suggests notes too; a failure of its server is the `problem` of the report. Raises the errors of `check` and
        `Notes.add`, and UnknownChoice for a parser; unreadable files are in `failed`. After Cancelled, notes that were
        already suggested stay.
        """
        self.check(files=files, text=text, events=events, with_model=with_model)
        failed: list[UnreadLog] = []
        logs = self._logs(files, text, events, name or _PASTED, parser, failed)
        into = base or BASE
        memory = Memory(self._facts.all())
        reader = ModelReader(Chat(self._settings.llm), self._settings.llm.input_characters) if with_model else None
        total = len(files) + (text is not None) + (events is not None)
        learnt = []
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
        events: Sequence[Mapping[str, object]] | None = None,
        with_model: bool = False,
    ) -> None:
        """Raise ConfigError if learning is off, nothing is given, or the model isn't set up."""
        if not self.enabled:
            raise ConfigError(
                "Suggestions from logs are off. Set enable_learning = true in tessera.toml to turn them on."
            )
        if not files and text is None and events is None:
            raise ConfigError("No log was given. Give a file, a text or events.")
        if with_model:
            Chat(self._settings.llm)
        self._store.database.check_writable()

    def _logs(
        self,
        files: Sequence[Path],
        text: str | None,
        events: Sequence[Mapping[str, object]] | None,
        name: str,
        parser: str,
        failed: list[UnreadLog],
    ) -> Iterator[LogText]:
        """Yield the logs; unreadable files are added to `failed`, or raise SourceError if there is only one file."""
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
        """Write the notes for a model's facts, and add them to the result for the log."""
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

    def _write_notes(self, base: str, items: Sequence[Mapping[str, object]], fresh: Sequence[Fact]) -> tuple[str, ...]:
        """Write facts and their notes in one transaction; return the ids of the notes."""
        if not items:
            return ()
        self._store.open_index()
        with self._store.changing, self._store.database.write():
            note_ids = self._notes.add_many(base, items, embed=False, strict=True).note_ids
            self._facts.put(
                LearntFact(fact.rule, fact.key, note_id) for fact, note_id in zip(fresh, note_ids, strict=True)
            )
        return note_ids


def _bytes(file: Path) -> bytes:
    """Return the content of a regular file; raises SourceError."""
    with files.open_user_file(file, reading.MOST_BYTES) as stream:
        return stream.read()
