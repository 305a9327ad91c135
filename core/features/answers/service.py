"""Answer questions from the notes in a workspace, and find example questions that the notes answer."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from typing import Unpack

from core.base.call_log import log_call
from core.base.errors import Cancelled, NoteNotFound, TesseraError
from core.base.frozen import Pair, Texts
from core.base.jobs import Jobs
from core.base.text import CHINESE, CJK, fold, is_chinese, query_keywords, simplify
from core.features.answers import writing
from core.features.answers.candidates import with_own_texts
from core.features.answers.choosing import LEAST, choose
from core.features.answers.units import place_in_note
from core.model import (
    NOT_NARROWING,
    Answer,
    Answered,
    Note,
    Progress,
    Question,
    Quote,
    SearchOptions,
    SearchResult,
)
from core.providers.chat import Chat
from core.providers.connection import Stop, never
from core.retrieval.confidence import is_across
from core.retrieval.engine import SearchEngine
from core.retrieval.highlights import telling_words, words_in
from core.retrieval.neighbours.copies_and_contradictions import numbers_in
from core.retrieval.neighbours.service import Neighbours
from core.settings.config import Settings
from core.store import Store

# Example questions about the user's notes. A question is offered only if the first quote in its answer comes from the
# note that the question was generated from.

# Maximum number of example questions.
EXAMPLES = 3
# Maximum number of questions to generate and check.
CANDIDATES = 8
# Minimum number of keywords in an example question. `What is the scalar?` asks about no note in particular.
LEAST_WORDS = 2
# A function that generates questions from notes, up to a given number.
DrawQuestions = Callable[[Sequence[Note], int], list[Question]]
# The state of the notes, as pairs of a note's id and the time of its last change.
Stamp = tuple[Pair, ...]


# Tell English and Chinese questions apart from words, names and titles.

_ENGLISH = re.compile(
    r"(?i)^\W*(?:(?:so|and|but|ok|please|hi|hey)\W+)*(?:what|why|when|where|which|who|whom|whose|how|is|are|was|were|do|does|did|"
    r"can|could|should|would|will|has|have|may|must|am|if)\b|\b(?:what|why|when|where|which|who|how|vs|versus)\b",
)
_CHINESE = re.compile(
    r"什么|怎么|怎样|如何|为何|为啥|干嘛|哪|几(?![何乎])\w|多少|多[大长久高快]|谁|是否|能否|吗|呢|(.)不\1|有没有|何时|[啥咋]|"
    r"还是|区别|差别|不同|差异|对比|(?:原因|作用|意思|方法|步骤|比例|用法)\W*$"
)
# Minimum length at which a query counts as a question even if it doesn't look like one. A Chinese character counts as
# 1, and any other word as 3.
_LENGTH = 9
_WORD = 3


def is_question(text: str, titles: Iterable[str]) -> bool:
    """Return whether a query looks like a question, or is long and equals none of the titles."""
    plain = simplify(text.strip())
    words = [word for word in plain.split() if re.search(rf"(?![{CJK}])\w", word)]
    if re.search(r"[?？]\s*$", plain) or _CHINESE.search(plain) or (len(words) > 1 and _ENGLISH.search(plain)):
        return True
    is_long = len(CHINESE.findall(plain)) + _WORD * len(words) >= _LENGTH
    return is_long and fold(text.strip()) not in {fold(title.strip()) for title in titles}


# Words that refer back to the previous question.
_LEANS = re.compile(
    r"(?i)^\W*(?:and|or|but|so|also|then|in|on|at|for|with|without|by|to|from|(?:what|how) (?:about|if))\b|\bthat\W*$"
    r"|\b(?:its?|they|them|theirs?|this|these|those|he|she|him|his|hers?|same|instead|which one)\b"
    r"|\b(?:is|does|do|of|for|about|like|with|after|before) that\b"
    r"|^\W*(?:为什么\W*$|那|还有|另外|如果|要|又|也|再|然后)|它|[他她]|其(?!实|他)|这|那|同样|呢\W*$",
)


# Words that only connect a follow-up question to the previous question.
_CONNECTS = re.compile(
    r"(?i)^\W*(?:(?:and|or|but|so|also|then)\b(?!-)[\s,]*|那么|还有|另外|然后"
    r"|那(?![曲里个些边种样])|(?:又|也|再)(?=[，,\s如怎什为何谁哪多能可是]))+[，,\s]*"
)


def complete(text: str, before: str) -> str:
    """Return a follow-up question with the previous question in front, or unchanged if it makes sense on its own."""
    if len(query_keywords(text)) > 1 and not _LEANS.search(simplify(text)):
        return text
    return f"{before.rstrip(' .!?。！？')}{'，' if is_chinese(text) else ', '}{text}"


# Minimum evidence from the search for a good match in another language to be called a likely answer. With Chinese
# questions on English notes, 5 of 15 reach it and are right, and none of 68 questions on other notes.
_LIKELY = 4.1


def build_answer(store: Store, searching: SearchEngine, result: SearchResult) -> Answer:
    """Return the answer to a search result's query."""
    selection = choose(store, searching.tokenized_hits, result)
    answered: Answered = next((state for state, least in LEAST.items() if selection.chance >= least), "no")
    denied = likely = False
    if answered == "no":
        # Levels never rise from one hit to the next, so the highest is the first hit's.
        levels = searching.matches(result, searching.highlights(result))
        denied = max(levels.values(), default=0) < 2
        likely = not denied and _LIKELY <= result.evidence < inf and is_across(result.hits[0], result)
    quotes = selection.quotes if answered != "no" else ()
    if answered == "possibly":
        quotes = tuple(replace(quote, shown=quote.marked) for quote in quotes)
    own = with_own_texts(store, result)
    return Answer(result.query, quotes, selection.chance, answered, denied, own, likely=likely)


