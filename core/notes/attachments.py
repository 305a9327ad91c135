"""Pictures and other files of notes, found in a note's folder and never outside it."""

import hashlib
import os
import posixpath
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path, PurePosixPath

from core.base import safe_replace
from core.base.call_log import log_call
from core.base.errors import EditError, SourceError
from core.base.faults import FILES, FULL
from core.base.files import reason
from core.base.text import find_half_character, name_key
from core.indexing.bases import Bases
from core.intake.notefile import is_skipped
from core.markdown.body import attachments_in
from core.model import Attachment, Author, KnowledgeBase, Note
from core.notes.links import NoteLinks
from core.store import Store

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
"""Picture type -> first bytes of its files. The suffix isn't reliable: many .jpg files contain a PNG."""
_HEAD = 1024
"""Number of bytes read to detect a file's type."""

MOST = 50_000_000
"""Maximum size of an attachment in bytes; a larger one isn't shown."""
_SEARCHED = 50_000
"""Maximum number of files in a folder among which an attachment is searched by name alone."""
_FRESH = 20
"""Seconds for which the listing of a folder is cached."""


def locate(folder: str, path: str, target: str) -> Attachment | None:
    """Return the attachment `target` of the note at `path` in `folder`; None if it is missing.

    `target` is a path relative to the note or to `folder`, with a leading `/` only to `folder`, or a file name alone,
    as in Obsidian. Files aren't found if they are outside `folder`, also by way of file system links, in hidden
    folders, larger than MOST or unreadable, or if no URL can hold their names.
    """
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
    except (OSError, RuntimeError, ValueError):  # RuntimeError: a symlink loop
        return None


def _type(file: Path) -> str:
    """Return the type of a picture, "" for other files; raises OSError if the file can't be read."""
    with file.open("rb") as stream:
        head = stream.read(_HEAD)
    return picture_type(head) if file.suffix.lower() in _PICTURE_SUFFIXES else ""


def picture_type(data: bytes) -> str:
    """Return the type of a picture by its first bytes, "" for other data."""
    return next((kind for kind, begins in _SIGNATURES.items() if begins.match(data)), "")


def is_inside(path: Path, top: Path, most: int = MOST) -> bool:
    """Return whether a file's real path is in a folder and not hidden, and the file has at most `most` bytes."""
    real, top = path.resolve(), top.resolve()
    if not real.is_relative_to(top) or any(map(is_skipped, real.relative_to(top).parts)):
        return False
    return real.is_file() and real.stat().st_size <= most


def _on_disk(top: Path, path: Path) -> Path:
    """Return a path with the names spelled as on disk; a path outside the folder stays unchanged."""
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
    """Return the names of a folder's first files and folders by normalized name.

    The second argument is the time in units of `_FRESH`, so that cached results expire.
    """
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


# Pictures that the user pastes into a note: one file each, next to the folder's notes and never outside it.

MOST_PASTED = 20_000_000
"""Maximum size of a picture in bytes: a phone's photo is smaller, and a larger picture is slow to show."""
FOLDER = "attachments"
_SUFFIXES = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/avif": ".avif",
    "image/bmp": ".bmp",
}
"""Accepted picture types -> suffix; SVG isn't accepted because it could contain a script."""
_NAME = 40
"""Maximum number of characters of the original name to keep."""


def check_picture(data: bytes) -> str:
    """Return the suffix for a picture; raises EditError for data that is too large or isn't a picture."""
    if len(data) > MOST_PASTED:
        raise EditError(
            "The picture is larger than {limit} MB. Make it smaller, then insert it again.",
            limit=MOST_PASTED // 1_000_000,
        )
    suffix = _SUFFIXES.get(picture_type(data))
    if suffix is None:
        raise EditError(
            "Only pictures can be inserted: PNG, JPEG, GIF, WebP, AVIF and BMP. This file has another format."
        )
    return suffix


