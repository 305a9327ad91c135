"""Answers: quotes of notes that answer a question, the evidence that they need, and threads of questions."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Literal

from core.base.messages import Message, message
from core.model.chunks import Chunk
from core.model.labels import NO_NOTES
from core.model.notes import NoteSummary
from core.model.search import Hit, SearchResult
from core.model.versions import DiffPiece

QuoteKind = Literal["sentence", "item", "row", "code", "passage"]
"""Kind of the units of a quote; `passage`: several kinds."""
ThresholdBasis = Literal["questions", "others", "examples"]

_NEAREST = 3
REFUSED = message("Your notes don't answer this.")
UNPROVEN = message("The language model wrote nothing that rests on your notes.")
Mark = Literal["word_for_word", "in_other_words", "not_in_notes"]
"""How far a sentence rests on the notes."""
MARKS: dict[Mark, Message] = {
    "word_for_word": message("word for word"),
    "in_other_words": message("in other words"),
    "not_in_notes": message("not in your notes"),
}


@dataclass(frozen=True, slots=True)
class Quote:
    """A numbered part of a note that answers a question, copied from the note.

    `text` is `body[start:end]` of the note, except in a chunk that the user edited, which has a text of its own.
    `lead` is the context it needs, from the same chunk: a list's lead-in, a table's header, the sentence before code.
    `marked` is the part of `text` that answers best, in characters of `text`.
    """

    number: int
    note: NoteSummary
    chunk: Chunk
    kind: QuoteKind
    text: str
    lead: str
    start: int
    end: int
    marked: tuple[int, int] = (0, 0)

    @property
    def marked_text(self) -> str:
        """The part that answers best."""
        return self.text[slice(*self.marked)]

    @property
    def marked_place(self) -> tuple[int, int]:
        """The place of the marked part in the note; that of the chunk where the user edited it."""
        if self.end - self.start != len(self.text) or self.marked == (0, 0):
            return self.start, self.end
        return self.start + self.marked[0], self.start + self.marked[1]

    @property
    def page(self) -> int:
        """The page of its document on which the part that answers best begins; 0 for a document without pages."""
        return self.chunk.page_at(self.note.document, self.marked_place[0])


@dataclass(frozen=True, slots=True)
class AnswerThreshold:
    """The least evidence of a search at which a base answers, and how it was measured.

    `basis`: `count` of the base's own `questions`, of which `share` are refused at most; or `count` questions on the
    user's `others` bases, or `examples` that come with the program, of which `share` are answered at most. With nine
    chances in ten that share is between `low` and `high`. `windows` is how many the base had.
    """

    least: float
    basis: ThresholdBasis
    count: int
    share: float
    low: float
    high: float
    windows: int = 0
    SHOWN: ClassVar = ("explanation",)

    @property
    def explanation(self) -> Message:
        """How it was measured and how sure it is, as a sentence."""
        figures = {name: round(100 * getattr(self, name)) for name in ("share", "low", "high")}
        if self.basis == "questions":
            return message(
                "Checked with {n} questions of this base: at most {share} % of those that it answers are refused (90 "
                "% confidence: {low} to {high} %).",
                n=self.count,
                **figures,
            )
        if self.basis == "others":
            return message(
                "Checked with {n} questions about your other bases: at most {share} % of them get an answer from "
                "this one (90 % confidence: {low} to {high} %).",
                n=self.count,
                **figures,
            )
        return message(
            "Checked with {n} questions about other notes that Tessera was tested with: at most {share} % of "
            "them get an answer (90 % confidence: {low} to {high} %).",
            n=self.count,
            **figures,
        )

    @property
    def possible(self) -> bool:
        """Whether it is within the range of a measurement; a damaged file may hold another one."""
        return 0 <= self.low <= self.high <= 1 and 0 <= self.share <= 1 and min(self.count, self.windows) >= 0


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that a language model wrote, with the numbers of the quotes that it rests on.

    It is `verbatim` a sentence of the notes, or in other words; `marks` are then the places in it that differ from its
    quotes, `quote_marks` those of the quotes, each after the number of its quote. One that isn't in the notes has no
    quotes: none is there, or they lack figures and names (`missing`).
    """

    text: str
    citations: tuple[int, ...] = ()
    missing: tuple[str, ...] = ()
    verbatim: bool = False
    marks: tuple[tuple[int, int], ...] = ()
    quote_marks: tuple[tuple[int, int, int], ...] = ()
    SHOWN: ClassVar = ("mark", "explanation")

    @property
    def mark(self) -> Mark:
        """How far it rests on the notes."""
        return "not_in_notes" if not self.citations else "word_for_word" if self.verbatim else "in_other_words"

    @property
    def explanation(self) -> Message | None:
        """Why it isn't in the notes; None if it is."""
        if self.citations:
            return None
        if self.missing:
            return message("Its quotes don't say: {names}.", names=list(self.missing))
        return message("The language model quoted no words of your notes to prove this.")


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """The part of a language model in an answer: its sentences so far, and the two texts that it was `sent`.

    `ended`: the model writes no more; it was `stopped`, failed with the `problem`, or is done.
    """

    model: str
    sent: tuple[str, str]
    sentences: tuple[Sentence, ...] = ()
    ended: bool = False
    stopped: bool = False
    problem: Message | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The quotes that answer a question, the best first; none below the threshold, unless one is likely.

    `evidence` is that of the first quote: six of seven `sure` answers are right, four of five `likely` ones. Of an
    answer by a language model, the quotes are those that its sentences rest on.
    """

    query: str
    quotes: tuple[Quote, ...]
    evidence: float
    threshold: AnswerThreshold
    sure: bool
    likely: bool
    result: SearchResult
    writing: WrittenAnswer | None = None

    @property
    def refused(self) -> bool:
        return not self.quotes

    @property
    def answerable(self) -> bool:
        """Whether a language model is asked: the search reaches the threshold, or a quote is likely to answer."""
        return bool(self.result.hits) and (self.result.evidence >= self.threshold.least or self.likely)

    @property
    def text(self) -> str:
        """The sentences that rest on notes, or the quotes below their leads, with their numbers; empty if refused."""
        if self.written:
            cited = (sentence for sentence in self.written if sentence.citations)
            return "\n".join(
                f"{sentence.text} {''.join(f'[{number}]' for number in sentence.citations)}" for sentence in cited
            )
        lines: list[str] = []
        lead = ""
        for quote in self.quotes:
            lines += [quote.lead] if quote.lead not in ("", lead) else []
            lines.append(f"{quote.text} [{quote.number}]")
            lead = quote.lead
        return "\n".join(lines)

    @property
    def written(self) -> tuple[Sentence, ...]:
        """The sentences that a language model wrote; none where the answer is quotes alone."""
        return self.writing.sentences if self.writing else ()

    @property
    def nearest(self) -> tuple[Hit, ...]:
        """The first hits, which a refusal shows."""
        return self.result.hits[:_NEAREST]

    @property
    def explanation(self) -> Message | None:
        """The remark in addition to the sentences, None for none."""
        writing = self.writing
        if writing and writing.problem:
            return writing.problem
        if writing and writing.ended and not writing.stopped and self.refused:
            return UNPROVEN
        if self.refused and not writing:
            return NO_NOTES if "no_notes" in self.result.notices else REFUSED
        return None


@dataclass(frozen=True, slots=True)
class Cited:
    """A quote of an answer: its place in a version of its note. `title` is the note's title in that version."""

    number: int
    note_id: str
    version: int
    title: str
    quote: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and its answer. `typed` is the question as the user wrote it, `question` the completed one."""

    thread_id: str
    number: int
    typed: str
    question: str
    model: str
    sentences: tuple[Sentence, ...]
    citations: tuple[Cited, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class Thread:
    """Turns in their order, of which there is at least one."""

    turns: tuple[Turn, ...]

    @property
    def id(self) -> str:
        return self.turns[0].thread_id

    @property
    def title(self) -> str:
        """The first question."""
        return self.turns[0].typed

    @property
    def at(self) -> datetime:
        """The time of the last answer."""
        return self.turns[-1].at


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """The place of a quote in the current version of its note.

    It is at `start` to `end`, at the `same` place or another one. `pieces` are the differences of a `changed` note
    around the quote, where the quoted version is still stored; a `deleted` note has no place.
    """

    state: Literal["same", "moved", "changed", "deleted"]
    title: str
    start: int = 0
    end: int = 0
    pieces: tuple[DiffPiece, ...] = ()


GONE = {"changed": message("The source has changed."), "deleted": message("The note was deleted.")}
"""What became of a quote that has no place, by the state of its place."""
