"""Operations on notes."""

from typing import TYPE_CHECKING, Annotated, Any

from typing_extensions import TypedDict

from core.errors import ConfigError
from core.json_forms import notes as forms
from core.json_forms import versions
from core.json_forms.forms import formed
from core.messages import message
from core.model import NOTE_FIELDS, Note, Proposal, Version
from core.operations import named
from core.operations.declaring import About, Caller, operation
from core.operations.examples import CARD, DIFFERENCE, NOTE, SUBMISSION, TRASHED, VERSION, WRITTEN
from core.operations.parameters import NOTE_PARAMETERS, Expected, NoteName, NoteNames, Number, SomeBase, only

if TYPE_CHECKING:
    from core.workspace import Workspace

_ONE = "the operation on one note does it"
_SEVERAL = "the operation on several notes does it"
_WAITS = "a change by a program waits for the person, as note.update does"
_PERSONS = "the person decides what of programs counts"
_TRASH = "an assistant has no business with what the person deleted"
_MOST = 100
"""Notes in one answer to a program that says no other number."""

Body = Annotated[str | None, About(message("The whole text in Markdown; left out, it stays."), tool="text", long=True)]
NewBody = Annotated[str, About(message("The text in Markdown."), tool="text", long=True)]
Filters = Annotated[
    list[str] | None, About(message("Filters as in the search box, such as tag:rust status:archived."), query="filter")
]


class Archived(TypedDict):
    """The ids of notes that are archived now."""

    archived: list[str]


class Restored(TypedDict):
    """The ids of notes that are back."""

    restored: list[str]


class Deleted(TypedDict):
    """The ids of notes that are in the trash now, from which they can be restored for so many days."""

    deleted: list[str]
    days: int


class DeletedOne(TypedDict):
    """A note that is in the trash now."""

    id: str
    deleted: bool


class Waiting(TypedDict):
    """What waits for the person, the oldest first."""

    waiting: list[forms.Submission]


class Accepted(TypedDict):
    """What was accepted."""

    accepted: list[forms.Submission]


class Rejected(TypedDict):
    """What was rejected."""

    rejected: list[forms.Submission]


# reading


@operation(
    "note.list",
    message("List the notes that pass some filters, without their texts."),
    http="GET /notes",
    cli="note list {filters}",
    tool="note_list",
    by_hand=("cli", "tool"),
    takes={"bases": ["work"], "filters": ["tag:plan"]},
    gives={"notes": [CARD], "left_out": 0},
)
def list_(
    workspace: "Workspace",
    caller: Caller,
    bases: Annotated[list[str] | None, About(message("Only notes of these bases."), query="base")] = None,
    filters: Filters = None,
    text: Annotated[str, About(message("A part of the title or the path."))] = "",
    limit: Annotated[int | None, About(message("How many notes at most."), least=1, most=1000)] = None,
    offset: Annotated[int, About(message("How many notes are skipped."), least=0, most=10_000_000)] = 0,
) -> forms.Cards:
    cards = workspace.notes.all(workspace.searching.filters(bases=bases or (), terms=filters or ()), text=text)
    end = None if caller.is_person and limit is None else offset + (limit or _MOST)
    shown = cards[offset:end]
    return {**forms.of_cards(shown), "left_out": len(cards) - len(shown)}


@operation(
    "note.show",
    message("Show a note: its fields and its text, as it is or as it was in a version."),
    http="GET /notes/{note}",
    cli="note show {note}",
    tool="note_read",
    by_hand=("tool",),
    takes={"note": "4f1c"},
    gives=NOTE,
)
def show(
    workspace: "Workspace",
    caller: Caller,
    note: NoteName,
    number: Annotated[int | None, About(message("The number of a version."), flag="version", doors=("cli",))] = None,
) -> forms.Note:
    if caller.is_person:
        one = named.any_id(workspace, note)
        return _shown(workspace, workspace.notes.at(one, number or workspace.notes.history(one)[0].number))
    return _shown(workspace, workspace.notes.get(named.id_of(workspace, note)))


