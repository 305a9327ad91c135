"""Output about notes for people."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from core.base.messages import message, plural
from core.base.terminal import _, say
from core.model import (
    NOTE_FIELDS,
    DiffPiece,
    Renaming,
    property_text,
    settled_line,
)
from core.operations.printing import table
from core.operations.views.notes import (
    AcceptedNotes,
    ChangedNote,
    MovedNotes,
    NoteDeletion,
    NoteFile,
    ProposedNote,
    RejectedNotes,
    VersionDifference,
    WaitingNotes,
    WholeNote,
)

NOTE_ROWS = ("id", "base", "path", "title")
format_list = table(*NOTE_ROWS, "tags", "type", "category", "status", empty="There are no such notes.")
format_trash = table(*NOTE_ROWS, "deleted_at", "author", empty="The trash is empty.")
format_waiting = table(*NOTE_ROWS, "at", "kind", "author", empty="Nothing waits for you.")

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
    return [_("'{title}' is version {version} now.", title=note.title, version=str(note.version))]


def format_file(note: NoteFile, to: Path | None) -> list[str]:
    if to:
        return [_("The note is in {file}.", file=str(to))]
    return [note.text.removesuffix("\n")]


def format_moved(notes: MovedNotes) -> list[str]:
    return [line for renaming in notes.moved for line in format_renaming(renaming, dry_run=False)]


def format_renaming(renaming: Renaming, *, dry_run: bool) -> list[str]:
    linking = renaming.linking
    refused = [f"  {one.title}: {say(one.refusal)}" for one in linking if one.refusal]
    titles = [f"  {one.title}" for one in linking if not one.refusal]
    links = plural("Links change in {n} note:", "Links change in {n} notes:", n=len(titles))
    places = {"title": renaming.title, "path": renaming.path}
    planned = message("It would be '{title}' at '{path}'.", **places)
    done = message("It is '{title}' at '{path}' now.", **places)
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
    """Yield the lines that hold a change, with an ellipsis for those between."""
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
    head = plural("{n} note is in the trash.", "{n} notes are in the trash.", n=len(notes.deleted))
    back = plural(
        "For {n} day you can restore it with `tessera note restore`.",
        "For {n} days you can restore it with `tessera note restore`.",
        n=notes.days,
    )
    spare = [_("The system has no trash for the files; they are in {folder}.", folder=name) for name in notes.folders]
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
