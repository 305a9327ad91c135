"""Some paths of a folder: what a scan is narrowed to."""

from collections.abc import Iterable, Iterator


class Paths:
    """Files and folders, by their paths from a folder with forward slashes, and all that lies in those folders."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = frozenset(paths)
        self._above = {above for path in self._paths for above in ancestry(path)}

    def __contains__(self, path: str) -> bool:
        return any(one in self._paths for one in ancestry(path))

    def lead_through(self, folder: str) -> bool:
        """Return whether any of the paths is a folder, lies in it, or has it in itself."""
        return folder in self._above or folder in self


def ancestry(path: str) -> Iterator[str]:
    """Yield a path and the folders it lies in, the nearest first."""
    while path:
        yield path
        path = path.rpartition("/")[0]