# writing


@operation(
    "note.new",
    message("Write a note. What a program writes is `pending` until the person accepts it, unless the base trusts it."),
    http="POST /notes",
    cli="note new {base}",
    tool="note_add",
    writes=True,
    creates="/notes/{id}",
    takes={"base": "work", "body": "# Roadmap\n\nThe search comes first.\n"},
    gives=WRITTEN,
    fields=NOTE_PARAMETERS,
)
def new(
    workspace: "Workspace",
    caller: Caller,
    base: Annotated[str, About(message("The knowledge base, which is made if there is none of this name."))],
    body: NewBody = "",
    path: Annotated[str, About(message("Its place in the base, such as work/plan.md."), doors=("http", "cli"))] = "",
    **fields: Any,
) -> forms.Written:
    if caller.is_person:
        return _written(workspace, workspace.notes.add(base, body, path=path, author="person", **fields))
    return _written(workspace, workspace.proposals.add(base, body, path=path, **fields))


@operation(
    "note.update",
    message(
        "Change a note. What a program changes is `pending` until the person accepts it, unless the base trusts it."
    ),
    http="PATCH /notes/{note}",
    cli="note edit {note}",
    tool="note_update",
    writes=True,
    takes={"note": "4f1c", "tags": ["plan"], "priority": 1},
    gives=WRITTEN,
    fields=only(NOTE_PARAMETERS, "http", "tool"),
)
def update(
    workspace: "Workspace",
    caller: Caller,
    note: NoteName,
    body: Body = None,
    expected_version: Expected = None,
    **fields: Any,
) -> forms.Written:
    one = named.id_of(workspace, note)
    if caller.is_person:
        done: Note | Proposal = workspace.notes.update(
            one, body=body, expected_version=expected_version, author="person", **fields
        )
    else:
        done = workspace.proposals.update(one, body=body, expected_version=expected_version, **fields)
    return _written(workspace, done)


@operation(
    "note.set",
    message("Set fields of notes; what isn't given stays. An empty value removes it."),
    cli="note set {notes}",
    writes=True,
    takes={"notes": ["4f1c"], "tags": ["plan"]},
    gives={"notes": [CARD]},
    fields=NOTE_PARAMETERS,
    lacks=dict.fromkeys(("http", "tool"), _ONE),
)
def set_(
    workspace: "Workspace",
    notes: NoteNames,
    add_tags: Annotated[list[str] | None, About(message("A tag to add."), flag="add-tag")] = None,
    remove_tags: Annotated[list[str] | None, About(message("A tag to remove."), flag="remove-tag")] = None,
    expected_version: Expected = None,
    **fields: Any,
) -> forms.Listed:
    if not (fields or add_tags or remove_tags):
        raise ConfigError("Say what to set, such as --status archived.")
    ids = named.ids(workspace, notes)
    if fields:
        workspace.notes.set_fields(ids, expected_version=expected_version, **fields)
    if add_tags or remove_tags:
        version = None if fields else expected_version
        workspace.notes.tag(ids, add=add_tags or (), remove=remove_tags or (), expected_version=version)
    cards = workspace.notes.cards_of(ids)
    return forms.of_cards(cards[one] for one in ids)


@operation(
    "note.revert",
    message("Give a note the text and fields of one of its versions; that is a new version."),
    http="POST /notes/{note}/versions/{number}/revert",
    cli="note revert {note} {number}",
    writes=True,
    takes={"note": "4f1c", "number": 1},
    gives=WRITTEN,
    lacks={"tool": "note_update writes any text"},
)
def revert(
    workspace: "Workspace", caller: Caller, note: NoteName, number: Number, expected_version: Expected = None
) -> forms.Written:
    one = named.id_of(workspace, note)
    if caller.is_person:
        return _written(workspace, workspace.notes.revert(one, number, expected_version=expected_version))
    old = workspace.notes.at(one, number)
    fields: dict[str, Any] = {name: getattr(old, name) for name in NOTE_FIELDS if name != "status"}
    done = workspace.proposals.update(one, body=old.body, expected_version=expected_version, **fields)
    return _written(workspace, done)


