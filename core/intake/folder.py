"""Lists and reads the note files in a folder. Nothing outside the folder is read."""

import os
import stat
import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from operator import attrgetter
from pathlib import Path, PurePosixPath
from time import time_ns
from typing import Any, Literal

from core.base.errors import SourceError
from core.base.files import reason
from core.base.frozen import frozen
from core.base.messages import message
from core.base.text import compose, escape_halves, find_half_character
from core.documents import kinds
from core.documents.converting import is_document
from core.documents.kinds import nothing_read, why_not_read
from core.intake.encoding import MAX_BYTES, decode_file
from core.intake.ignoring import Ignoring
from core.intake.importers import is_export, read_bytes
from core.intake.notefile import is_note
from core.intake.placeholders import (
    PLACEHOLDER,
    EmptyFile,
    NotDownloaded,
    is_placeholder,
    placeholder_target,
)
from core.model import TEXT_SUFFIX, Failed, SourceFile

# Latest time that SQLite can store, in nanoseconds since 1970. The timestamp of a file may be later.
_LATEST = 2**63 - 1
# A file that changes twice within this many nanoseconds may keep its timestamp, because FAT has a resolution of 2 s.
_RECENT = 2_000_000_000


class Paths:
    """A set of relative paths with forward slashes. A folder in the set includes all its contents.

    Paths are compared in composed form (NFC), because a watcher and a directory listing may report the same name in
    different Unicode forms.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = frozenset(map(compose, paths))
        self._above = {above for path in self._paths for above in ancestry(path)}

    def __contains__(self, path: str) -> bool:
        return any(item in self._paths for item in ancestry(compose(path)))

    def lead_through(self, folder: str) -> bool:
        """Return whether any path in the set is `folder`, is inside it, or contains it."""
        return compose(folder) in self._above or folder in self


def ancestry(path: str) -> Iterator[str]:
    """Yield a path and the folders that contain it, innermost first."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def free_path(path: str, taken: Container[str]) -> str:
    """Return a path, with a number appended if the path is taken. Finding the number takes logarithmic time."""
    if path not in taken:
        return path
    pure = PurePosixPath(path)

    def numbered(number: int) -> str:
        return str(pure.with_name(f"{pure.stem} {number}{pure.suffix}"))

    high = 2
    while numbered(high) in taken:
        high = 2 * high
    # Half of that number is taken, and 1 isn't used.
    first = high // 2 + 1
    return numbered(bisect_left(range(high), True, first, key=lambda number: numbered(number) not in taken))


class TakenNames(Container[str]):
    """The names already in use: those for which `is_stored` returns True, and those passed to `add`."""

    def __init__(self, is_stored: Callable[[str], bool]) -> None:
        self._is_stored = is_stored
        self._given = set[str]()

    def __contains__(self, name: object) -> bool:
        return name in self._given or self._is_stored(str(name))

    def add(self, name: str) -> None:
        self._given.add(name)


# Whether a scan includes text files (for a plain base), notes, notes and documents, or pictures as well.
ScanScope = Literal["text", "notes", "documents", "pictures"]


@frozen
class Scan:
    """The note files and documents in a folder, sorted by path, and any files and folders that can't be read.

    Files in `not_downloaded` exist only as placeholders. Files in `skipped` are of unsupported kinds. Files and folders
    in `left_out` are excluded by the user or by a rule.
    """

    folder: Path
    files: tuple[SourceFile, ...]
    failed: tuple[Failed, ...]
    not_downloaded: tuple[Failed, ...] = ()
    skipped: tuple[Failed, ...] = ()
    left_out: tuple[Failed, ...] = ()


class _Skipped(Failed):
    """A file of an unsupported kind."""


class _NotDownloaded(Failed):
    """A file that isn't downloaded yet."""


class _LeftOut(Failed):
    """A file or folder that is excluded by the user or by a rule."""


def content_hash(data: bytes) -> str:
    """Return the 16-byte BLAKE2b hash of a file's bytes in hexadecimal."""
    return blake2b(data, digest_size=16).hexdigest()


