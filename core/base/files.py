"""Helpers for regular files, atomic writes of small files, file sizes, disk space, and temporary folders."""

import json
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from errno import EACCES, EINVAL, EISDIR, ELOOP, ENXIO
from logging import getLogger
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeVar

from core.base.codec import DAMAGE
from core.base.errors import SourceError
from core.base.faults import translate_errors
from core.base.frozen import Texts
from core.base.messages import Text, message, reason_of
from core.base.safe_replace import write_sibling

if TYPE_CHECKING:
    from filelock import FileLock


class DiskSpace(NamedTuple):
    free: int
    total: int

    @property
    def nearly_full(self) -> bool:
        """True if the disk is so full that the user should free some space."""
        return self.free < min(0.05 * self.total, 2_000_000_000)


def disk_space(folder: Path) -> DiskSpace:
    """Return the free and total space on a folder's disk, in bytes."""
    usage = shutil.disk_usage(folder)
    return DiskSpace(usage.free, usage.total)


_LOG = getLogger(__name__)
# Default size limit of `read`, in bytes.
SMALL = 4 << 20
BROKEN = ".broken"
# Maximum number of files set aside under one name. After that, the last one is replaced.
_ASIDE = 5
# Permanent errors when reading a file. Any other error, such as too many open files, may be temporary.
_UNREADABLE = {EACCES, EISDIR, ELOOP, ENXIO}
# Flags that prevent `os.open` from blocking on a pipe without a writer.
AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)

T = TypeVar("T")


def identity(place: Path) -> tuple[int, int] | None:
    """Return the device and inode of a file or folder, or None if it is missing."""
    with suppress(OSError):
        status = place.stat()
        return status.st_dev, status.st_ino
    return None


def stamp(place: Path) -> tuple[int, ...] | None:
    """Return a value that differs once a file or its permissions have changed, or None if the file is missing."""
    with suppress(OSError):
        status = place.stat()
        return status.st_size, status.st_mtime_ns, status.st_ctime_ns
    return None


class Unfit(ValueError):
    """A file isn't regular, isn't readable, or is too large."""


def reason(error: Exception) -> Text:
    """Return why a file can't be read or written, usually in the words of the operating system."""
    return getattr(error, "strerror", "") or reason_of(error)


@contextmanager
def open_regular(file: Path) -> Iterator[BinaryIO]:
    """Open a regular file for reading, without blocking on special files.

    Raises Unfit if the file isn't regular or can't be read, and OSError if it is missing or the error may be temporary.
    """
    try:
        handle = os.open(file, os.O_RDONLY | AT_ONCE)
    except OSError as error:
        if error.errno in _UNREADABLE:
            raise Unfit(error.strerror) from error
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Unfit(message("it isn't an ordinary file"))
    with os.fdopen(handle, "rb") as stream:
        yield stream


def check_access(file: Path | str, error: Exception) -> None:
    """Raise SourceError if reading an archive failed because its file is unreadable, not because it is damaged."""
    if isinstance(error, Unfit) or (isinstance(error, OSError) and error.errno not in (None, EINVAL)):
        raise unreadable(file, error) from error


def unreadable(file: Path | str, error: Exception) -> SourceError:
    """Return the error for a user's file that can't be read."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return SourceError(str(file), "There is no such file. Check the path.")
    return SourceError(
        str(file),
        "This file can't be read: {why}. Close the program that uses it, or give Tessera permission to read it.",
        why=reason(error),
    )


@contextmanager
def open_user_file(file: Path, most: int) -> Iterator[BinaryIO]:
    """Open a user's file for reading, without blocking on special files.

    Raises SourceError if the file can't be read, isn't a regular file, or is larger than `most` bytes.
    """
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(open_regular(file))
        except (OSError, RuntimeError, ValueError) as error:
            if isinstance(error, Unfit) and error.__cause__ is None:
                raise SourceError(str(file), "This is a folder or a device, not a file. Choose a file.") from error
            raise unreadable(file, error) from error
        if (size := os.fstat(stream.fileno()).st_size) > most:
            raise SourceError(
                str(file),
                "This file is {size:.1f} MB; the limit is {limit} MB.",
                size=size / 2**20,
                limit=most // 2**20,
            )
        yield stream


def read(file: Path, most: int = SMALL) -> bytes:
    """Read a regular file. Raises the same errors as `open_regular`, and Unfit if it is larger than `most` bytes."""
    with open_regular(file) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise Unfit(message("it is larger than {n} bytes", n=most))
    return data


def parse_json(data: bytes) -> Any:
    """Parse JSON.

    Raises ValueError if the data is invalid or contains lone surrogates, and RecursionError if it is nested too deeply.
    """
    value = json.loads(data)
    json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def load(
    file: Path, check: Callable[[Any], T], *, aside: bool, parse: Callable[[bytes], object] = parse_json
) -> T | None:
    """Read, parse and check a file. Return the result of `check`, or None if the file is missing.

    An unreadable or invalid file counts as missing. With `aside`, it is also set aside. Raises OSError for temporary
    errors.
    """
    try:
        return check(parse(read(file)))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except DAMAGE:
        if aside:
            with suppress(OSError):
                set_aside(file)
        return None


def list_set_aside(folder: Path) -> Texts:
    """Return the names of the files in a folder that were set aside."""
    with suppress(OSError):
        names = (os.fsencode(file.name).decode("utf-8", "replace") for file in folder.iterdir())
        return tuple(sorted(name for name in names if name.rstrip("0123456789-").endswith(BROKEN)))
    return ()


def set_aside(file: Path) -> Path:
    """Rename a damaged file, or anything else at its path, so that the file can be created again.

    Return the new path. Raises OSError.
    """
    places = [
        file.with_name(f"{file.name}{BROKEN}{f'-{number}' if number > 1 else ''}") for number in range(1, _ASIDE + 1)
    ]
    place = next((path for path in places if not os.path.lexists(path)), places[-1])
    delete(place)
    file.rename(place)
    _LOG.warning("%s can't be used; it is set aside as %s and will be created again", file.name, place.name)
    return place


def folder(place: Path) -> Path:
    """Create a folder that only its owner can read, unless it exists. Anything else at the path is set aside."""
    if os.path.lexists(place) and not place.is_dir():
        set_aside(place)
    place.mkdir(mode=0o700, exist_ok=True)
    return place


def delete(place: Path) -> None:
    """Delete a file, a link, or a folder and its contents. Do nothing if the path doesn't exist."""
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


