"""Whether the notes of a base can be found: the questions that they give, as a question set, and its runs."""

import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime

from core.base.call_log import log_bases, log_call, skip_log
from core.base.errors import Cancelled, ConfigError, UnknownChoice
from core.base.jobs import Jobs
from core.base.messages import Message, language_of, message, render, terminal_language
from core.base.text import digest
from core.features.evaluation.golds import find_note
from core.features.evaluation.note_questions import note_questions, plain_question
from core.features.evaluation.runs import Runs
from core.markdown.outline import sections_of
from core.model import (
    ENOUGH,
    CheckDiff,
    Comparison,
    Filters,
    Finding,
    FindingReason,
    KnowledgeBase,
    NoteCheck,
    NoteRanks,
    NoteSummary,
    Pipeline,
    Progress,
    QuestionSet,
    Run,
    SearchSettings,
    SettingsTrial,
    Vanished,
    no_progress,
)
from core.notes.links import NoteLinks
from core.notes.texts import blank_hidden
from core.reranking import NONE
from core.retrieval.comparison import compare
from core.settings.config import Settings
from core.settings.preferences import CHECK_AFTER_IMPORT, Preferences
from core.store import Store

SECONDS = 50.0
"""Time for the questions of a check, half of it for the search by meaning alone; the rest of a minute draws them."""
MOST_NOTES = 2_000
"""Notes that questions are made from, those with the least hash."""
MOST_QUESTIONS = 1_000
TRIED, TRIED_AGAIN = 60, 40
"""Questions on which a change of settings is tried: without reranking, and with it."""
RETAINED = 5
"""Newest checks of a base whose runs are stored."""
NAME = message("Questions from the notes")
"""The name of the question set."""

SHORT, LONG = 200, 3_000
"""Characters of a note that is short, and of one that needs headings."""
_HEADING = re.compile(r"(?m)^#{1,6} |^(?:=+|-{3,})$")

FOUND = Pipeline(search=SearchSettings(reranker=NONE, level="simple"), answers="none")
"""How a check searches: without reranking, which only sorts what was reached, and without answers."""
BY_MEANING = replace(FOUND, search=replace(FOUND.search, mode="semantic"))


