"""Answers with quotes from notes, a language model's sentences with their evidence, and threads of questions."""

import re
from datetime import datetime
from typing import ClassVar, Literal

from core.base.blobs import Span
from core.base.fences import FENCE, complete_fences, open_fence
from core.base.flow import as_copied, as_row, flow, without_bars
from core.base.frozen import Texts, frozen
from core.base.messages import Message, message, message_table
from core.model.chunks import Chunk
from core.model.labels import NO_NOTES
from core.model.notes import NoteSummary
from core.model.search import Hit, SearchResult
from core.model.versions import DiffPiece

# What a quote consists of. A `passage` mixes several of the other kinds.
QuoteKind = Literal["sentence", "item", "row", "code", "passage"]
# Whether the notes answer a question, based on the probability that the first quote does.
Answered = Literal["yes", "possibly", "no"]
ANSWERED: dict[Answered, Message] = message_table({"yes": "From your notes", "possibly": "Possibly"})

_NEAREST = 3
# Matches a table's header, followed by rows up to the end of the text.
_HEADER_ABOVE = re.compile(
    r"(?m)^([^|\n]*+\|.*)\n[ \t>]*+\|?+(?:[ \t]*+:?+-++:?+[ \t]*+\|?+)++\n(?:[^|\n]*+\|.*+\n)*+\Z"
)
# A last line that closes a fence or is indented code.
_ENDS_WITH_CODE = re.compile(rf"(?<![^\n])(?: {{4}}|\t|{FENCE.pattern}).*\Z")
DENIED = message("I found nothing in your notes that answers this.")
UNCLEAR = message("I found no clear answer in your notes.")
DISAGREE = message("Your notes disagree:")
UNPROVEN = message("Your notes don't support anything that the language model wrote.")
Mark = Literal["word_for_word", "in_other_words", "not_in_notes"]
MARKS: dict[Mark, Message] = message_table(
    {
        "word_for_word": "word for word",
        "in_other_words": "in other words",
        "not_in_notes": "not in your notes",
    }
)


@frozen
class Quote:
    """A numbered passage that answers a question, copied from a note.

    `text` is the note's `body[start:end]`, even if the user edited the chunk. For a picture, it is the text recognized
    in the picture at that position. `lead` is context from the same chunk, such as the line before a list, a table's
    header, or the sentence before code. `marked` is the part of `text` that best answers the question. `shown` is the
    part to show, which includes `marked`. `marked` and `shown` are spans of `text`.
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
        return self.text[slice(*self.marked)]

    @property
    def marked_place(self) -> Span:
        """The marked part's position in the note, or the whole quote's position if the marked part can't be located."""
        if self.end - self.start != len(self.text) or self.marked == (0, 0):
            return self.start, self.end
        return self.start + self.marked[0], self.start + self.marked[1]

    def flowing(self, part: Span) -> str:
        """Return a part of the text without hard line breaks, keeping its length.

        Code and table rows keep their line breaks.
        """
        text = self.text[slice(*part)]
        if self.kind in ("code", "row"):
            return text
        return flow(text, self.chunk.text, paged=self.note.is_paged, fence=self.fence(part))

    def fence(self, part: Span) -> str:
        """Return the opening line of the fence in which a part of the text begins, or ""."""
        return open_fence(self.before(part), self.chunk.fence)

    def before(self, part: Span) -> str:
        """Return the chunk's text before a part of the quote."""
        return self.chunk.text[: self.start - self.chunk.start + part[0]]

    def header(self, part: Span) -> str | None:
        """Return the header of the table that a part of the text belongs to.

        Return "" if the table has no header, or None if the part isn't made up of table rows.
        """
        if self.kind == "row":
            return self.lead
        if self.kind == "code" or self.fence(part):
            return None
        if above := _HEADER_ABOVE.search(self.before(part)):
            return above[1]
        lines = self.text[slice(*part)].splitlines()
        return "" if all(line.lstrip(" \t>").startswith("|") for line in lines) else None

    def readable(self, part: Span) -> str:
        """Return a part of the text as prose.

        Hard line breaks are removed, and in table rows, column names replace the bars. A fence that begins or ends
        outside the part is opened or closed.
        """
        fence = self.fence(part)
        text = as_copied(self.flowing(part))
        if (header := self.header(part)) is not None:
            return "\n".join(filter(None, (as_row(row, header) for row in text.splitlines())))
        return complete_fences(text if self.kind == "code" else without_bars(text, fence), fence)

    @property
    def shown_lead(self) -> str:
        """The lead to show. It is "" if the quote is a mixed passage whose beginning isn't shown."""
        return self.lead if not self.shown[0] or self.kind != "passage" else ""

    @property
    def definitions(self) -> Texts:
        """The definitions of the text's footnotes and reference links, found elsewhere in the note."""
        return tuple(line for line in self.chunk.definitions if line.partition(": ")[0] in self.text)

    @property
    def page(self) -> int:
        """The document page on which the marked part begins, or 0 if the document has no pages."""
        return self.chunk.page_at(self.note.document, self.marked_place[0])


