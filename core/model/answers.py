"""Answers: quotes of notes that answer a question, and the least evidence below which a question is refused."""

from dataclasses import dataclass
from typing import Literal

from core.model.chunks import Chunk
from core.model.notes import NoteCard
from core.model.search import SearchResult

QuoteKind = Literal["sentence", "item", "row", "code"]
BarBasis = Literal["questions", "others", "examples"]


@dataclass(frozen=True, slots=True)
class Quote:
    """A numbered part of a note that answers, as it stands there.

    `text` is `body[start:end]` of the note, except in a chunk that a person edited, which has a text of its own at its
    place. `lead` is what it needs before it, from the same chunk: a list's lead-in, a table's header, the sentence
    before code.
    """

    number: int
    note: NoteCard
    chunk: Chunk
    kind: QuoteKind
    text: str
    lead: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Bar:
    """The least evidence of an answer in a base, and what it rests on.

    `basis`: `count` of the base's own `questions`, of which `share` are refused at most; or `count` questions on the
    person's `others` bases, or `examples` that come with the program, of which `share` are answered at most. With nine
    chances in ten that share is between `low` and `high`. `windows` is how many the base had.
    """

    least: float
    basis: BarBasis
    count: int
    share: float
    low: float
    high: float
    windows: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The quotes that answer a question, the nearest first; none where its `evidence` is below the bar.

    `result` are the hits that were looked at.
    """

    query: str
    quotes: tuple[Quote, ...]
    evidence: float
    bar: Bar
    result: SearchResult

    @property
    def refused(self) -> bool:
        return not self.quotes

    @property
    def text(self) -> str:
        """The quotes as one text, each with its lead and its number; empty where the question is refused."""
        parts = ("\n".join(filter(None, (one.lead, f"{one.text} [{one.number}]"))) for one in self.quotes)
        return "\n".join(parts)
