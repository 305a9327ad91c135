"""Notes related to a note, near-copies of it, suggestions based on these, and the map of all notes."""

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
    """A folder suggested for a note, and the reason. If `folder` is "", it is the top of the base.

    `movable` is True if the note is in `base`, was written in Tessera, and its path in the folder is free.
    """

    base: str
    folder: str
    reason: Message
    movable: bool


@frozen
class LinkSuggestion:
    """A mention of another note, and the link to replace it with. The mention is at `start` to `end` in the body."""

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
    """The notes related to a note, and suggestions for the note, best first.

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
    """A key phrase found in several notes. `notes` is the number of notes.

    `merged` are the phrases that the user merged into this one.
    """

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
    """A note on the path between two notes. `way` says how the next note is related, and is None for the last note."""

    note: NoteSummary
    way: Message | None = None


@frozen
class Region:
    """A region of a map, with its centre, its number of notes, and the words that distinguish its notes."""

    x: float
    y: float
    notes: int
    words: Texts


@frozen
class NoteMap:
    """A map of notes, with their ids and their positions, whose x and y are from 0 to 1.

    `links` are pairs of indexes into `notes`. `left_out` counts the notes that aren't indexed with the map's model.
    """

    notes: Texts = ()
    places: tuple[tuple[float, float], ...] = ()
    regions: tuple[Region, ...] = ()
    links: tuple[Span, ...] = ()
    left_out: int = 0
