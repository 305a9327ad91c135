"""Pictures in notes."""

from dataclasses import dataclass
from pathlib import Path

from core.model.notes import Failed


@dataclass(frozen=True, slots=True)
class NotePicture:
    """A picture of a note, by its name in the text; it is before `start` in the body.

    Once its file was `looked` for, `place` is the file's path from the top of the note's folder, with its time in ns,
    its size in bytes and its `hash`; all are empty where no file is there. `text` was read of it, "" for nothing, None
    until then. It is `placed` once the chunks of the note include that text.
    """

    target: str
    start: int = 0
    place: str = ""
    mtime_ns: int = 0
    size: int = 0
    hash: str = ""
    looked: bool = False
    placed: bool = False
    text: str | None = None

    @property
    def is_known(self) -> bool:
        """Whether its file and text are known."""
        return self.looked and (not self.hash or self.text is not None)


@dataclass(frozen=True, slots=True)
class PictureFile:
    """A picture of a note whose file is looked for: from the note's `path`, in the folder `source_ref`."""

    note_id: str
    source_ref: str
    path: str
    picture: NotePicture


@dataclass(frozen=True, slots=True)
class ReadPicture:
    """The `text` that a `reader` read of the picture with a hash, "" for none."""

    hash: str
    text: str
    reader: str


@dataclass(frozen=True, slots=True)
class ImageStatus:
    """Pictures of notes: the numbers of files that a model embedded, and that it can't embed."""

    known: int
    failed: tuple[Failed, ...]
    waiting: int


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file next to a note: its place, its path from the top of the folder, and its type if it holds a picture."""

    path: Path
    place: str
    type: str
