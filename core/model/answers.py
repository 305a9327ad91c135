"""Answers: quotes of notes that answer a question, the evidence that they need, and threads of questions."""

from datetime import datetime
from typing import ClassVar, Literal

from core.base.blobs import Span
from core.base.flow import as_copied, flow
from core.base.frozen import frozen
from core.base.messages import Message, message, message_table
from core.model.chunks import Chunk
from core.model.labels import NO_NOTES
from core.model.notes import NoteSummary
from core.model.search import Hit, SearchResult
from core.model.versions import DiffPiece

QuoteKind = Literal["sentence", "item", "row", "code", "passage"]
"""Kind of the units of a quote; `passage`: several kinds."""
Answered = Literal["yes", "possibly", "no"]
"""Whether the notes answer a question, as far as the chance that the first quote does tells."""
ANSWERED: dict[Answered, Message] = message_table({"yes": "From your notes", "possibly": "Possibly"})
"""The titles of what is quoted."""

_NEAREST = 3
DENIED = message("I found nothing in your notes that answers this.")
DISAGREE = message("Your notes disagree:")
UNPROVEN = message("The language model wrote nothing that rests on your notes.")
Mark = Literal["word_for_word", "in_other_words", "not_in_notes"]
"""How far a sentence rests on the notes."""
MARKS: dict[Mark, Message] = message_table(
    {
        "word_for_word": "word for word",
        "in_other_words": "in other words",
        "not_in_notes": "not in your notes",
    }
)


@frozen
class Quote:
    """A numbered part of a note that answers a question, copied from the note.

    `text` is `body[start:end]` of the note, also where the user edited the chunk, whose own text isn't quoted; or it
    was read of the picture that is there.
    `lead` is the context it needs, from the same chunk: a list's lead-in, a table's header, the sentence before code.
    `marked` is the part of `text` that answers best, and `shown` that with what is shown around it, in characters of
    `text`.
    """

    number: int
    note: NoteSummary
    chunk: Chunk
    kind: QuoteKind
    text: str
    lead: str
    start: int
    end: int
    marked: Span = (0, 0)
    shown: Span = (0, 0)

    @property
    def marked_text(self) -> str:
        """The part that answers best."""
        return self.text[slice(*self.marked)]

    @property
    def marked_place(self) -> Span:
        """The place of the marked part in the note; that of the quote where it is a model's, or of a picture's text."""
        if self.end - self.start != len(self.text) or self.marked == (0, 0):
            return self.start, self.end
        return self.start + self.marked[0], self.start + self.marked[1]

    def flowing(self, part: Span) -> str:
        """Return a part of the text, of the same length, as it flows; code and rows have lines of their own."""
        text = self.text[slice(*part)]
        return text if self.kind in ("code", "row") else flow(text, self.chunk.text, paged=self.note.is_paged)

    @property
    def shown_lead(self) -> str:
        """The context that the shown part needs: none where it begins further on in a passage of several kinds."""
        return self.lead if not self.shown[0] or self.kind != "passage" else ""

    @property
    def definitions(self) -> tuple[str, ...]:
        """The definitions of the footnotes and reference links in the text, from elsewhere in the note."""
        return tuple(line for line in self.chunk.definitions if line.partition(": ")[0] in self.text)

    @property
    def page(self) -> int:
        """The page of its document on which the part that answers best begins; 0 for a document without pages."""
        return self.chunk.page_at(self.note.document, self.marked_place[0])


@frozen
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
    marks: tuple[Span, ...] = ()
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


@frozen
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


@frozen
class Answer:
    """The quotes that answer a question, the best first; none where it isn't `answered`.

    `chance`, 0 to 1, is that of the first quote to answer it. `denied`: there is hardly a chance, and no good match
    among the hits. The first two quotes may `disagree`: one sentence with different numbers. Of an answer by a language
    model, the quotes are those that its sentences rest on.
    """

    query: str
    quotes: tuple[Quote, ...]
    chance: float
    answered: Answered
    denied: bool
    result: SearchResult
    writing: WrittenAnswer | None = None
    disagree: bool = False

    @property
    def text(self) -> str:
        """The sentences that rest on notes, or what is shown of quotes below their leads, with their numbers."""
        if self.written:
            cited = (sentence for sentence in self.written if sentence.citations)
            return "\n".join(
                f"{sentence.text} {''.join(f'[{number}]' for number in sentence.citations)}" for sentence in cited
            )
        lines = []
        lead = ""
        for quote in self.at_first:
            lines += [quote.shown_lead] if quote.shown_lead not in ("", lead) else []
            lines += [f"{as_copied(quote.flowing(quote.shown))} [{quote.number}]", *quote.definitions]
            lead = quote.shown_lead
        return "\n".join(lines)

    @property
    def at_first(self) -> tuple[Quote, ...]:
        """The quotes to show: the first one, or both that disagree; of a comparison each, for each has a side."""
        return self.quotes if self.result.is_comparison else self.quotes[: 1 + self.disagree]

    @property
    def has_more(self) -> bool:
        """Whether there is more to show: further quotes, or more of one."""
        whole = all(quote.shown == (0, len(quote.text)) for quote in self.at_first)
        return len(self.quotes) > len(self.at_first) or not whole

    @property
    def written(self) -> tuple[Sentence, ...]:
        """The sentences that a language model wrote; none where the answer is quotes alone."""
        return self.writing.sentences if self.writing else ()

    @property
    def nearest(self) -> tuple[Hit, ...]:
        """The first hits, shown where nothing is quoted."""
        return self.result.hits[:_NEAREST]

    @property
    def explanation(self) -> Message | None:
        """The remark in addition to the sentences, None for none."""
        writing = self.writing
        if writing and writing.problem:
            return writing.problem
        if writing:
            return UNPROVEN if writing.ended and not writing.stopped and not self.quotes else None
        if self.disagree:
            return DISAGREE
        return NO_NOTES if "no_notes" in self.result.notices else DENIED if self.denied else None


@frozen
class Cited:
    """A quote of an answer: its place in a version of its note. `title` is the note's title in that version."""

    number: int
    note_id: str
    version: int
    title: str
    quote: str
    start: int
    end: int


@frozen
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


@frozen
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


@frozen
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


GONE = message_table({"changed": "The source has changed.", "deleted": "The note was deleted."})
"""What became of a quote that has no place, by the state of its place."""
