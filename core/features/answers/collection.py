"""The answers of a workspace, and the bars by which questions are refused."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Unpack

from core.base.call_log import logged, unlogged
from core.base.errors import QueryError
from core.base.jobs import Jobs
from core.features.answers import asking, budget, thresholds, writing
from core.features.answers.choosing import Selection, choose
from core.features.answers.confidence import LIKELY, SURE
from core.features.answers.examples import Examples
from core.model import (
    Answer,
    AnswerThreshold,
    Filters,
    KnowledgeBase,
    Note,
    Progress,
    Question,
    SearchOptions,
    SearchResult,
    no_progress,
)
from core.providers.chat import Chat
from core.providers.connection import Stop, never
from core.retrieval.engine import SearchEngine
from core.settings.config import Settings
from core.store import Store

OWN, OTHERS = 200, 60
"""Most questions that a bar rests on: of the base itself, and on other bases."""
_NOTES = 60
"""Notes of other bases that questions are drawn from."""
_GROWN = 1.5
"""Growth of a base by which its bar is measured again."""


Drawn = Callable[[Sequence[Note], int], list[Question]]
"""Draws questions from notes."""


def answer_of(result: SearchResult, selection: Selection, bar: AnswerThreshold) -> Answer:
    """Return the answer of a selection; no quotes where the search is below the bar and the first isn't likely."""
    evidence = selection.evidence
    quotes = selection.quotes if result.evidence >= bar.least or evidence >= LIKELY else ()
    sure, likely = (bool(quotes) and evidence >= least for least in (SURE, LIKELY))
    return Answer(result.query, quotes, evidence, bar, sure, likely, result)


class Answers:
    """Answers questions with quotes of the notes."""

    def __init__(self, store: Store, settings: Settings, searching: SearchEngine, jobs: Jobs, drawn: Drawn) -> None:
        self._store = store
        self._settings = settings
        self._searching = searching
        self._jobs = jobs
        self._drawn = drawn
        self.examples = Examples(jobs, store.notes.note, drawn, self._unmeasured)

    @logged("answer.ask")
    def ask(self, text: str, **options: Unpack[SearchOptions]) -> Answer:
        """Return the answer to a question; the bar of its base is measured first if need be.

        Raises what a search does.
        """
        result = self._searching.answer(self._searching.prepare(text, options))
        return self.answer_result(result, measure=True)

    def _unmeasured(self, text: str) -> Answer:
        return self.answer_result(self._searching.answer(self._searching.prepare(text, {})))

    def write(self, text: str, *, stop: Stop = never, **options: Unpack[SearchOptions]) -> Iterator[Answer]:
        """Yield the answer of the language model of the settings as it is written, each of its sentences once more.

        A question that the notes don't answer is refused before the model is asked. Raises what a search does, and
        ConfigError where no model is set up; what its server does wrong stands in the answer.
        """
        chat = Chat(self._settings.llm)
        answer = self.ask(text, **options)
        if not answer.answerable:
            yield answer
            return
        question = answer.result.understood.text or text
        characters = budget.characters(self._settings.llm, answer.result.hits[: writing.PASSAGES])
        yield from writing.write(chat, answer, question, characters, stop)

    def to_question(self, result: SearchResult) -> Answer | None:
        """Return the answer to what was typed where that is a question, None for a word or a title."""
        titles = (hit.note.title for hit in result.hits)
        return self.answer_result(result) if asking.is_question(result.understood.text, titles) else None

    def answer_result(self, result: SearchResult, *, measure: bool = False) -> Answer:
        """Return the answer to the question of a result; without `measure`, an old bar will do."""
        selection = choose(self._store, self._searching.reads, result)
        bar = thresholds.EXAMPLES
        if result.hits:
            base = self._store.bases.by_id((selection.quotes or result.hits)[0].note.base_id)
            bar = self.measure(base) if measure else thresholds.current_threshold(self._store, base)
        answer = answer_of(result, selection, bar)
        no_notes = not result.hits and not self._store.notes.count([base.id for base in self._store.bases.all()])
        return replace(answer, no_notes=no_notes)

    def start_measuring(self, answer: Answer) -> bool:
        """Start the job `measure_bar` for the base of an answer; return False if its bar is as its notes are."""
        if self._store.readonly or not answer.result.hits:
            return False
        base = self._store.bases.by_id((answer.quotes or answer.result.hits)[0].note.base_id)
        if self._is_fresh(base, self._own(base), self._windows()):
            return False
        return self._jobs.start("measure_bar", lambda progress: self.measure(base, progress), quiet=True)

    def measure(self, base: KnowledgeBase, progress: Progress = no_progress) -> AnswerThreshold:
        """Measure the bar of a base unless it is known for its notes and questions, and return it."""
        own, share, windows = self._own(base), self._settings.search.refuse, self._windows()
        if self._store.readonly or not windows or self._is_fresh(base, own, windows):
            return thresholds.current_threshold(self._store, base)
        bar = replace(thresholds.EXAMPLES, windows=windows)
        if len(own) >= thresholds.enough(share):
            bar = thresholds.below(self._evidence(base, own, progress), share, windows)
        elif len(others := self._other_questions(base)) >= thresholds.LEAST_OTHERS:
            bar = thresholds.above(self._evidence(base, others, progress), thresholds.ANSWERED, windows)
        self._store.bars.set(base, bar)
        return bar

    def _is_fresh(self, base: KnowledgeBase, own: Sequence[str], windows: int) -> bool:
        known, share = self._store.bars.get(base), self._settings.search.refuse
        if known is None or not known.windows / _GROWN < windows < known.windows * _GROWN:
            return False
        if len(own) < thresholds.enough(share):
            return known.basis != "questions"
        return (known.basis, known.count, known.share) == ("questions", len(own), share)

    def _windows(self) -> int:
        return sum(self._store.chunks.count(base)[2] for base in self._store.bases.all())

    def _own(self, base: KnowledgeBase) -> list[str]:
        """Return the questions of the base's own sets that it answers, the newest of each set first."""
        sets = [self._store.questions.for_set(question_set) for question_set in self._store.questions.sets(base)]
        texts = [question.text for own in sets for question in own[::-1] if question.gold and not question.suggested]
        return list(dict.fromkeys(texts))[:OWN]

    def _other_questions(self, base: KnowledgeBase) -> list[str]:
        """Return questions on the notes of the other bases."""
        names = tuple(other.name for other in self._store.bases.all() if other.id != base.id)
        cards = self._store.notes.cards(Filters(bases=names)) if names else []
        notes = [self._store.notes.note(card.id) for card in cards[:: max(1, len(cards) // _NOTES)][:_NOTES]]
        return [note.text for note in self._drawn(notes, OTHERS)]

    @unlogged()
    def _evidence(self, base: KnowledgeBase, texts: Sequence[str], progress: Progress) -> list[float]:
        values = []
        for number, text in enumerate(texts):
            progress(number, len(texts), text)
            with suppress(QueryError):
                prepared = self._searching.prepare(text, {"filters": Filters(bases=(base.name,))})
                values.append(self._searching.answer(prepared).evidence)
        return values
