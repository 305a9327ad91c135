"""Review items, which await the user's decision, and their kinds."""

from datetime import date, datetime
from itertools import chain
from typing import Literal, get_args

from core.base.frozen import Texts, frozen
from core.base.messages import Message
from core.model.chunks import Flagged, RefusedChunk
from core.model.notes import NoteSummary
from core.model.versions import Author, Submission

MatterKind = Literal[
    "note",
    "change",
    "conflict",
    "upgrade",
    "file",
    "contradiction",
    "split",
    "refused",
    "question",
    "expired",
    "expiring",
    "superseded",
    "copy",
    "reminder",
]
Side = Literal["mine", "theirs", "both"]
# Choices when a note has two versions of its text.
SIDES: tuple[Side, ...] = get_args(Side)


@frozen
class MatterType:
    """A kind of review item, with its title, icon and explanation."""

    title: Message
    icon: str
    about: Message


def _matter_type(title: str, about: str, icon: str) -> MatterType:
    return MatterType(Message(title), icon, Message(about))


# Kinds of review items, in display order.
MATTERS: dict[MatterKind, MatterType] = {
    "note": _matter_type(
        "New notes",
        "This note is waiting for your approval. Searches leave it out until you accept it.",
        "note_add",
    ),
    "change": _matter_type(
        "Proposed changes",
        "A program has proposed a change to this note. The note stays as it is until you accept the change.",
        "difference",
    ),
    "conflict": _matter_type(
        "Changes to older versions",
        "A program proposed a change to this note, but the note has been edited since then. If you accept the "
        "change, the proposed text replaces the text below, which is kept in the history.",
        "call_split",
    ),
    "upgrade": _matter_type(
        "Upgrades for notes that you edited",
        "You changed this note from a pack, and the pack now has a new version of it. Below, you see what the "
        "pack's version would change in yours. The version that you don't keep stays in the history or in the "
        "trash.",
        "deployed_code_update",
    ),
    "file": _matter_type(
        "Files with two versions",
        "This file seems to have been changed in two places at once, so there are two copies. Below, you see what "
        "the second copy would change in the first. The note for the copy that you don't keep is archived, but both "
        "files stay on disk.",
        "file_copy",
    ),
    "contradiction": _matter_type(
        "Contradictions",
        "Two notes contain the same sentence with different numbers. Say which is right, and the other note is "
        "changed. Or edit a note, or mark both as fine.",
        "sync_problem",
    ),
    "split": _matter_type(
        "Edits that no longer match the text",
        "You changed this passage, and its text is no longer in the note. Keep your edit as a separate "
        "passage at the end of the note, or discard it.",
        "flag",
    ),
    "refused": _matter_type(
        "Passages rejected by the model",
        "The model can't read this passage, so it can be found only by keyword. Change its text, or try again.",
        "block",
    ),
    "question": _matter_type(
        "Unanswered questions",
        "You asked this, and Tessera found no answer in your notes. Write the answer down, and the next search will "
        "find it.",
        "contact_support",
    ),
    "expired": _matter_type(
        "Expired notes",
        "This note has expired, so searches leave it out. Archive it, or keep it for another year.",
        "event_busy",
    ),
    "expiring": _matter_type(
        "Notes that expire soon",
        "Searches leave this note out once it has expired. If it is still needed, keep it for another year.",
        "event_upcoming",
    ),
    "superseded": _matter_type(
        "Replaced notes",
        "A newer note replaces this note. If nobody needs this note any more, archive it.",
        "update",
    ),
    "copy": _matter_type(
        "Duplicates",
        "Two notes have the same text. Keep one of them, or mark both as fine.",
        "content_copy",
    ),
    "reminder": _matter_type(
        "Worth another look",
        "Your searches today found this note, and you haven't opened or changed it for a month or longer.",
        "history_edu",
    ),
}
# Kinds of review items, grouped by the line of the digest that counts them.
DIGEST: tuple[tuple[MatterKind, ...], ...] = (
    ("expired", "expiring", "reminder"),
    ("contradiction",),
    ("note", "change", "conflict", "upgrade", "file", "split", "refused", "question"),
    ("copy", "superseded"),
)


@frozen
class NotePair:
    """The ids of two notes, and their contradictory sentences. Copies have no `quotes`.

    In `quotes`, each sentence of the first note is followed by that of the second.
    """

    first: str
    second: str
    quotes: Texts = ()

    @property
    def reversed(self) -> "NotePair":
        return NotePair(
            self.second, self.first, tuple(chain.from_iterable(zip(self.quotes[1::2], self.quotes[::2], strict=True)))
        )


@frozen
class NoteChange:
    note: NoteSummary
    author: Author


@frozen
class QuotedLine:
    """A sentence or task from a note, without Markdown marks, and the day that it names, if any.

    `start` and `end` delimit the sentence, or the whole task, in the note's text. They are -1 if the user edited the
    chunk. `chunk` is the chunk's index. `is_task` means that there is an unticked box in the text.
    """

    note: NoteSummary
    text: str
    chunk: int
    start: int
    end: int
    is_task: bool
    day: date | None = None


@frozen
class Digest:
    """A day's digest, with the number of waiting items of each kind, changed notes, and dated lines.

    Notes changed by the user come last. The lines in `coming` are overdue tasks, then sentences and tasks that name the
    day or one of the seven days after it.
    """

    day: str
    waiting: dict[MatterKind, int]
    changed: tuple[NoteChange, ...]
    coming: tuple[QuotedLine, ...]


@frozen
class ReviewItem:
    """An item awaiting a decision. Its `key` changes whenever its state does.

    The item has been waiting since `at`, if known. `other` is the second note involved: the newer note, the copy, the
    second file's note, or the contradicting note. `quotes` are the sentences in question, in turn from `note` and from
    `other`. For an unanswered question, they are the wordings in which it was asked. At most one of `submission`,
    `flagged` and `refused` is set.
    """

    kind: MatterKind
    key: str
    note: NoteSummary | None
    base: str
    title: str
    at: datetime | None = None
    other: NoteSummary | None = None
    quotes: Texts = ()
    submission: Submission | None = None
    flagged: Flagged | None = None
    refused: RefusedChunk | None = None

    @property
    def pair(self) -> tuple[NoteSummary, NoteSummary] | None:
        """The two notes to show side by side, or None if the item isn't about two notes, or about one file."""
        return (self.note, self.other) if self.note and self.other and self.kind != "file" else None

    @property
    def note_id(self) -> str | None:
        return self.note.id if self.note else None

    @property
    def other_id(self) -> str | None:
        return self.other.id if self.other else None
