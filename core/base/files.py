"""Opening regular files, writing small files atomically, sizes, free space, and temporary folders."""

import json
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from errno import EACCES, EISDIR, ELOOP, ENXIO
from logging import getLogger
from pathlib import Path
from tempfile import mkstemp
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeVar

from core.base.errors import SourceError
from core.base.faults import translate_errors
from core.base.frozen import Texts

if TYPE_CHECKING:
    from filelock import FileLock


class DiskSpace(NamedTuple):
    free: int
    total: int

    @property
    def nearly_full(self) -> bool:
        """Whether the disk is nearly full, so that the user should free space."""
        return self.free < min(0.05 * self.total, 2_000_000_000)


def disk_space(folder: Path) -> DiskSpace:
    """Return the free and total space of the disk with a folder."""
    usage = shutil.disk_usage(folder)
    return DiskSpace(usage.free, usage.total)


_LOG = getLogger(__name__)
SMALL = 4 << 20
"""Maximum size of a small file in bytes."""
BROKEN = ".broken"
_ASIDE = 5
"""Maximum number of files set aside under one name; after that, the last one is replaced."""
_UNREADABLE = {EACCES, EISDIR, ELOOP, ENXIO}
"""Permanent errors on reading a file; others, such as too many open files, may be temporary."""
AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
"""Flags that prevent `os.open` from blocking on a pipe without a writer."""

T = TypeVar("T")


class Unfit(ValueError):
    """A file isn't regular, isn't readable, or is too large."""


def reason(error: Exception) -> str:
    """Return the system's reason why a file can't be read or written."""
    return getattr(error, "strerror", "") or str(error)


@contextmanager
def open_regular(file: Path) -> Iterator[BinaryIO]:
    """Open a regular file for reading, without blocking on special files; raises Unfit and OSError."""
    try:
        handle = os.open(file, os.O_RDONLY | AT_ONCE)
    except OSError as error:
        if error.errno in _UNREADABLE:
            raise Unfit(error.strerror) from error
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Unfit("it isn't a regular file")
    with os.fdopen(handle, "rb") as stream:
        yield stream


@contextmanager
def open_user_file(file: Path, most: int) -> Iterator[BinaryIO]:
    """Open a user's regular file of at most `most` bytes, without blocking; raises SourceError otherwise."""
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(open_regular(file))
        except (OSError, RuntimeError, ValueError) as error:
            if isinstance(error, Unfit) and error.__cause__ is None:
                raise SourceError(str(file), "is not a regular file.") from error
            raise SourceError(str(file), "can't be read: {why}.", why=reason(error)) from error
        if (size := os.fstat(stream.fileno()).st_size) > most:
            raise SourceError(
                str(file), "is {size:.1f} MB; the limit is {limit} MB.", size=size / 2**20, limit=most // 2**20
            )
        yield stream


def read(file: Path, most: int = SMALL) -> bytes:
    """Read a regular file of at most `most` bytes; raises Unfit and OSError."""
    with open_regular(file) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise Unfit(f"it is larger than {most:,} bytes")
    return data


def parse_json(data: bytes) -> Any:
    """Parse JSON; raises ValueError for invalid data and lone surrogates, RecursionError for deep nesting."""
    value = json.loads(data)
    json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def load(
    file: Path, check: Callable[[Any], T], *, aside: bool, parse: Callable[[bytes], object] = parse_json
) -> T | None:
    """Read, parse and check a file; return the result of `check`, or None if the file is missing.

    An unreadable or invalid file counts as missing; with `aside` it is set aside. Raises OSError for temporary errors.
    """
    try:
        return check(parse(read(file)))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        if aside:
            with suppress(OSError):
                set_aside(file)
        return None


def list_set_aside(folder: Path) -> Texts:
    """List the names of files in a folder that were set aside."""
    with suppress(OSError):
        names = (os.fsencode(file.name).decode("utf-8", "replace") for file in folder.iterdir())
        return tuple(sorted(name for name in names if name.rstrip("0123456789-").endswith(BROKEN)))
    return ()


