"""A folder -> its note files, and the bytes of one of them; never anything outside the folder."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

from core.encoding import MAX_BYTES, decode, too_large
from core.errors import SourceError
from core.notefile import NOTE_SUFFIXES

SKIPPED_FOLDERS = frozenset({"node_modules", "__MACOSX"})
"""Left out beside everything whose name begins with a dot."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file of the folder; `content_hash` is empty until it is read."""

    path: str
    mtime_ns: int
    size: int
    content_hash: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """A file or folder that can't be used, and why."""

    path: str
    error: str


@dataclass(frozen=True, slots=True)
class Scan:
    """The note files of a folder in the order of their paths, and what can't be looked at."""

    folder: Path
    files: tuple[Found, ...]
    failed: tuple[Failed, ...]


def content_hash(data: bytes) -> str:
    """Fingerprint a file's bytes: BLAKE2b, 16 bytes, hexadecimal."""
    return blake2b(data, digest_size=16).hexdigest()


def scan(folder: Path, *, forbidden: Path | None = None) -> Scan:
    """List the note files of a folder without reading them.

    `forbidden` is the workspace: it is left out, and a folder inside it is refused. Raises
    SourceError for that, and for a folder that is missing, no folder, or without notes.
    """
    root = _root(folder, forbidden)
    files: list[Found] = []
    failed: list[Failed] = []
    for entry in _walk(root, forbidden.resolve() if forbidden else None):
        if isinstance(entry, Failed):
            failed.append(entry)
        else:
            files.append(entry)
    if not files and not failed:
        raise SourceError(str(folder), f"There are no {_suffixes()} files in this folder.")
    return Scan(root, tuple(sorted(files, key=lambda file: file.path)), tuple(failed))


def read(folder: Path, path: str) -> bytes:
    """Return the bytes of the note file at `path` in `folder`.

    Raises SourceError where it can't be read, is over the limit, or isn't in the folder any more.
    """
    full = folder / path
    try:
        if not full.resolve(strict=True).is_relative_to(folder.resolve()):
            raise SourceError(path, "is a link out of the folder: refused.")
        about = full.stat()
        if not stat.S_ISREG(about.st_mode):
            raise SourceError(path, "is not an ordinary file.")
        if about.st_size > MAX_BYTES:
            raise too_large(path, about.st_size)
        with full.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, RuntimeError) as error:
        raise SourceError(path, f"can't be read: {_why(error)}.") from error
    if len(data) > MAX_BYTES:
        raise too_large(path, len(data))
    return data


def hashed(folder: Path, file: Found) -> Found:
    """Return the file with its content's hash; raises SourceError where it can be no note."""
    data = read(folder, file.path)
    decode(data, file.path)
    return replace(file, content_hash=content_hash(data))


def _root(folder: Path, forbidden: Path | None) -> Path:
    try:
        root = folder.expanduser().resolve(strict=True)
        is_folder = root.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        reason = "This folder doesn't exist. Check the path."
        raise SourceError(str(folder), reason) from error
    if not is_folder:
        raise SourceError(str(folder), "This is a file, not a folder. Give the folder it is in.")
    if forbidden is not None and root.is_relative_to(forbidden.resolve()):
        raise SourceError(str(folder), "This folder is inside Tessera's own workspace. Choose another one.")
    return root


def _walk(root: Path, forbidden: Path | None) -> Iterator[Found | Failed]:
    """Every note file below the root; linked folders aren't entered: inside ones are met in place."""
    folders = [root]
    while folders:
        folder = folders.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            yield Failed(_shown(folder, root), f"can't be opened: {_why(error)}.")
            continue
        for entry in entries:
            if entry.name.startswith(".") or entry.name in SKIPPED_FOLDERS:
                continue
            if not entry.is_symlink() and entry.is_dir(follow_symlinks=False):
                if Path(entry.path) != forbidden:
                    folders.append(Path(entry.path))
            else:
                yield from _looked_at(entry, root)


def _looked_at(entry: "os.DirEntry[str]", root: Path) -> Iterator[Found | Failed]:
    """What one entry that is no real folder comes to: nothing, where it is no note."""
    path = _shown(Path(entry.path), root)
    is_note = entry.name.lower().endswith(NOTE_SUFFIXES)
    try:
        if entry.is_symlink():
            target = Path(entry.path).resolve()
            if not target.is_relative_to(root):
                if is_note or target.is_dir():
                    yield Failed(path, "is a link out of the folder: refused.")
                return
            if target.is_dir():
                return
        if not is_note:
            return
        about = entry.stat()
    except (OSError, RuntimeError) as error:
        yield Failed(path, f"can't be read: {_why(error)}.")
        return
    if any("\ud800" <= char <= "\udfff" for char in entry.path[len(str(root)) :]):
        yield Failed(path, "its name is not valid text. Rename it and sync again.")
    elif not stat.S_ISREG(about.st_mode):
        yield Failed(path, "is not an ordinary file.")
    else:
        yield Found(path, about.st_mtime_ns, about.st_size)


def _shown(path: Path, root: Path) -> str:
    """The path from the root with forward slashes; bytes that are no text are written out."""
    relative = path.relative_to(root).as_posix()
    return relative.encode("utf-8", "backslashreplace").decode("utf-8")


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _suffixes() -> str:
    return f"{', '.join(NOTE_SUFFIXES[:-1])} or {NOTE_SUFFIXES[-1]}"
