"""Operations on notes."""

from typing import TYPE_CHECKING, Annotated

from typing_extensions import TypedDict

from core.errors import NoteNotFound
from core.json_forms import versions
from core.messages import message
from core.model import Version
from core.operations.declaring import About, Caller, operation
from core.operations.examples import DIFFERENCE, VERSION
from core.operations.parameters import NoteName, NoteNames

if TYPE_CHECKING:
    from core.workspace import Workspace


class Archived(TypedDict):
    """The ids of notes that are archived now."""

    archived: list[str]


@operation(
    "note.history",
    message("Show the versions of a note, the newest first: what was done, by whom, when."),
    http="GET /notes/{note}/versions",
    cli="note history {note}",
    tool="note_history",
    takes={"note": "4f1c"},
    gives={"versions": [VERSION]},
    form=versions.of_history,
)
def history(workspace: "Workspace", note: NoteName) -> list[Version]:
    return workspace.notes.history(note_id(workspace, note))


@operation(
    "note.diff",
    message("Show what differs between two versions of a note, word by word; by default what its last change did."),
    http="GET /notes/{note}/difference",
    cli="note diff {note} {first} {second}",
    tool="note_difference",
    takes={"note": "4f1c", "first": 2, "second": 3},
    gives=DIFFERENCE,
)
def diff(
    workspace: "Workspace",
    note: NoteName,
    first: Annotated[int | None, About(message("A version; by default the one before."))] = None,
    second: Annotated[int | None, About(message("Another one; by default the newest."))] = None,
) -> versions.Difference:
    one = note_id(workspace, note)
    numbers = [version.number for version in workspace.notes.history(one)]
    second = second or numbers[0]
    first = first or next((number for number in numbers if number < second), second)
    return versions.of_difference(workspace.notes.difference(one, first, second), first, second)


@operation(
    "note.archive",
    message("Archive notes: searches leave them out unless they ask for archived ones."),
    cli="note archive {notes}",
    writes=True,
    takes={"notes": ["4f1c"]},
    gives={"archived": ["4f1c"]},
    lacks=dict.fromkeys(("http", "tool"), "a change by a program waits for the person, as note.update does"),
)
def archive(workspace: "Workspace", caller: Caller, notes: NoteNames) -> Archived:
    ids = [card.id for card in workspace.notes.resolve_all(notes)]
    workspace.notes.archive(ids, author=caller.author)
    return {"archived": ids}


def note_id(workspace: "Workspace", name: str) -> str:
    """Return the id of the note of this id, path or title, or of the deleted one; raises NoteNotFound."""
    try:
        return workspace.notes.resolve(name).id
    except NoteNotFound:
        return workspace.notes.resolve_deleted(name).version.note_id
