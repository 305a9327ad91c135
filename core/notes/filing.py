"""Notes that are files: an edit goes into the file, whole or not at all."""

from pathlib import Path

from core.errors import EditError
from core.model import Note


def exists(note: Note) -> bool:
    """Return whether the file of a note is there."""
    return (Path(note.source_ref) / str(note.path)).is_file()


def write(note: Note, changed: Note) -> tuple[Note, int, int]:
    """Write a changed note into its file; return the note as its file is now, and the file's time in ns and size."""
    raise EditError("Files can't be written yet.")
