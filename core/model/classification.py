"""The types, categories and statuses of notes, in words."""

from core.base.messages import Message, message, verbatim
from core.model.labels import CHUNK_STATES
from core.model.note_fields import CLASSIFYING, FieldValues
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


def classification(note: FieldValues) -> dict[str, Message]:
    """Return the fields that classify a note, by name; an active status and empty fields are left out."""
    values = {name: verbatim(str(value)) for name in CLASSIFYING if (value := getattr(note, name))}
    values["status"] = STATUSES["expired" if note.expired else note.status]
    if note.expires_at:
        values["expires_at"] = verbatim(note.expires_at.date().isoformat())
    return {name: value for name, value in values.items() if value != STATUSES["active"]}


def remarks(hit: Hit) -> list[Message]:
    """Return the remarks on a hit: its successors, and the states of its chunk and of its file."""
    texts = [message("Superseded by “{title}”", title=successor.title) for successor in hit.superseded_by]
    texts += [CHUNK_STATES[hit.chunk.state]] if hit.chunk.state in ("pending", "refused") else []
    return [*texts, *([FILE_STATES[hit.file]] if hit.file in FILE_STATES else [])]