def save(top: Path, name: str, data: bytes) -> str:
    """Write a picture atomically into the folder `FOLDER` of `top`; return its path relative to `top`.

    Its name ends with a part of its hash, so the same picture is stored once. Raises EditError.
    """
    suffix = check_picture(data)
    digest = hashlib.sha256(data).hexdigest()
    folder = top / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not folder.resolve().is_relative_to(top.resolve()):
            raise EditError("The folder {folder} points elsewhere. The picture wasn't saved.", folder=str(folder))
        for length in (8, len(digest)):
            file = folder / f"{_stem(name)}-{digest[:length]}{suffix}"
            if _written(file, data):
                return f"{FOLDER}/{file.name}"
    except (OSError, RuntimeError) as error:
        why = reason(error)
        if getattr(error, "errno", None) in FULL:
            raise EditError("There is no space left for the picture ({why}).", why=why) from error
        raise EditError("The picture can't be saved in {folder} ({why}).", folder=str(folder), why=why) from error
    raise EditError("Another file is already in the place of the picture: {path}.", path=str(file))


def _written(file: Path, data: bytes) -> bool:
    """Write a new file; return False if another file with other data has its name."""
    if os.path.lexists(file):
        return file.is_file() and not file.is_symlink() and file.read_bytes() == data
    try:
        safe_replace.create(file, data)
    except FileExistsError:
        return file.read_bytes() == data
    return True


def _stem(name: str) -> str:
    """Return a file name that is valid on every system and needs no escaping in links."""
    words = re.sub(r"[^\w-]+", "-", PurePosixPath(name.replace("\\", "/")).stem[:_NAME]).strip("-_")
    return f"picture-{words}" if words.isdigit() or len(words) < 4 else words


class Attachments:
    """Pictures and files of the notes in all bases; `links` returns the links between the notes."""

    most_bytes = MOST_PASTED
    """Maximum size of a new picture in bytes."""

    def __init__(self, store: Store, bases: Bases, links: Callable[[], NoteLinks]) -> None:
        self._store, self._bases, self._links = store, bases, links
        self.own_folder = store.folder / FILES
        """Folder in the workspace for pictures that don't go into a user's folder."""

    def find(self, note_id: str, target: str) -> Attachment | None:
        """Return the picture or file that a note names, None if it is missing; raises NoteNotFound.

        A note from a file finds files in its folder, if its base was synced with that folder. Other notes find files in
        the folders of their base and pictures that were pasted into the workspace.
        """
        return self._find_in_folders(self._store.notes.note(note_id), target)

    def missing(self, note: Note) -> tuple[str, ...]:
        """Return the names of missing pictures and files, as written in a note."""
        try:
            named = () if note.plain else attachments_in(note.body, str(note.path))
        except SourceError:
            return ()
        lost = [target for target in named if not self._find_in_folders(note, target)]
        return tuple(target for target in lost if not self._links().target(note, target))

    @log_call("note.attach")
    def add(self, base: str, name: str, data: bytes, *, note_id: str = "", author: Author = "person") -> str:
        """Write a picture for a note in a base, or for a new note; return the path to use in the note's text.

        If the base writes files for the author, the picture goes into the folder of the note's file or another folder
        of the base, else into the workspace. Raises EditError for data that isn't a picture or can't be written.
        """
        self._store.database.check_writable()
        note, into = self._store.notes.note(note_id) if note_id else None, self._bases.find(base)
        folders = self._folders(into) if into and into.writes_files_of(author) else []
        own = [folder for folder in folders if note and note.in_file and str(folder) == note.source_ref]
        path = save([*own, *folders, self.own_folder][0], name, data)
        return posixpath.relpath(path, posixpath.dirname(str(note.path))) if note and own else path

    def _find_in_folders(self, note: Note, target: str) -> Attachment | None:
        found = (locate(str(top), str(note.path), target) for top in self._tops(note))
        return next(filter(None, found), None)

    def _tops(self, note: Note) -> list[Path]:
        """Return the folders that may contain the files of a note."""
        if note.in_file:
            return [Path(note.source_ref)] if self._store.bases.is_synced(note.base_id, note.source_ref) else []
        return [*self._folders(self._bases.by_id(note.base_id)), self.own_folder]

    def _folders(self, base: KnowledgeBase) -> list[Path]:
        """Return the existing folders of a base."""
        folders = (Path(sync.folder) for sync in self._store.bases.syncs(base))
        return [folder for folder in folders if folder.is_absolute() and folder.is_dir()]
