"""What the operations on threads return."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Self

from core.base.codec import assemble
from core.model import Cited, CitedPlace, DiffPiece, Sentence, Thread, Turn

Locate = Callable[[Cited], CitedPlace]
"""Finds where a quote is in its note as that is now."""


@dataclass(frozen=True, slots=True)
class ThreadSummary:
    """A thread without its answers."""

    id: str
    title: str
    at: datetime
    questions: int

    @classmethod
    def from_thread(cls, thread: Thread) -> Self:
        return assemble(cls, thread, questions=len(thread.turns))


@dataclass(frozen=True, slots=True)
class ThreadList:
    """The threads there are."""

    threads: tuple[ThreadSummary, ...]


@dataclass(frozen=True, slots=True)
class ThreadCitation:
    """A quote with its place in its note as that is now, where it is still there."""

    number: int
    quote: str
    note_id: str
    version: int
    title: str
    state: Literal["same", "moved", "changed", "deleted"]
    start: int | None
    end: int | None
    pieces: tuple[DiffPiece, ...]

    @classmethod
    def from_cited(cls, cited: Cited, place: CitedPlace) -> Self:
        start, end = (place.start, place.end) if place.state in ("same", "moved") else (None, None)
        return assemble(cls, place, cited, start=start, end=end)


@dataclass(frozen=True, slots=True)
class ThreadTurn:
    """A question and its answer."""

    number: int
    typed: str
    question: str
    model: str
    at: datetime
    sentences: tuple[Sentence, ...]
    citations: tuple[ThreadCitation, ...]

    @classmethod
    def from_turn(cls, turn: Turn, locate: Locate) -> Self:
        citations = tuple(ThreadCitation.from_cited(cited, locate(cited)) for cited in turn.citations)
        return assemble(cls, turn, citations=citations)


@dataclass(frozen=True, slots=True)
class ThreadView:
    """A thread with the places of its quotes."""

    id: str
    title: str
    turns: tuple[ThreadTurn, ...]

    @classmethod
    def from_thread(cls, thread: Thread, locate: Locate) -> Self:
        return assemble(cls, thread, turns=tuple(ThreadTurn.from_turn(turn, locate) for turn in thread.turns))
