"""The types, categories and statuses of notes, in words."""

from collections.abc import Mapping
from typing import Any

from core.base.messages import Message, message, verbatim
from core.model.labels import CHUNK_STATES
from core.model.note_fields import CLASSIFYING
from core.model.notes import Note, NoteSummary
from core.model.search import Hit

STATUSES: dict[str, Message] = {
    "active": message("active"),
    "pending": message("to be reviewed"),
    "archived": message("archived"),
    "expired": message("expired"),
}
"""Names of the statuses of notes; `expired` is that of an active note whose time is over."""

FILE_STATES: dict[str, Message] = {
    "stale": message("File changed since it was indexed"),
    "gone": message("File is gone"),
}
"""Messages about a hit's file that has changed or is gone."""


def classified(note: Note | NoteSummary) -> dict[str, Any]:
    """Return the fields that classify a note, as JSON values; the status of an expired note is `expired`."""
    fields = {name: getattr(note, name) for name in CLASSIFYING}
    expires_at = note.expires_at.isoformat() if note.expires_at else None
    return fields | {"status": "expired" if note.expired else note.status, "expires_at": expires_at}


def classification(note: Note | NoteSummary | Mapping[str, Any]) -> dict[str, Message]:
    """Return the fields that classify a note, by name; an active status and empty fields are left out."""
    fields = dict(note) if isinstance(note, Mapping) else classified(note)
    values = {name: verbatim(str(value)) for name in CLASSIFYING if (value := fields[name])}
    values["status"] = STATUSES[fields["status"]]
    if "expires_at" in values:
        values["expires_at"] = verbatim(fields["expires_at"][:10])
    return {name: value for name, value in values.items() if value != STATUSES["active"]}


def remarks(hit: Hit) -> list[Message]:
    """Return the remarks on a hit: its successors, and the states of its chunk and of its file."""
    said = [message("Superseded by “{title}”", title=successor.title) for successor in hit.superseded_by]
    said += [CHUNK_STATES[hit.chunk.state]] if hit.chunk.state in ("pending", "refused") else []
    return [*said, *([FILE_STATES[hit.file]] if hit.file in FILE_STATES else [])]
