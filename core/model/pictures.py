"""Pictures that stand in notes."""

from dataclasses import dataclass
from pathlib import Path

from core.model.notes import Failed


@dataclass(frozen=True, slots=True)
class NotePicture:
    """A picture of a note, as the text names it; it stands before `start` in the body.

    Once its file was `looked` for, `place` is the file's path from the top of the note's folder, with its time in ns,
    its size in bytes and its `hash`; all are empty where no file is there. `text` is what was read of it, "" for
    nothing, None until then. It is `placed` once the chunks of the note are as that says.
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
        """Whether there is nothing to be found out any more."""
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
    """What was read of the picture with a hash by a `reader`: its `text`, "" for none."""

    hash: str
    text: str
    reader: str


@dataclass(frozen=True, slots=True)
class ImageStatus:
    """Pictures of notes: of how many files what they show is known to a model, and how many it can't be of."""

    known: int
    failed: tuple[Failed, ...]
    waiting: int


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file beside a note: where it lies, its path from the top of the folder, and its type if it holds a picture."""

    path: Path
    place: str
    type: str
