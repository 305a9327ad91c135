"""Results of operations on notes and bases."""

import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from core.base.codec import assemble, encode
from core.base.frozen import AnyValues, Texts, frozen
from core.base.messages import Message, message_table
from core.base.terminal import _, say
from core.model import (
    GUESSED,
    NOTE_FIELDS,
    Author,
    BaseKind,
    BaseStatus,
    ChangeCost,
    ChunkingOptions,
    DiffPiece,
    Failed,
    FieldChange,
    FieldValues,
    IncompleteNote,
    Note,
    NoteDifference,
    NoteSummary,
    Omissions,
    Proposal,
    Renaming,
    Submission,
    SubmissionKind,
    SyncReport,
    Version,
    property_text,
)
from core.operations.printing import sentence, table

if TYPE_CHECKING:
    from core.workspace import Workspace


@frozen
class Deletion:
    """The id of a deleted item, or of a note moved to the trash."""

    id: str
    deleted: bool = True


@frozen
class UnreadFile:
    """A file that couldn't be read."""

    path: str
    reason: Message

    @classmethod
    def from_failure(cls, failed: Failed) -> Self:
        return cls(failed.path, failed.error)


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
    """A list of notes, with the number of notes omitted from it."""

    notes: tuple[ListedNote, ...]
    left_out: int = 0

    @classmethod
    def from_summaries(cls, *notes: NoteSummary, left_out: int = 0) -> Self:
        return cls(tuple(assemble(ListedNote, note) for note in notes), left_out)


@frozen
class WholeNote(ListedNote):
    """A note with its text, any missing or unread attachments, and any parts of its file that were left out."""

    body: str
    properties: AnyValues
    encoding: str
    missing_attachments: Texts
    unread_attachments: tuple[UnreadFile, ...]
    left_out: Omissions

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
class NoteVersion:
    """A version of a note, and the note's path."""

    id: str
    version: int
    path: str | None


@frozen
class WrittenNote(NoteVersion):
    """A written note. Its status is `pending` while the note, or a change to it, awaits the user's review."""

    base: str
    status: str

    @classmethod
    def from_result(cls, workspace: "Workspace", written: Note | Proposal) -> Self:
        note = workspace.notes.get(written.note_id) if isinstance(written, Proposal) else written
        return assemble(
            cls,
            note,
            base=workspace.bases.by_id(note.base_id).name,
            status=note.status if note is written else "pending",
        )


@frozen
class NoteFile(NoteVersion):
    """A note formatted as a file."""

    text: str


@frozen
class ArchivedNotes:
    """The ids of the archived notes."""

    archived: Texts


# note versions

FieldChanges = tuple[FieldChange, ...]


@frozen
class NoteHistory:
    """A note's versions, newest first."""

    versions: tuple[Version, ...]


@frozen
class VersionDifference:
    """The difference between two versions of a note, by version number."""

    first: int
    second: int
    fields: FieldChanges
    pieces: tuple[DiffPiece, ...]


def plain_changes(difference: NoteDifference) -> FieldChanges:
    """Return the field changes in a difference, with their values encoded for JSON."""
    return tuple(FieldChange(item.name, encode(item.before), encode(item.after)) for item in difference.fields)


# the trash


@frozen
class PlacedNote:
    """A note's id, base, path and title."""

    id: str
    base: str
    path: str | None
    title: str


@frozen
class DeletedNote(PlacedNote):
    """A note in the trash."""

    author: Author
    version: int
    deleted_at: datetime


@frozen
class DeletedNotes:
    """The notes in the trash."""

    trash: tuple[DeletedNote, ...]


@frozen
class NoteDeletion:
    """The ids of notes moved to the trash, and the number of days until they are permanently deleted.

    `folders` lists where the notes' files went if the system has no trash.
    """

    deleted: Texts
    days: int
    folders: Texts = ()


@frozen
class MovedNotes:
    """Moved notes with their new and old paths, and the notes whose links were updated."""

    moved: tuple[Renaming, ...]


@frozen
class RestoredNotes:
    """The ids of the restored notes."""

    restored: Texts


# notes and changes awaiting the user's review


@frozen
class WaitingNote(PlacedNote):
    """A note or change submitted by a program and not yet reviewed by the user."""

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
    """A submission's text, and what accepting the submission would change."""

    text: WholeNote
    first: int
    second: int
    fields: FieldChanges
    pieces: tuple[DiffPiece, ...]


