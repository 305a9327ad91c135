"""A note's neighbours, which are related notes and copies, suggestions based on them, and the map of all notes."""

from typing import Literal

from core.base.blobs import Span
from core.base.frozen import Texts, frozen
from core.base.messages import Message, Messages
from core.model.notes import NoteSummary

HintKind = Literal["untitled", "headless", "dead_links", "outdated", "contradiction", "unreached", "unfound"]


@frozen
class RelatedNote:
    note: NoteSummary
    reasons: Messages


@frozen
class TagSuggestion:
    tag: str
    reason: Message


@frozen
class PlaceSuggestion:
    """A folder suggested for a note, and the reason. `folder` is "" for the top of the base.

    `movable` is True if the note is in that base, was written in Tessera, and its new path is free.
    """

    base: str
    folder: str
    reason: Message
    movable: bool


@frozen
class LinkSuggestion:
    """A mention of another note, from `start` to `end` in a note's text, and the link to replace it with."""

    note: NoteSummary
    text: str
    start: int
    end: int
    link: str
    reason: Message


@frozen
class Hint:
    """A reason why a note is hard to find or trust, with a remedy.

    `quotes` are the sentences in question, and `other` is another note involved, if any.
    """

    kind: HintKind
    about: Message
    remedy: Message
    quotes: Texts = ()
    other: NoteSummary | None = None


@frozen
class Related:
    """A note's neighbours and suggestions for it, best first.

    `writable` is True if the note's text can be edited in Tessera.
    """

    notes: tuple[RelatedNote, ...] = ()
    copies: tuple[RelatedNote, ...] = ()
    tags: tuple[TagSuggestion, ...] = ()
    places: tuple[PlaceSuggestion, ...] = ()
    links: tuple[LinkSuggestion, ...] = ()
    hints: tuple[Hint, ...] = ()
    writable: bool = False


ConceptChoice = Literal["pin", "hide", "merge", "undo"]


@frozen
class Concept:
    """A key phrase found in several notes: the number of notes, and the phrases that the user merged into it."""

    name: str
    notes: int
    pinned: bool = False
    merged: Texts = ()


@frozen
class ConceptNote:
    note: NoteSummary
    times: int


@frozen
class Step:
    """A note on the path between two notes, and its link to the next note, or None if it is the last."""

    note: NoteSummary
    way: Message | None = None


@frozen
class Region:
    """A region of a map: its centre, its number of notes, and the words that distinguish its notes."""

    x: float
    y: float
    notes: int
    words: Texts


@frozen
class NoteMap:
    """A map of notes: their ids and positions, with x and y from 0 to 1.

    `links` are pairs of indexes into `notes`. `left_out` counts the bases' notes that aren't indexed with the map's
    model.
    """

    notes: Texts = ()
    places: tuple[tuple[float, float], ...] = ()
    regions: tuple[Region, ...] = ()
    links: tuple[Span, ...] = ()
    left_out: int = 0
