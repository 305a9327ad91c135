"""Hits whose file was changed or is gone since its note was indexed."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from core.model import FileState, Hit
from core.store import Store


def marked(store: Store, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits with the state of their notes' files now, by their times and sizes."""
    notes = {hit.note.id for hit in hits if hit.note.in_file}
    stamps = store.fields.stamps(notes)
    states = {note_id: _state(Path(folder, path), stamp) for note_id, folder, path, *stamp in stamps}
    return tuple(replace(hit, file=states.get(hit.note.id, "same")) for hit in hits) if notes else tuple(hits)


def _state(file: Path, stamp: Sequence[int | None]) -> FileState:
    try:
        now = file.stat()
    except (OSError, ValueError):
        return "gone"
    return "same" if None in stamp or [now.st_mtime_ns, now.st_size] == [*stamp] else "stale"