@dataclass(eq=False)
class Answers:
    """Answers questions with quotes from the notes, or with sentences written by a language model."""

    _store: Store
    _settings: Settings
    _searching: SearchEngine
    _jobs: Jobs
    _drawn: DrawQuestions
    _neighbours: Neighbours
    _last: tuple[object, Answer] | None = None
    _examples: tuple[Stamp, Texts] = ((), ())

    @log_call("answer.ask")
    def ask(self, text: str, **options: Unpack[SearchOptions]) -> Answer:
        """Return the answer to a question. Raises the same errors as a search."""
        return self.answer_result(self._searching.answer(self._searching.prepare(text, options)))

    def write(self, text: str, *, stop: Stop = never, **options: Unpack[SearchOptions]) -> Iterator[Answer]:
        """Yield the answer so far after each sentence written by the language model in the settings.

        The model isn't called if the notes don't answer the question. Raises the same errors as a search, and
        ConfigError if no model is set up. A failure of the model's server is reported in the answer.
        """
        chat = Chat(self._settings.llm)
        answer = self.ask(text, **options)
        if not answer.may_be_written:
            yield answer
            return
        yield from writing.write(chat, self._settings.llm, answer, stop)

    def complete(self, text: str, before: str, **options: Unpack[SearchOptions]) -> str:
        """Return a follow-up question either on its own or after the previous question, whichever is better answered.

        It is asked on its own only if it is a question even without the words that connect it to the previous one, and
        if its answer is then the same or better. If the previous question has filters, the two are always joined, so
        that the filters still apply. `options` are used to parse the previous question.
        """
        joined = complete(text, before)
        alone = _CONNECTS.sub("", text)
        plain = simplify(alone)
        if joined == text or complete(alone, "") != alone or not (_ENGLISH.search(plain) or _CHINESE.search(plain)):
            return joined
        with suppress(TesseraError):
            terms = self._searching.prepare(before, options).understood.terms
            if all(term.kind in NOT_NARROWING for term in terms):
                own, both = self.ask(alone, **options), self.ask(joined, **options)
                is_same = {quote.text for quote in own.quotes[:1]} & {quote.text for quote in both.quotes}
                return alone if is_same or own.chance > both.chance else joined
        return joined

    def asks(self, result: SearchResult) -> bool:
        """Return whether a result's query is a question rather than a word or a title."""
        return is_question(result.understood.text, (hit.note.title for hit in result.hits))

    def to_question(self, result: SearchResult) -> Answer | None:
        """Return the answer to a result's query, or None if the query isn't a question."""
        return self.answer_result(result) if self.asks(result) else None

    def answer_result(self, result: SearchResult) -> Answer:
        """Return the answer to a search result's query.

        The latest answer is cached, because pages request it on every click.
        """
        key = self._store.fields.version(), replace(result, took_ms=0.0, cached=False)
        last = self._last  # another thread may replace it at any time
        if last and last[0] == key:
            return last[1]
        answer = build_answer(self._store, self._searching, result)
        if answer.quotes and (other := self._find_contradiction(answer)):
            first, *further = answer.quotes
            quotes = [first, other, *(quote for quote in further if quote.note.id != other.note.id)]
            answer = replace(
                answer,
                quotes=tuple(replace(quote, number=number) for number, quote in enumerate(quotes, 1)),
                disagree=True,
            )
        self._last = key, answer
        return answer

    def examples(self, stamp: Stamp) -> Texts:
        """Return example questions about the given notes, which are cached until the notes change.

        If the notes have changed, start the job that finds examples and return an empty tuple.
        """
        last_stamp, examples = self._examples
        if last_stamp == stamp:
            return examples
        self._jobs.start("examples", lambda progress: self._find_examples(stamp, progress), quiet=True)
        return ()

    def _find_examples(self, stamp: Stamp, progress: Progress) -> None:
        notes = []
        for note_id, _ in stamp:
            with suppress(NoteNotFound):
                notes.append(self._store.note(note_id))
        found = list[str]()
        questions = self._drawn(notes, CANDIDATES)
        for number, question in enumerate(questions):
            progress(number, len(questions), question.text)
            if len(found) == EXAMPLES:
                break
            if len(query_keywords(question.text)) < LEAST_WORDS:
                continue
            with suppress(TesseraError):
                answer = self.ask(question.text)
                if answer.answered == "yes" and answer.quotes[0].note.id in {gold.note_id for gold in question.spans}:
                    found.append(question.text)
        self._examples = stamp, tuple(found)

    def _find_contradiction(self, answer: Answer) -> Quote | None:
        """Return a sentence from another note's hit that contradicts the first quote's marked part, or None.

        The marked part contains the sentence's counterpart, or all numbers of a counterpart that has, together with its
        note's title, all of the question's words in the quote and the titles above it. If several sentences do, the one
        with the most words of the question is returned.
        """
        first = answer.quotes[0]
        result = answer.result
        numbers = {*numbers_in(first.marked_text)}
        titles = {hit.note.id: hit.note.title for hit in result.hits}
        words = telling_words(query_keywords(result.understood.text))

        def words_of(*texts: str) -> set[str]:
            return words_in("\n".join(texts), words, self._store.words.stems)[1]

        needed = words_of(first.note.title, *first.chunk.section, first.lead, first.marked_text)
        found = [
            (len(words_of(another)), another, pair.second)
            for either in self._neighbours.likeness.contradictions({*titles})
            for pair in (either, either.reversed)
            for sentence, another in zip(pair.quotes[::2], pair.quotes[1::2], strict=True)
            if pair.second != first.note.id
            if sentence in first.marked_text
            or (needed <= words_of(titles[pair.first], sentence) and numbers.issuperset(numbers_in(sentence)))
        ]
        for _, another, note_id in sorted(found, reverse=True):
            for hit in result.hits:
                at = hit.chunk.text.find(another)
                if hit.note.id == note_id and at >= 0:
                    whole = (0, len(another))
                    place = place_in_note(hit.chunk, at, at + len(another))
                    return Quote(1, hit.note, hit.chunk, "sentence", another, "", *place, whole, whole)
        return None


def answerer(
    settings: Settings, store: Store, searching: SearchEngine, by_model: bool
) -> Callable[[SearchResult, Stop], Answer]:
    """Return a function that answers search results in an evaluation, with quotes or with a language model.

    If the notes don't answer the question, the function doesn't call the model. It raises Cancelled if writing is
    stopped. Raises ConfigError if `by_model` is True and no model is set up.
    """
    writer = Chat(settings.llm) if by_model else None

    def answer(result: SearchResult, stop: Stop) -> Answer:
        found = build_answer(store, searching, result)
        if not writer:
            return found
        found = replace(found, quotes=())
        if found.may_be_written:
            *_, found = writing.write(writer, settings.llm, found, stop)
            if found.writing and found.writing.stopped:
                raise Cancelled
        return found

    return answer
