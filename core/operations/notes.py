"""Operations on notes, their versions, the trash, and submissions by programs that await the user's review."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack, cast

from core.base.codec import assemble
from core.base.datetimes import local_now
from core.base.errors import ConfigError
from core.base.frozen import AnyValues
from core.base.messages import message, plural, terminal_language
from core.base.terminal import _
from core.model import NOTE_FIELDS, NOTE_SOURCES, Note, NoteFields, Renaming
from core.operations import names, views
from core.operations.declaring import About, Caller, operation, without_none
from core.operations.parameters import (
    NOTE_PARAMETERS,
    AnyNote,
    DryRun,
    Expected,
    Names,
    NoteName,
    NoteNames,
    Number,
    SomeBase,
    only,
)
from core.operations.printing import sentence, table
from core.operations.views import (
    AcceptedNotes,
    ArchivedNotes,
    DeletedNote,
    DeletedNotes,
    Deletion,
    MovedNotes,
    NoteDeletion,
    NoteFile,
    NoteHistory,
    NoteList,
    ProposedNote,
    RejectedNotes,
    RestoredNotes,
    VersionDifference,
    WaitingNote,
    WaitingNotes,
    WholeNote,
    WrittenNote,
)

if TYPE_CHECKING:
    from core.workspace import Workspace

# Default maximum number of notes in a response to a program.
_MOST = 100

Body = Annotated[
    str | None, About("The whole text, in Markdown. If left out, the text stays the same.", tool="text", long=True)
]
NewBody = Annotated[str, About("The text, in Markdown.", tool="text", long=True)]
Filters = Annotated[Names, About("Filters as in the search box, such as tag:rust status:archived.", query="filter")]


# reading


@operation(
    "note.list",
    "List the notes that match the given filters, without their text.",
    http="GET /notes",
    cli="note list {filters}",
    tool="note_list",
    by_hand="cli",
)
def list_(
    workspace: "Workspace",
    caller: Caller,
    bases: Annotated[Names, About("Only notes in these bases.", query="base")] = None,
    filters: Filters = None,
    text: Annotated[str, About("Part of the title or the path.")] = "",
    limit: Annotated[int | None, About("The maximum number of notes.", least=1, most=1000)] = None,
    offset: Annotated[int, About("The number of notes to skip.", least=0, most=10_000_000)] = 0,
) -> NoteList:
    cards = workspace.notes.all(workspace.searching.filters(bases=bases or (), terms=filters or ()), text=text)
    end = None if caller.is_person and limit is None else offset + (limit or _MOST)
    shown = cards[offset:end]
    return NoteList.from_summaries(*shown, left_out=len(cards) - len(shown))


@operation(
    "note.show",
    "Show the fields and the text of a note, as they are now or in one of its versions.",
    http="GET /notes/{note}",
    cli="note show {note}",
    tool="note_read",
    lines=views.format_note,
)
def show(
    workspace: "Workspace",
    caller: Caller,
    note: AnyNote,
    number: Annotated[int | None, About("The number of a version.", flag="version", doors=("cli",))] = None,
) -> WholeNote:
    if caller.is_person:
        found = workspace.versions.get(note, number or workspace.versions.all(note)[0].number)
    else:
        found = workspace.notes.get(names.id_of(workspace, note))  # raises NoteNotFound for a deleted note
        workspace.uses.note("read", [(found.id, "")])
    return WholeNote.from_note(workspace, found)


@operation(
    "note.export",
    "Show a note as a Markdown file with its fields, to keep or to take elsewhere.",
    http="GET /notes/{note}/file",
    cli="note export {note}",
    lines=views.format_file,
)
def export(
    workspace: "Workspace",
    note: NoteName,
    to: Annotated[Path | None, About("A new file to write the note to.", doors=("cli",))] = None,
) -> NoteFile:
    item = workspace.notes.get(note)
    return NoteFile(
        item.id, item.version, item.path, workspace.files.export(item.id, to) if to else workspace.files.text(item.id)
    )


# writing


@operation(
    "note.new",
    "Write a note. A program's note waits until the user accepts it, unless the base trusts programs.",
    http="POST /notes",
    cli="note new {base}",
    tool="note_add",
    writes=True,
    creates="/notes/{id}",
    takes={"body": "# Roadmap\n\nThe search comes first.\n"},
    fields=NOTE_PARAMETERS,
)
def new(
    workspace: "Workspace",
    caller: Caller,
    base: Annotated[
        str,
        About(
            (
                "The name of the knowledge base. If it doesn't exist, `tessera note new` creates it. Other "
                "programs can create only the first base."
            ),
            example="work",
        ),
    ],
    body: NewBody = "",
    path: Annotated[str, About("The note's path in the base, such as work/plan.md.", doors=("http", "cli"))] = "",
    source: Annotated[
        str | None, About(message("Where the note comes from: one of {choices}.", choices=", ".join(NOTE_SOURCES)))
    ] = None,
    source_ref: Annotated[str | None, About("The location in the source, such as a file and its lines.")] = None,
    created_by: Annotated[str | None, About("The author, such as the name of a program.")] = None,
    metadata: Annotated[AnyValues | None, About("Other values, as a JSON object.", doors=("http", "tool"))] = None,
    **fields: Any,
) -> WrittenNote:
    given = without_none({"source": source, "source_ref": source_ref, "created_by": created_by, "metadata": metadata})
    add = partial(workspace.notes.add, author="person") if caller.is_person else workspace.proposals.add
    return WrittenNote.from_result(workspace, add(base, body, path=path, **fields, **given))


@operation(
    "note.update",
    "Change a note. A program's change waits until the user accepts it, unless the base trusts programs.",
    http="PATCH /notes/{note}",
    cli="note edit {note}",
    tool="note_update",
    writes=True,
    takes={"tags": ["plan"], "priority": 1},
    fields=tuple(only(parameter, "http", "tool") for parameter in NOTE_PARAMETERS),
)
def update(
    workspace: "Workspace",
    caller: Caller,
    note: NoteName,
    body: Body = None,
    expected_version: Expected = None,
    **fields: Unpack[NoteFields],
) -> WrittenNote:
    change = partial(workspace.notes.update, author="person") if caller.is_person else workspace.proposals.update
    return WrittenNote.from_result(workspace, change(note, body=body, expected_version=expected_version, **fields))


@operation(
    "note.set",
    "Set fields of notes. Fields that you leave out stay the same. An empty value removes a field.",
    cli="note set {notes}",
    writes=True,
    lines=views.format_list,
    fields=NOTE_PARAMETERS,
)
def set_(
    workspace: "Workspace",
    notes: NoteNames,
    add_tags: Annotated[Names, About("A tag to add.", flag="add-tag")] = None,
    remove_tags: Annotated[Names, About("A tag to remove.", flag="remove-tag")] = None,
    expected_version: Expected = None,
    **fields: Unpack[NoteFields],
) -> NoteList:
    if not (fields or add_tags or remove_tags):
        raise ConfigError("Say what to set, such as --status archived.")
    if fields:
        workspace.notes.set_fields(notes, expected_version=expected_version, **fields)
    if add_tags or remove_tags:
        workspace.notes.tag(
            notes, add=add_tags or (), remove=remove_tags or (), expected_version=None if fields else expected_version
        )
    cards = workspace.notes.cards_of(notes)
    return NoteList.from_summaries(*(cards[item] for item in notes))


@operation(
    "note.rename",
    "Change a note's title. Its file and the links to it are updated.",
    cli="note rename {note} {title}",
    writes=True,
)
def rename(
    workspace: "Workspace",
    note: NoteName,
    title: Annotated[str, About("The new title.", example="Roadmap")],
    keep_file: Annotated[bool, About("Don't rename the file.")] = False,
    dry_run: DryRun = False,
    expected_version: Expected = None,
) -> Renaming:
    if dry_run:
        return workspace.renames.plan(note, title, file=not keep_file)
    return workspace.renames.rename(note, title, file=not keep_file, expected_version=expected_version)


@operation(
    "note.move",
    "Move notes to another folder in their base. Their files and the links to them are updated.",
    http="POST /notes/move",
    cli="note move {notes} {folder}",
    tool="note_move",
    writes=True,
    lines=table("title", "path", "path_before", empty="There are no such notes."),
)
def move(
    workspace: "Workspace",
    caller: Caller,
    notes: NoteNames,
    folder: Annotated[
        str, About("The folder, such as work/plans, or / for the top of the base.", example="work/plans")
    ],
    expected_version: Expected = None,
) -> MovedNotes:
    if not caller.is_person:
        workspace.proposals.check_movable(notes)
    return MovedNotes(
        tuple(workspace.renames.move(notes, folder, expected_version=expected_version, author=caller.author))
    )


@operation(
    "note.today",
    "Show today's note, or add text to it. If there is none yet, it is created from its template.",
    cli="note today",
    writes=True,
    lines=views.format_note,
)
def today(
    workspace: "Workspace",
    add: Annotated[str, About("Text to add at the end of the note.", example="Call the plumber")] = "",
) -> WholeNote:
    now, language = local_now(), terminal_language()
    note = workspace.daily.add(add, now, language) if add.strip() else workspace.daily.open(now, language)
    return WholeNote.from_note(workspace, note)


@operation(
    "note.copy",
    "Copy a note. If the base isn't allowed to change files, the copy is kept only in Tessera.",
    http="POST /notes/{note}/copy",
    cli="note copy {note}",
    writes=True,
    creates="/notes/{id}",
    lines="The copy is at '{path}'.",
)
def copy(workspace: "Workspace", caller: Caller, note: NoteName) -> WrittenNote:
    if caller.is_person:
        return WrittenNote.from_result(workspace, workspace.notes.copy(note))
    old = workspace.notes.get(note)
    return WrittenNote.from_result(
        workspace, workspace.proposals.add(workspace.bases.by_id(old.base_id).name, old.body, **_proposed_fields(old))
    )


@operation(
    "note.archive",
    "Archive notes. Searches leave archived notes out unless they are asked to include them.",
    cli="note archive {notes}",
    writes=True,
    lines=plural("{n} note was archived.", "{n} notes were archived."),
)
def archive(workspace: "Workspace", notes: NoteNames) -> ArchivedNotes:
    workspace.notes.archive(notes)
    return ArchivedNotes(tuple(notes))


# versions


@operation(
    "note.version",
    "Read a note as it was in an earlier version.",
    http="GET /notes/{note}/versions/{number}",
)
def version(workspace: "Workspace", note: AnyNote, number: Number) -> WholeNote:
    return WholeNote.from_note(workspace, workspace.versions.get(note, number))


@operation(
    "note.history",
    "Show the versions of a note, newest first: what was done, by whom and when.",
    http="GET /notes/{note}/versions",
    cli="note history {note}",
    tool="note_history",
    lines=table("number", "at", "kind", "author", "title", empty="The note has no versions."),
)
def history(workspace: "Workspace", note: AnyNote) -> NoteHistory:
    return NoteHistory(tuple(workspace.versions.all(note)))


@operation(
    "note.diff",
    "Compare two versions of a note word by word. By default, show the note's last change.",
    http="GET /notes/{note}/difference",
    cli="note diff {note} {first} {second}",
    tool="note_difference",
    lines=views.format_difference,
)
def diff(
    workspace: "Workspace",
    note: AnyNote,
    first: Annotated[int | None, About("The version to compare. By default, the one before the other version.")] = None,
    second: Annotated[int | None, About("The other version. By default, the newest one.")] = None,
) -> VersionDifference:
    numbers = [version.number for version in workspace.versions.all(note)]
    second = second or numbers[0]
    first = first or next((number for number in numbers if number < second), second)
    difference = workspace.versions.difference(note, first, second)
    return VersionDifference(first, second, views.plain_changes(difference), difference.pieces)


@operation(
    "note.revert",
    "Restore the text and fields of a note from one of its versions. This creates a new version.",
    http="POST /notes/{note}/versions/{number}/revert",
    cli="note revert {note} {number}",
    writes=True,
)
def revert(
    workspace: "Workspace", caller: Caller, note: NoteName, number: Number, expected_version: Expected = None
) -> WrittenNote:
    if caller.is_person:
        return WrittenNote.from_result(
            workspace, workspace.versions.revert(note, number, expected_version=expected_version)
        )
    old = workspace.versions.get(note, number)
    return WrittenNote.from_result(
        workspace,
        workspace.proposals.update(note, body=old.body, expected_version=expected_version, **_proposed_fields(old)),
    )


def _proposed_fields(note: Note) -> NoteFields:
    """Return the note fields that a program may propose."""
    return cast(NoteFields, {name: getattr(note, name) for name in NOTE_FIELDS if name != "status"})


# the trash


@operation(
    "note.trash",
    "List the deleted notes, the most recently deleted first.",
    http="GET /trash",
    cli="note list --trash",
    by_hand="cli",
)
def trash(workspace: "Workspace", base: SomeBase = None) -> DeletedNotes:
    bases = {stored.id: stored.name for stored in workspace.bases.all()}
    return DeletedNotes(
        tuple(
            DeletedNote(last.note_id, bases[note.base_id], note.path, last.title, last.author, last.number, last.at)
            for note in workspace.trash.all(base)
            for last in [note.version]
        )
    )


_DELETED = sentence(
    plural(
        "{n} note was moved to the trash. For {days} days you can restore it with `tessera note restore`.",
        "{n} notes were moved to the trash. For {days} days you can restore them with `tessera note restore`.",
    )
)


@operation(
    "note.delete",
    "Move notes to the trash, where they stay for some days. In bases that may change files, the notes' files "
    "go to the system's trash.",
    cli="note delete {notes}",
    writes=True,
    lines=lambda deletion: [
        *_DELETED(deletion),
        *(
            _("The system has no trash for these files, so they were moved to {folder}.", folder=folder)
            for folder in deletion.folders
        ),
    ],
)
def delete(workspace: "Workspace", notes: NoteNames) -> NoteDeletion:
    folders = tuple(sorted(map(str, workspace.trash.put(notes))))
    return NoteDeletion(tuple(notes), workspace.trash.stays.days, folders)


@operation(
    "note.delete_one",
    "Move a note to the trash, where it stays for some days. If its base may change files, the note's file "
    "goes to the system's trash.",
    http="DELETE /notes/{note}",
    writes=True,
)
def delete_one(workspace: "Workspace", caller: Caller, note: NoteName, expected_version: Expected = None) -> Deletion:
    from core.notes.writer import check_version  # a slow import, deferred so that --help stays fast

    item = workspace.notes.get(note)
    check_version(item, expected_version)
    workspace.trash.put(item.id, author=caller.author)
    return Deletion(item.id)


@operation(
    "note.restore",
    "Restore deleted notes from the trash, and make archived notes active again.",
    cli="note restore {notes}",
    writes=True,
    lines=plural("{n} note was restored.", "{n} notes were restored."),
)
def restore(
    workspace: "Workspace",
    notes: Annotated[
        list[str], About("Notes, each given by its id, path, title or alias.", find=names.any_ids, example=["4f1c"])
    ],
) -> RestoredNotes:
    workspace.trash.restore(notes)
    return RestoredNotes(tuple(notes))


@operation(
    "note.restore_one",
    "Restore a deleted note as it was. If it was waiting for review, it waits again.",
    http="POST /trash/{note}/restore",
    writes=True,
)
def restore_one(
    workspace: "Workspace",
    caller: Caller,
    note: Annotated[str, About("A note's id, path, title or alias.", example="4f1c")],
) -> WrittenNote:
    item = workspace.trash.resolve(note).version.note_id
    workspace.trash.restore([item], author=caller.author)
    return WrittenNote.from_result(workspace, workspace.notes.get(item))


# submissions from programs


@operation(
    "note.waiting",
    "List what is waiting for the user's approval: new notes and changes from programs.",
    cli="note waiting",
    by_hand="cli",
)
def waiting(workspace: "Workspace", base: SomeBase = None) -> WaitingNotes:
    return WaitingNotes(tuple(map(WaitingNote.from_submission, workspace.proposals.all(base))))


@operation(
    "note.proposed",
    "Show a new note or a change that is waiting for the user's approval.",
    cli="note waiting {note}",
    by_hand="cli",
)
def proposed(workspace: "Workspace", note: NoteName) -> ProposedNote:
    submission = workspace.proposals.get(note)
    difference = workspace.proposals.difference(submission)
    return assemble(
        ProposedNote,
        submission.note,
        submission,
        text=WholeNote.from_note(workspace, workspace.proposals.proposed(submission)),
        first=submission.note.version,
        second=submission.note.version + 1,
        fields=views.plain_changes(difference),
        pieces=difference.pieces,
    )


@operation(
    "note.accept",
    "Accept notes and changes that are waiting for review. New notes can then be found, and proposed changes "
    "are applied.",
    cli="note accept {notes}",
    writes=True,
    lines=views.format_settled,
)
def accept(
    workspace: "Workspace",
    notes: NoteNames,
    over: Annotated[
        int | None, About("The version to apply the change to, if the note has changed since the change was proposed.")
    ] = None,
) -> AcceptedNotes:
    chosen = list(map(workspace.proposals.get, notes))
    workspace.proposals.accept(chosen, over=over)
    return AcceptedNotes(tuple(map(WaitingNote.from_submission, chosen)))


@operation(
    "note.reject",
    "Reject notes and changes that are waiting for review. New notes go to the trash, and proposed changes are "
    "deleted for good.",
    cli="note reject {notes}",
    writes=True,
    lines=views.format_settled,
)
def reject(
    workspace: "Workspace",
    notes: NoteNames,
    reason: Annotated[str, About("The reason for the rejection. It is stored only for suggestions from logs.")] = "",
) -> RejectedNotes:
    chosen = list(map(workspace.proposals.get, notes))
    workspace.proposals.reject(chosen, reason=reason)
    return RejectedNotes(tuple(map(WaitingNote.from_submission, chosen)))
