"""The note that a broken link names: a click begins to write it."""

import posixpath
from pathlib import PurePosixPath

from core.model import NOTE_SUFFIXES
from pages.ui.notes import composer


def begin(base: str, target: str) -> None:
    """Begin the note that a link in a note of this base leads to; for callbacks."""
    composer.begin(base, title=_title(target), folder=_folder(target))


def _title(target: str) -> str:
    name = PurePosixPath(target).name
    return name[: -len(PurePosixPath(name).suffix)] if name.lower().endswith(NOTE_SUFFIXES) else name


def _folder(target: str) -> str:
    """Return the folder that a link names, as far as it is in the base."""
    folder = posixpath.dirname(posixpath.normpath(target).lstrip("/"))
    return "" if folder.startswith("..") else folder