@frozen
class Sentence:
    """A sentence written by a language model, with the numbers of the quotes supporting it.

    A `verbatim` sentence appears word for word in the notes. For a reworded sentence, `marks` are the spans that differ
    from its quotes. `quote_marks` are the differing spans in the quotes, each preceded by the quote's number. A
    sentence without citations is unsupported, because the model gave no quote, or because its quotes don't contain the
    figures and names in `missing`.
    """

    text: str
    citations: tuple[int, ...] = ()
    missing: Texts = ()
    verbatim: bool = False
    marks: tuple[Span, ...] = ()
    quote_marks: tuple[tuple[int, int, int], ...] = ()
    SHOWN: ClassVar = ("mark", "explanation")

    @property
    def mark(self) -> Mark:
        return "not_in_notes" if not self.citations else "word_for_word" if self.verbatim else "in_other_words"

    @property
    def explanation(self) -> Message | None:
        """Why the notes don't support the sentence, or None if they do."""
        if self.citations:
            return None
        if self.missing:
            return message("The quotes don't mention {names}.", names=list(self.missing))
        return message("The language model quoted nothing from your notes to support this.")


@frozen
class WrittenAnswer:
    """The sentences that a language model has written so far for an answer, and the two prompts `sent` to the model.

    `ended` is True once the model has finished, was `stopped`, or failed with `problem`.
    """

    model: str
    sent: tuple[str, str]
    sentences: tuple[Sentence, ...] = ()
    ended: bool = False
    stopped: bool = False
    problem: Message | None = None


# Chance below which the hits for a denied question are assumed to contain no answer. Of 120 natural questions with an
# answer, none without a good match is below it.
_HARDLY = 0.05
# A question that asks for several things, and the chance from which its answer is taken to give all of them. With notes
# that give one of two, seven of ten questions are below, and none is with a note that gives both.
_SEVERAL = re.compile(r"(?i)\band (?:who|what|when|where|which|how|why)\b|[,，、].*[谁什几多哪怎]|[?？].*[?？]")
_SURELY = 0.87


