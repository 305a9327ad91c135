"""Threads: questions that a language model answered one after the other, and where their quotes stand now."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from core.model.answers import Sentence
from core.model.versions import DiffPiece


@dataclass(frozen=True, slots=True)
class Cited:
    """A quote of an answer: where it stood in a version of its note. `title` is that of the note then."""

    number: int
    note_id: str
    version: int
    title: str
    quote: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and its answer. `typed` is the question as the person wrote it, `question` as it was completed."""

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
    """Where a quote stands in its note as that is now.

    It is at `start` to `end` there, at the `same` place or another one. Of a `changed` note `pieces` are what differs
    around the quote, where the version that it is of is still stored; a `deleted` note has no place.
    """

    state: Literal["same", "moved", "changed", "deleted"]
    title: str
    start: int = 0
    end: int = 0
    pieces: tuple[DiffPiece, ...] = ()
