"""What the operations on answers return."""

from dataclasses import dataclass, replace
from typing import Self

from core.base.codec import assemble
from core.base.messages import Message
from core.doors.operations.views.search import NoteReference
from core.model import Answer, AnswerThreshold, Hit, Quote, Sentence, WrittenAnswer


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """A part of an answer: a quote, or a sentence that a language model wrote, whose `kind` is `written`."""

    number: int
    kind: str
    lead: str
    text: str
    marked: str
    citations: tuple[int, ...]
    explanation: Message | None

    @classmethod
    def from_quote(cls, quote: Quote) -> Self:
        return cls(quote.number, quote.kind, quote.lead, quote.text, quote.marked_text, (quote.number,), None)

    @classmethod
    def from_sentence(cls, number: int, sentence: Sentence) -> Self:
        return cls(number, "written", "", sentence.text, "", sentence.citations, sentence.explanation)


@dataclass(frozen=True, slots=True)
class AnswerCitation(NoteReference):
    """A numbered quote, with its place in its note's body."""

    number: int
    quote: str
    section: tuple[str, ...]
    start: int
    end: int
    page: int | None
    line: int | None

    @classmethod
    def from_quote(cls, quote: Quote) -> Self:
        return assemble(
            cls,
            quote,
            quote.note,
            quote.chunk,
            note_id=quote.note.id,
            quote=quote.text,
            page=quote.page or None,
            line=quote.chunk.line or None,
        )


@dataclass(frozen=True, slots=True)
class NearestHit(NoteReference):
    """A hit of a refused question, with the place of its passage."""

    rank: int
    start: int
    end: int

    @classmethod
    def from_hit(cls, hit: Hit) -> Self:
        return assemble(cls, hit, hit.passage, hit.note, note_id=hit.note.id)


@dataclass(frozen=True, slots=True)
class AnswerWriting:
    """The part of a language model, with the two texts that it was sent."""

    model: str
    stopped: bool
    task: str
    material: str

    @classmethod
    def from_writing(cls, writing: WrittenAnswer) -> Self:
        return cls(writing.model, writing.stopped, *writing.sent)


@dataclass(frozen=True, slots=True)
class AnswerView:
    """The sentences of an answer with their sources; a refused one has none, and the nearest passages."""

    query: str
    answer: str
    refused: bool
    sure: bool
    likely: bool
    explanation: Message | None
    sentences: tuple[AnswerSentence, ...]
    citations: tuple[AnswerCitation, ...]
    nearest: tuple[NearestHit, ...]
    bar: AnswerThreshold
    writing: AnswerWriting | None

    @classmethod
    def from_answer(cls, answer: Answer) -> Self:
        written = tuple(AnswerSentence.from_sentence(*numbered) for numbered in enumerate(answer.written, 1))
        return assemble(
            cls,
            answer,
            answer=answer.text,
            sentences=written or tuple(map(AnswerSentence.from_quote, answer.quotes)),
            citations=tuple(map(AnswerCitation.from_quote, answer.quotes)),
            nearest=tuple(map(NearestHit.from_hit, answer.nearest)),
            writing=AnswerWriting.from_writing(answer.writing) if answer.writing else None,
        )


@dataclass(frozen=True, slots=True)
class WrittenSentence(AnswerSentence):
    """The last sentence of an answer that is still written, with its sources."""

    sources: tuple[AnswerCitation, ...] = ()

    @classmethod
    def from_answer(cls, answer: Answer) -> Self:
        sentence = cls.from_sentence(len(answer.written), answer.written[-1])
        sources = (quote for quote in answer.quotes if quote.number in sentence.citations)
        return replace(sentence, sources=tuple(map(AnswerCitation.from_quote, sources)))