def set_aside(file: Path) -> Path:
    """Rename a damaged file, or anything else at its path, so that it can be created again; return the new path.

    Raises OSError.
    """
    names = (f"{file.name}{BROKEN}{f'-{number}' if number > 1 else ''}" for number in range(1, _ASIDE + 1))
    places = [file.with_name(name) for name in names]
    place = next((path for path in places if not os.path.lexists(path)), places[-1])
    delete(place)
    file.rename(place)
    _LOG.warning("%s can't be used; it is set aside as %s and will be created again", file.name, place.name)
    return place


def folder(place: Path) -> Path:
    """Create a folder that only its owner can read, unless it exists; anything else at the path is set aside."""
    if os.path.lexists(place) and not place.is_dir():
        set_aside(place)
    place.mkdir(mode=0o700, exist_ok=True)
    return place


def delete(place: Path) -> None:
    """Delete a file, a link, or a folder with its content; do nothing if it doesn't exist."""
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


_TEMPORARY = re.compile(r"\..+\.(?:json|txt|html|toml)\.[a-z0-9_]{8}")
"""Names of the temporary files of `replace`, as `mkstemp` makes them."""


def replace(file: Path, text: str | bytes) -> None:
    """Write a file atomically, readable by its owner only, replacing an existing one; raises OSError.

    A folder at its path is set aside.
    """
    data = text.encode("utf-8") if isinstance(text, str) else text
    handle, name = mkstemp(prefix=f".{file.name}.", dir=file.parent)  # with mode 0600
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if file.is_dir() and not file.is_symlink():
            set_aside(file)
        temporary.replace(file)
    finally:
        with suppress(OSError):
            temporary.unlink()


def create(file: Path, text: str | bytes) -> None:
    """Write a new file that only its owner can read; raises OSError.

    On Linux the file has no name until it is complete, so a killed process leaves nothing behind. Elsewhere `replace`
    is used.
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
    """Delete the temporary files that killed processes left in a folder; nothing else may write to it meanwhile."""
    for file in folder.iterdir():
        if _TEMPORARY.fullmatch(file.name) and file.is_file():
            with suppress(OSError):
                file.unlink()


def sizes(folder: Path) -> Iterator[tuple[Path, int]]:
    """Yield the files in a folder with their sizes in bytes; files that disappear meanwhile are skipped."""
    for place, _, names in os.walk(folder):
        for name in names:
            file = Path(place, name)
            with suppress(OSError):
                yield file, file.stat().st_size


def size(folder: Path) -> int:
    """Return the total size of the files in a folder in bytes."""
    return sum(size for _, size in sizes(folder))


TEMPORARY_FOLDER = "temporary"
"""Name of the workspace's folder for temporary files. Each process has a folder in it and holds that folder's lock."""
_LOCK = "lock"


class TemporaryFolders:
    """Temporary folders of this process, in a parent folder that is created with the first."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._all = workspace / TEMPORARY_FOLDER
        self._own: Path | None = None
        self._held: FileLock | None = None
        self._making = Lock()

    def make(self) -> Path:
        """Create an empty folder, which the caller has to delete; raises StoreError."""
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
        """Create an empty folder and delete it with its content on exit; raises StoreError."""
        folder = self.make()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        with self._making:
            if self._held is not None and self._own is not None:
                self._held.release()
                shutil.rmtree(self._own, ignore_errors=True)
                self._own = self._held = None


def sweep_temporary(workspace: Path) -> None:
    """Delete the folders of ended processes; does nothing if `temporary` is a link."""
    place = workspace / TEMPORARY_FOLDER
    if place.is_symlink() or not place.is_dir():
        return
    from filelock import FileLock, Timeout

    with suppress(OSError), FileLock(place / _LOCK, mode=0o600):
        for path in place.iterdir():
            if path.is_dir() and not path.is_symlink():
                with suppress(OSError, Timeout), FileLock(path / _LOCK, timeout=0, mode=0o600):
                    shutil.rmtree(path, ignore_errors=True)