@frozen
class WaitingNotes:
    """The notes and changes awaiting the user's review."""

    waiting: tuple[WaitingNote, ...]


@frozen
class AcceptedNotes:
    """The notes and changes accepted by the user."""

    accepted: tuple[WaitingNote, ...]


@frozen
class RejectedNotes:
    """The notes and changes rejected by the user."""

    rejected: tuple[WaitingNote, ...]


NOTE_ROWS = ("id", "base", "path", "title")
format_settled = table(*NOTE_ROWS, empty="There is nothing to review.")
format_list = table(*NOTE_ROWS, "tags", "type", "category", "status", empty="There are no such notes.")
format_trash = table(*NOTE_ROWS, "deleted_at", "author", empty="The trash is empty.")
format_waiting = table(*NOTE_ROWS, "at", "kind", "author", empty="There is nothing to review.")

_SIGNS = {"equal": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}


def missing_parts(notes: Iterable[IncompleteNote]) -> Iterator[str]:
    """Yield a line for each part of a note's file that is missing from the note."""
    for note in notes:
        yield from (f"{note.path}: {say(part.explanation)}" for part in note.left_out)


def format_note(note: WholeNote) -> list[str]:
    fields = {
        field.title: value
        for name, field in NOTE_FIELDS.items()
        if name != "title" and (value := getattr(note, name)) not in ("", (), None, 0)
    }
    missing = note.missing_attachments
    return [
        note.title,
        *sentence("{base}: {path}, version {version} ({id})")(note),
        *(f"  {say(title)}: {_value(value)}" for title, value in fields.items()),
        *(f"  {name}: {property_text(value)}" for name, value in note.properties.items()),
        *([_("  missing attachments: {names}", names=missing)] if missing else []),
        *(f"  {file.path}: {say(file.reason)}" for file in note.unread_attachments),
        *(f"  {say(omission.explanation)}" for omission in note.left_out),
        "",
        note.body,
    ]


def format_file(note: NoteFile, to: Path | None) -> list[str]:
    if to:
        return [_("The note was written to {file}.", file=to)]
    return [note.text.removesuffix("\n")]


def format_difference(difference: VersionDifference | ProposedNote) -> list[str]:
    lines = [
        f"{say(NOTE_FIELDS[field.name].title)}: [-{_value(field.before)}-] {{+{_value(field.after)}+}}"
        for field in difference.fields
    ]
    return [*lines, *_changed_lines(difference.pieces)] or [_("The versions are the same.")]


def _changed_lines(pieces: Iterable[DiffPiece]) -> Iterator[str]:
    """Yield the lines that contain changes. An ellipsis replaces the unchanged lines between them."""
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


def format_proposed(note: ProposedNote) -> list[str]:
    text = format_note(note.text) if note.kind == "note" else format_difference(note)
    return [*format_waiting(WaitingNotes((note,))), "", *text]


