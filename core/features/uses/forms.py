"""Uses of notes as JSON."""

from operator import itemgetter

from core import model
from core.doors.operations.forms import Form

USE = Form("Use", model.Use, "note_id used_in context used_at times helpful", chunk_id=(str | None, "chunk_id"))
USES = Form(
    "Uses",
    tuple,
    **Form("", model.UseFigures, "found used last helpful not_helpful misleading").through(itemgetter(0)),
    uses=([USE], itemgetter(1)),
)
"""From the figures of a note, and its uses."""
