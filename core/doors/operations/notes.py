"""Operations on notes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from core.base.errors import ConfigError
from core.base.messages import message
from core.doors.json_forms import notes as forms
from core.doors.operations import names
from core.doors.operations.declaring import About, Caller, operation
from core.doors.operations.forms import Form
from core.doors.operations.parameters import NOTE_PARAMETERS, Expected, NoteName, NoteNames, only
from core.model import NOTE_FIELDS, NOTE_SOURCES, Failed, Note, NoteSummary, Proposal

if TYPE_CHECKING:
    from core.workspace import Workspace

ONE = "the operation on one note does it"
_WAITS = "a change by a program waits for the person, as note.update does"
_MOST = 100
"""Notes in one answer to a program by default."""

Shown = tuple[Note, str, tuple[str, ...], list[Failed]]
"""A note, the name of its base, the missing attachments, and the unreadable pictures."""
Written = tuple[Note, str, str]
"""A note, the name of its base, and its status; a change to review is `pending`."""
Body = Annotated[str | None, About(message("The whole text in Markdown; left out, it stays."), tool="text", long=True)]
NewBody = Annotated[str, About(message("The text in Markdown."), tool="text", long=True)]
Filters = Annotated[
    list[str] | None, About(message("Filters as in the search box, such as tag:rust status:archived."), query="filter")
]


# reading


@operation(
    "note.list",
    message("List the notes that pass some filters, without their texts."),
    http="GET /notes",
    cli="note list {filters}",
    tool="note_list",
    by_hand=("cli", "tool"),
    form=forms.CARDS,
)
def list_(
    workspace: "Workspace",
    caller: Caller,
    bases: Annotated[list[str] | None, About(message("Only notes of these bases."), query="base")] = None,
    filters: Filters = None,
    text: Annotated[str, About(message("A part of the title or the path."))] = "",
    limit: Annotated[int | None, About(message("How many notes at most."), least=1, most=1000)] = None,
    offset: Annotated[int, About(message("How many notes are skipped."), least=0, most=10_000_000)] = 0,
) -> tuple[list[NoteSummary], int]:
    cards = workspace.notes.all(workspace.searching.filters(bases=bases or (), terms=filters or ()), text=text)
    end = None if caller.is_person and limit is None else offset + (limit or _MOST)
    shown = cards[offset:end]
    return shown, len(cards) - len(shown)


@operation(
    "note.show",
    message("Show a note: its fields and its text, as it is or as it was in a version."),
    http="GET /notes/{note}",
    cli="note show {note}",
    tool="note_read",
    by_hand=("tool",),
    form=forms.NOTE,
)
def show(
    workspace: "Workspace",
    caller: Caller,
    note: NoteName,
    number: Annotated[int | None, About(message("The number of a version."), flag="version", doors=("cli",))] = None,
) -> Shown:
    if caller.is_person:
        item = names.any_id(workspace, note)
        return shown(workspace, workspace.notes.at(item, number or workspace.notes.history(item)[0].number))
    item = names.id_of(workspace, note)
    workspace.uses.note("read", [(item, "")])
    return shown(workspace, workspace.notes.get(item))


@operation(
    "note.export",
    message("Show a note as a file of Markdown with its fields, to keep or to take elsewhere."),
    http="GET /notes/{note}/file",
    cli="note export {note}",
    form=forms.FILE,
    lacks={"tool": "note_read gives the text and the fields"},
)
def export(
    workspace: "Workspace",
    caller: Caller,
    note: NoteName,
    to: Annotated[
        Path | None, About(message("A file that isn't there yet, to which it is written."), doors=("cli",))
    ] = None,
) -> tuple[Note, str]:
    item = workspace.notes.get(names.id_of(workspace, note))
    return item, workspace.notes.export(item.id, to) if to else workspace.notes.file_text(item.id)


# writing


@operation(
    "note.new",
    message("Write a note. What a program writes waits until the person accepts it, unless the base trusts programs."),
    http="POST /notes",
    cli="note new {base}",
    tool="note_add",
    writes=True,
    creates="/notes/{id}",
    takes={"body": "# Roadmap\n\nThe search comes first.\n"},
    form=forms.WRITTEN,
    fields=NOTE_PARAMETERS,
)
def new(
    workspace: "Workspace",
    caller: Caller,
    base: Annotated[
        str, About(message("The knowledge base, by name. A command makes it where there is none."), example="work")
    ],
    body: NewBody = "",
    path: Annotated[str, About(message("Its place in the base, such as work/plan.md."), doors=("http", "cli"))] = "",
    source: Annotated[
        str | None, About(message("Where the note is from: one of {choices}.", choices=", ".join(NOTE_SOURCES)))
    ] = None,
    source_ref: Annotated[str | None, About(message("The place there, such as a file and its lines."))] = None,
    created_by: Annotated[str | None, About(message("The writer, such as the name of a program."))] = None,
    metadata: Annotated[
        dict[str, Any] | None, About(message("Other values, as an object of JSON."), doors=("http", "tool"))
    ] = None,
    **fields: Any,
) -> Written:
    given = {"source": source, "source_ref": source_ref, "created_by": created_by, "metadata": metadata}
    fields |= {name: value for name, value in given.items() if value is not None}
    if caller.is_person:
        return written(workspace, workspace.notes.add(base, body, path=path, author="person", **fields))
    return written(workspace, workspace.proposals.add(base, body, path=path, **fields))


@operation(
    "note.update",
    message(
        "Change a note. What a program changes waits until the person accepts it, unless the base trusts programs."
    ),
    http="PATCH /notes/{note}",
    cli="note edit {note}",
    tool="note_update",
    writes=True,
    takes={"tags": ["plan"], "priority": 1},
    form=forms.WRITTEN,
    fields=only(NOTE_PARAMETERS, "http", "tool"),
)
def update(
    workspace: "Workspace",
    caller: Caller,
    note: NoteName,
    body: Body = None,
    expected_version: Expected = None,
    **fields: Any,
) -> Written:
    item = names.id_of(workspace, note)
    if caller.is_person:
        done: Note | Proposal = workspace.notes.update(
            item, body=body, expected_version=expected_version, author="person", **fields
        )
    else:
        done = workspace.proposals.update(item, body=body, expected_version=expected_version, **fields)
    return written(workspace, done)


@operation(
    "note.set",
    message("Set fields of notes; what isn't given stays. An empty value removes it."),
    cli="note set {notes}",
    writes=True,
    form=forms.LISTED,
    fields=NOTE_PARAMETERS,
    lacks=dict.fromkeys(("http", "tool"), ONE),
)
def set_(
    workspace: "Workspace",
    notes: NoteNames,
    add_tags: Annotated[list[str] | None, About(message("A tag to add."), flag="add-tag")] = None,
    remove_tags: Annotated[list[str] | None, About(message("A tag to remove."), flag="remove-tag")] = None,
    expected_version: Expected = None,
    **fields: Any,
) -> list[NoteSummary]:
    if not (fields or add_tags or remove_tags):
        raise ConfigError("Say what to set, such as --status archived.")
    ids = names.ids(workspace, notes)
    if fields:
        workspace.notes.set_fields(ids, expected_version=expected_version, **fields)
    if add_tags or remove_tags:
        version = None if fields else expected_version
        workspace.notes.tag(ids, add=add_tags or (), remove=remove_tags or (), expected_version=version)
    cards = workspace.notes.cards_of(ids)
    return [cards[item] for item in ids]


@operation(
    "note.copy",
    message("Copy a note beside itself; the copy lives in Tessera also where the note is a file."),
    http="POST /notes/{note}/copy",
    cli="note copy {note}",
    writes=True,
    creates="/notes/{id}",
    form=forms.WRITTEN,
    lacks={"tool": "note_add writes any text"},
)
def copy(workspace: "Workspace", caller: Caller, note: NoteName) -> Written:
    item = names.id_of(workspace, note)
    if caller.is_person:
        return written(workspace, workspace.notes.copy(item))
    old = workspace.notes.get(item)
    fields: dict[str, Any] = {name: getattr(old, name) for name in NOTE_FIELDS if name != "status"}
    return written(workspace, workspace.proposals.add(workspace.bases.by_id(old.base_id).name, old.body, **fields))


@operation(
    "note.archive",
    message("Archive notes: searches leave them out unless they ask for archived ones."),
    cli="note archive {notes}",
    writes=True,
    form=Form("ArchivedNotes", list, archived=(list[str], list)),
    lacks=dict.fromkeys(("http", "tool"), _WAITS),
)
def archive(workspace: "Workspace", caller: Caller, notes: NoteNames) -> list[str]:
    ids = names.ids(workspace, notes)
    workspace.notes.archive(ids, author=caller.author)
    return ids


def shown(workspace: "Workspace", note: Note) -> Shown:
    base, lost = workspace.bases.by_id(note.base_id), workspace.notes.missing_attachments(note)
    return note, base.name, lost, workspace.pictures.problems(note.id)


def written(workspace: "Workspace", done: Note | Proposal) -> Written:
    if isinstance(done, Proposal):
        note = workspace.notes.get(done.note_id)
        return note, workspace.bases.by_id(note.base_id).name, "pending"
    return done, workspace.bases.by_id(done.base_id).name, done.status
