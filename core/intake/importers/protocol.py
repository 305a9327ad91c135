"""The protocol of an importer, and what it makes of the notes of another program."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Protocol

from core.model import Failed, Omission


@dataclass(frozen=True, slots=True)
class Imported:
    """A note of another program as Markdown with front matter; `path` is where it belongs below the top of its base.

    `left_out` names what the text lacks.
    """

    path: str
    text: str
    left_out: tuple[Omission, ...] = ()


class Importer(Protocol):
    """Reads the notes of another program. Its constructor takes their folder, which is hostile, and reads nothing."""

    @property
    def name(self) -> str:
        """What the program is called."""

    @property
    def knows(self) -> bool:
        """Whether the folder holds notes of this program, by its files; cheap, and false for a folder without them."""

    @property
    def keeps_files(self) -> bool:
        """Whether each file is the note of the same path, so that the folder stays the source of its notes.

        Else it is an export, whose notes are written as files of other names.
        """

    def notes(self, paths: Collection[str] = ()) -> Iterator[Imported | Failed]:
        """Yield the notes of these files, all without `paths`, in the same order for the same folder.

        It reads no file outside of the folder and asks no network. What can't be read is a Failed.
        """
