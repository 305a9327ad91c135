"""Operations on uses of notes and on clicks."""

from typing import TYPE_CHECKING, Annotated, cast

from core import model
from core.base.messages import message
from core.doors.operations import names
from core.doors.operations.declaring import About, operation
from core.doors.operations.forms import Form
from core.doors.operations.parameters import NoteName
from core.features.uses import forms, text
from core.model import Click, ClickKind, Helpful, Use, UseFigures

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
    lines=text.format_uses,
)
def list_(workspace: "Workspace", note: NoteName) -> tuple[UseFigures, list[Use]]:
    item = names.any_id(workspace, note)
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
    lines=text.format_reported,
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
    item, verdict = names.id_of(workspace, note), cast(Helpful | None, helpful)
    return workspace.uses.report(item, used_in, context, helpful=verdict, chunk_id=chunk)


@operation(
    "use.take_back",
    message("Take back the verdict on a use of a note; searches are then as if it had never been given."),
    http="DELETE /notes/{note}/verdict",
    cli="note take-back {note}",
    tool="note_take_back",
    writes=True,
    form=forms.USES,
    lines=text.format_uses,
)
def take_back(
    workspace: "Workspace", note: NoteName, used_in: UsedIn, context: UseContext = "", chunk: Passage = ""
) -> tuple[UseFigures, list[Use]]:
    item = names.id_of(workspace, note)
    workspace.uses.take_back(item, used_in, context, chunk_id=chunk)
    return workspace.uses.figures(item), workspace.uses.of(item)


@operation(
    "use.forget",
    message("Delete all that is recorded of the use of a note, its verdicts too."),
    cli="note forget-uses {note}",
    writes=True,
    form=Form("Forgotten", int, uses=(int, int)),
    lacks=dict.fromkeys(("http", "tool"), "what is recorded is the person's"),
    lines=text.format_forgotten,
)
def forget(workspace: "Workspace", note: NoteName) -> int:
    return workspace.uses.forget([names.any_id(workspace, note)])


CLICK = Form("Click", model.Click, "note_id question kind day", chunk_id=(str | None, "chunk_id"))
FORGOTTEN = Form("ForgottenClicks", int, clicks=(int, int))


@operation(
    "click.list",
    message("List the hits that were opened, copied or cited, with their questions, the newest first."),
    http="GET /clicks",
    cli="click list",
    form=Form("Clicks", list, clicks=([CLICK], list)),
    lacks={"tool": "what is recorded is the person's"},
    lines=text.format_clicks,
)
def list_clicks(
    workspace: "Workspace",
    note: Annotated[str | None, About(message("Only those of this note, by its id, path or title."))] = None,
) -> list[Click]:
    return workspace.clicks.all([names.id_of(workspace, note)] if note else None)


@operation(
    "click.record",
    message("Record that a note was opened, copied or cited for a question; it ranks higher for similar questions."),
    http="POST /notes/{note}/clicks",
    cli="note clicked {note}",
    tool="note_clicked",
    writes=True,
    takes={"question": "where do we begin", "kind": "cite"},
    form=CLICK,
    lines=text.format_click,
)
def record_click(
    workspace: "Workspace",
    note: NoteName,
    question: Annotated[str, About(message("The question that the note was found for."))],
    kind: Annotated[ClickKind, About(message("What was done with it: open, copy or cite."))],
    chunk: Annotated[str, About(message("The passage that was used, by its id; by default the whole note."))] = "",
) -> Click:
    return workspace.clicks.record(names.id_of(workspace, note), question, kind, chunk_id=chunk)


@operation(
    "click.forget",
    message("Delete what is recorded of a note that was opened, copied or cited; searches are then as before."),
    http="DELETE /notes/{note}/clicks",
    cli="note forget-clicks {note}",
    tool="note_forget_clicks",
    writes=True,
    form=FORGOTTEN,
    lines=text.format_forgotten_clicks,
)
def forget_clicks(workspace: "Workspace", note: NoteName) -> int:
    return workspace.clicks.forget([names.id_of(workspace, note)])


@operation(
    "click.forget_all",
    message("Delete all that is recorded of notes that were opened, copied or cited; searches are then as before."),
    http="DELETE /clicks",
    cli="click forget",
    writes=True,
    form=FORGOTTEN,
    lacks={"tool": "what is recorded is the person's; a tool forgets the clicks on one note"},
    lines=text.format_forgotten_clicks,
)
def forget_all_clicks(workspace: "Workspace") -> int:
    return workspace.clicks.forget()
