"""Operations on the uses of notes."""

from typing import TYPE_CHECKING, Annotated, cast

from core.base.messages import message
from core.doors.json_forms import uses as forms
from core.doors.json_forms.forms import Form
from core.doors.operations import named
from core.doors.operations.declaring import About, operation
from core.doors.operations.parameters import NoteName
from core.model import Helpful, Use, UseFigures

if TYPE_CHECKING:
    from core.workspace import Workspace

UsedIn = Annotated[
    str, About(message("Where the note was used, such as the name of your program."), example="notebook")
]
UseContext = Annotated[str, About(message("What it was used for there, such as a question."))]
Passage = Annotated[str, About(message("The passage that was used, by its id; by default the whole note."))]


@operation(
    "use.list",
    message("Show how often a note was found and used, where, and whether it helped."),
    http="GET /notes/{note}/uses",
    cli="note uses {note}",
    form=forms.USES,
    lacks={"tool": "how notes are used is shown to the person"},
)
def list_(workspace: "Workspace", note: NoteName) -> tuple[UseFigures, list[Use]]:
    item = named.any_id(workspace, note)
    return workspace.uses.figures(item), workspace.uses.of(item)


@operation(
    "use.report",
    message("Record that a note was used, and whether it helped."),
    http="POST /notes/{note}/uses",
    cli="note used {note}",
    tool="note_used",
    writes=True,
    takes={"used_in": "notebook", "context": "where do we begin", "helpful": 1},
    form=forms.USE,
)
def report(
    workspace: "Workspace",
    note: NoteName,
    used_in: UsedIn,
    context: UseContext = "",
    helpful: Annotated[
        int | None,
        About(
            message("1: it helped, 0: it didn't help, -1: it misled; an earlier verdict on this use goes."),
            least=-1,
            most=1,
        ),
    ] = None,
    chunk: Passage = "",
) -> Use:
    item, verdict = named.id_of(workspace, note), cast(Helpful | None, helpful)
    return workspace.uses.report(item, used_in, context, helpful=verdict, chunk_id=chunk)


@operation(
    "use.take_back",
    message("Take back the verdict on a use of a note; searches are then as if it had never been given."),
    http="DELETE /notes/{note}/verdict",
    cli="note take-back {note}",
    tool="note_take_back",
    writes=True,
    form=forms.USES,
)
def take_back(
    workspace: "Workspace", note: NoteName, used_in: UsedIn, context: UseContext = "", chunk: Passage = ""
) -> tuple[UseFigures, list[Use]]:
    item = named.id_of(workspace, note)
    workspace.uses.take_back(item, used_in, context, chunk_id=chunk)
    return workspace.uses.figures(item), workspace.uses.of(item)


@operation(
    "use.forget",
    message("Delete all that is recorded of the use of a note, its verdicts too."),
    cli="note forget-uses {note}",
    writes=True,
    form=Form("Forgotten", int, uses=(int, int)),
    lacks=dict.fromkeys(("http", "tool"), "what is recorded is the person's"),
)
def forget(workspace: "Workspace", note: NoteName) -> int:
    return workspace.uses.forget([named.any_id(workspace, note)])