def scan(
    folder: Path,
    *,
    forbidden: Path | None = None,
    scope: ScanScope = "documents",
    most: int = sys.maxsize,
    only: Paths | None = None,
) -> Scan:
    """List the files in a folder that can become notes, without reading them.

    `forbidden` is the workspace, which is left out. Raises SourceError if the folder is inside the workspace, is
    missing, isn't a folder, contains no notes, or contains more than `most` entries of any kind. With `only`, just the
    given paths are scanned, and the result may be empty.
    """
    root = root_of(folder, forbidden)
    entries = list(_walk(root, forbidden.resolve() if forbidden else None, most, only, pictures=scope == "pictures"))
    if scope == "notes":
        entries = [entry for entry in entries if not is_document(entry.path)]
    if scope == "text":
        # Keep only text files directly in the folder, and the failure if the folder can't be opened.
        entries = [
            entry
            for entry in entries
            if "/" not in entry.path and (entry.path.lower().endswith(TEXT_SUFFIX) or entry.path == ".")
        ]
    found = defaultdict[type, list[Any]](list)
    for entry in entries:
        found[type(entry)].append(entry)
    files = found[SourceFile]
    failed, away, skipped, left_out = (
        tuple(Failed(item.path, item.error) for item in found[kind])
        for kind in (Failed, _NotDownloaded, _Skipped, _LeftOut)
    )
    if only is None and not (files or failed or away):
        if scope == "text":
            raise SourceError(str(folder), "There are no .txt files in this folder.")
        raise SourceError(str(folder), nothing_read(item.path for item in skipped))
    return Scan(root, tuple(sorted(files, key=attrgetter("path"))), failed, away, skipped, left_out)


def is_entered(root: Path, path: str) -> bool:
    """Return whether a scan of a folder would include the file at the given path. The file need not exist yet."""
    rules = Ignoring(root)
    for place in reversed(list(ancestry(path))):
        rules.enter(place.rpartition("/")[0])
        is_folder = place != path
        if rules.reason(place, is_folder=is_folder):
            return False
        with suppress(OSError):  # an overlong name is reported when the file is written
            if is_folder and (root / place).is_symlink():
                return False
    return True


def read(folder: Path, path: str) -> bytes:
    """Return the bytes of the note file at `path` in `folder`.

    Raises SourceError if the file can't be read, is too large, or is no longer in the folder, and NotDownloaded if the
    file hasn't been downloaded yet.
    """
    data = read_bytes(folder, path, kinds.MAX_BYTES if is_document(path, pictures=True) else MAX_BYTES)
    if data and not data.strip(b"\0"):
        raise NotDownloaded(
            path, message("This file contains only zero bytes. Wait until its program has finished writing it.")
        )
    return data


def is_safe(path: str) -> bool:
    """Return whether a note's path stays inside its folder. See also `harmless_path`, for paths valid everywhere."""
    return not any(part.strip() in ("", ".", "..") for part in path.split("/")) and "\0" not in path


def with_text(folder: Path, file: SourceFile, encoding: str = "") -> SourceFile:
    """Return `file` with the hash of its contents and, unless it is a document, with its text.

    `encoding` is the encoding chosen by the user. Raises SourceError if the file can't be a note, and EmptyFile if it
    is empty.
    """
    data = read(folder, file.path)
    if not data:
        raise EmptyFile(file.path)
    file = replace(file, content_hash=content_hash(data))
    if is_document(file.path, pictures=True):
        return file
    found = decode_file(data, file.path, chosen=encoding)
    return replace(file, text=found.text, encoding=found.text_encoding)


