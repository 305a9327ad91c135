"""Replacement of a file that other programs may be writing at the same time, without losing any text.

The new file and the old one are swapped in one step, and then the old one is read. If its contents aren't as expected,
the files are swapped back. See docs/decisions/0029-files-of-others.md.
"""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager, suppress
from errno import EAGAIN, EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP
from functools import partial
from pathlib import Path
from tempfile import mkstemp

from core.base.datetimes import utc_now

PREFIX = ".tessera-"
# Prefix and suffix of a file that is still being written. The leading dot hides it from every sync.
SUFFIX = ".part"

# Seconds to wait for another program to finish writing a file.
_PATIENCE = 1.0
_LOOK = 0.005
_UNSUPPORTED = {ENOSYS, EINVAL, ENOTSUP, EOPNOTSUPP}
_AT_FDCWD = -100
_SWAP = 2


class Changed(Exception):
    """Another program changed the file, and its text was kept. `copy` is the path of a conflict copy, or None."""

    def __init__(self, copy: Path | None = None) -> None:
        super().__init__(copy)
        self.copy = copy


def swap(file: Path, data: bytes, expected: bytes) -> os.stat_result:
    """Atomically replace a file containing `expected` with `data`. Return the `stat` result of the new file.

    Raises Changed if the file contains anything else or another program keeps writing to it. Also raises OSError.
    """
    state = file.stat()
    if _read_settled(file) != expected:
        raise Changed
    new = write_sibling(file, data, partial(_resemble, like=state))
    written = new.stat()
    done = False
    try:
        done = _exchange_expected(new, file, data, expected)
    except FileNotFoundError:
        pass  # the file has been deleted in the meantime
    finally:
        copy = _discard_or_rescue(new, file, (data, expected))
        sync_folder(file.parent)
    if not done:
        raise Changed(copy)
    return written


def _exchange_expected(new: Path, file: Path, ours: bytes, expected: bytes) -> bool:
    """Swap the new and the old file, and swap back unless the old file contained `expected`.

    Return whether the old file contained `expected`.
    """
    exchange(new, file)
    if _read_settled(new) == expected:
        return True
    exchange(new, file)
    if _read_settled(new) != ours:
        exchange(new, file)  # the file was written again in the meantime, and the later text wins
    return False


def _discard_or_rescue(new: Path, file: Path, harmless: Container[bytes]) -> Path | None:
    """Delete the file left over from a swap and return None.

    If another program wrote to it, keep it as a conflict copy and return the path of the copy.
    """
    if not new.exists() or _read_settled(new, harmless) in harmless:
        return None
    copy = _copy_name(file)
    new.rename(copy)
    return copy


def _copy_name(file: Path) -> Path:
    at = utc_now().strftime("%Y-%m-%d %H-%M-%S.%f")
    return file.with_name(f"{file.stem[:60]} (conflict {at}){file.suffix}")


def write_sibling(file: Path, data: bytes, prepare: Callable[[Path], object], prefix: str = PREFIX) -> Path:
    """Write a new file next to another path and flush it to disk. Only its owner can read it.

    `prepare` may set other permissions and times.
    """
    handle, name = mkstemp(prefix=prefix, suffix=SUFFIX, dir=file.parent)
    new = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            prepare(new)
            os.fsync(stream.fileno())
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    return new


def create(file: Path, data: bytes) -> None:
    """Create a new file atomically with the permissions of its folder.

    Raises FileExistsError if the file exists, or another OSError.
    """
    rights = file.parent.stat().st_mode & 0o666 | 0o600
    new = write_sibling(file, data, lambda path: path.chmod(rights))
    try:
        rename_free(new, file)
        sync_folder(file.parent)
    finally:
        with suppress(OSError):
            new.unlink()


def remove(file: Path, expected: bytes) -> None:
    """Delete a file containing `expected`. Raises the same errors as `swap`."""
    if _read_settled(file, (expected,)) != expected:
        raise Changed
    sync_folder(file.parent)