@operation(
    "note.archive",
    message("Archive notes: searches leave them out unless they ask for archived ones."),
    cli="note archive {notes}",
    writes=True,
    takes={"notes": ["4f1c"]},
    gives={"archived": ["4f1c"]},
    lacks=dict.fromkeys(("http", "tool"), _WAITS),
)
def archive(workspace: "Workspace", caller: Caller, notes: NoteNames) -> Archived:
    ids = named.ids(workspace, notes)
    workspace.notes.archive(ids, author=caller.author)
    return {"archived": ids}


# versions


@operation(
    "note.version",
    message("Read a note as it was in a version."),
    http="GET /notes/{note}/versions/{number}",
    takes={"note": "4f1c", "number": 3},
    gives=NOTE,
    lacks={"cli": "`note show` has the option --version", "tool": "note_difference shows what a version changed"},
)
def version(workspace: "Workspace", note: NoteName, number: Number) -> forms.Note:
    return _shown(workspace, workspace.notes.at(named.any_id(workspace, note), number))


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
    return workspace.notes.history(named.any_id(workspace, note))


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
    one = named.any_id(workspace, note)
    numbers = [version.number for version in workspace.notes.history(one)]
    second = second or numbers[0]
    first = first or next((number for number in numbers if number < second), second)
    return versions.of_difference(workspace.notes.difference(one, first, second), first, second)


# the trash


@operation(
    "note.trash",
    message("List the deleted notes, the last deleted first."),
    http="GET /trash",
    cli="note list --trash",
    by_hand=("cli",),
    takes={"base": "work"},
    gives={"trash": [TRASHED]},
    lacks={"tool": _TRASH},
)
def trash(workspace: "Workspace", base: SomeBase = None) -> forms.Trash:
    names = {one.id: one.name for one in workspace.bases.all()}
    return {"trash": [forms.of_trashed(one, names[one.base_id]) for one in workspace.notes.trash(base)]}


@operation(
    "note.delete",
    message("Put notes into the trash, from which they can be restored for some days."),
    cli="note delete {notes}",
    writes=True,
    takes={"notes": ["4f1c"]},
    gives={"deleted": ["4f1c"], "days": 30},
    lacks={"http": _ONE, "tool": _TRASH},
)
def delete(workspace: "Workspace", caller: Caller, notes: NoteNames) -> Deleted:
    ids = named.ids(workspace, notes)
    workspace.notes.delete(ids, author=caller.author)
    return {"deleted": ids, "days": workspace.notes.trash_stays.days}


@operation(
    "note.delete_one",
    message("Put a note into the trash, from which it can be restored for some days."),
    http="DELETE /notes/{note}",
    writes=True,
    takes={"note": "4f1c"},
    gives={"id": "4f1c", "deleted": True},
    lacks={"cli": _SEVERAL, "tool": _TRASH},
)
def delete_one(workspace: "Workspace", caller: Caller, note: NoteName, expected_version: Expected = None) -> DeletedOne:
    from core.notes.writer import check_version  # takes a while, which --help avoids

    one = workspace.notes.get(named.id_of(workspace, note))
    check_version(one, expected_version)
    workspace.notes.delete(one.id, author=caller.author)
    return {"id": one.id, "deleted": True}


@operation(
    "note.restore",
    message("Bring notes back: deleted ones from the trash, archived ones to the active ones."),
    cli="note restore {notes}",
    writes=True,
    takes={"notes": ["4f1c"]},
    gives={"restored": ["4f1c"]},
    lacks={"http": _ONE, "tool": _TRASH},
)
def restore(workspace: "Workspace", caller: Caller, notes: NoteNames) -> Restored:
    ids = [named.any_id(workspace, name) for name in notes]
    workspace.notes.restore(ids, author=caller.author)
    return {"restored": ids}


