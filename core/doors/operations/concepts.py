"""Operations on concepts, the key phrases of the notes."""

from typing import TYPE_CHECKING, Annotated

from core.base.messages import message
from core.doors.json_forms import related as forms
from core.doors.json_forms.forms import Form
from core.doors.operations import named
from core.doors.operations.declaring import About, operation
from core.doors.operations.parameters import NoteName, SomeBase
from core.model import Concept, ConceptChoice, ConceptNote, Step

if TYPE_CHECKING:
    from core.workspace import Workspace


@operation(
    "concept.list",
    message("List the concepts of the notes: key phrases that several notes have, those that say most first."),
    http="GET /concepts",
    cli="concept list",
    tool="concept_list",
    form=Form("Concepts", list, concepts=([forms.CONCEPT], list)),
)
def list_(
    workspace: "Workspace",
    base: SomeBase = None,
    limit: Annotated[int, About(message("How many concepts at most."), least=1, most=1000)] = 60,
) -> list[Concept]:
    return workspace.related.concepts.all(workspace.bases.get(base).name if base else "", limit)


@operation(
    "concept.notes",
    message("List the notes that hold all of some concepts, those that name them most first."),
    http="GET /concepts/notes",
    cli="concept notes {concepts}",
    tool="concept_notes",
    takes={"concepts": ["search", "roadmap"]},
    form=Form("ConceptNotes", list, notes=([forms.CONCEPT_NOTE], list)),
)
def notes(
    workspace: "Workspace",
    concepts: Annotated[list[str], About(message("Concepts, or other phrases of notes."), query="concept")],
    base: SomeBase = None,
) -> list[ConceptNote]:
    return workspace.related.concepts.notes(concepts, workspace.bases.get(base).name if base else "")


@operation(
    "concept.way",
    message("Show what leads from one note to another: links, and concepts that two notes share."),
    http="GET /notes/{note}/way",
    cli="concept way {note} {to}",
    tool="concept_way",
    takes={"to": "7a20"},
    form=Form("Way", list, steps=([forms.STEP], list)),
)
def way(
    workspace: "Workspace",
    note: NoteName,
    to: Annotated[str, About(message("The other note, by its id, path or title."), example="7a20")],
) -> list[Step]:
    first, last = named.ids(workspace, [note, to])
    return workspace.related.concepts.way(first, last)


@operation(
    "concept.decide",
    message("Pin a concept, hide it, merge it into another one, or undo that."),
    cli="concept decide {name} {choice}",
    writes=True,
    form=Form("DecidedConcept", tuple, name=(str, lambda pair: pair[0]), choice=(str, lambda pair: pair[1])),
    lacks=dict.fromkeys(("http", "tool"), "the person decides"),
)
def decide(
    workspace: "Workspace",
    name: Annotated[str, About(message("The concept."), example="search")],
    choice: Annotated[ConceptChoice, About(message("pin, hide, merge or undo."), example="pin")],
    into: Annotated[str, About(message("The concept into which it is merged."))] = "",
) -> tuple[str, str]:
    workspace.related.concepts.decide(name, choice, into)
    return name, choice
