"""Operations on note uses and clicks, the objects they return, and their terminal output."""

from typing import TYPE_CHECKING, Annotated, cast

from core.base.codec import assemble
from core.base.frozen import frozen
from core.base.messages import plural
from core.base.terminal import _, minute, say
from core.model import HELPFUL, USED_IN, Click, ClickKind, Helpful, Use, UseFigures
from core.operations import names
from core.operations.declaring import About, CommandGroup, operation
from core.operations.parameters import AnyNote, NoteName
from core.operations.printing import sentence, table

if TYPE_CHECKING:
    from core.workspace import Workspace


# What the operations return.


@frozen
class NoteUses(UseFigures):
    """A note's uses, and figures about them."""

    uses: tuple[Use, ...] = ()


@frozen
class ForgottenUses:
    """The number of deleted uses."""

    uses: int


@frozen
class ClickList:
    """Clicks on search hits, newest first."""

    clicks: tuple[Click, ...]


@frozen
class ForgottenClicks:
    """The number of deleted clicks."""

    clicks: int


# Output for people.


_VERDICTS = sentence("{helpful} helpful, {not_helpful} not helpful, {misleading} misleading")


def format_uses(note: NoteUses) -> list[str]:
    (verdicts,) = _VERDICTS(note)
    head = _(
        "{found}, {used}. Verdicts: {verdicts}.",
        found=plural("Found {n} time", "Found {n} times", n=note.found),
        used=plural("used {n} time", "used {n} times", n=note.used),
        verdicts=verdicts,
    )
    return [head, *(line for use in note.uses for line in format_use(use))]


def format_use(use: Use) -> list[str]:
    parts = [minute(use.used_at), say(USED_IN.get(use.used_in, use.used_in)), use.context]
    parts += [f"×{use.times}"] * (use.times > 1)
    parts += [say(HELPFUL[use.helpful])] if use.helpful in HELPFUL else []
    return ["  ".join(filter(None, parts))]


FORGOTTEN_CLICKS = plural("{n} recorded click was deleted.", "{n} recorded clicks were deleted.")

# The operations.

GROUP = CommandGroup("click", "Hits that you opened, copied or cited: list or delete them.")
UsedIn = Annotated[str, About("Where the note was used, such as the name of your program.", example="notebook")]
UseContext = Annotated[str, About("What the note was used for, such as a question.")]
Passage = Annotated[str, About("ID of the passage that was used. Defaults to the whole note.")]


def _uses(workspace: "Workspace", note_id: str) -> NoteUses:
    return assemble(NoteUses, workspace.uses.figures(note_id), uses=tuple(workspace.uses.of(note_id)))


@operation(
    "use.list",
    "Show how often a note was found and used, where, and whether it helped.",
    http="GET /notes/{note}/uses",
    cli="note uses {note}",
    lines=format_uses,
)
def list_(workspace: "Workspace", note: AnyNote) -> NoteUses:
    return _uses(workspace, note)


@operation(
    "use.report",
    "Record that a note was used, and whether it helped.",
    http="POST /notes/{note}/uses",
    cli="note used {note}",
    tool="note_used",
    writes=True,
    takes={"used_in": "notebook", "context": "where do we begin", "helpful": 1},
    lines=format_use,
)
def report(
    workspace: "Workspace",
    note: NoteName,
    used_in: UsedIn,
    context: UseContext = "",
    helpful: Annotated[
        int | None,
        About(
            "1 if it helped, 0 if it didn't, -1 if it misled. Replaces any earlier verdict on this use.",
            least=-1,
            most=1,
        ),
    ] = None,
    chunk: Passage = "",
) -> Use:
    return workspace.uses.report(note, used_in, context, helpful=cast(Helpful | None, helpful), chunk_id=chunk)


@operation(
    "use.take_back",
    "Remove the verdict on a use of a note, so that it no longer affects searches.",
    http="DELETE /notes/{note}/verdict",
    cli="note take-back {note}",
    tool="note_take_back",
    writes=True,
    lines=format_uses,
)
def take_back(
    workspace: "Workspace", note: NoteName, used_in: UsedIn, context: UseContext = "", chunk: Passage = ""
) -> NoteUses:
    workspace.uses.take_back(note, used_in, context, chunk_id=chunk)
    return _uses(workspace, note)


@operation(
    "use.forget",
    "Delete all records of a note's use, including its verdicts.",
    cli="note forget-uses {note}",
    writes=True,
    lines=plural("{n} record of use was deleted.", "{n} records of use were deleted."),
)
def forget(workspace: "Workspace", note: AnyNote) -> ForgottenUses:
    return ForgottenUses(workspace.uses.forget([note]))


@operation(
    "click.list",
    "List the hits that were opened, copied or cited, with their questions, newest first.",
    http="GET /clicks",
    cli="click list",
    lines=table("day", "note_id", "kind", "question", empty="There are no records."),
)
def list_clicks(
    workspace: "Workspace",
    note: Annotated[
        str | None, About("Only the records for this note, given by its id, path, title or alias.", find=names.id_of)
    ] = None,
) -> ClickList:
    return ClickList(tuple(workspace.clicks.all([note] if note else None)))


@operation(
    "click.record",
    "Record that a note was opened, copied or cited for a question, so that it ranks higher for similar questions.",
    http="POST /notes/{note}/clicks",
    cli="note clicked {note}",
    tool="note_clicked",
    writes=True,
    takes={"question": "where do we begin", "kind": "cite"},
    lines="The click was recorded.",
)
def record_click(
    workspace: "Workspace",
    note: NoteName,
    question: Annotated[str, About("The question that found the note.")],
    kind: Annotated[ClickKind, About("What was done with the note: open, copy or cite.")],
    chunk: Passage = "",
) -> Click:
    return workspace.clicks.record(note, question, kind, chunk_id=chunk)


@operation(
    "click.forget",
    "Delete the records of a note being opened, copied or cited, so that they no longer affect searches.",
    http="DELETE /notes/{note}/clicks",
    cli="note forget-clicks {note}",
    tool="note_forget_clicks",
    writes=True,
    lines=FORGOTTEN_CLICKS,
)
def forget_clicks(workspace: "Workspace", note: NoteName) -> ForgottenClicks:
    return ForgottenClicks(workspace.clicks.forget([note]))


@operation(
    "click.forget_all",
    "Delete all records of notes being opened, copied or cited, so that they no longer affect searches.",
    http="DELETE /clicks",
    cli="click forget",
    writes=True,
    lines=FORGOTTEN_CLICKS,
)
def forget_all_clicks(workspace: "Workspace") -> ForgottenClicks:
    return ForgottenClicks(workspace.clicks.forget())
