"""Operations on the neighbours of a note."""

from typing import TYPE_CHECKING, Annotated

from core.base.messages import message
from core.doors.json_forms import notes as note_forms
from core.doors.json_forms import related as forms
from core.doors.operations import named
from core.doors.operations.declaring import About, Caller, operation
from core.doors.operations.notes import Written, written
from core.doors.operations.parameters import Expected, NoteName
from core.model import Note, Proposal, Related

if TYPE_CHECKING:
    from core.workspace import Workspace


@operation(
    "note.related",
    message(
        "Show what other notes say about a note: related notes, possible copies, suggested tags, places and links, "
        "and hints, each with its reason."
    ),
    http="GET /notes/{note}/related",
    cli="note related {note}",
    tool="note_related",
    form=forms.RELATED,
)
def related(workspace: "Workspace", note: NoteName) -> Related:
    return workspace.related.of(named.id_of(workspace, note))


@operation(
    "note.link",
    message("Make a link of the first place where a note names another one. What a program changes waits."),
    http="POST /notes/{note}/links",
    cli="note link {note} {other}",
    writes=True,
    form=note_forms.WRITTEN,
    lacks={"tool": "note_update writes any text"},
)
def link(
    workspace: "Workspace",
    caller: Caller,
    note: NoteName,
    other: Annotated[str, About(message("The note that it names, by its id, path or title."), example="7a20")],
    expected_version: Expected = None,
) -> Written:
    item, to = named.ids(workspace, [note, other])
    if caller.is_person:
        done: Note | Proposal = workspace.related.link(item, to, expected_version=expected_version)
    else:
        body = workspace.related.linked(item, to)
        done = workspace.proposals.update(item, body=body, expected_version=expected_version)
    return written(workspace, done)


@operation(
    "note.move",
    message("Put a note that was written in Tessera into a folder of its base."),
    cli="note move {note} {folder}",
    writes=True,
    form=note_forms.WRITTEN,
    lacks=dict.fromkeys(("http", "tool"), "the person decides where a note lies"),
)
def move(
    workspace: "Workspace",
    caller: Caller,
    note: NoteName,
    folder: Annotated[
        str, About(message("The folder, such as work/plans; / for the top of the base."), example="work/plans")
    ],
    expected_version: Expected = None,
) -> Written:
    item = named.id_of(workspace, note)
    moved = workspace.notes.move(item, folder, expected_version=expected_version, author=caller.author)
    return written(workspace, moved)
