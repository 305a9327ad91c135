"""Small files that are written as a whole or not at all, and the size of folders."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp


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
