"""Suggest the facts in logs as pending notes, which the user accepts or rejects."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from pathlib import Path

from core.base.blobs import join_spans
from core.base.call_log import log_call
from core.base.errors import ConfigError, SourceError
from core.base.files import open_user_file
from core.base.frozen import Pair, Texts, ValueMap
from core.base.messages import ENGLISH, Message, message, render
from core.base.text import CHINESE, CJK, keywords
from core.features.learning import reading, rules
from core.features.learning.facts import MOST_TITLE, FactTable, abbreviate
from core.features.learning.masks import Masker
from core.features.learning.model import RULE, ModelReader
from core.features.learning.rules import RULES
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
    UnreadLog,
    no_progress,
    place_line,
)
from core.notes.collection import Notes
from core.providers.chat import Chat
from core.settings.config import Settings
from core.settings.preferences import Preferences, Switchable
from core.store import Store

# A value that is unchanged when rendered as Markdown: it has no links, tags or markup.
_PLAIN = re.compile(rf"[\w{CJK}](?:[\w{CJK} .,;()'\"%=/？！。，：；（）、“”-]|:(?!/)|\n(?! ?[-=+]))*")
_EMPHASIS = re.compile(r"(?i)(?<!\w)_|_(?!\w)|__|www\.")
# Share of Chinese characters among a log's letters above which notes are written in Chinese.
_SHARE = 0.15

# Minimum share of common words for two keys to mean the same fact.
_NEAR = 0.8
# Minimum number of words in a key for it to be compared with other keys word by word.
_FEWEST = 5
# Words that change the meaning of a sentence, making it a different fact.
_OPPOSITES = frozenset(
    "not no never without don won isn cannot enable disable enabled disabled on off true false yes start"
    " stop up down before"
    " after more less increase decrease allow deny add remove 不 没 无 未 非 禁 开 关 启 停 前 后 增 减".split()
)

# Default base for suggested notes.
BASE = "learnt"


def language_of(log: LogText) -> str:
    """Return the language in which to write notes about a log."""
    text = "".join(event.text[:200] for event in log.events[:200])
    letters = sum(letter.isalpha() for letter in text)
    return "zh_CN" if letters and len(CHINESE.findall(text)) > _SHARE * letters else ENGLISH


def item_of(rule: str, fact: Fact, log: LogText, language: str, model: str) -> ValueMap:
    """Return the pending note for a fact, as an item for `Notes.add_many`.

    `model` is the model that suggested the fact, or "" if a rule found it.
    """
    spans = join_spans((first, last + 1) for first, last in sorted(fact.lines))
    written = [str(start) if start == end - 1 else f"{start}-{end - 1}" for start, end in spans]
    mark = "#" if log.by_message else ":"
    place = f"{log.name}{mark}{','.join(written)}"  # such as app.log:12-14,31
    lines = place_line(place)
    lines = replace(lines, fields={**lines.fields, "name": _code(log.name)})
    if model:
        note = message("Suggested by the language model {model}, from {place}.", model=_code(model), place=lines)
    else:
        name = render(RULES[rule].name, language)
        note = message("Suggested by the rule '{rule}', from {place}.", rule=name, place=lines)
    parts = [
        render(_quote_values(fact.text), language).strip(),
        render(note, language),
        code_block("\n".join(fact.quotes), "text"),
    ]
    return {
        "body": "\n\n".join(parts) + "\n",
        "title": abbreviate(render(fact.title, language), MOST_TITLE),
        "path": "learnt/",
        "type": fact.type,
        "category": fact.category,
        "tags": fact.tags,
        "scope": fact.scope,
        "priority": fact.priority,
        "status": "pending",
        "source": "test_learning" if log.format in ("pytest", "junit") else "log_learning",
        ORIGIN: place,
        "created_by": model or "rules",
        "metadata": {**fact.metadata, "rule": rule, "format": log.format},
    }


def _quote_values(text: Message) -> Message:
    """Mark up values from a log as code in a message if Markdown would otherwise interpret them."""
    fields = dict(text.fields)
    for name, value in text.fields.items():
        if isinstance(value, Message):
            fields[name] = _quote_values(value)
        elif isinstance(value, str) and (not _PLAIN.fullmatch(value) or _EMPHASIS.search(value)):
            fields[name] = _code(value)
    return replace(text, fields=fields)


def _code(value: str) -> str:
    marks = "`" * (1 + max(map(len, re.findall("`+", value)), default=0))
    edge = " " if len(marks) > 1 else ""
    return f"{marks}{edge}{value}{edge}{marks}"


class Memory:
    """The facts that have been suggested or rejected so far. New facts are added as they are found."""

    def __init__(self, facts: Iterable[LearntFact]) -> None:
        self._facts: dict[Pair, LearntFact] = {}
        self._near = defaultdict[str, list[tuple[set[str], LearntFact]]](list)
        for fact in facts:
            self.add(fact)

    def add(self, fact: LearntFact) -> None:
        self._facts[fact.rule, fact.key] = fact
        self._near[fact.rule].append(({*keywords(fact.key)}, fact))

    def find(self, fact: Fact) -> LearntFact | None:
        """Return the known fact with the same key or, if there is none, with a very similar key.

        Returns None if the fact is new.
        """
        words = {*keywords(fact.key)}
        known = self._facts.get((fact.rule, fact.key))
        if known or len(words) < _FEWEST or (fact.rule in RULES and RULES[fact.rule].by_key):
            return known
        near = [
            (len(words & others) / len(words | others), other)
            for others, other in self._near[fact.rule]
            if not any(word in _OPPOSITES or re.search(r"\d", word) for word in words ^ others)
        ]
        share, nearest = max(near, key=itemgetter(0), default=(0.0, None))
        return nearest if share >= _NEAR else None


@dataclass(eq=False)
class Learning(Switchable):
    """Suggests notes from logs on request. Learning is off until it is turned on in the settings or by the user."""

    _store: Store
    _settings: Settings
    _preferences: Preferences
    _bases: Bases
    _notes: Notes

    _switch = "learning"

    def __post_init__(self) -> None:
        self._facts = FactTable(self._store.database)

    @property
    def _decided(self) -> bool | None:
        return self._settings.enable_learning

    @log_call("learn")
    def learn(
        self,
        base: str = "",
        *,
        files: Sequence[Path] = (),
        logs: Sequence[tuple[str, bytes]] = (),
        text: str | None = None,
        events: Sequence[ValueMap] | None = None,
        name: str = "",
        parser: str = "",
        with_model: bool = False,
        progress: Progress = no_progress,
    ) -> LearningReport:
        """Suggest notes for the facts in files, in logs given by name and contents, in text, or in parsed events.

        Secrets are masked before anything is stored or sent. Facts that were suggested or rejected before aren't
        suggested again. `name` is a name for the text or events. If `with_model` is True, the configured language model
        suggests notes too. If the model's server fails, the report's `problem` contains the reason.

        Raises the same errors as `check` and `Notes.add`, UnknownChoice if there is no such parser, and SourceError if
        the only source is unreadable. If there are several sources, unreadable ones are reported in `failed`. After
        Cancelled, the notes suggested so far are kept.
        """
        self.check(files=files or logs, text=text, events=events, with_model=with_model)
        masker = Masker()
        name = name or "log.txt"
        sources = [(file.name, partial(_read_file, file, masker, parser)) for file in files]
        sources += [(log, partial(reading.read, data, log, masker, parser=parser)) for log, data in logs]
        if text is not None:
            sources.append((name, partial(reading.read_text, text, name, masker, parser=parser)))
        if events is not None:
            sources.append((name, partial(reading.read_events, events, name, masker)))
        into = base or BASE
        memory = Memory(self._facts.all())
        reader = ModelReader(Chat(self._settings.llm), self._settings.llm.input_characters) if with_model else None
        learnt = []
        failed = []
        for number, (title, read) in enumerate(sources):

            def step(share: float, number: int = number, title: str = title) -> None:
                progress(number + share, len(sources), title)

            try:
                log = read()
            except SourceError as error:
                if len(sources) == 1:
                    raise
                failed.append(UnreadLog(title, error.reason))
                continue
            step(0)
            learnt.append(self._suggest(into, log, memory, reader, step))
        progress(len(sources), len(sources), "")
        model, problem = (reader.chat.server.model, reader.problem) if reader else ("", None)
        return LearningReport(into, tuple(learnt), tuple(failed), model, problem)

    def check(
        self,
        *,
        files: Sequence[object] = (),
        text: object = None,
        events: object = None,
        with_model: bool = False,
    ) -> None:
        """Raise ConfigError if learning is off, no log is given, or the model isn't set up. Raises WorkspaceLocked."""
        if not self.enabled:
            raise ConfigError(
                "Suggestions from logs are off. Set enable_learning = true in tessera.toml to turn them on."
            )
        if not files and text is None and events is None:
            raise ConfigError("There is no log to read. Choose a file, or send text or events.")
        if with_model:
            Chat(self._settings.llm)
        self._store.check_writable()

    def _suggest(
        self, base: str, log: LogText, memory: Memory, reader: ModelReader | None, step: Callable[[float], None]
    ) -> LearntLog:
        def add(facts: Sequence[tuple[str, Fact]], model: str = "") -> LearntLog:
            """Write new facts and their notes in one transaction. Return `learnt` with updated counts."""
            fresh = []
            items = []
            rejected = 0
            for name, fact in facts:
                if known := memory.find(fact):
                    rejected += known.rejected
                    continue
                memory.add(LearntFact(fact.rule, fact.key, ""))
                fresh.append(fact)
                items.append(item_of(name, fact, log, language, model))
            note_ids: Texts = ()
            if fresh:
                self._store.index.open()
                with self._store.changing, self._store.database.write():
                    note_ids = self._notes.add_many(base, items, embed=False, strict=True).note_ids
                    self._facts.put(
                        LearntFact(fact.rule, fact.key, note_id) for fact, note_id in zip(fresh, note_ids, strict=True)
                    )
            return replace(
                learnt,
                facts=learnt.facts + len(facts),
                known=learnt.known + len(facts) - len(fresh) - rejected,
                rejected=learnt.rejected + rejected,
                suggested=(*learnt.suggested, *note_ids),
            )

        language = language_of(log)
        if language == ENGLISH:
            language = self._preferences.get("language") or ENGLISH
        by_rules = rules.facts(log)
        learnt = LearntLog(log.name, log.format, len(log.events), log.secrets, log.cut, log.left_out, 0, 0, 0, ())
        learnt = add(by_rules)
        ruled = len(learnt.suggested)
        if reader:
            for facts, dropped, unsent in reader.read(log, [fact for _, fact in by_rules], language, step):
                learnt = add([(RULE, fact) for fact in facts], reader.chat.server.model)
                learnt = replace(learnt, dropped=(*learnt.dropped, *dropped), unsent=unsent)
        return replace(learnt, by_model=learnt.suggested[ruled:])


def _read_file(file: Path, masker: Masker, parser: str) -> LogText:
    with open_user_file(file, reading.MOST_BYTES) as stream:
        return reading.read(stream.read(), file.name, masker, parser=parser)
