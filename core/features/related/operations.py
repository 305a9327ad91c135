"""Operations on related notes and concepts, the objects they return, and their terminal output."""

from typing import TYPE_CHECKING, Annotated

from core.base.codec import assemble
from core.base.frozen import Texts, frozen
from core.base.messages import Message, Messages
from core.base.terminal import _, say
from core.model import Concept, ConceptChoice, HintKind, Note, PlaceSuggestion, Proposal, TagSuggestion
from core.operations import names
from core.operations.declaring import About, Caller, CommandGroup, operation
from core.operations.parameters import Expected, NoteName, SomeBase
from core.operations.printing import table
from core.operations.search import NoteReference
from core.operations.views import WrittenNote

if TYPE_CHECKING:
    from core.workspace import Workspace


# What the operations return.


@frozen
class RelatedNoteView(NoteReference):
    """A related note, with the reasons why it is related."""

    reasons: Messages


@frozen
class LinkSuggestionView(NoteReference):
    """A part of a note's text that names another note, and the link that could replace it."""

    text: str
    start: int
    end: int
    link: str
    reason: Message


@frozen
class HintView:
    """A reason why a note is hard to find or trust, with a remedy.

    `quotes` are the sentences in question. `other_id` is another note involved, or None if there is none.
    """

    kind: HintKind
    about: Message
    remedy: Message
    quotes: Texts
    other_id: str | None


@frozen
class RelatedView:
    """A note's related notes, and suggestions and hints for the note."""

    notes: tuple[RelatedNoteView, ...]
    copies: tuple[RelatedNoteView, ...]
    tags: tuple[TagSuggestion, ...]
    places: tuple[PlaceSuggestion, ...]
    links: tuple[LinkSuggestionView, ...]
    hints: tuple[HintView, ...]


@frozen
class ConceptList:
    """Concepts, the pinned ones first, then sorted by weight."""

    concepts: tuple[Concept, ...]


@frozen
class ConceptNoteView(NoteReference):
    """A note that mentions the given concepts, and how often it mentions them."""

    times: int


@frozen
class ConceptNotes:
    """The notes that contain the given concepts."""

    notes: tuple[ConceptNoteView, ...]


@frozen
class StepView(NoteReference):
    """A note on a path between two notes. `way` says how the path continues, or is None for the last note."""

    way: Message | None


@frozen
class NotePath:
    """The notes on a path between two notes."""

    steps: tuple[StepView, ...]


@frozen
class DecidedConcept:
    """A concept and the user's decision about it."""

    name: str
    choice: str


# Output for people.


def format_related(related: RelatedView) -> list[str]:
    sections = (
        (_("Related notes"), [(_place(note), note.reasons) for note in related.notes]),
        (_("Possible duplicates"), [(_place(note), note.reasons) for note in related.copies]),
        (_("Suggested tags"), [(f"#{tag.tag}", (tag.reason,)) for tag in related.tags]),
        (_("Suggested locations"), [(f"{place.base}: {place.folder}/", (place.reason,)) for place in related.places]),
        (_("Suggested links"), [(f"{link.link}  {_place(link)}", (link.reason,)) for link in related.links]),
        (_("How to improve this note"), [(say(hint.about), (hint.remedy, *hint.quotes)) for hint in related.hints]),
    )
    lines = []
    for title, members in sections:
        lines += [title] if members else []
        for name, why in members:
            lines += [f"  {name}", *(f"    {say(item)}" for item in why)]
    return lines or [_("No similar notes were found.")]


def _place(note: NoteReference) -> str:
    return f"{note.title} ({note.base}: {note.path or note.note_id})"


def format_way(path: NotePath) -> list[str]:
    lines = [line for step in path.steps for line in (_place(step), *([f"  {say(step.way)}"] if step.way else []))]
    return lines or [_("No path leads from one note to the other.")]


# The operations.

GROUP = CommandGroup("concept", "Concepts: the key phrases of the notes, and the paths from one note to another.")