@operation(
    "note.restore_one",
    message("Bring a deleted note back, as it was; one that waited for the person waits again."),
    http="POST /trash/{note}/restore",
    writes=True,
    takes={"note": "4f1c"},
    gives=WRITTEN,
    lacks={"cli": _SEVERAL, "tool": _TRASH},
)
def restore_one(workspace: "Workspace", caller: Caller, note: NoteName) -> forms.Written:
    one = workspace.notes.resolve_deleted(note).version.note_id
    workspace.notes.restore([one], author=caller.author)
    return _written(workspace, workspace.notes.get(one))


# what programs wrote


@operation(
    "note.waiting",
    message("List what programs wrote that waits until the person accepts it."),
    cli="note waiting",
    by_hand=("cli",),
    takes={"base": "work"},
    gives={"waiting": [SUBMISSION]},
    lacks=dict.fromkeys(("http", "tool"), _PERSONS),
)
def waiting(workspace: "Workspace", base: SomeBase = None) -> Waiting:
    return {"waiting": [*map(forms.of_submission, workspace.proposals.all(base))]}


@operation(
    "note.proposed",
    message("Show what of a note waits until the person accepts it."),
    cli="note waiting {note}",
    by_hand=("cli",),
    takes={"note": "4f1c"},
    gives={**SUBMISSION, **DIFFERENCE, "text": NOTE},
    lacks=dict.fromkeys(("http", "tool"), _PERSONS),
)
def proposed(workspace: "Workspace", note: NoteName) -> forms.Proposed:
    one = workspace.proposals.get(named.id_of(workspace, note))
    difference = workspace.proposals.difference(one)
    compared = versions.of_difference(difference, one.note.version, one.note.version + 1)
    text = forms.of_note(workspace.proposals.proposed(one), one.note.base)
    return {**forms.of_submission(one), **compared, "text": text}


@operation(
    "note.accept",
    message("Accept what waits of notes: new ones are found from then on, and proposed changes are made."),
    cli="note accept {notes}",
    writes=True,
    takes={"notes": ["4f1c"]},
    gives={"accepted": [SUBMISSION]},
    lacks=dict.fromkeys(("http", "tool"), _PERSONS),
)
def accept(
    workspace: "Workspace",
    notes: NoteNames,
    over: Annotated[
        int | None, About(message("The version over which a change is made of a note that was changed since."))
    ] = None,
) -> Accepted:
    chosen = [workspace.proposals.get(one) for one in named.ids(workspace, notes)]
    workspace.proposals.accept(chosen, over=over)
    return {"accepted": [*map(forms.of_submission, chosen)]}


@operation(
    "note.reject",
    message("Reject what waits of notes: new ones go into the trash, proposed changes go for good."),
    cli="note reject {notes}",
    writes=True,
    takes={"notes": ["4f1c"]},
    gives={"rejected": [SUBMISSION]},
    lacks=dict.fromkeys(("http", "tool"), _PERSONS),
)
def reject(workspace: "Workspace", notes: NoteNames) -> Rejected:
    chosen = [workspace.proposals.get(one) for one in named.ids(workspace, notes)]
    workspace.proposals.reject(chosen)
    return {"rejected": [*map(forms.of_submission, chosen)]}


def _shown(workspace: "Workspace", note: Note) -> forms.Note:
    return forms.of_note(note, _base(workspace, note))


def _written(workspace: "Workspace", done: Note | Proposal) -> forms.Written:
    waits = isinstance(done, Proposal)
    note = workspace.notes.get(done.note_id) if isinstance(done, Proposal) else done
    return formed(forms.Written, note, base=_base(workspace, note), status="pending" if waits else note.status)


def _base(workspace: "Workspace", note: Note) -> str:
    return next(base.name for base in workspace.bases.all() if base.id == note.base_id)
