"""The answers of a workspace, and the answer thresholds by which questions are refused."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Unpack

import numpy as np

from core.base.call_log import log_call, skip_log
from core.base.errors import Cancelled, NoteNotFound, QueryError, TesseraError
from core.base.jobs import Jobs
from core.base.text import CJK, fold, simplify
from core.features.answers import writing
from core.features.answers.choosing import LIKELY, SURE, Selection, choose
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
    ThresholdBasis,
    no_progress,
)
from core.providers.chat import Chat
from core.providers.connection import Stop, never
from core.retrieval.engine import SearchEngine
from core.settings.config import Settings
from core.store import Store

# Example questions on the user's notes, offered only where the first quote comes from the note that they ask about.

EXAMPLES = 3
"""Examples that are looked for."""
CANDIDATES = 8
"""Questions that are drawn from the notes for them."""
Stamp = tuple[tuple[str, str], ...]
"""The ids of notes, each with the time of its last change."""

ANSWERED = 0.2
"""Share of questions on other notes that may get an answer, where the base has no questions of its own."""
LEAST_OTHERS = 20
"""Fewest questions on other notes that say something."""
_CERTAIN = (0.05, 0.95)
_DRAWS = 20_000

_MOST = 100.0
"""Evidence of a search without limit, as a number."""
DEFAULT = AnswerThreshold(3.0, "examples", 140, 0.12, 0.08, 0.17)
"""The threshold of the questions that test the program: those on the other vault and on Wikipedia, of which this
share has more evidence in `benchmarks.answers`; 1 in 20 that the notes answer has less."""


class Examples:
    """The checked examples of some notes, found by a quiet job and kept until those notes change."""

    def __init__(
        self,
        jobs: Jobs,
        note_of: Callable[[str], Note],
        drawn: Callable[[Sequence[Note], int], list[Question]],
        answered: Callable[[str], Answer],
    ) -> None:
        self._jobs, self._note_of, self._drawn, self._answered = jobs, note_of, drawn, answered
        self._found: tuple[Stamp, tuple[str, ...]] = ((), ())

    def for_notes(self, stamp: Stamp) -> tuple[str, ...]:
        """Return the examples of some notes; none yet, and start the job that finds them, after notes changed."""
        last_stamp, examples = self._found
        if last_stamp == stamp:
            return examples
        self._jobs.start("examples", lambda progress: self._find(stamp, progress), quiet=True)
        return ()

    def _find(self, stamp: Stamp, progress: Progress) -> None:
        notes = []
        for note_id, _ in stamp:
            with suppress(NoteNotFound):
                notes.append(self._note_of(note_id))
        found: list[str] = []
        questions = self._drawn(notes, CANDIDATES)
        for number, question in enumerate(questions):
            progress(number, len(questions), question.text)
            if len(found) < EXAMPLES and self._is_right(question):
                found.append(question.text)
        self._found = stamp, tuple(found)

    def _is_right(self, question: Question) -> bool:
        with suppress(TesseraError):
            answer = self._answered(question.text)
            return answer.likely and answer.quotes[0].note.id in {gold.note_id for gold in question.spans}
        return False


# What counts as a question, in English or Chinese: not a word, a name or a title.

_MARK = re.compile(r"[?？]\s*$")
_ENGLISH = re.compile(
    r"^\W*(?:(?:so|and|but|ok|please|hi|hey)\W+)*(?:what|why|when|where|which|who|whom|whose|how|is|are|was|were|do|does|did|"
    r"can|could|should|would|will|has|have|may|must|am|if)\b|\b(?:what|why|when|where|which|who|how|vs|versus)\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"什么|怎么|怎样|如何|为何|为啥|干嘛|哪|几(?![何乎])\w|多少|多[大长久高快]|谁|是否|能否|吗|呢|(.)不\1|有没有|何时|[啥咋]|"
    r"还是|区别|差别|不同|差异|对比|(?:原因|作用|意思|方法|步骤|比例|用法)\W*$"
)
_LENGTH, _WORD = 9, 3
"""Length from which on a text asks something, where a Chinese character counts 1 and a word of other scripts 3."""


def is_question(text: str, titles: Iterable[str]) -> bool:
    """Return whether a text asks something: it isn't one of some titles, and has the form of a question or is long."""
    text = text.strip()
    if fold(text) in {fold(title.strip()) for title in titles}:
        return False
    plain = simplify(text)
    words = [word for word in plain.split() if re.search(rf"(?![{CJK}])\w", word)]
    if _MARK.search(plain) or _CHINESE.search(plain) or (len(words) > 1 and _ENGLISH.search(plain)):
        return True
    return len(re.findall(f"[{CJK}]", plain)) + _WORD * len(words) >= _LENGTH