def _value(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return ", ".join(value) if isinstance(value, (list, tuple)) else "–" if value in (None, "") else str(value)


@frozen
class SyncedFolder:
    """A base's folder, and when it was last synced."""

    path: str
    synced_at: datetime

    def __str__(self) -> str:
        return self.path


@frozen
class BaseDetails:
    """A base with its settings, folders and size. See `BaseStatus` for the fields.

    `search` holds only the search settings chosen for the base.
    """

    name: str
    description: str
    kind: BaseKind
    notes: int
    chunks: int
    windows: int
    pending: int
    waiting: int
    refused: int
    embedder: str
    chunking: ChunkingOptions
    embed_at_once: bool
    keep_tokens: bool
    write_files: bool
    watch: bool
    trusts_programs: bool
    read_pictures: bool
    search: AnyValues
    folders: tuple[SyncedFolder, ...]

    @classmethod
    def from_status(cls, status: BaseStatus) -> Self:
        return assemble(
            cls,
            status,
            status.base,
            search=status.base.search.chosen(),
            folders=tuple(SyncedFolder(*folder) for folder in status.folders),
        )


@frozen
class BaseList:
    """A list of bases."""

    bases: tuple[BaseDetails, ...]


@frozen
class BaseDeletion:
    """The result of asking to delete a base, with its number of notes and whether it was actually deleted."""

    base: str
    notes: int
    deleted: bool


@frozen
class ChangeCosts:
    """The costs of changing a base's chunking and its embedder. A cost is None if the setting stays the same."""

    chunking: ChangeCost | None = None
    embedder: ChangeCost | None = None


@frozen
class MadeBase:
    """A base created by an import."""

    base: str
    explanation: Message
    embedder: str
    chunking: ChunkingOptions


@frozen
class ImportTarget:
    """The base that an import would create, or None if the base already exists."""

    makes: MadeBase | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderImport(SyncReport):
    """A folder's sync report, and the base created for the folder, if any."""

    makes: MadeBase | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderConnection(SyncReport):
    """The sync report for a folder being connected to a base, and the paths of notes that differ from their files."""

    base: str
    folder: str
    differing: Texts
    joined: int
    connected: bool
    writes_files: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderScan(SyncReport):
    """The sync report for a folder of text files, or the problem with the folder."""

    base: str
    folder: str
    made: bool
    problem: str | Message = ""  # type: ignore[assignment]


@frozen
class FolderScans:
    """The sync reports for the folders of text files."""

    folders: tuple[FolderScan, ...]


format_bases = table(
    "name", "kind", "notes", "chunks", "waiting", "refused", "embedder", "folders", empty="There are no bases yet."
)


# imports

# Display names for a sync report's lists of unread files.
_UNREAD = message_table(
    {
        "failed": "failed",
        "not_downloaded": "not downloaded",
        "skipped": "not read",
        "left_out": "left out",
    }
)
# Remarks on the nonzero counts in a sync report.
_REMARKS = message_table(
    {
        "edits_flagged": "edits that no longer match the text: {n}",
        "edits_kept": "edits kept although their notes were removed: {n}",
        "waiting": "notes that can be found only by keyword until you run tessera index: {n}",
        "refused": "passages that can be found only by keyword because the model rejects them: {n}",
    }
)
# Maximum number of lines shown about incomplete notes.
_SHOWN = 20


def format_counts(report: SyncReport) -> str:
    text = _(
        "{added} added, {changed} changed, {renamed} renamed, {removed} removed, {unchanged} unchanged, {n} failed",
        added=report.added,
        changed=report.changed,
        renamed=report.renamed,
        removed=report.removed,
        unchanged=report.unchanged,
        n=len(report.failed),
    )
    incomplete = sum(any(part.kind != GUESSED for part in note.left_out) for note in report.incomplete)
    return _("{counts}, {n} incomplete", counts=text, n=incomplete) if incomplete else text


def format_import(report: SyncReport) -> list[str]:
    lines = [_("Read as {program} notes.", program=report.importer)] if report.importer else []
    lines.append(format_counts(report))
    for name, what in _UNREAD.items():
        reasons = defaultdict(list)
        for file in getattr(report, name):
            reasons[say(file.error)].append(file.path)
        for reason, paths in reasons.items():
            lines.append(
                _(
                    "  {what} ({n}): {paths}: {reason}",
                    what=what,
                    n=len(paths),
                    paths=", ".join(paths[:3] + ["…"] * (len(paths) > 3)),
                    reason=reason,
                )
            )
    missing = [f"  {line}" for line in missing_parts(report.incomplete)]
    lines += missing[:_SHOWN]
    if len(missing) > _SHOWN:
        lines.append(f"  {_('and {n} more', n=len(missing) - _SHOWN)}: tessera document unread BASE")
    lines += sentence("passages: {chunks}, indexed: {indexed}, in {seconds} s")(report)
    for name, remark in _REMARKS.items():
        if count := getattr(report, name):
            lines.append(say(replace(remark, fields={"n": count})))
    return lines


def format_connection(report: FolderConnection) -> list[str]:
    lines = [_("  differs from its file: {path}", path=path) for path in report.differing]
    if not report.connected:
        return [*lines, _("Nothing was changed.")]
    lines += format_import(report)
    if not report.writes_files:
        lines.append(
            _(
                "The files are read-only. To save edits to them: {command}",
                command=f"tessera base set --base {shlex.quote(report.base)} --write-files",
            )
        )
    return lines


def format_scans(scans: FolderScans) -> list[str]:
    text = []
    for scan in scans.folders:
        text.append(f"{scan.base}: {scan.folder}")
        if scan.made:
            text.append(f"  {_('This base was created for the folder.')}")
        if scan.problem:
            text.append(f"  {say(scan.problem)}")
        else:
            text += [f"  {line}" for line in format_import(scan)]
    return text or [_("There are no text folders yet.")]
