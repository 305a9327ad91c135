"""Table of texts that a model refuses, by model fingerprint and text hash, and of the chunks with these texts."""

import json
from collections.abc import Collection, Iterable, Mapping

from core.base.datetimes import utc_now
from core.base.messages import Message, from_json, to_json
from core.model import KnowledgeBase, RefusedChunk
from core.store.reading import RowReader
from core.store.table import AMONG, StoreTable


class RefusalTable(StoreTable):
    """The refused texts of a workspace. A chunk with one has the state `refused`, and is found only by words."""

    def add(self, fingerprint: str, text_hash: bytes, reason: Message) -> None:
        """Store the reason why a model refuses a text."""
        row = {"fingerprint": fingerprint, "text_hash": text_hash, "at": utc_now().isoformat()}
        reason_json = json.dumps(to_json(reason), ensure_ascii=False)
        self._insert("refusals", row | {"reason": reason_json}, replace=True)

    def ids(self, fingerprint: str, hashes: Iterable[bytes]) -> dict[bytes, int]:
        """Return the ids of the refusals of the given texts, by text hash."""
        if not self._exists("refusals WHERE fingerprint = ?", fingerprint):
            return {}
        statement = "SELECT id FROM refusals WHERE fingerprint = ? AND text_hash = ?"
        ids = {key: self._value(statement, fingerprint, key) for key in hashes}
        return {key: number for key, number in ids.items() if number is not None}

    def link(self, refusals: Mapping[int, int]) -> None:
        """Give chunks the state `refused`; `refusals` maps a chunk's rowid to the id of its refusal."""
        with self._write() as connection:
            connection.executemany("INSERT OR REPLACE INTO refused_chunks VALUES (?, ?)", refusals.items())
            self._execute(f"UPDATE chunks SET state = 'refused' WHERE rowid {AMONG}", refusals)

    def all(self, bases: Iterable[KnowledgeBase]) -> list[RefusedChunk]:
        """Return the refused chunks in the given bases, sorted by base, path and position."""
        return self._nouns(
            _REFUSED,
            "SELECT bases.name AS base, notes.id AS note_id, notes.title, path, chunks.id AS chunk_id,"
            " substr(text, 1, 200) AS text, reason, at FROM refused_chunks JOIN refusals ON refusals.id = refusal"
            " JOIN chunks ON chunks.rowid = chunk JOIN notes ON notes.id = note_id JOIN bases ON bases.id = base_id"
            f' WHERE base_id {AMONG} ORDER BY bases.name, path, note_id, "index"',
            [base.id for base in bases],
        )

    def count(self, base: KnowledgeBase) -> int:
        """Return the number of refused chunks of a base."""
        return int(
            self._value(
                "SELECT count(*) FROM refused_chunks JOIN chunks ON chunks.rowid = chunk"
                " JOIN notes ON notes.id = note_id WHERE base_id = ?",
                base.id,
            )
        )

    def try_again(self, chunk_ids: Collection[str]) -> None:
        """Delete the refusals of the given chunks, and make all chunks with these texts pending."""
        chosen = f"SELECT refusal FROM refused_chunks JOIN chunks ON chunks.rowid = chunk WHERE chunks.id {AMONG}"
        with self._write():
            refusals = self._column(chosen, chunk_ids)
            chunks = f"SELECT chunk FROM refused_chunks WHERE refusal {AMONG}"
            self._execute(f"UPDATE chunks SET state = 'pending' WHERE rowid IN ({chunks})", refusals)
            self._execute(f"DELETE FROM refused_chunks WHERE refusal {AMONG}", refusals)
            self._execute(f"DELETE FROM refusals WHERE id {AMONG}", refusals)

    def drop_unused(self) -> None:
        """Delete refusals that no chunk and no unfinished change of embedder uses."""
        self._execute(
            "DELETE FROM refusals WHERE id NOT IN (SELECT refusal FROM refused_chunks)"
            " AND fingerprint NOT IN (SELECT fingerprint FROM switches)"
        )


_REFUSED = RowReader(
    RefusedChunk, "refused passage", "title", key="chunk_id", reason=lambda text: from_json(json.loads(text))
)
