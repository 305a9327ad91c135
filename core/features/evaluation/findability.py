"""Checks whether the notes of a base can be found, by runs of question sets that are made from the notes."""

import threading
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from core.base.call_log import log_bases, log_call
from core.base.datetimes import utc_now
from core.base.errors import ConfigError, UnknownChoice
from core.base.jobs import Jobs
from core.base.messages import language_of, message, render, terminal_language
from core.base.text import digest
from core.features.evaluation.golds import find_note
from core.features.evaluation.note_questions import note_questions
from core.features.evaluation.runs import Runs
from core.model import (
    Filters,
    KnowledgeBase,
    Pipeline,
    Progress,
    QuestionResult,
    QuestionSet,
    Run,
    SearchSettings,
    no_progress,
)
from core.notes.links import NoteLinks
from core.notes.texts import blank_hidden
from core.reranking import NONE
from core.settings.preferences import CHECK_AFTER_IMPORT, Preferences
from core.store import Store

MOST_NOTES = 2_000
"""Maximum number of notes to make questions from; a hash selects them."""
MOST_QUESTIONS = 1_000
RETAINED = 5
"""Number of checks per base whose runs are kept."""
NAME = message("Questions from the notes")
"""The name of the question set."""

FOUND = Pipeline(search=SearchSettings(reranker=NONE, level="simple"), answers="none")
"""Pipeline of a check: without reranking, because that only sorts the hits, and without answers."""
BY_MEANING = replace(FOUND, search=replace(FOUND.search, mode="semantic"))


class NoteChecks:
    """The checks of a workspace: runs of the question sets made from the notes of bases."""

    def __init__(self, store: Store, runs: Runs, preferences: Preferences, jobs: Jobs) -> None:
        self._store = store
        self._runs = runs
        self._preferences = preferences
        self._jobs = jobs
        self._checking = threading.Lock()
        self._read: dict[str, tuple[Run | None, dict[str, list[QuestionResult]]]] = {}

    @property
    def after_import(self) -> bool:
        """Whether bases are checked after every import."""
        return self._preferences.get(CHECK_AFTER_IMPORT) == "on"

    def check_after_import(self, check: bool) -> None:
        """Store the user's choice whether bases are checked after every import."""
        self._preferences.set(CHECK_AFTER_IMPORT, "on" if check else "off")

    def start_due(self) -> bool:
        """Start the job `evaluate` for bases that an import changed since their last check, if the user wants this."""
        due = [base.name for base in self._store.bases.all() if self._is_due(base)] if self.after_import else []

        def work(progress: Progress) -> None:
            for name in due:
                with suppress(ConfigError, UnknownChoice):  # the base or its notes were deleted meanwhile
                    self.check(name, progress)

        return bool(due) and not self._store.readonly and self._jobs.start("evaluate", work, quiet=True)

    @log_call("findability.check")
    def check(self, base: str, progress: Progress = no_progress, *, language: str = "") -> list[Run]:
        """Run a question set made from a base's notes, by words and meaning and by meaning alone, and store the runs.

        `language` is for the name of a new question set; the default is the language of the preferences, else of the
        terminal. Raises ConfigError if no question can be made from the notes, and the errors of a run.
        """
        with self._checking:
            named = self._store.bases.named(base)
            log_bases([named])
            chosen = language or self._preferences.get("language")
            name = render(NAME, language_of(chosen) if chosen else terminal_language())
            question_set = self._draw(named, name, progress)
            runs = self._runs.run(question_set, [FOUND, BY_MEANING] if named.has_vectors else [FOUND], progress)
            for run in runs:
                self._runs.delete_for_good(old.id for old in self._stored(named, run.pipeline)[RETAINED:])
            return runs

    def results(self, base_id: str) -> tuple[datetime | None, dict[str, list[QuestionResult]]]:
        """Return the time of a base's newest check, None without one, and its results by the id of the right note."""
        newest = next(iter(self._stored(self._store.bases.by_id(base_id), FOUND)), None)
        if newest is None:
            return None, {}
        run, by_note = self._read.get(base_id, (None, {}))
        if run != newest:  # a page that shows a note asks repeatedly
            by_note = {}
            for result in self._runs.results(newest.id):
                for note_id in {gold.note_id for gold in result.golds}:
                    by_note.setdefault(note_id, []).append(result)
            self._read[base_id] = newest, by_note
        return newest.started_at, by_note

    def unreached(self, base_id: str, note_id: str) -> datetime | None:
        """Return the time of a base's newest check if it asked about a note and didn't find it, else None."""
        at, by_note = self.results(base_id)
        found = any(hit.note_id == note_id for result in by_note.get(note_id, ()) for hit in result.hits)
        return at if note_id in by_note and not found else None

    # within

    def _is_due(self, base: KnowledgeBase) -> bool:
        runs = self._stored(base, FOUND)
        changed = (
            sync.at
            for sync in self._store.bases.syncs(base)
            if any(map(sync.report.get, ("added", "changed", "removed")))
        )
        return (last := next(changed, None)) is not None and not (runs and runs[0].started_at > last)

    def _stored(self, base: KnowledgeBase, pipeline: Pipeline) -> list[Run]:
        """Return the runs from a base's checks with a pipeline, the newest first."""
        return [run for run in self._runs.all(base.name) if (run.set_id, run.pipeline) == (_set_id(base), pipeline)]

    def _draw(self, base: KnowledgeBase, name: str, progress: Progress) -> QuestionSet:
        """Update the question set of a base from its notes, and return it; raises ConfigError without questions."""
        cards = self._store.notes.cards(Filters(bases=(base.name,)), answering=True)
        notes = []
        for card in sorted(cards, key=lambda card: digest(card.id))[:MOST_NOTES]:
            progress(0, 0, card.title)
            if note := find_note(self._store, card.id):
                notes.append(blank_hidden(note, self._store.chunks.hidden(card.id)))
        questions = note_questions(notes, NoteLinks(self._store))[:MOST_QUESTIONS]
        if not questions:
            raise ConfigError("The base '{base}' has no notes to find. Import some first.", base=base.name)
        table = self._store.questions
        if (known := table.find(_set_id(base))) is None:
            taken = {item.name for item in table.sets(base)}
            while name in taken:
                name += " +"
            table.put_set(QuestionSet(_set_id(base), base.id, name, utc_now()), questions)
        else:
            table.delete(known, [question.id for question in table.for_set(known)])
            table.add(known, questions)
        question_set = table.find(_set_id(base))
        assert question_set
        return question_set


def _set_id(base: KnowledgeBase) -> str:
    """Return the id of the question set made from a base's notes, which distinguishes it from the user's sets."""
    return digest(f"notes/{base.id}").hex()[:12]
