"""Threads: questions that a language model answered one after the other, and where their quotes are now."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from core.model.answers import Sentence
from core.model.versions import DiffPiece


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
