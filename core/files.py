"""Files that are opened only if they are ordinary, small ones written whole or not at all, and the size of folders."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp
from typing import IO

from core.errors import SourceError


@contextmanager
def ordinary(file: Path, most: int) -> Iterator[IO[bytes]]:
    """Open an ordinary file of at most `most` bytes to be read; raises SourceError for anything else, at once."""
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise SourceError(str(file), "is not an ordinary file.")
        handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, RuntimeError, ValueError) as error:
        raise SourceError(
            str(file), "can't be read: {why}.", why=getattr(error, "strerror", "") or str(error)
        ) from error
    with os.fdopen(handle, "rb") as stream:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise SourceError(str(file), "is not an ordinary file.")
        if status.st_size > most:
            size, limit = status.st_size / 2**20, most // 2**20
            raise SourceError(str(file), "is {size:.1f} MB; the limit is {limit} MB.", size=size, limit=limit)
        yield stream


def replace(file: Path, text: str | bytes) -> None:
    """Write a file that only its owner can read in place of the one that is there; raises OSError."""
    data = text.encode("utf-8") if isinstance(text, str) else text
    handle, name = mkstemp(prefix=f".{file.name}.", dir=file.parent)  # with mode 0600
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(file)
    finally:
        with suppress(OSError):
            temporary.unlink()


def sizes(folder: Path) -> Iterator[tuple[Path, int]]:
    """Yield the files in a folder with their bytes; files and folders that go meanwhile are left out."""
    for place, _, names in os.walk(folder):
        for name in names:
            file, size = Path(place, name), None
            with suppress(OSError):
                size = file.stat().st_size
            if size is not None:
                yield file, size


def size(folder: Path) -> int:
    """Return the bytes of the files in a folder."""
    return sum(size for _, size in sizes(folder))
