"""Operations on related notes and on concepts."""

from typing import TYPE_CHECKING, Annotated

from core.base.messages import message
from core.doors.operations import names
from core.doors.operations.declaring import About, Caller, CommandGroup, operation
from core.doors.operations.parameters import Expected, NoteName, SomeBase
from core.doors.operations.text import notes as note_text
from core.doors.operations.views.notes import WrittenNote
from core.features.related import text
from core.features.related.views import (
    ConceptList,
    ConceptNotes,
    ConceptNoteView,
    DecidedConcept,
    NotePath,
    RelatedView,
    StepView,
)
from core.model import ConceptChoice, Note, Proposal

if TYPE_CHECKING:
    from core.workspace import Workspace

GROUP = CommandGroup(
    "concept", message("Concepts: the key phrases of the notes, and what leads from one note to another.")
)


@operation(
    "note.related",
    message(
        "Show what other notes say about a note: related notes, possible copies, suggested tags, places and links, "
        "and hints, each with its reason."
    ),
    http="GET /notes/{note}/related",
    cli="note related {note}",
    tool="note_related",
    lines=text.format_related,
)
def related(workspace: "Workspace", note: NoteName) -> RelatedView:
    return RelatedView.from_related(workspace.related.of(names.id_of(workspace, note)))


@operation(
    "note.link",
    message("Make a link of the first place where a note names another one. What a program changes waits."),
    http="POST /notes/{note}/links",
    cli="note link {note} {other}",
    writes=True,
    lines=note_text.format_linked,
    lacks={"tool": "note_update writes any text"},
)
def link(
    workspace: "Workspace",
    caller: Caller,
    note: NoteName,
    other: Annotated[str, About(message("The note that it names, by its id, path or title."), example="7a20")],
    expected_version: Expected = None,
) -> WrittenNote:
    item, to = names.ids(workspace, [note, other])
    if caller.is_person:
        done: Note | Proposal = workspace.related.link(item, to, expected_version=expected_version)
    else:
        body = workspace.related.linked(item, to)
        done = workspace.proposals.update(item, body=body, expected_version=expected_version)
    return WrittenNote.from_result(workspace, done)


@operation(
    "note.move",
    message("Put a note that was written in Tessera into a folder of its base."),
    cli="note move {note} {folder}",
    writes=True,
    lines=note_text.format_moved,
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
) -> WrittenNote:
    item = names.id_of(workspace, note)
    moved = workspace.notes.move(item, folder, expected_version=expected_version, author=caller.author)
    return WrittenNote.from_result(workspace, moved)


@operation(
    "concept.list",
    message("List the concepts of the notes: key phrases that several notes have, those that say most first."),
    http="GET /concepts",
    cli="concept list",
    tool="concept_list",
    lines=text.format_concepts,
)
def list_concepts(
    workspace: "Workspace",
    base: SomeBase = None,
    limit: Annotated[int, About(message("How many concepts at most."), least=1, most=1000)] = 60,
) -> ConceptList:
    return ConceptList(tuple(workspace.related.concepts.all(workspace.bases.get(base).name if base else "", limit)))


@operation(
    "concept.notes",
    message("List the notes that hold all of some concepts, those that name them most first."),
    http="GET /concepts/notes",
    cli="concept notes {concepts}",
    tool="concept_notes",
    takes={"concepts": ["search", "roadmap"]},
    lines=text.format_concept_notes,
)
def show_concept_notes(
    workspace: "Workspace",
    concepts: Annotated[list[str], About(message("Concepts, or other phrases of notes."), query="concept")],
    base: SomeBase = None,
) -> ConceptNotes:
    name = workspace.bases.get(base).name if base else ""
    return ConceptNotes(tuple(map(ConceptNoteView.from_noun, workspace.related.concepts.notes(concepts, name))))


@operation(
    "concept.way",
    message("Show what leads from one note to another: links, and concepts that two notes share."),
    http="GET /notes/{note}/way",
    cli="concept way {note} {to}",
    tool="concept_way",
    takes={"to": "7a20"},
    lines=text.format_way,
)
def find_way(
    workspace: "Workspace",
    note: NoteName,
    to: Annotated[str, About(message("The other note, by its id, path or title."), example="7a20")],
) -> NotePath:
    first, last = names.ids(workspace, [note, to])
    return NotePath(tuple(map(StepView.from_noun, workspace.related.concepts.way(first, last))))


@operation(
    "concept.decide",
    message("Pin a concept, hide it, merge it into another one, or undo that."),
    cli="concept decide {name} {choice}",
    writes=True,
    lacks=dict.fromkeys(("http", "tool"), "the person decides"),
    lines=text.format_decided,
)
def decide_on_concept(
    workspace: "Workspace",
    name: Annotated[str, About(message("The concept."), example="search")],
    choice: Annotated[ConceptChoice, About(message("pin, hide, merge or undo."), example="pin")],
    into: Annotated[str, About(message("The concept into which it is merged."))] = "",
) -> DecidedConcept:
    workspace.related.concepts.decide(name, choice, into)
    return DecidedConcept(name, choice)