OWN, OTHERS = 200, 60
"""Most questions that a threshold rests on: of the base itself, and on other bases."""
_NOTES = 60
"""Notes of other bases that questions are drawn from."""
_GROWN = 1.5
"""Growth of a base by which its threshold is measured again."""


DrawQuestions = Callable[[Sequence[Note], int], list[Question]]
"""Draws questions from notes."""


def build_answer(result: SearchResult, selection: Selection, threshold: AnswerThreshold) -> Answer:
    """Return the answer of a selection; no quotes below the threshold, unless the first is likely."""
    evidence = selection.evidence
    quotes = selection.quotes if result.evidence >= threshold.least or evidence >= LIKELY else ()
    sure, likely = (bool(quotes) and evidence >= least for least in (SURE, LIKELY))
    return Answer(result.query, quotes, evidence, threshold, sure, likely, result)


class Answers:
    """Answers questions with quotes of the notes."""

    def __init__(
        self, store: Store, settings: Settings, searching: SearchEngine, jobs: Jobs, drawn: DrawQuestions
    ) -> None:
        self._store = store
        self._settings = settings
        self._searching = searching
        self._jobs = jobs
        self._drawn = drawn
        self._last: tuple[object, Selection] | None = None
        self.examples = Examples(jobs, store.notes.note, drawn, self._unmeasured)

    @log_call("answer.ask")
    def ask(self, text: str, **options: Unpack[SearchOptions]) -> Answer:
        """Return the answer to a question; the threshold of its base is measured first if need be.

        Raises what a search does.
        """
        result = self._searching.answer(self._searching.prepare(text, options))
        return self.answer_result(result, measure=True)

    def _unmeasured(self, text: str) -> Answer:
        return self.answer_result(self._searching.answer(self._searching.prepare(text, {})))

    def write(self, text: str, *, stop: Stop = never, **options: Unpack[SearchOptions]) -> Iterator[Answer]:
        """Yield the answer of the language model of the settings as it is written, each of its sentences once more.

        A question that the notes don't answer is refused before the model is asked. Raises what a search does, and
        ConfigError where no model is set up; what its server does wrong is in the answer.
        """
        chat = Chat(self._settings.llm)
        answer = self.ask(text, **options)
        if not answer.answerable:
            yield answer
            return
        question = answer.result.understood.text or text
        characters = writing.characters(self._settings.llm, answer.result.hits[: writing.PASSAGES])
        yield from writing.write(chat, answer, question, characters, stop)

    def to_question(self, result: SearchResult) -> Answer | None:
        """Return the answer to what was typed where that is a question, None for a word or a title."""
        titles = (hit.note.title for hit in result.hits)
        return self.answer_result(result) if is_question(result.understood.text, titles) else None

    def answer_result(self, result: SearchResult, *, measure: bool = False) -> Answer:
        """Return the answer to the question of a result; without `measure`, an old threshold will do."""
        selection = self._select(result)
        threshold = DEFAULT
        if result.hits:
            base = self._store.bases.by_id((selection.quotes or result.hits)[0].note.base_id)
            threshold = self.measure(base) if measure else current_threshold(self._store, base)
        return build_answer(result, selection, threshold)

    def _select(self, result: SearchResult) -> Selection:
        """Return the quotes of a result; those of the last one are kept, since each click draws its page again."""
        key = self._store.fields.version(), replace(result, took_ms=0.0, cached=False)
        last = self._last
        if last is None or last[0] != key:
            last = self._last = key, choose(self._store, self._searching.tokenized_hits, result)
        return last[1]

    def start_measuring(self, answer: Answer) -> bool:
        """Start the job `measure_threshold` for the base of an answer; return False if its threshold is up to date."""
        if self._store.readonly or not answer.result.hits:
            return False
        base = self._store.bases.by_id((answer.quotes or answer.result.hits)[0].note.base_id)
        if self._is_fresh(base, self._own_questions(base), self._windows()):
            return False
        return self._jobs.start("measure_threshold", lambda progress: self.measure(base, progress), quiet=True)

    def measure(self, base: KnowledgeBase, progress: Progress = no_progress) -> AnswerThreshold:
        """Measure the threshold of a base unless it is known for its notes and questions, and return it."""
        questions, share, windows = self._own_questions(base), self._settings.search.refuse, self._windows()
        if self._store.readonly or not windows or self._is_fresh(base, questions, windows):
            return current_threshold(self._store, base)
        threshold = replace(DEFAULT, windows=windows)
        if len(questions) >= count_needed(share):
            threshold = fit_below(self._evidence(base, questions, progress), share, windows)
        elif len(others := self._other_questions(base)) >= LEAST_OTHERS:
            threshold = fit_above(self._evidence(base, others, progress), ANSWERED, windows)
        self._store.thresholds.set(base, threshold)
        return threshold

    def _is_fresh(self, base: KnowledgeBase, questions: Sequence[str], windows: int) -> bool:
        threshold, share = self._store.thresholds.get(base), self._settings.search.refuse
        if threshold is None or not threshold.windows / _GROWN < windows < threshold.windows * _GROWN:
            return False
        if len(questions) < count_needed(share):
            return threshold.basis != "questions"
        return (threshold.basis, threshold.count, threshold.share) == ("questions", len(questions), share)

    def _windows(self) -> int:
        return sum(self._store.chunks.count(base).windows for base in self._store.bases.all())

    def _own_questions(self, base: KnowledgeBase) -> list[str]:
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

    @skip_log()
    def _evidence(self, base: KnowledgeBase, texts: Sequence[str], progress: Progress) -> list[float]:
        values = []
        for number, text in enumerate(texts):
            progress(number, len(texts), text)
            with suppress(QueryError):
                prepared = self._searching.prepare(text, {"filters": Filters(bases=(base.name,))})
                values.append(self._searching.answer(prepared).evidence)
        return values


