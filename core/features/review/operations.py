"""Operations on review items, the objects they return, and their terminal output."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from core.base.codec import assemble
from core.base.frozen import Texts, frozen
from core.model import MatterKind, Side
from core.operations import names
from core.operations.declaring import About, CommandGroup, operation
from core.operations.parameters import SomeBase
from core.operations.printing import table
from core.operations.views import WrittenNote

if TYPE_CHECKING:
    from core.workspace import Workspace


# What the operations return.


@frozen
class ReviewItemView:
    """An item awaiting a decision, with the paths of its notes."""

    key: str
    kind: MatterKind
    base: str
    title: str
    at: datetime | None
    note_id: str | None
    other_id: str | None
    quotes: Texts
    path: str | None
    other_path: str | None


@frozen
class ReviewList:
    """The items awaiting the user's decision."""

    waiting: tuple[ReviewItemView, ...]


@frozen
class ReviewKeys:
    """The keys of the items that the user has just decided on."""

    keys: Texts


# The operations.

GROUP = CommandGroup("review", "Items waiting for your decision: list, postpone, keep or merge them.", lists=True)

Keys = Annotated[list[str], About("The keys of items that are waiting for review.", example=["note-0a1b2c3d4e5f"])]


@operation(
    "review.list",
    (
        "List what is waiting for the user: new notes and changes by programs, pack upgrades of edited notes, "
        "files with two versions, edits that no longer match the text, passages rejected by the model, unanswered "
        "questions, notes that expire soon, have expired or were replaced, duplicates, contradictions."
    ),
    http="GET /review",
    cli="review list",
    lines=table("key", "kind", "title", "base", "path", "other_path", "quotes", empty="There is nothing to review."),
)
def list_(
    workspace: "Workspace",
    base: SomeBase = None,
    kinds: Annotated[
        list[str] | None, About("Only items of these kinds, such as note or copy.", query="kind", flag="kind")
    ] = None,
) -> ReviewList:
    return ReviewList(
        tuple(
            assemble(
                ReviewItemView,
                item,
                path=item.note and item.note.path,
                other_path=item.other and item.other.path,
            )
            for item in workspace.review.all(kinds=kinds or (), base=workspace.bases.get(base).name if base else "")
        )
    )


@operation(
    "review.later",
    "Postpone items. They are listed again in a week.",
    cli="review later {keys}",
    writes=True,
    lines="Postponed for a week.",
)
def later(workspace: "Workspace", keys: Keys) -> ReviewKeys:
    checked = tuple(workspace.review.get(key).key for key in keys)
    workspace.review.postpone(checked)
    return ReviewKeys(checked)


@operation(
    "review.fine",
    "Keep items as they are. They are listed again when they change.",
    cli="review fine {keys}",
    writes=True,
    lines="Left as is. You will be asked again only if something changes.",
)
def fine(workspace: "Workspace", keys: Keys) -> ReviewKeys:
    checked = tuple(workspace.review.get(key).key for key in keys)
    workspace.review.let_be(checked)
    return ReviewKeys(checked)


@operation(
    "review.seen",
    "Mark notes that are worth another look as seen. Each time, a note comes back after a longer interval.",
    cli="review seen {keys}",
    writes=True,
)
def seen(workspace: "Workspace", keys: Keys) -> ReviewKeys:
    checked = [workspace.review.get(key) for key in keys]
    workspace.review.reminders.seen(
        [matter.note_id for matter in checked if matter.kind == "reminder" and matter.note_id]
    )
    return ReviewKeys(tuple(matter.key for matter in checked))


@operation(
    "review.settle",
    "Choose what to keep when there are two versions of a note, or a contradiction: mine, theirs or both.",
    cli="review settle {key} {side}",
    writes=True,
)
def settle(
    workspace: "Workspace",
    key: Annotated[str, About("The key of an item that is waiting for review.", example="upgrade-0a1b2c3d4e5f")],
    side: Annotated[Side, About("Which side to keep: mine (the first note), theirs or both.", example="mine")],
) -> ReviewKeys:
    matter = workspace.review.get(key)
    workspace.review.settle(matter, side)
    return ReviewKeys((matter.key,))


@operation(
    "review.merge",
    "Append a new note's text to another note, and move the new note to the trash.",
    cli="review merge {key} {into}",
    writes=True,
    lines="The text was added. The note is now version {version}.",
)
def merge(
    workspace: "Workspace",
    key: Annotated[str, About("The key of a new note that is waiting for review.", example="note-0a1b2c3d4e5f")],
    into: Annotated[str, About("The note to add the text to, given by its id, path, title or alias.", example="4f1c")],
) -> WrittenNote:
    return WrittenNote.from_result(
        workspace, workspace.review.merge(workspace.review.get(key), names.id_of(workspace, into))
    )
