"""Output of the commands on related notes and on concepts for people."""

from collections.abc import Sequence

from core.base.messages import Message
from core.base.terminal import _, say
from core.doors.operations.views.search import NoteReference
from core.features.related.views import (
    ConceptList,
    ConceptNotes,
    DecidedConcept,
    NotePath,
    RelatedView,
)

_Part = Sequence[tuple[str, Sequence[str | Message]]]
"""Names of a part's members, each with the lines that explain it."""


def format_related(related: RelatedView) -> list[str]:
    notes, copies = ([(_place(note), note.reasons) for note in part] for part in (related.notes, related.copies))
    lines = [
        *_format_part(_("Related notes"), notes),
        *_format_part(_("Possible copies"), copies),
        *_format_part(_("Suggested tags"), [(f"#{tag.tag}", [tag.reason]) for tag in related.tags]),
        *_format_part(
            _("Suggested places"), [(f"{place.base}: {place.folder}/", [place.reason]) for place in related.places]
        ),
        *_format_part(
            _("Suggested links"), [(f"{link.link}  {_place(link)}", [link.reason]) for link in related.links]
        ),
        *_format_part(
            _("What would help this note"),
            [(say(hint.about), [hint.remedy, *hint.quotes]) for hint in related.hints],
        ),
    ]
    return lines or [_("No other note is near this one.")]


def _format_part(title: str, part: _Part) -> list[str]:
    members = (line for name, why in part for line in (f"  {name}", *(f"    {say(item)}" for item in why)))
    return [title, *members] if part else []


def _place(note: NoteReference) -> str:
    return f"{note.title} ({note.base}: {note.path or note.note_id})"


def format_concepts(listed: ConceptList) -> list[str]:
    lines = []
    for concept in listed.concepts:
        more = [_("pinned")] if concept.pinned else []
        more += [_("with {names}", names=[*concept.merged])] if concept.merged else []
        about = f" ({'; '.join(more)})" if more else ""
        lines.append(f"{concept.notes:>5}  {concept.name}{about}")
    return lines or [_("No phrase stands in several notes yet.")]


def format_concept_notes(listed: ConceptNotes) -> list[str]:
    return [f"{note.times:>5}  {_place(note)}" for note in listed.notes] or [_("No note holds all of that.")]


def format_way(path: NotePath) -> list[str]:
    lines = [line for step in path.steps for line in (_place(step), *([f"  {say(step.way)}"] if step.way else []))]
    return lines or [_("Nothing leads from one to the other.")]


def format_decided(concept: DecidedConcept) -> list[str]:
    return [_("'{name}': done.", name=concept.name)]
