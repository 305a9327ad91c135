"""Operations on clicks: hits that were opened, copied or cited."""

from typing import TYPE_CHECKING, Annotated

from core import model
from core.base.messages import message
from core.doors.json_forms.forms import Form
from core.doors.operations import named
from core.doors.operations.declaring import About, operation
from core.doors.operations.parameters import NoteName
from core.model import Click, ClickKind

if TYPE_CHECKING:
    from core.workspace import Workspace

CLICK = Form("Click", model.Click, "note_id question kind day", chunk_id=(str | None, "chunk_id"))
FORGOTTEN = Form("ForgottenClicks", int, clicks=(int, int))


@operation(
    "click.list",
    message("List the hits that were opened, copied or cited, with their questions, the newest first."),
    http="GET /clicks",
    cli="click list",
    form=Form("Clicks", list, clicks=([CLICK], list)),
    lacks={"tool": "what is recorded is the person's"},
)
def list_(
    workspace: "Workspace",
    note: Annotated[str | None, About(message("Only those of this note, by its id, path or title."))] = None,
) -> list[Click]:
    return workspace.clicks.all([named.id_of(workspace, note)] if note else None)


@operation(
    "click.record",
    message("Record that a note was opened, copied or cited for a question; it ranks higher for similar questions."),
    http="POST /notes/{note}/clicks",
    cli="note clicked {note}",
    tool="note_clicked",
    writes=True,
    takes={"question": "where do we begin", "kind": "cite"},
    form=CLICK,
)
def record(
    workspace: "Workspace",
    note: NoteName,
    question: Annotated[str, About(message("The question that the note was found for."))],
    kind: Annotated[ClickKind, About(message("What was done with it: open, copy or cite."))],
    chunk: Annotated[str, About(message("The passage that was used, by its id; by default the whole note."))] = "",
) -> Click:
    return workspace.clicks.record(named.id_of(workspace, note), question, kind, chunk_id=chunk)


@operation(
    "click.forget",
    message("Delete what is recorded of a note that was opened, copied or cited; searches are then as before."),
    http="DELETE /notes/{note}/clicks",
    cli="note forget-clicks {note}",
    tool="note_forget_clicks",
    writes=True,
    form=FORGOTTEN,
)
def forget(workspace: "Workspace", note: NoteName) -> int:
    return workspace.clicks.forget([named.id_of(workspace, note)])


@operation(
    "click.forget_all",
    message("Delete all that is recorded of notes that were opened, copied or cited; searches are then as before."),
    http="DELETE /clicks",
    cli="click forget",
    writes=True,
    form=FORGOTTEN,
    lacks={"tool": "what is recorded is the person's; a tool forgets the clicks on one note"},
)
def forget_all(workspace: "Workspace") -> int:
    return workspace.clicks.forget()
