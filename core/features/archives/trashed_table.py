"""The zips of deleted bases that Tessera wrote itself, by their contents."""

from hashlib import sha256
from typing import IO

from core.store.table import StoreTable


class TrashedTable(StoreTable):
    """The digests of the files in the trash of bases."""

    def put(self, file: str, data: bytes) -> None:
        """Write the digest of a file that Tessera writes."""
        self._database.insert("trashed_bases", {"file": file, "digest": sha256(data).hexdigest()})

    def has(self, file: str, stream: IO[bytes]) -> bool:
        """Return whether a file is as Tessera wrote it; the stream is at its start then."""
        known = self._database.value("SELECT digest FROM trashed_bases WHERE file = ?", file)
        stream.seek(0)
        digest = sha256()
        while known and (block := stream.read(2**20)):
            digest.update(block)
        same = bool(digest.hexdigest() == known)
        stream.seek(0)
        return same

    def drop(self, file: str) -> None:
        """Forget a file that is gone."""
        self._database.execute("DELETE FROM trashed_bases WHERE file = ?", file, aside=True)