def _resemble(new: Path, like: os.stat_result) -> None:
    if sys.platform != "win32":
        with suppress(OSError):
            os.chown(new, like.st_uid, like.st_gid)
    new.chmod(like.st_mode & 0o7777)
    # Set a unique modification time, so that a sync notices every later write.
    os.utime(new, ns=(time.time_ns(), time.time_ns()))


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries to disk, if the system can open folders."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _read_settled(file: Path, drop: Container[bytes] = ()) -> bytes | None:
    """Read a file once no program has it open for writing, or return None if that takes too long.

    A file whose contents are in `drop` is deleted before another program can open it. Only Linux reports whether a file
    is open for writing. On other systems, the file is read twice.
    """
    until = time.monotonic() + _PATIENCE
    while True:
        with file.open("rb") as stream, _hold_write_lease(stream.fileno()) as unwritten:
            data = stream.read()
            if unwritten is None:
                time.sleep(_LOOK)
                stream.seek(0)
                unwritten = stream.read() == data
            if unwritten:
                if data in drop:
                    file.unlink()
                return data
        if time.monotonic() > until:
            return None
        time.sleep(_LOOK)


@contextmanager
def _hold_write_lease(handle: int) -> Iterator[bool | None]:
    """Block other programs from opening a file for writing.

    Yield True if no program has it open for writing, False if one does, or None if that can't be determined.
    """
    if sys.platform != "linux":
        yield None
        return
    import fcntl

    try:
        fcntl.fcntl(handle, fcntl.F_SETSIG, signal.SIGURG)  # ignored by default, unlike the usual signal
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        yield False if error.errno == EAGAIN else None
        return
    try:
        yield True
    finally:
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_UNLCK)


# Swapping two files


def exchange(path: Path, other: Path) -> None:
    """Swap two files in the same folder, in one step if the system supports it. Raises OSError."""
    try:
        _SYSTEMS.get(sys.platform, exchange_by_names)(path, other)
    except (AttributeError, OSError) as error:
        if isinstance(error, OSError) and error.errno not in _UNSUPPORTED:
            raise
        exchange_by_names(path, other)


def exchange_by_names(path: Path, other: Path) -> None:
    """Swap two files by renaming three times, never replacing a file.

    If another program creates a file at `other` between two of the renames, that file is kept. The original `other` is
    then saved next to it as a conflict copy, and Changed is raised.
    """
    between = path.with_name(f"{path.name}~")
    other.rename(between)
    try:
        rename_free(path, other)
    except FileExistsError:
        copy = _copy_name(other)
        between.rename(copy)
        raise Changed(copy) from None
    between.rename(path)


def rename_free(path: Path, other: Path) -> None:
    """Rename a file without replacing another. Raises FileExistsError if the new name is taken."""
    if sys.platform == "win32":
        path.rename(other)  # rename doesn't replace files on Windows
        return
    try:
        other.hardlink_to(path)
    except OSError as error:
        if isinstance(error, FileExistsError):
            raise
        os.close(os.open(other, os.O_CREAT | os.O_EXCL))  # the file system has no hard links
        path.rename(other)
        return
    path.unlink()


def rename_file(path: Path, other: Path) -> None:
    """Rename a user's file without replacing another. A change of case alone is possible, too."""
    if path.is_symlink() or (other.exists() and other.samefile(path)):
        path.rename(other)
    else:
        rename_free(path, other)
    sync_folder(other.parent)


def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _check(result: int, file: Path) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(file))


def _on_linux(path: Path, other: Path) -> None:
    _check(_library().renameat2(_AT_FDCWD, os.fsencode(path), _AT_FDCWD, os.fsencode(other), _SWAP), other)


def _on_macos(path: Path, other: Path) -> None:
    _check(_library().renamex_np(os.fsencode(path), os.fsencode(other), _SWAP), other)


def _on_windows(path: Path, other: Path) -> None:
    between = path.with_name(f"{path.name}~")
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined]
    if not kernel.ReplaceFileW(str(other), str(path), str(between), 0, None, None):
        raise ctypes.WinError(ctypes.get_last_error())  # type: ignore[attr-defined]
    between.rename(path)


_SYSTEMS = {
    "linux": _on_linux,
    "darwin": _on_macos,
    "win32": _on_windows,
}
