"""Journal of file changes in progress: written before the first file is changed, deleted when all changes are done.

Changes that a kill interrupted are undone at the next opening (`core/notes/file_writing.py`).
"""

from collections.abc import Collection, Iterable
from dataclasses import asdict

from core.base.frozen import frozen
from core.store.table import AMONG, StoreTable


@frozen
class FileStep:
    """A change of a file: its old and new path in a folder, its bytes `before`, and the hash of its bytes `after`.

    `new_path` is "" for a deleted file, and `before` is empty for a new file. A renamed file has neither bytes nor
    hash. `left`: the change couldn't be undone.
    """

    folder: str
    path: str
    new_path: str
    before: bytes | None = None
    after: str = ""
    left: bool = False

    @property
    def paths(self) -> tuple[str, str]:
        """The old and the new path of the file."""
        return self.path, self.new_path or self.path

    @property
    def is_plain(self) -> bool:
        """Whether an existing file keeps its path. After a kill, the next update of the folder reads its change."""
        return self.path == self.new_path and not self.is_new

    @property
    def is_new(self) -> bool:
        """Whether the file didn't exist before. (An empty file isn't a note.)"""
        return self.before == b""


class IntentTable(StoreTable):
    """File changes in progress, and changes that couldn't be undone, by number."""

    def put(self, steps: Iterable[FileStep]) -> dict[int, FileStep]:
        """Write steps in one transaction, synced to disk; return them by number."""
        connection = self._database.connection
        connection.execute("PRAGMA synchronous = FULL")  # because the file changes that follow reach the disk at once
        try:
            with self._write(aside=True):
                return {self._insert("file_intents", asdict(step)): step for step in steps}
        finally:
            connection.execute("PRAGMA synchronous = NORMAL")

    def all(self) -> dict[int, FileStep]:
        """Return all steps by number, in order."""
        rows = self._rows("SELECT id, folder, path, new_path, before, after, left FROM file_intents")
        return {number: FileStep(*values) for number, *values in rows}

    def left(self) -> list[str]:
        """Return the paths of files whose changes couldn't be undone."""
        return self._column("SELECT path FROM file_intents WHERE left")

    def leave(self, numbers: Collection[int]) -> None:
        """Record that steps couldn't be undone."""
        self._execute(f"UPDATE file_intents SET left = 1 WHERE id {AMONG}", numbers, aside=True)

    def drop(self, numbers: Collection[int]) -> None:
        """Delete steps."""
        self._execute(f"DELETE FROM file_intents WHERE id {AMONG}", numbers, aside=True)
