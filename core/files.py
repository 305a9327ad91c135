"""Small files that are written as a whole or not at all, and the size of folders."""

import os
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp


def replace(file: Path, text: str) -> None:
    """Write a file that only its owner can read in place of the one that is there; raises OSError."""
    handle, name = mkstemp(prefix=f".{file.name}.", dir=file.parent)  # with mode 0600
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(file)
    finally:
        with suppress(OSError):
            temporary.unlink()


def size(folder: Path) -> int:
    """Return the bytes of the files in a folder; those that go meanwhile don't count."""
    total = 0
    for file in folder.rglob("*"):
        with suppress(OSError):
            total += file.stat().st_size if file.is_file() else 0
    return total
