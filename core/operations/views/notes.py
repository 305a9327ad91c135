"""What operations on notes, their versions, the trash and the review of programs return."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

from core.base.codec import assemble, encode
from core.base.frozen import frozen
from core.model import (
    Author,
    DiffPiece,
    FieldChange,
    FieldValues,
    Note,
    NoteDifference,
    NoteSummary,
    Omission,
    Proposal,
    Renaming,
    Submission,
    SubmissionKind,
    Trashed,
    Version,
)
from core.operations.views.documents import UnreadFile

if TYPE_CHECKING:
    from core.workspace import Workspace


@frozen
class ListedNote(FieldValues):
    """A note without its text."""

    id: str
    base: str
    path: str | None
    version: int
    source: str
    created_at: datetime | None
    updated_at: datetime | None


@frozen
class NoteList:
    """Notes, and how many others are left out."""

    notes: tuple[ListedNote, ...]
    left_out: int = 0

    @classmethod
    def from_summaries(cls, *notes: NoteSummary, left_out: int = 0) -> Self:
        return cls(tuple(assemble(ListedNote, note) for note in notes), left_out)


@frozen
class WholeNote(ListedNote):
    """A note with its text, and the attachments and parts of its file that are missing."""

    body: str
    properties: dict[str, Any]
    encoding: str
    missing_attachments: tuple[str, ...]
    unread_attachments: tuple[UnreadFile, ...]
    left_out: tuple[Omission, ...]

    @classmethod
    def from_note(cls, workspace: "Workspace", note: Note) -> Self:
        return assemble(
            cls,
            note,
            base=workspace.bases.by_id(note.base_id).name,
            properties=note.extra,
            encoding=note.encoding.name if note.encoding else "UTF-8",
            missing_attachments=workspace.attachments.missing(note),
            unread_attachments=tuple(map(UnreadFile.from_failure, workspace.pictures.problems(note.id))),
        )


@frozen
class ChangedNote(WholeNote):
    """A note after a command that may have changed it."""

    changed: bool


@frozen
class WrittenNote:
    """A note that was written; its status is `pending` while it or its change waits for the user."""

    id: str
    version: int
    path: str | None
    base: str
    status: str

    @classmethod
    def from_result(cls, workspace: "Workspace", written: Note | Proposal) -> Self:
        waits = isinstance(written, Proposal)
        note = workspace.notes.get(written.note_id) if isinstance(written, Proposal) else written
        base = workspace.bases.by_id(note.base_id).name
        return cls(note.id, note.version, note.path, base, "pending" if waits else note.status)


@frozen
class NoteFile:
    """A note, and the text of a file with its content."""

    id: str
    version: int
    path: str | None
    text: str


@frozen
class ArchivedNotes:
    """The ids of notes that are archived now."""

    archived: tuple[str, ...]


# versions of notes


@frozen
class NoteHistory:
    """The versions of a note, the newest first."""

    versions: tuple[Version, ...]


@frozen
class VersionDifference:
    """The difference between two versions of a note, by their numbers."""

    first: int
    second: int
    fields: tuple[FieldChange, ...]
    pieces: tuple[DiffPiece, ...]

    @classmethod
    def from_difference(cls, difference: NoteDifference, first: int, second: int) -> Self:
        return cls(first, second, _plain_changes(difference), difference.pieces)


def _plain_changes(difference: NoteDifference) -> tuple[FieldChange, ...]:
    """Return the changes of fields, with values as JSON has them."""
    return tuple(FieldChange(item.name, encode(item.before), encode(item.after)) for item in difference.fields)


# the trash


@frozen
class DeletedNote:
    """A note in the trash."""

    id: str
    base: str
    path: str | None
    title: str
    author: Author
    version: int
    deleted_at: datetime

    @classmethod
    def from_trashed(cls, trashed: Trashed, base: str) -> Self:
        version = trashed.version
        return cls(version.note_id, base, trashed.path, version.title, version.author, version.number, version.at)


@frozen
class DeletedNotes:
    """The notes in the trash."""

    trash: tuple[DeletedNote, ...]


@frozen
class NoteDeletion:
    """The ids of notes that were put into the trash for so many days.

    `folders` hold files that were to go to the trash of the system, which has none for them.
    """

    deleted: tuple[str, ...]
    days: int
    folders: tuple[str, ...] = ()


@frozen
class MovedNotes:
    """Notes with their places now and before, and the notes whose links followed."""

    moved: tuple[Renaming, ...]


@frozen
class RestoredNotes:
    """The ids of notes that are back."""

    restored: tuple[str, ...]


# notes and changes that wait for the user


@frozen
class WaitingNote:
    """A note or a change by a program that waits for the user."""

    id: str
    base: str
    path: str | None
    title: str
    version: int
    kind: SubmissionKind
    author: Author
    at: datetime
    source: str
    origin: str

    @classmethod
    def from_submission(cls, submission: Submission) -> Self:
        return assemble(cls, submission.note, submission)


@frozen
class ProposedNote(WaitingNote):
    """What waits of a note: its text, and its difference from the note between two versions."""

    text: WholeNote
    first: int
    second: int
    fields: tuple[FieldChange, ...]
    pieces: tuple[DiffPiece, ...]

    @classmethod
    def from_proposal(cls, submission: Submission, text: WholeNote, difference: NoteDifference) -> Self:
        version = submission.note.version
        return assemble(
            cls,
            submission.note,
            submission,
            text=text,
            first=version,
            second=version + 1,
            fields=_plain_changes(difference),
            pieces=difference.pieces,
        )


@frozen
class WaitingNotes:
    """What waits for the user."""

    waiting: tuple[WaitingNote, ...]


@frozen
class AcceptedNotes:
    """What the user accepted."""

    accepted: tuple[WaitingNote, ...]


@frozen
class RejectedNotes:
    """What the user rejected."""

    rejected: tuple[WaitingNote, ...]
