"""Neighbours of a note as JSON."""

from core import model
from core.doors.operations.forms import Form

_CARD = "note_id=note.id note.base note.path note.title"
_NOTE = Form("RelatedNote", model.RelatedNote, f"{_CARD} reasons")
_TAG = Form("SuggestedTag", model.TagSuggestion, "tag reason")
_PLACE = Form("SuggestedPlace", model.PlaceSuggestion, "base folder reason movable")
_LINK = Form("SuggestedLink", model.LinkSuggestion, f"{_CARD} text start end link reason")
_HINT = Form(
    "NoteHint",
    model.Hint,
    "kind about remedy quotes",
    other_id=(str | None, lambda hint: hint.other.id if hint.other else None),
)
RELATED = Form(
    "Related",
    model.Related,
    notes=([_NOTE], "notes"),
    copies=([_NOTE], "copies"),
    tags=([_TAG], "tags"),
    places=([_PLACE], "places"),
    links=([_LINK], "links"),
    hints=([_HINT], "hints"),
)
CONCEPT = Form("Concept", model.Concept, "name notes pinned merged")
CONCEPT_NOTE = Form("ConceptNote", model.ConceptNote, f"{_CARD} times")
STEP = Form("Step", model.Step, f"{_CARD} way")