@operation(
    "note.related",
    (
        "For a note, show related notes, possible duplicates, suggestions for tags, locations and links, and hints "
        "for improvement, each with a reason."
    ),
    http="GET /notes/{note}/related",
    cli="note related {note}",
    tool="note_related",
    lines=format_related,
)
def related(workspace: "Workspace", note: NoteName) -> RelatedView:
    found = workspace.related.of(note)
    return assemble(
        RelatedView,
        found,
        notes=tuple(map(RelatedNoteView.from_noun, found.notes)),
        copies=tuple(map(RelatedNoteView.from_noun, found.copies)),
        links=tuple(map(LinkSuggestionView.from_noun, found.links)),
        hints=tuple(assemble(HintView, hint, other_id=hint.other and hint.other.id) for hint in found.hints),
    )


@operation(
    "note.link",
    ("Turn a note's first mention of another note into a link. A program's change waits until the user accepts it."),
    http="POST /notes/{note}/links",
    cli="note link {note} {other}",
    writes=True,
    lines="The link was added. The note is now version {version}.",
)
def link(
    workspace: "Workspace",
    caller: Caller,
    note: NoteName,
    other: Annotated[
        str, About("The note that the text mentions, given by its id, path, title or alias.", example="7a20")
    ],
    expected_version: Expected = None,
) -> WrittenNote:
    item, to = names.ids(workspace, [note, other])
    if caller.is_person:
        done: Note | Proposal = workspace.related.link(item, to, expected_version=expected_version)
    else:
        done = workspace.proposals.update(
            item, body=workspace.related.linked(item, to), expected_version=expected_version
        )
    return WrittenNote.from_result(workspace, done)


@operation(
    "concept.list",
    "List the concepts of the notes: key phrases that several notes share, the most distinctive first.",
    http="GET /concepts",
    cli="concept list",
    tool="concept_list",
    lines=table("notes", "name", "pinned", "merged", empty="No phrase appears more than once in several notes yet."),
)
def list_concepts(
    workspace: "Workspace",
    base: SomeBase = None,
    limit: Annotated[int, About("The maximum number of concepts.", least=1, most=1000)] = 60,
) -> ConceptList:
    return ConceptList(tuple(workspace.related.concepts.all(workspace.bases.get(base).name if base else "", limit)))


@operation(
    "concept.notes",
    "List the notes that contain all the given concepts. The notes that mention them most often come first.",
    http="GET /concepts/notes",
    cli="concept notes {concepts}",
    tool="concept_notes",
    takes={"concepts": ["search", "roadmap"]},
    lines=table("times", "title", "base", "path", empty="No note contains all of these concepts."),
)
def show_concept_notes(
    workspace: "Workspace",
    concepts: Annotated[list[str], About("Concepts, or other phrases from notes.", query="concept")],
    base: SomeBase = None,
) -> ConceptNotes:
    found = workspace.related.concepts.notes(concepts, workspace.bases.get(base).name if base else "")
    return ConceptNotes(tuple(map(ConceptNoteView.from_noun, found)))


@operation(
    "concept.way",
    "Show the path from one note to another through links and shared concepts.",
    http="GET /notes/{note}/way",
    cli="concept way {note} {to}",
    tool="concept_way",
    takes={"to": "7a20"},
    lines=format_way,
)
def find_way(
    workspace: "Workspace",
    note: NoteName,
    to: Annotated[str, About("The other note, given by its id, path, title or alias.", example="7a20")],
) -> NotePath:
    first, last = names.ids(workspace, [note, to])
    return NotePath(tuple(map(StepView.from_noun, workspace.related.concepts.way(first, last))))


@operation(
    "concept.decide",
    "Pin, hide or merge a concept, or undo such a change.",
    cli="concept decide {name} {choice}",
    writes=True,
    lines="The concept '{name}' was updated.",
)
def decide_on_concept(
    workspace: "Workspace",
    name: Annotated[str, About("The concept.", example="search")],
    choice: Annotated[ConceptChoice, About("pin, hide, merge or undo.", example="pin")],
    into: Annotated[str, About("The concept to merge into.")] = "",
) -> DecidedConcept:
    workspace.related.concepts.decide(name, choice, into)
    return DecidedConcept(name, choice)
