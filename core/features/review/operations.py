"""Operations on items that wait for the user."""

from typing import TYPE_CHECKING, Annotated

from core.base.messages import message
from core.doors.operations import names
from core.doors.operations.declaring import About, Caller, CommandGroup, operation
from core.doors.operations.parameters import SomeBase
from core.doors.operations.views.notes import WrittenNote
from core.features.review import text
from core.features.review.views import ReviewItemView, ReviewKeys, ReviewList
from core.model import Side

if TYPE_CHECKING:
    from core.workspace import Workspace

GROUP = CommandGroup(
    "review", message("What waits for your decision: list it, put it off, let it be, merge it."), lists=True
)
_PERSONS = "the person decides"

Keys = Annotated[list[str], About(message("What waits, each by its key."), example=["note-0a1b2c3d4e5f"])]


@operation(
    "review.list",
    message(
        "List what waits for the person: new notes and changes by programs, pack upgrades that met an edit, files with "
        "two texts, edits without a place, refused passages, "
        "expired and replaced notes, copies, contradictions."
    ),
    http="GET /review",
    cli="review list",
    lacks={"tool": "the person decides on it"},
    lines=text.format_items,
)
def list_(
    workspace: "Workspace",
    base: SomeBase = None,
    kinds: Annotated[
        list[str] | None, About(message("Only these kinds, such as note or copy."), query="kind", flag="kind")
    ] = None,
) -> ReviewList:
    items = workspace.review.all(kinds=kinds or (), base=workspace.bases.get(base).name if base else "")
    return ReviewList(tuple(map(ReviewItemView.from_item, items)))


@operation(
    "review.later",
    message("Put off for a week what waits."),
    cli="review later {keys}",
    writes=True,
    lacks=dict.fromkeys(("http", "tool"), _PERSONS),
    lines=text.format_later,
)
def later(workspace: "Workspace", keys: Keys) -> ReviewKeys:
    checked = tuple(workspace.review.get(key).key for key in keys)
    workspace.review.postpone(checked)
    return ReviewKeys(checked)


@operation(
    "review.fine",
    message("Let what waits be as it is; it comes back when it changes."),
    cli="review fine {keys}",
    writes=True,
    lacks=dict.fromkeys(("http", "tool"), _PERSONS),
    lines=text.format_fine,
)
def fine(workspace: "Workspace", keys: Keys) -> ReviewKeys:
    checked = tuple(workspace.review.get(key).key for key in keys)
    workspace.review.let_be(checked)
    return ReviewKeys(checked)


@operation(
    "review.seen",
    message("Say that notes worth another look were looked at; each comes back later than the time before."),
    cli="review seen {keys}",
    writes=True,
    lacks=dict.fromkeys(("http", "tool"), _PERSONS),
)
def seen(workspace: "Workspace", keys: Keys) -> ReviewKeys:
    checked = [workspace.review.get(key) for key in keys]
    workspace.review.reminders.seen(
        [matter.note_id for matter in checked if matter.kind == "reminder" and matter.note_id]
    )
    return ReviewKeys(tuple(matter.key for matter in checked))


@operation(
    "review.settle",
    message("Choose what stays of a note with two texts: mine, theirs or both."),
    cli="review settle {key} {side}",
    writes=True,
    lacks=dict.fromkeys(("http", "tool"), _PERSONS),
)
def settle(
    workspace: "Workspace",
    key: Annotated[str, About(message("What waits, by its key."), example="upgrade-0a1b2c3d4e5f")],
    side: Annotated[Side, About(message("What stays: mine, theirs or both."), example="mine")],
) -> ReviewKeys:
    matter = workspace.review.get(key)
    workspace.review.settle(matter, side)
    return ReviewKeys((matter.key,))


@operation(
    "review.merge",
    message("Add a new note that waits to the end of another note; the new one goes into the trash."),
    cli="review merge {key} {into}",
    writes=True,
    lacks=dict.fromkeys(("http", "tool"), _PERSONS),
    lines=text.format_merged,
)
def merge(
    workspace: "Workspace",
    caller: Caller,
    key: Annotated[str, About(message("A new note that waits, by its key."), example="note-0a1b2c3d4e5f")],
    into: Annotated[str, About(message("The note that gets the text, by its id, path or title."), example="4f1c")],
) -> WrittenNote:
    return WrittenNote.from_result(
        workspace, workspace.review.merge(workspace.review.get(key), names.id_of(workspace, into))
    )
