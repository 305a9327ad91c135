"""The neighbours of a note: related notes, copies, what they suggest for it, and the map of all notes."""

from typing import Literal

from core.base.blobs import Span
from core.base.frozen import frozen
from core.base.messages import Message
from core.model.notes import NoteSummary

HintKind = Literal["untitled", "headless", "dead_links", "outdated", "contradiction", "unreached", "unfound"]


@frozen
class RelatedNote:
    """A note that is related to another one, and why."""

    note: NoteSummary
    reasons: tuple[Message, ...]


@frozen
class TagSuggestion:
    """A tag that a note may have, and why."""

    tag: str
    reason: Message


@frozen
class PlaceSuggestion:
    """A folder of a base in which a note may lie, and why; the top of the base is "".

    `movable`: the note is in that base, was written here, and no file has that path.
    """

    base: str
    folder: str
    reason: Message
    movable: bool


@frozen
class LinkSuggestion:
    """A part of a note's text that names another note: the text from `start` to `end`, and the link in its place."""

    note: NoteSummary
    text: str
    start: int
    end: int
    link: str
    reason: Message


@frozen
class Hint:
    """A reason why a note is hard to find or to trust, the remedy, the sentences that show it, and the other note."""

    kind: HintKind
    about: Message
    remedy: Message
    quotes: tuple[str, ...] = ()
    other: NoteSummary | None = None


@frozen
class Related:
    """The neighbours of a note, of each part the best first. `writable`: its text can be changed here."""

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
    """A key phrase of several notes, with the number of its notes and the phrases that the user merged into it."""

    name: str
    notes: int
    pinned: bool = False
    merged: tuple[str, ...] = ()


@frozen
class ConceptNote:
    """A note that holds some concepts, and how often it names them."""

    note: NoteSummary
    times: int


@frozen
class Step:
    """A note on the path from one to another, and its link to the next; the last one has none."""

    note: NoteSummary
    way: Message | None = None


@frozen
class Region:
    """A part of a map: its middle, its number of notes, and the words that its notes have and others don't."""

    x: float
    y: float
    notes: int
    words: tuple[str, ...]


@frozen
class NoteMap:
    """Notes by their id with their places, x and y from 0 to 1; `links` join two of them by their numbers.

    `left_out` notes of the bases aren't indexed by the model of the others.
    """

    notes: tuple[str, ...] = ()
    places: tuple[tuple[float, float], ...] = ()
    regions: tuple[Region, ...] = ()
    links: tuple[Span, ...] = ()
    left_out: int = 0