def root_of(folder: Path, forbidden: Path | None) -> Path:
    """Return the real path of the folder to import. Raises SourceError like `scan`."""
    try:
        root = folder.expanduser().resolve(strict=True)
        is_folder = root.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        raise SourceError(str(folder), "This folder doesn't exist. Check the path.") from error
    if not is_folder:
        raise SourceError(str(folder), "This is a file, not a folder. Choose the folder that contains it.")
    if find_half_character(str(root)) is not None:
        raise SourceError(escape_halves(str(root)), "This name isn't valid text. Change it, then update again.")
    if forbidden is not None and root.is_relative_to(forbidden.resolve()):
        raise SourceError(str(folder), "This folder is inside Tessera's own workspace. Choose another folder.")
    return root


def _walk(
    root: Path, forbidden: Path | None, most: int, only: Paths | None, *, pictures: bool
) -> Iterator[SourceFile | Failed]:
    """Yield the note files below the root, and failures for other entries. Links to folders are skipped."""
    folders = [root]
    left = most
    rules = Ignoring(root)
    while folders:
        folder = folders.pop()
        place = "" if folder == root else f"{folder.relative_to(root).as_posix()}/"
        rules.enter(place.rstrip("/"))
        try:
            entries = sorted(os.scandir(folder), key=attrgetter("name"))
        except OSError as error:
            yield Failed(
                escape_halves(place.rstrip("/") or "."),
                message("This folder can't be opened: {why}.", why=reason(error)),
            )
            continue
        names = {entry.name for entry in entries}
        left -= len(entries)
        if left < 0:
            raise SourceError(
                str(root), "This folder contains more than {n} files. Choose a folder with only notes.", n=most
            )
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            away = "" if is_folder else placeholder_target(entry.name)
            if away and not (is_note(away) or is_document(away, pictures=pictures)):
                away = ""
            path = escape_halves(place + (away or entry.name))
            if only and not only.lead_through(path):
                continue
            is_apart = is_folder and folder == root and is_export(Path(entry.path))
            if why := kinds.EXPORT if is_apart else rules.reason(path, is_folder=is_folder):
                yield _LeftOut(f"{path}/" if is_folder else path, why)
            elif away:
                if away not in names:
                    yield _NotDownloaded(path, PLACEHOLDER)
            elif not is_folder:
                yield from _check_entry(entry, path, root, pictures=pictures)
            elif Path(entry.path) != forbidden:
                folders.append(Path(entry.path))
    yield from rules.failed


def _check_entry(entry: "os.DirEntry[str]", path: str, root: Path, *, pictures: bool) -> Iterator[SourceFile | Failed]:
    """Yield a directory entry as a note file or as a failure, or yield nothing if it can't be a note."""
    has_note_name = is_note(entry.name) or is_document(entry.name, pictures=pictures)
    try:
        if entry.is_symlink():
            target = Path(entry.path).resolve()
            if not target.is_relative_to(root):
                if has_note_name or target.is_dir():
                    yield Failed(path, message("This is a link that points outside the folder. It was not imported."))
                return
            if target.is_dir():
                return
        if not has_note_name:
            yield _Skipped(path, why_not_read(path))
            return
        status = entry.stat()
    except (OSError, RuntimeError) as error:
        yield Failed(path, message("This file can't be read: {why}.", why=reason(error)))
        return
    if find_half_character(entry.path[len(str(root)) :]) is not None:
        yield Failed(path, message("This name isn't valid text. Change it, then update again."))
    elif not stat.S_ISREG(status.st_mode):
        yield Failed(path, message("This is a device or a pipe, not a file. It was not imported."))
    elif is_placeholder(status):
        yield _NotDownloaded(path, PLACEHOLDER)
    else:
        now = time_ns()
        recent = [at for at in (status.st_mtime_ns, status.st_ctime_ns) if abs(now - at) < _RECENT]
        # File systems with finer timestamps have clocks that advance in steps of up to 16 ms.
        settled = all(abs(now - at) >= 100_000_000 and at % 1_000_000 > 0 for at in recent)
        yield SourceFile(
            path,
            max(-_LATEST, min(status.st_mtime_ns, _LATEST)),
            status.st_size,
            # The stamp stays empty until it is reliable.
            stamp=f"{status.st_ctime_ns} {status.st_ino}" if settled else "",
            recent=bool(recent),
        )
