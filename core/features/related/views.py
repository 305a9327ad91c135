"""What the operations on related notes and on concepts return in addition to the nouns."""

from dataclasses import dataclass
from typing import Self

from core.base.codec import assemble
from core.base.messages import Message
from core.doors.operations.views.search import NoteReference
from core.model import Concept, Hint, HintKind, PlaceSuggestion, Related, TagSuggestion


@dataclass(frozen=True, slots=True)
class RelatedNoteView(NoteReference):
    """A note that is related to another one, and why."""

    reasons: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class LinkSuggestionView(NoteReference):
    """A part of a note's text that names another note, and the link in its place."""

    text: str
    start: int
    end: int
    link: str
    reason: Message


@dataclass(frozen=True, slots=True)
class HintView:
    """A reason why a note is hard to find or to trust, the remedy, the sentences that show it, and the other note."""

    kind: HintKind
    about: Message
    remedy: Message
    quotes: tuple[str, ...]
    other_id: str | None

    @classmethod
    def from_hint(cls, hint: Hint) -> Self:
        return assemble(cls, hint, other_id=hint.other.id if hint.other else None)


@dataclass(frozen=True, slots=True)
class RelatedView:
    """The neighbours of a note, and what they suggest for it."""

    notes: tuple[RelatedNoteView, ...]
    copies: tuple[RelatedNoteView, ...]
    tags: tuple[TagSuggestion, ...]
    places: tuple[PlaceSuggestion, ...]
    links: tuple[LinkSuggestionView, ...]
    hints: tuple[HintView, ...]

    @classmethod
    def from_related(cls, related: Related) -> Self:
        notes, copies = (tuple(map(RelatedNoteView.from_noun, part)) for part in (related.notes, related.copies))
        links = tuple(map(LinkSuggestionView.from_noun, related.links))
        return cls(notes, copies, related.tags, related.places, links, tuple(map(HintView.from_hint, related.hints)))


@dataclass(frozen=True, slots=True)
class ConceptList:
    """Concepts, those that say most first."""

    concepts: tuple[Concept, ...]


@dataclass(frozen=True, slots=True)
class ConceptNoteView(NoteReference):
    """A note that holds some concepts, and how often it names them."""

    times: int


@dataclass(frozen=True, slots=True)
class ConceptNotes:
    """The notes that hold some concepts."""

    notes: tuple[ConceptNoteView, ...]


@dataclass(frozen=True, slots=True)
class StepView(NoteReference):
    """A note on the path from one to another, and its link to the next."""

    way: Message | None


@dataclass(frozen=True, slots=True)
class NotePath:
    """The notes on the path from one to another."""

    steps: tuple[StepView, ...]


@dataclass(frozen=True, slots=True)
class DecidedConcept:
    """A concept, and the decision on it."""

    name: str
    choice: str