class NoteChecks:
    """The checks of a workspace."""

    def __init__(self, store: Store, settings: Settings, runs: Runs, preferences: Preferences, jobs: Jobs) -> None:
        self._store = store
        self._settings = settings
        self._runs = runs
        self._preferences = preferences
        self._jobs = jobs
        self._checking = threading.Lock()
        self._read: dict[str, tuple[Run, NoteRanks]] = {}

    @property
    def after_import(self) -> bool:
        """Whether bases are checked after every import."""
        return self._preferences.get(CHECK_AFTER_IMPORT) == "on"

    def check_after_import(self, check: bool) -> None:
        """Store the person's choice whether bases are checked after every import."""
        self._preferences.set(CHECK_AFTER_IMPORT, "on" if check else "off")

    def start_due(self) -> bool:
        """Start the job `findable` for bases that an import changed since their last check, if the person wishes."""
        due = [base.name for base in self._store.bases.all() if self._is_due(base)] if self.after_import else []

        def work(progress: Progress) -> None:
            for name in due:
                with suppress(ConfigError, UnknownChoice):  # its notes went meanwhile, or it did
                    self.check(name, progress)

        return bool(due) and not self._store.readonly and self._jobs.start("findable", work, quiet=True)

    def last(self, base: str) -> NoteCheck | None:
        """Return the newest check of a base against the one before, None before the first one."""
        named = self._store.bases.named(base)
        runs, by_meaning = self._stored(named, FOUND), self._stored(named, BY_MEANING)
        if not runs:
            return None
        ranks = self._ranks(runs[0])
        meaning = [self._ranks(run) for run in by_meaning[:2]]
        since = None
        if len(runs) > 1:
            old = self._ranks(runs[1])
            since = CheckDiff(
                runs[1].started_at,
                _compare(old, ranks),
                _compare(*reversed(meaning)) if len(meaning) > 1 else _compare(old, old),
                tuple(self._vanished(old, ranks)),
                tuple(
                    result.question
                    for result in old.results
                    if old.values[result.id] and ranks.values.get(result.id) == 0
                ),
                tuple(name for name, value in runs[0].settings.items() if runs[1].settings.get(name) != value),
            )
        shares = meaning[0].share(1) if meaning and any(item.hits for item in meaning[0].results) else None
        return NoteCheck(
            named.name,
            runs[0],
            ranks,
            tuple(filter(None, (self._finding(card, ranks, named) for card in self._drawn_from(named)))),
            shares,
            since,
        )

    def is_current(self, base: str) -> bool:
        """Whether the searchable data is unchanged since the newest check of a base."""
        runs = self._stored(self._store.bases.named(base), FOUND)
        return bool(runs) and self._runs.is_current(runs[0])

    def finding(self, base_id: str, note_id: str) -> tuple[datetime, Finding] | None:
        """Return what the newest check of a base says of a note, with its time; None where it says nothing."""
        base = self._store.bases.by_id(base_id)
        if not (runs := self._stored(base, FOUND)):
            return None
        cards = self._store.notes.cards_of([note_id])
        finding = self._finding(cards[note_id], self._ranks(runs[0]), base) if note_id in cards else None
        return (runs[0].started_at, finding) if finding else None

    @log_call("findability.check")
    def check(
        self, base: str, progress: Progress = no_progress, *, language: str = "", seconds: float = SECONDS
    ) -> NoteCheck:
        """Ask the questions that a base's notes give for about `seconds`, and store the runs.

        Each note has its first question before any has its second. A new question set is named in the `language`,
        else in that of the settings, else in that of the terminal. Raises
        ConfigError for a base whose notes give no question, and what a run raises.
        """
        with self._checking:
            named = self._store.bases.named(base)
            log_bases([named])
            chosen = language or self._preferences.get("language")
            name = render(NAME, language_of(chosen) if chosen else terminal_language())
            question_set = self._draw(named, name, progress)
            pipelines = [FOUND, BY_MEANING] if named.has_vectors else [FOUND]
            for number, pipeline in enumerate(pipelines):
                self._run(question_set, pipeline, seconds / len(pipelines), number / len(pipelines), progress)
                self._runs.delete_for_good(run.id for run in self._stored(named, pipeline)[RETAINED:])
        last = self.last(base)
        assert last
        return last

    @log_call("findability.try")
    def try_settings(self, base: str, search: SearchSettings, progress: Progress = no_progress) -> SettingsTrial | None:
        """Ask questions of the last check with the settings of a base as they are, and with others.

        Return None without enough questions. Reranking is done where the settings change it.
        """
        named = self._store.bases.named(base)
        question_set = self._set(named)
        known = {result.id for run in self._stored(named, FOUND)[:1] for result in self._ranks(run).results}
        questions = self._runs.to_ask(question_set) if question_set and known else []
        ways = [asdict(self._settings.search_in([replace(named, search=own)])) for own in (named.search, search)]
        looks = any(ways[0][name] != ways[1][name] for name in ways[0] if name.startswith("rerank"))
        usual = {"level": "simple"} if looks else {"level": "simple", "reranker": NONE}
        sample = sorted((item for item in questions if item.id in known), key=lambda question: digest(question.id))
        sample = sample[: TRIED_AGAIN if looks else TRIED]
        if len(sample) < ENOUGH:
            return None
        pipelines = [replace(FOUND, search=SearchSettings.from_values(way | usual)) for way in ways]
        old, new = (NoteRanks(results) for _, results in self._runs.measure(base, sample, pipelines, progress))
        lost = tuple(question.text for question in sample if new.values[question.id] < old.values[question.id])
        return SettingsTrial(_compare(old, new), lost)

    # within

    def _is_due(self, base: KnowledgeBase) -> bool:
        runs = self._stored(base, FOUND)
        changed = (
            sync.at
            for sync in self._store.bases.syncs(base)
            if any(map(sync.report.get, ("added", "changed", "removed")))
        )
        return (last := next(changed, None)) is not None and not (runs and runs[0].started_at > last)

    def _set(self, base: KnowledgeBase) -> QuestionSet | None:
        return next((known for known in self._store.questions.sets(base) if known.id == _set_id(base)), None)

    def _stored(self, base: KnowledgeBase, pipeline: Pipeline) -> list[Run]:
        """Return the runs of the checks of a base, the newest first."""
        return [run for run in self._runs.all(base.name) if (run.set_id, run.pipeline) == (_set_id(base), pipeline)]

    def _ranks(self, run: Run) -> NoteRanks:
        known = self._read.get(run.id)
        if known is None or known[0] != run:
            if len(self._read) > 4 * RETAINED:
                self._read.clear()
            self._read[run.id] = known = run, NoteRanks(self._runs.results(run.id))
        return known[1]

    def _draw(self, base: KnowledgeBase, name: str, progress: Progress) -> QuestionSet:
        """Bring the question set of a base in step with its notes, and return it."""
        notes = []
        for card in self._drawn_from(base):
            progress(0, 0, card.title)
            if note := find_note(self._store, card.id):
                notes.append(blank_hidden(note, self._store.chunks.hidden(card.id)))
        questions = note_questions(notes, NoteLinks(self._store))[:MOST_QUESTIONS]
        if not questions:
            raise ConfigError("The base '{base}' has no notes that could be found. Import some first.", base=base.name)
        table = self._store.questions
        if (known := self._set(base)) is None:
            taken = {item.name for item in table.sets(base)}
            while name in taken:
                name += " +"
            table.put_set(QuestionSet(_set_id(base), base.id, name, datetime.now(UTC)), questions)
        else:
            table.delete(known, [question.id for question in table.for_set(known)])
            table.add(known, questions)
        question_set = self._set(base)
        assert question_set
        return question_set

    @skip_log()
    def _run(
        self, question_set: QuestionSet, pipeline: Pipeline, seconds: float, begun: float, progress: Progress
    ) -> None:
        ends = time.monotonic() + seconds
        over = False

        def step(done: float, total: float, what: str | Message) -> None:
            nonlocal over
            over = done > 0 and time.monotonic() > ends
            if over:
                raise Cancelled
            progress(begun + done / max(1, total) * (1 - begun), 1, what)

        try:
            self._runs.run(question_set, [pipeline], step)
        except Cancelled:
            if not over:
                raise

    def _drawn_from(self, base: KnowledgeBase) -> list[NoteSummary]:
        return sorted(
            self._store.notes.cards(Filters(bases=(base.name,)), answering=True), key=lambda card: digest(card.id)
        )[:MOST_NOTES]

    def _finding(self, card: NoteSummary, ranks: NoteRanks, base: KnowledgeBase) -> Finding | None:
        """Return what is said of a note that no question reaches and that still answers questions."""
        results = ranks.by_note.get(card.id, [])
        if any(hit.note_id == card.id for result in results for hit in result.hits):
            return None
        note = find_note(self._store, card.id)
        if note is None or (not results and len(note.body) >= SHORT):
            return None
        first = Counter(result.hits[0].note_id for result in results if result.hits).most_common(1)
        reason: FindingReason = "elsewhere"
        if card.pending and base.has_vectors:
            reason = "pending"
        elif len(note.body) < SHORT and not results:
            reason = "short"
        elif len(note.body) > LONG and not _HEADING.search(note.body):
            reason = "no_heading"
        elif first and 2 * first[0][1] > len(results):
            other = find_note(self._store, first[0][0])
            return Finding(card.id, card.title, "behind", first[0][0], other.title if other else "")
        return Finding(card.id, card.title, reason)

    def _vanished(self, old: NoteRanks, new: NoteRanks) -> Iterator[Vanished]:
        """Yield the notes and the headings that gave questions of the last check and are gone."""
        for note_id, results in old.by_note.items():
            if all(result.id in new.best for result in results):
                continue
            note = find_note(self._store, note_id)
            titles = [result.question for result in results if result.kind == "title"]
            if note is None:
                yield Vanished(note_id, next(iter(titles), results[0].golds[0].path))
                continue
            there = {plain_question(section.heading) for section in sections_of(note)}
            for result in results:
                if result.kind == "heading" and result.question not in there:
                    yield Vanished(note_id, note.title, result.question)


def _set_id(base: KnowledgeBase) -> str:
    """Return the id of the question set of a base's own questions, which tells it from the sets of the user."""
    return digest(f"notes/{base.id}").hex()[:12]


def _compare(old: NoteRanks, new: NoteRanks) -> Comparison:
    common = old.best.keys() & new.best.keys()
    return compare({key: old.values[key] for key in common}, {key: new.values[key] for key in common})