class Answerer:
    """Answers questions on a base from searches in a store that has its notes, by quotes or by a language model.

    The threshold of the base is that of the workspace. Raises ConfigError as Chat does.
    """

    def __init__(
        self,
        workspace: Store,
        settings: Settings,
        base: KnowledgeBase,
        store: Store,
        searching: SearchEngine,
        by_model: bool,
    ) -> None:
        self._store = store
        self._searching = searching
        self._llm = settings.llm
        self._writer = Chat(settings.llm) if by_model else None
        self._threshold = current_threshold(workspace, base)

    def __call__(self, result: SearchResult, stop: Stop) -> Answer:
        """Return the answer to the question of a result; raises Cancelled once `stop` says so.

        A model isn't asked what isn't answerable.
        """
        answer = build_answer(result, choose(self._store, self._searching.tokenized_hits, result), self._threshold)
        if not self._writer:
            return answer
        answer = replace(answer, quotes=())
        if not answer.answerable:
            return answer
        question = result.understood.text or result.query
        characters = writing.characters(self._llm, result.hits[: writing.PASSAGES])
        *_, answer = writing.write(self._writer, answer, question, characters, stop)
        assert answer.writing is not None, "a model writes it"
        if answer.writing.stopped:
            raise Cancelled
        return answer


def current_threshold(store: Store, base: KnowledgeBase) -> AnswerThreshold:
    """Return the threshold of a base as it was measured last, else that of the examples."""
    return store.thresholds.get(base) or DEFAULT


def count_needed(share: float) -> int:
    """Return how many questions a threshold with this share needs at least."""
    return int(np.ceil(1 / share)) - 1


def fit_below(evidence: Sequence[float], share: float, windows: int) -> AnswerThreshold:
    """Return the threshold below which at most `share` of questions with an answer fall."""
    return _calibrate(sorted(evidence), share, "questions", windows)


def fit_above(evidence: Sequence[float], share: float, windows: int) -> AnswerThreshold:
    """Return the threshold above which at most `share` of questions without an answer rise."""
    threshold = _calibrate(sorted(-item for item in evidence), share, "others", windows)
    return replace(threshold, least=float(np.nextafter(-threshold.least, np.inf)))


def _calibrate(ascending: Sequence[float], share: float, basis: ThresholdBasis, windows: int) -> AnswerThreshold:
    """Return the threshold of n questions of one side in order of evidence, by conformal calibration.

    The k-th is a threshold that a new question of that side passes or misses with a chance of at most the chosen share,
    whatever the distribution, where k = floor(share x (n + 1)) (split conformal prediction, Vovk et al. 2005; the
    chance itself is then Beta(k, n + 1 - k)).
    """
    ascending = [max(-_MOST, min(item, _MOST)) for item in ascending]
    count = len(ascending)
    place = int(share * (count + 1) + 1e-9)
    chances = np.random.default_rng(0).beta(place, count + 1 - place, _DRAWS)
    low, high = np.quantile(chances, _CERTAIN)
    return AnswerThreshold(ascending[place - 1], basis, count, share, float(low), float(high), windows)
