"""Files in an export, also inside its archive."""

from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from core.base.frozen import frozen

_MOST = 50_000_000
"""Maximum size of a file in bytes; a larger file isn't read."""


@frozen
class FilePart:
    """A file, or a file inside an uncompressed archive: `size` bytes starting at `start`."""

    file: Path
    start: int
    size: int

    def read(self) -> bytes:
        """Return the bytes, b"" if they can't be read or exceed the limit."""
        with suppress(OSError), self.file.open("rb") as stream:
            stream.seek(self.start)
            return stream.read(self.size) if self.size <= _MOST else b""
        return b""

    def digest(self) -> str:
        """Return the hash of the bytes, "" if they can't be read."""
        with suppress(OSError):
            return _digest(self, self.file.stat().st_mtime_ns)
        return ""


@lru_cache(1_000)
def _digest(part: FilePart, _: int) -> str:
    """Return the hash of part of a file with this mtime; cached, because many notes may link to one part."""
    data = part.read()
    return blake2b(data, digest_size=8).hexdigest() if data else ""


def find(folder: Path, path: str) -> FilePart | None:
    """Return the file at a path in a folder, None if it is missing or really is outside the folder."""
    with suppress(OSError, RuntimeError, ValueError):  # an invalid name, or a symlink loop
        file = (folder / path).resolve(strict=True)
        if file.is_file() and file.is_relative_to(folder.resolve()):
            return FilePart(file, 0, file.stat().st_size)
    return None
