"""Nouns: a line of a note, and a file beside it."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a note; `number` counts from 1 in the note's file, `source` is the note's path, else its title."""

    note_id: str
    source: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file beside a note: where it lies, its path from the top of the folder, and its type if it holds a picture."""

    path: Path
    place: str
    type: str
