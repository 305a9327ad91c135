"""Some paths of a folder: what a scan is narrowed to, and paths that are free."""

from collections.abc import Container, Iterable, Iterator
from pathlib import PurePosixPath

from core.base.text import compose


class Paths:
    """Files and folders, by their paths from a folder with forward slashes, and all content of those folders.

    Watchers of a file system may report a name in another form than its folder lists it.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = frozenset(map(compose, paths))
        self._above = {above for path in self._paths for above in ancestry(path)}

    def __contains__(self, path: str) -> bool:
        return any(item in self._paths for item in ancestry(compose(path)))

    def lead_through(self, folder: str) -> bool:
        """Return whether any of the paths is a folder, is in it, or contains it."""
        return compose(folder) in self._above or folder in self


def ancestry(path: str) -> Iterator[str]:
    """Yield a path and the folders it is in, the nearest first."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def free(path: str, taken: Container[str]) -> str:
    """Return the path, with a number appended if it is taken, in time logarithmic in the number of paths."""
    if path not in taken:
        return path
    pure = PurePosixPath(path)

    def numbered(number: int) -> str:
        return str(pure.with_name(f"{pure.stem} {number}{pure.suffix}"))

    low, high = 1, 2
    while numbered(high) in taken:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if numbered(middle) in taken else (low, middle)
    return numbered(high)
