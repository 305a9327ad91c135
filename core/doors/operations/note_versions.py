"""Operations on the versions of a note."""

from typing import TYPE_CHECKING, Annotated, Any

from core.base.messages import message
from core.doors.json_forms import notes as forms
from core.doors.operations import names
from core.doors.operations.declaring import About, Caller, operation
from core.doors.operations.notes import Shown, Written, shown, written
from core.doors.operations.parameters import Expected, NoteName, Number
from core.model import NOTE_FIELDS, NoteDifference, Version

if TYPE_CHECKING:
    from core.workspace import Workspace


@operation(
    "note.version",
    message("Read a note as it was in a version."),
    http="GET /notes/{note}/versions/{number}",
    form=forms.NOTE,
    lacks={"cli": "`note show` has the option --version", "tool": "note_difference shows what a version changed"},
)
def version(workspace: "Workspace", note: NoteName, number: Number) -> Shown:
    return shown(workspace, workspace.notes.at(names.any_id(workspace, note), number))


@operation(
    "note.history",
    message("Show the versions of a note, the newest first: what was done, by whom, when."),
    http="GET /notes/{note}/versions",
    cli="note history {note}",
    tool="note_history",
    form=forms.VERSIONS,
)
def history(workspace: "Workspace", note: NoteName) -> list[Version]:
    return workspace.notes.history(names.any_id(workspace, note))


@operation(
    "note.diff",
    message("Show what differs between two versions of a note, word by word; by default what its last change did."),
    http="GET /notes/{note}/difference",
    cli="note diff {note} {first} {second}",
    tool="note_difference",
    form=forms.DIFFERENCE,
)
def diff(
    workspace: "Workspace",
    note: NoteName,
    first: Annotated[int | None, About(message("A version; by default the one before."))] = None,
    second: Annotated[int | None, About(message("Another one; by default the newest."))] = None,
) -> tuple[NoteDifference, int, int]:
    item = names.any_id(workspace, note)
    numbers = [version.number for version in workspace.notes.history(item)]
    second = second or numbers[0]
    first = first or next((number for number in numbers if number < second), second)
    return workspace.notes.difference(item, first, second), first, second


@operation(
    "note.revert",
    message("Give a note the text and fields of one of its versions; that is a new version."),
    http="POST /notes/{note}/versions/{number}/revert",
    cli="note revert {note} {number}",
    writes=True,
    form=forms.WRITTEN,
    lacks={"tool": "note_update writes any text"},
)
def revert(
    workspace: "Workspace", caller: Caller, note: NoteName, number: Number, expected_version: Expected = None
) -> Written:
    item = names.id_of(workspace, note)
    if caller.is_person:
        return written(workspace, workspace.notes.revert(item, number, expected_version=expected_version))
    old = workspace.notes.at(item, number)
    fields: dict[str, Any] = {name: getattr(old, name) for name in NOTE_FIELDS if name != "status"}
    done = workspace.proposals.update(item, body=old.body, expected_version=expected_version, **fields)
    return written(workspace, done)
