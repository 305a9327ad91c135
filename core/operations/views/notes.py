"""Results of operations on notes, their versions, the trash, and submissions by programs."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from core.base.codec import assemble, encode
from core.base.frozen import frozen
from core.base.messages import message, plural
from core.base.terminal import _, say
from core.model import (
    NOTE_FIELDS,
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
    Version,
    property_text,
    settled_line,
)
from core.operations.printing import table
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
    """Notes, and the number of further notes that are left out."""

    notes: tuple[ListedNote, ...]
    left_out: int = 0

    @classmethod
    def from_summaries(cls, *notes: NoteSummary, left_out: int = 0) -> Self:
        return cls(tuple(assemble(ListedNote, note) for note in notes), left_out)


@frozen
class WholeNote(ListedNote):
    """A note with its text, and what is missing: attachments and parts of its file."""

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
    """A note, and its content as the text of a file."""

    id: str
    version: int
    path: str | None
    text: str


@frozen
class ArchivedNotes:
    """Ids of the notes that were archived."""

    archived: tuple[str, ...]


# versions of notes


@frozen
class NoteHistory:
    """The versions of a note, the newest first."""

    versions: tuple[Version, ...]


@frozen
class VersionDifference:
    """The difference between two versions of a note, by version number."""

    first: int
    second: int
    fields: tuple[FieldChange, ...]
    pieces: tuple[DiffPiece, ...]


def plain_changes(difference: NoteDifference) -> tuple[FieldChange, ...]:
    """Return changes of fields with their values encoded for JSON."""
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


@frozen
class DeletedNotes:
    """The notes in the trash."""

    trash: tuple[DeletedNote, ...]


@frozen
class NoteDeletion:
    """The ids of notes that were moved to the trash, and the days until they are deleted for good.

    `folders` has the folders that took the notes' files because the system has no trash.
    """

    deleted: tuple[str, ...]
    days: int
    folders: tuple[str, ...] = ()


@frozen
class MovedNotes:
    """Moved notes with their new and old paths, and the notes whose links were updated."""

    moved: tuple[Renaming, ...]


@frozen
class RestoredNotes:
    """Ids of the notes that were restored."""

    restored: tuple[str, ...]


# notes and changes that wait for the user


@frozen
class WaitingNote:
    """A submission by a program that waits for the user: a note or a change."""

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
    """A submission's text, and the difference that accepting it makes."""

    text: WholeNote
    first: int
    second: int
    fields: tuple[FieldChange, ...]
    pieces: tuple[DiffPiece, ...]


@frozen
class WaitingNotes:
    """The notes and changes that wait for the user."""

    waiting: tuple[WaitingNote, ...]


@frozen
class AcceptedNotes:
    """The notes and changes that the user accepted."""

    accepted: tuple[WaitingNote, ...]


@frozen
class RejectedNotes:
    """The notes and changes that the user rejected."""

    rejected: tuple[WaitingNote, ...]


NOTE_ROWS = ("id", "base", "path", "title")
format_list = table(*NOTE_ROWS, "tags", "type", "category", "status", empty="There are no such notes.")
format_trash = table(*NOTE_ROWS, "deleted_at", "author", empty="The trash is empty.")
format_waiting = table(*NOTE_ROWS, "at", "kind", "author", empty="There is nothing to review.")

_SIGNS = {"equal": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}


def format_note(note: WholeNote) -> list[str]:
    fields = {
        field.title: value
        for name, field in NOTE_FIELDS.items()
        if name != "title" and (value := getattr(note, name)) not in ("", (), None, 0)
    }
    missing = [*note.missing_attachments]
    return [
        note.title,
        _(
            "{base}: {path}, version {version} ({id})",
            base=note.base,
            path=note.path,
            version=str(note.version),
            id=note.id,
        ),
        *(f"  {say(title)}: {_value(value)}" for title, value in fields.items()),
        *(f"  {name}: {property_text(value)}" for name, value in note.properties.items()),
        *([_("  missing attachments: {names}", names=missing)] if missing else []),
        *(f"  {file.path}: {say(file.reason)}" for file in note.unread_attachments),
        *(f"  {say(omission.explanation)}" for omission in note.left_out),
        "",
        note.body,
    ]


def format_change(note: ChangedNote) -> list[str]:
    if not note.changed:
        return [_("'{title}' stays as it is.", title=note.title)]
    return [_("'{title}' is now version {version}.", title=note.title, version=str(note.version))]


def format_file(note: NoteFile, to: Path | None) -> list[str]:
    if to:
        return [_("The note was written to {file}.", file=str(to))]
    return [note.text.removesuffix("\n")]


def format_moved(notes: MovedNotes) -> list[str]:
    return [line for renaming in notes.moved for line in format_renaming(renaming, dry_run=False)]


def format_renaming(renaming: Renaming, *, dry_run: bool) -> list[str]:
    linking = renaming.linking
    refused = [f"  {one.title}: {say(one.refusal)}" for one in linking if one.refusal]
    titles = [f"  {one.title}" for one in linking if not one.refusal]
    links = plural("Links change in {n} note:", "Links change in {n} notes:", n=len(titles))
    places = {"title": renaming.title, "path": renaming.path}
    planned = message("The note would be '{title}' at '{path}'.", **places)
    done = message("The note is now '{title}' at '{path}'.", **places)
    return [
        say(planned if dry_run else done),
        *([say(links), *titles] if titles else []),
        *([_("Links that stay as they are:"), *refused] if refused else []),
    ]


def format_difference(difference: VersionDifference | ProposedNote) -> list[str]:
    lines = [
        f"{say(NOTE_FIELDS[field.name].title)}: [-{_value(field.before)}-] {{+{_value(field.after)}+}}"
        for field in difference.fields
    ]
    return [*lines, *_changed_lines(difference.pieces)] or [_("The versions are the same.")]


def _changed_lines(pieces: Iterable[DiffPiece]) -> Iterator[str]:
    """Yield the lines with a change, with an ellipsis for the lines in between."""
    text = "".join(
        "\n".join(_SIGNS[piece.kind].format(part) if part else "" for part in piece.text.split("\n"))
        for piece in pieces
    )
    skipped = False
    for line in text.split("\n"):
        if "[-" in line or "{+" in line:
            yield from (["…"] if skipped else [])
            yield line
            skipped = False
        else:
            skipped = True


def format_deletion(notes: NoteDeletion) -> list[str]:
    head = plural("{n} note was moved to the trash.", "{n} notes were moved to the trash.", n=len(notes.deleted))
    back = plural(
        "For {n} day you can restore it with `tessera note restore`.",
        "For {n} days you can restore it with `tessera note restore`.",
        n=notes.days,
    )
    spare = [
        _("The system has no trash for these files; they were moved to {folder}.", folder=name)
        for name in notes.folders
    ]
    return [f"{say(head)} {say(back)}", *spare]


def format_proposed(note: ProposedNote) -> list[str]:
    text = format_note(note.text) if note.kind == "note" else format_difference(note)
    return [*format_waiting(WaitingNotes((note,))), "", *text]


def format_accepted(notes: AcceptedNotes) -> list[str]:
    return [say(settled_line(note.kind, note.title, accepted=True)) for note in notes.accepted]


def format_rejected(notes: RejectedNotes) -> list[str]:
    return [say(settled_line(note.kind, note.title, accepted=False)) for note in notes.rejected]


def _value(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return ", ".join(value) if isinstance(value, (list, tuple)) else "–" if value in (None, "") else str(value)
