"""The folders with which bases were synced, and their files that weren't read."""

from collections.abc import Iterable
from datetime import datetime
from fnmatch import fnmatch

from core.model import Failed, KnowledgeBase
from core.store import Store
from core.store.base_table import IGNORED


class SyncedFolders:
    """The synced folders of all bases."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def all(self, base: KnowledgeBase) -> tuple[tuple[str, datetime], ...]:
        """Return the folders with which a base was synced, and the times."""
        return tuple((sync.folder, sync.at) for sync in self._store.bases.syncs(base))

    def failures(self, base: KnowledgeBase, folder: str = "") -> list[Failed]:
        """Return the files that the last sync couldn't read, in a folder of the base or in all its folders."""
        return self._listed("failed", base, folder)

    def unread(self, base: KnowledgeBase, folder: str = "") -> list[Failed]:
        """Return the `failures` without the files that the user ignores."""
        patterns = self.ignored(base)
        return [failed for failed in self.failures(base, folder) if not _is_ignored(failed.path, patterns)]

    def ignored(self, base: KnowledgeBase) -> list[str]:
        """Return the patterns of unreadable files that the user ignores."""
        syncs = self._store.bases.syncs(base)
        return sorted({str(pattern) for sync in syncs for pattern in sync.report.get(IGNORED, [])})

    def ignore(self, base: str, pattern: str) -> None:
        """Stop reporting unreadable files that match a pattern; they are still read once they can be."""
        stored = self._store.bases.named(base)
        self._store.bases.ignore(stored, sorted({*self.ignored(stored), pattern}))

    def report_again(self, base: str, pattern: str) -> None:
        """Report unreadable files that match a pattern again."""
        stored = self._store.bases.named(base)
        self._store.bases.ignore(stored, [other for other in self.ignored(stored) if other != pattern])

    def not_downloaded(self, base: KnowledgeBase, folder: str = "") -> list[Failed]:
        """Return the files that weren't downloaded at the last sync, in a folder of the base or in all its folders."""
        return self._listed("not_downloaded", base, folder)

    def _listed(self, name: str, base: KnowledgeBase, folder: str) -> list[Failed]:
        syncs = [sync for sync in self._store.bases.syncs(base) if folder in ("", sync.folder)]
        return [Failed.from_dict(item) for sync in syncs for item in sync.report.get(name, ())]


def _is_ignored(path: str, patterns: Iterable[str]) -> bool:
    """Return whether a path matches one of the patterns, in which `*` matches any text."""
    return any(fnmatch(path.lower(), pattern.lower()) for pattern in patterns)
