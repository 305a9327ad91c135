"""Operations on notes in the trash, and on notes and changes to review."""

from operator import itemgetter
from typing import TYPE_CHECKING, Annotated

from core.base.messages import message
from core.doors.json_forms import notes as forms
from core.doors.operations import names
from core.doors.operations.declaring import About, Caller, operation
from core.doors.operations.forms import Form
from core.doors.operations.notes import ONE, Shown, Written, shown, written
from core.doors.operations.parameters import Expected, NoteName, NoteNames, SomeBase
from core.model import NoteDifference, Submission, Trashed

if TYPE_CHECKING:
    from core.workspace import Workspace

_SEVERAL = "the operation on several notes does it"
_PERSONS = "the person decides what of programs counts"
_TRASH = "an assistant has no business with what the person deleted"


# the trash


@operation(
    "note.trash",
    message("List the deleted notes, the last deleted first."),
    http="GET /trash",
    cli="note list --trash",
    by_hand=("cli",),
    form=forms.TRASH,
    lacks={"tool": _TRASH},
)
def trash(workspace: "Workspace", base: SomeBase = None) -> list[tuple[Trashed, str]]:
    return [(trashed, workspace.bases.by_id(trashed.base_id).name) for trashed in workspace.notes.trash(base)]


@operation(
    "note.delete",
    message("Put notes into the trash, from which they can be restored for some days."),
    cli="note delete {notes}",
    writes=True,
    form=Form("DeletedNoteIds", tuple, deleted=(list[str], itemgetter(0)), days=(int, itemgetter(1))),
    lacks={"http": ONE, "tool": _TRASH},
)
def delete(workspace: "Workspace", caller: Caller, notes: NoteNames) -> tuple[list[str], int]:
    ids = names.ids(workspace, notes)
    workspace.notes.delete(ids, author=caller.author)
    return ids, workspace.notes.trash_stays.days


@operation(
    "note.delete_one",
    message("Put a note into the trash, from which it can be restored for some days."),
    http="DELETE /notes/{note}",
    writes=True,
    form=Form("DeletedNoteId", str, id=(str, str), deleted=(bool, bool)),
    lacks={"cli": _SEVERAL, "tool": _TRASH},
)
def delete_one(workspace: "Workspace", caller: Caller, note: NoteName, expected_version: Expected = None) -> str:
    from core.notes.writer import check_version  # takes a while, which --help avoids

    item = workspace.notes.get(names.id_of(workspace, note))
    check_version(item, expected_version)
    workspace.notes.delete(item.id, author=caller.author)
    return item.id


@operation(
    "note.restore",
    message("Bring notes back: deleted ones from the trash, archived ones to the active ones."),
    cli="note restore {notes}",
    writes=True,
    form=Form("RestoredNotes", list, restored=(list[str], list)),
    lacks={"http": ONE, "tool": _TRASH},
)
def restore(workspace: "Workspace", caller: Caller, notes: NoteNames) -> list[str]:
    ids = [names.any_id(workspace, name) for name in notes]
    workspace.notes.restore(ids, author=caller.author)
    return ids


@operation(
    "note.restore_one",
    message("Bring a deleted note back, as it was; one that waited for the person waits again."),
    http="POST /trash/{note}/restore",
    writes=True,
    form=forms.WRITTEN,
    lacks={"cli": _SEVERAL, "tool": _TRASH},
)
def restore_one(workspace: "Workspace", caller: Caller, note: NoteName) -> Written:
    item = workspace.notes.resolve_deleted(note).version.note_id
    workspace.notes.restore([item], author=caller.author)
    return written(workspace, workspace.notes.get(item))


# what programs wrote


@operation(
    "note.waiting",
    message("List what programs wrote that waits until the person accepts it."),
    cli="note waiting",
    by_hand=("cli",),
    form=Form("Waiting", list, waiting=([forms.SUBMISSION], list)),
    lacks=dict.fromkeys(("http", "tool"), _PERSONS),
)
def waiting(workspace: "Workspace", base: SomeBase = None) -> list[Submission]:
    return workspace.proposals.all(base)


@operation(
    "note.proposed",
    message("Show what of a note waits until the person accepts it."),
    cli="note waiting {note}",
    by_hand=("cli",),
    form=forms.PROPOSED,
    lacks=dict.fromkeys(("http", "tool"), _PERSONS),
)
def proposed(workspace: "Workspace", note: NoteName) -> tuple[Submission, tuple[NoteDifference, int, int], Shown]:
    submission = workspace.proposals.get(names.id_of(workspace, note))
    compared = workspace.proposals.difference(submission), submission.note.version, submission.note.version + 1
    return submission, compared, shown(workspace, workspace.proposals.proposed(submission))


@operation(
    "note.accept",
    message("Accept what waits of notes: new ones are found from then on, and proposed changes are made."),
    cli="note accept {notes}",
    writes=True,
    form=Form("Accepted", list, accepted=([forms.SUBMISSION], list)),
    lacks=dict.fromkeys(("http", "tool"), _PERSONS),
)
def accept(
    workspace: "Workspace",
    notes: NoteNames,
    over: Annotated[
        int | None, About(message("The version over which a change is made of a note that was changed since."))
    ] = None,
) -> list[Submission]:
    chosen = [workspace.proposals.get(note) for note in names.ids(workspace, notes)]
    workspace.proposals.accept(chosen, over=over)
    return chosen


@operation(
    "note.reject",
    message("Reject what waits of notes: new ones go into the trash, proposed changes go for good."),
    cli="note reject {notes}",
    writes=True,
    form=Form("Rejected", list, rejected=([forms.SUBMISSION], list)),
    lacks=dict.fromkeys(("http", "tool"), _PERSONS),
)
def reject(
    workspace: "Workspace",
    notes: NoteNames,
    reason: Annotated[str, About(message("Why; it stays with what was learnt from a log."))] = "",
) -> list[Submission]:
    chosen = [workspace.proposals.get(note) for note in names.ids(workspace, notes)]
    workspace.proposals.reject(chosen, reason=reason)
    return chosen
