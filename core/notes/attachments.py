"""Pictures and other files of a note, in the folder that it was read from and never outside of it."""

import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path, PurePosixPath

from core.base.text import find_half_character, name_key
from core.intake.notefile import is_skipped
from core.model import Attachment, Note

_PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".bmp", ".svg")
_SIGNATURES: Mapping[str, re.Pattern[bytes]] = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"(?s)RIFF.{4}WEBP"),
    "image/avif": re.compile(rb"(?s).{4}ftypavi[fs]"),
    "image/bmp": re.compile(rb"BM"),
    "image/svg+xml": re.compile(rb"(?i)(?:\xef\xbb\xbf)?\s*<(?:\?xml|!--|!DOCTYPE\s+svg|svg)[\s>-]"),
}
"""Type of a picture -> how its file begins. A suffix alone tells nothing: many a .jpg holds a PNG."""
_HEAD = 1024
"""Bytes that tell what a file is."""

MOST = 50_000_000
"""Bytes of an attachment; a larger one isn't shown."""
_SEARCHED = 50_000
"""Files of a folder among which an attachment is looked for by its name alone."""
_FRESH = 20
"""Seconds for which a folder isn't looked through again."""


def find(note: Note, target: str) -> Attachment | None:
    """Return the attachment with the path that a note names, or, as in Obsidian, with the name alone; else None.

    A path is one from the note's own place, then from the top of its folder; with `/` before it only that. Nothing
    outside of the folder is found, by a link of the file system neither, nothing in a folder whose name begins with a
    dot, nothing that can't be read or named in an address, and no larger file than MOST.
    """
    return locate(note.source_ref, str(note.path), target) if note.in_file else None


def locate(folder: str, path: str, target: str) -> Attachment | None:
    """Return the attachment that a note at a path in a folder names, as `find` does."""
    if "\0" in target:
        return None
    top = Path(folder)
    name = target.replace("\\", "/")
    own = top / PurePosixPath(path).parent
    places = [top / name.lstrip("/")] if name.startswith("/") else [own / name, top / name]
    try:
        found = next(
            (path for path in (*places, *(_on_disk(top, place) for place in places)) if is_inside(path, top)), None
        )
        if found is None and "/" not in name:
            found = _by_name(top, int(time.monotonic() / _FRESH)).get(name_key(name))
        if found is None or not is_inside(found, top):
            return None
        real = found.resolve()
        place = real.relative_to(top.resolve()).as_posix()
        return None if find_half_character(place) is not None else Attachment(real, place, _type(real))
    except (OSError, RuntimeError, ValueError):  # RuntimeError: a link that leads to itself
        return None


def _type(file: Path) -> str:
    """Return the type of a picture, empty for another file; raises OSError where it can't be read."""
    with file.open("rb") as stream:
        head = stream.read(_HEAD)
    return picture_type(head) if file.suffix.lower() in _PICTURE_SUFFIXES else ""


def picture_type(data: bytes) -> str:
    """Return the type of a picture by its first bytes, empty for other data."""
    return next((kind for kind, begins in _SIGNATURES.items() if begins.match(data)), "")


def is_inside(path: Path, top: Path, most: int = MOST) -> bool:
    """Return whether a file is in the folder, also by its real path, isn't hidden and isn't larger than `most`."""
    real, top = path.resolve(), top.resolve()
    if not real.is_relative_to(top) or any(map(is_skipped, real.relative_to(top).parts)):
        return False
    return real.is_file() and real.stat().st_size <= most


def _on_disk(top: Path, path: Path) -> Path:
    """Return a path in a folder with the names that the file system has there, another path as it is."""
    inside = Path(os.path.relpath(path, top)).parts
    if os.pardir in inside:
        return path
    place = top
    for name in inside:
        there = place / name
        place = (
            there
            if there.exists()
            else place / _names_in(place, int(time.monotonic() / _FRESH)).get(name_key(name), name)
        )
    return place


@lru_cache(64)
def _names_in(folder: Path, _: int) -> dict[str, str]:
    """Return the names of a folder's first files and folders by their common form."""
    with suppress(OSError), os.scandir(folder) as entries:
        return {name_key(entry.name): entry.name for entry in islice(entries, _SEARCHED)}
    return {}


@lru_cache(4)
def _by_name(top: Path, _: int) -> dict[str, Path]:
    names: dict[str, Path] = {}
    for path in islice(_files(top), _SEARCHED):
        names.setdefault(name_key(path.name), path)
    return names


def _files(top: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(top):
        folders[:] = sorted(name for name in folders if not is_skipped(name))
        yield from (Path(folder, name) for name in sorted(files))