@frozen
class Answer:
    """The quotes that answer a question, best first. There are no quotes if `answered` is "no".

    `chance` is the probability, from 0 to 1, that the first quote answers the question. `denied` is True if
    nothing is quoted and no hit matches well. `likely` is True if nothing is quoted, because the first hit, which
    probably answers the question, is in another language. `disagree` is True if the first two quotes are the
    same sentence with different numbers. If a language model wrote the answer, `quotes` holds the quotes cited by its
    sentences.
    """

    query: str
    quotes: tuple[Quote, ...]
    chance: float
    answered: Answered
    denied: bool
    result: SearchResult
    writing: WrittenAnswer | None = None
    disagree: bool = False
    likely: bool = False

    @property
    def text(self) -> str:
        """The language model's sentences that have citations.

        If there are none, the text consists of the numbered quotes as shown, each below its lead.
        """
        lines = [
            f"{sentence.text} {''.join(f'[{number}]' for number in sentence.citations)}"
            for sentence in self.written
            if sentence.citations
        ]
        if self.written:
            return "\n".join(lines)
        lead = ""
        for quote in self.at_first:
            own = quote.shown_lead if quote.header(quote.shown) is None else ""
            if own not in ("", lead):
                lines.append(own)
            shown = quote.readable(quote.shown)
            apart = "\n" if _ENDS_WITH_CODE.search(shown) else " "
            lines += [f"{shown}{apart}[{quote.number}]", *quote.definitions]
            lead = own
        return "\n".join(lines)

    @property
    def at_first(self) -> tuple[Quote, ...]:
        """The quotes shown initially.

        For a comparison, these are all quotes. Otherwise, it is the first quote, or the first two if they disagree.
        """
        return self.quotes if self.result.is_comparison else self.quotes[: 1 + self.disagree]

    @property
    def has_more(self) -> bool:
        """Whether some quotes, or parts of quotes, aren't shown initially."""
        return len(self.quotes) > len(self.at_first) or any(
            quote.shown != (0, len(quote.text)) for quote in self.at_first
        )

    @property
    def written(self) -> tuple[Sentence, ...]:
        """The sentences written by a language model, or an empty tuple if the answer has only quotes."""
        return self.writing.sentences if self.writing else ()

    @property
    def nearest(self) -> tuple[Hit, ...]:
        """The first few hits, shown if there are no quotes."""
        return self.result.hits[:_NEAREST]

    @property
    def may_be_written(self) -> bool:
        """Whether to ask a language model. This requires hits, and some chance that the notes contain an answer."""
        return bool(self.result.hits) and not (self.denied and self.chance < _HARDLY)

    @property
    def is_sure(self) -> bool:
        """Whether the first quote most probably answers the whole question, so that it needs no other note."""
        return self.answered == "yes" and (self.chance >= _SURELY or not _SEVERAL.search(self.query))

    @property
    def explanation(self) -> Message | None:
        """A message that explains the answer to the user, or None if nothing needs explaining."""
        if (writing := self.writing) and writing.problem:
            return writing.problem
        if writing:
            return UNPROVEN if writing.ended and not writing.stopped and not self.quotes else None
        if self.disagree:
            return DISAGREE
        if "no_notes" in self.result.notices:
            return NO_NOTES
        if self.denied:
            return DENIED
        if self.likely:
            return message("This note may answer your question: {title}", title=self.nearest[0].note.title)
        return UNCLEAR if self.answered == "no" and self.result.mode != "listed" else None


@frozen
class Cited:
    """A quote in a stored answer, with its position in a version of a note, and the title of that version."""

    number: int
    note_id: str
    version: int
    title: str
    quote: str
    start: int
    end: int


@frozen
class Turn:
    """A question and its answer.

    `typed` is the question as typed, and `question` is what was searched for. If a follow-up question doesn't make
    sense on its own, `question` starts with the previous question.
    """

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
    turns: tuple[Turn, ...]

    @property
    def id(self) -> str:
        return self.turns[0].thread_id

    @property
    def title(self) -> str:
        return self.turns[0].typed

    @property
    def at(self) -> datetime:
        return self.turns[-1].at


@frozen
class CitedPlace:
    """A quote's position in the current version of its note.

    `start` and `end` are set if `state` is `same` or `moved`. If `state` is `changed` and the quoted version is still
    stored, `pieces` are the differences around the quote. If the note was `deleted`, the quote has no position.
    """

    state: Literal["same", "moved", "changed", "deleted"]
    title: str
    start: int = 0
    end: int = 0
    pieces: tuple[DiffPiece, ...] = ()


# Messages for quotes that no longer have a position, keyed by `CitedPlace.state`.
GONE = message_table({"changed": "The source has changed.", "deleted": "The note was deleted."})
