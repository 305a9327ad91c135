"""What waits for a person's decision, and the kinds of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from core.messages import Message, message
from core.model.chunks import Flagged, RefusedChunk
from core.model.notes import NoteCard
from core.model.versions import Submission

MatterKind = Literal["note", "change", "conflict", "split", "refused", "expired", "superseded", "copy", "contradiction"]


@dataclass(frozen=True, slots=True)
class MatterType:
    """A kind of what waits: its title, its icon, and what it means. A `quick` one is a decision that
    waits; another is a hint, for which all notes are read."""

    title: Message
    icon: str
    about: Message
    quick: bool = True


MATTERS: dict[MatterKind, MatterType] = {
    "note": MatterType(
        message("New notes"),
        "note_add",
        message("This note waits for you: searches leave it out until you accept it."),
    ),
    "change": MatterType(
        message("Proposed changes"),
        "difference",
        message("A program proposes a change of this note. The note stays as it is until you accept it."),
    ),
    "conflict": MatterType(
        message("Changes of older versions"),
        "call_split",
        message(
            "A program proposes a change of this note, which was changed since. Accepting it puts the proposed text in "
            "place of the text below; that stays in the history."
        ),
    ),
    "split": MatterType(
        message("Edits without a place"),
        "flag",
        message(
            "You changed this passage, and its text is no longer in the note. Keep it as a passage of its own at the "
            "note's end, or drop it."
        ),
    ),
    "refused": MatterType(
        message("Refused passages"),
        "block",
        message("The model can't read this passage: it is found by its words only. Change its text, or try again."),
    ),
    "expired": MatterType(
        message("Expired notes"),
        "event_busy",
        message("This note has expired: searches leave it out. Archive it, or give it another date."),
    ),
    "superseded": MatterType(
        message("Replaced notes"),
        "update",
        message("A newer note replaces this one. Archive it if nobody needs it any more."),
        quick=False,
    ),
    "copy": MatterType(
        message("Copies"),
        "content_copy",
        message("Two notes have the same text. Keep one of them, or say that both are fine."),
        quick=False,
    ),
    "contradiction": MatterType(
        message("Contradictions"),
        "sync_problem",
        message("Two notes say the same sentence with other numbers. Correct one of them, or say that both are fine."),
        quick=False,
    ),
}
"""The kinds in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class Matter:
    """Something that waits for a decision. Its `key` names it as it is: what changed since has another key.

    `at` is since when it waits, if known. `other` is the newer note, the copy or the note that says another number;
    `quotes` are the sentences of both. One of `submission`, `flagged` and `refused` is the thing itself.
    """

    kind: MatterKind
    key: str
    note: NoteCard | None
    base: str
    title: str
    at: datetime | None = None
    other: NoteCard | None = None
    quotes: tuple[str, ...] = ()
    submission: Submission | None = None
    flagged: Flagged | None = None
    refused: RefusedChunk | None = None

    @property
    def note_id(self) -> str | None:
        return self.note.id if self.note else None

    @property
    def other_id(self) -> str | None:
        return self.other.id if self.other else None