# Pattern for the names of temporary files in `replace`. Those of earlier versions have no suffix.
_TEMPORARY = re.compile(r"\..+\.(?:json|txt|html|toml)\.[a-z0-9_]{8}(?:\.part)?")


def replace(file: Path, text: str | bytes) -> None:
    """Atomically write a file that only its owner can read, replacing any existing file.

    A folder at its path is set aside. Raises OSError.
    """
    data = text.encode("utf-8") if isinstance(text, str) else text
    temporary = write_sibling(file, data, lambda _: None, prefix=f".{file.name}.")
    try:
        if file.is_dir() and not file.is_symlink():
            set_aside(file)
        temporary.replace(file)
    finally:
        with suppress(OSError):
            temporary.unlink()


def create(file: Path, text: str | bytes) -> None:
    """Write a new file that only its owner can read. Raises OSError.

    On Linux, the file has no name until it is complete, so a killed process leaves nothing behind. On other systems,
    `replace` is used.
    """
    data = text.encode("utf-8") if isinstance(text, str) else text
    handle = -1
    with suppress(OSError, AttributeError):  # on other systems, and on disks without support for unnamed files
        handle = os.open(file.parent, os.O_WRONLY | os.O_TMPFILE, 0o600)
    if handle < 0:
        replace(file, data)
        return
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(handle)
        os.link(f"/proc/self/fd/{handle}", file, src_dir_fd=handle)  # `os.link` only follows the link with `src_dir_fd`


def sweep(folder: Path) -> None:
    """Delete temporary files left in a folder by killed processes. Nothing may write to the folder at the same time."""
    for file in folder.iterdir():
        if _TEMPORARY.fullmatch(file.name) and file.is_file():
            with suppress(OSError):
                file.unlink()


def sizes(folder: Path) -> Iterator[tuple[Path, int]]:
    """Yield the files in a folder and its subfolders with their sizes in bytes, skipping any that disappear."""
    for place, _, names in os.walk(folder):
        for name in names:
            file = Path(place, name)
            with suppress(OSError):
                yield file, file.stat().st_size


def size(folder: Path) -> int:
    """Return the total size in bytes of the files in a folder and its subfolders."""
    return sum(size for _, size in sizes(folder))


# Name of the workspace folder for temporary files. Each process has a subfolder and holds that subfolder's lock.
TEMPORARY_FOLDER = "temporary"
_LOCK = "lock"


class TemporaryFolders:
    """This process's temporary folders. Their parent folder is created along with the first one."""

    _own: Path | None = None
    _held: "FileLock | None" = None

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._all = workspace / TEMPORARY_FOLDER
        self._making = Lock()

    def make(self) -> Path:
        """Create an empty folder, to be deleted by the caller. Raises StoreError."""
        from filelock import FileLock  # the import takes 10 ms, and most commands don't need it

        with translate_errors(self._workspace), self._making:
            if self._own is None:
                with FileLock(folder(self._all) / _LOCK, mode=0o600):
                    own = Path(tempfile.mkdtemp(dir=self._all))
                    self._held = FileLock(own / _LOCK, mode=0o600, thread_local=False)
                    self._held.acquire()
                    self._own = own
            return Path(tempfile.mkdtemp(dir=self._own))

    @contextmanager
    def make_scoped(self) -> Iterator[Path]:
        """Create an empty folder, and delete it and its contents on exit. Raises StoreError."""
        folder = self.make()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        with self._making:
            if self._held and self._own:
                self._held.release()
                shutil.rmtree(self._own, ignore_errors=True)
                self._own = self._held = None


def sweep_temporary(workspace: Path) -> None:
    """Delete the temporary folders of processes that have ended. Do nothing if `temporary` is a link."""
    place = workspace / TEMPORARY_FOLDER
    if place.is_symlink() or not place.is_dir():
        return
    from filelock import FileLock, Timeout

    with suppress(OSError), FileLock(place / _LOCK, mode=0o600):
        for path in place.iterdir():
            if path.is_dir() and not path.is_symlink():
                with suppress(OSError, Timeout), FileLock(path / _LOCK, timeout=0, mode=0o600):
                    shutil.rmtree(path, ignore_errors=True)
