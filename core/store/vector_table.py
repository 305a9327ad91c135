"""Tables for vectors and token bits, by model fingerprint and text hash. Also computes notes' mean vectors."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.base.errors import IndexDamaged
from core.embedding.centring import PLAIN, Centring
from core.embedding.tokens import unit
from core.markdown.inline import tag_key
from core.model import Bits, Filters, KnowledgeBase, Matrix
from core.store import filters as narrowed
from core.store.ids import entry_id
from core.store.table import StoreTable, decoding

_ADD_MODEL = "INSERT OR IGNORE INTO embedders (fingerprint) VALUES (?)"
_OF_BASE = (
    "SELECT windows.vector FROM windows JOIN chunks ON chunks.rowid = chunk JOIN notes ON notes.id = note_id"
    " WHERE base_id "
)


class TokenBits(NamedTuple):
    """The number of windows with token bits in a base, and the total size of the bits in bytes."""

    windows: int
    bytes: int


class VectorTable(StoreTable):
    """A workspace's vectors and their token bits. A vector is computed once, even if several windows use it."""

    def add(
        self, fingerprint: str, hashes: Sequence[bytes], vectors: Matrix, bits: Sequence[Bits] | None = None
    ) -> None:
        """Store vectors and their token bits by text hash. Existing vectors stay unchanged.

        A vector can't be found by searches until a window uses it.
        """
        blobs = (row.astype("<f4").tobytes() for row in vectors)
        with self._write(aside=True):
            self._execute(_ADD_MODEL, fingerprint)
            self._execute_many(
                "INSERT OR IGNORE INTO vectors (embedder, text_hash, vector, entry)"
                " VALUES ((SELECT id FROM embedders WHERE fingerprint = ?), ?, ?, ?)",
                ((fingerprint, key, blob, entry_id(blob)) for key, blob in zip(hashes, blobs, strict=True)),
            )
            if bits is not None:
                ids = self.ids(fingerprint, hashes)
                self._execute_many(
                    "INSERT OR IGNORE INTO tokens VALUES (?, ?)",
                    ((ids[key], rows.tobytes()) for key, rows in zip(hashes, bits, strict=True)),
                )

    def ids(self, fingerprint: str, hashes: Iterable[bytes], *, with_bits: bool = False) -> dict[bytes, int]:
        """Return the ids of stored vectors by text hash. With `with_bits`, leave out vectors without token bits."""
        only = "AND EXISTS (SELECT 1 FROM tokens WHERE vector = vectors.id)" if with_bits else ""
        return self._ids(
            "SELECT vectors.id FROM vectors JOIN embedders ON embedders.id = embedder"
            f" WHERE fingerprint = ? AND text_hash = ? {only}",
            fingerprint,
            hashes,
        )

    def entry_ids(self, ids: Iterable[int]) -> list[str]:
        """Return the index entries for the vectors with the given ids, without duplicates."""
        return self._column("SELECT DISTINCT entry FROM vectors WHERE id IN ?", ids)

    def entries(self, ids: Iterable[int], dimension: int) -> dict[str, Matrix]:
        """Return the vectors with the given ids, by index entry. Equal vectors share an entry and occur only once."""
        return {
            entry: matrix([vector], dimension)[0]
            for entry, vector in self._rows("SELECT entry, vector FROM vectors WHERE id IN ?", ids)
        }

    def take_over(self, file: Path, base_id: str, fingerprint: str) -> None:
        """Copy a base's vectors and token bits from another workspace's database, `file`, unless they exist here."""
        # Attach the file read-only, so that neither workspace's writer has to wait for the other's.
        self._database.connection.execute("ATTACH ? AS other", (f"{file.as_uri()}?mode=ro",))
        try:
            with self._write() as connection:
                named = {"base": base_id, "fingerprint": fingerprint}
                connection.execute(
                    "INSERT INTO embedders (fingerprint, centre)"
                    " SELECT fingerprint, centre FROM other.embedders WHERE fingerprint = :fingerprint"
                    " ON CONFLICT (fingerprint) DO UPDATE SET centre = coalesce(embedders.centre, excluded.centre)",
                    named,
                )
                of_base = (
                    "SELECT windows.vector FROM other.windows JOIN other.chunks ON chunks.rowid = chunk"
                    " JOIN other.notes ON notes.id = note_id WHERE base_id = :base"
                )
                connection.execute(
                    "INSERT OR IGNORE INTO vectors (embedder, text_hash, vector, entry)"
                    " SELECT (SELECT id FROM main.embedders WHERE fingerprint = :fingerprint), text_hash, vector, entry"
                    f" FROM other.vectors WHERE id IN ({of_base})",
                    named,
                )
                connection.execute(
                    "INSERT OR IGNORE INTO tokens SELECT mine.id, bits FROM other.tokens"
                    " JOIN other.vectors AS theirs ON theirs.id = tokens.vector"
                    " JOIN main.vectors AS mine ON mine.text_hash = theirs.text_hash"
                    " AND mine.embedder = (SELECT id FROM main.embedders WHERE fingerprint = :fingerprint)"
                    f" WHERE theirs.id IN ({of_base})",
                    named,
                )
        finally:
            self._database.connection.execute("DETACH other")

    def drop_unused(self) -> int:
        """Delete vectors not used by any window or unfinished embedder switch, and return the number deleted."""
        return self._execute(
            "DELETE FROM vectors WHERE id NOT IN (SELECT vector FROM windows) AND embedder NOT IN"
            " (SELECT embedders.id FROM embedders JOIN switches ON switches.fingerprint = embedders.fingerprint)"
        )

    # centring

    @decoding
    def centring(self, base: KnowledgeBase) -> Centring:
        """Return the centring for a base's model, or `PLAIN` if none has been stored yet."""
        constants = self._value("SELECT centring FROM embedders WHERE fingerprint = ?", base.fingerprint)
        return Centring(np.frombuffer(constants, "<f4").reshape(-1, base.dimension)) if constants else PLAIN

    def centring_settled(self, fingerprint: str) -> bool:
        return self._exists("embedders WHERE fingerprint = ? AND centring IS NOT NULL", fingerprint)

    def settle_centring(self, fingerprint: str, centring: Centring) -> None:
        """Store a model's centring. The caller must rebuild the indexes of the model's bases."""
        with self._write():
            self._execute(_ADD_MODEL, fingerprint)
            self._execute(
                "UPDATE embedders SET centring = ? WHERE fingerprint = ?",
                centring.constants.astype("<f4").tobytes(),
                fingerprint,
            )

    def unrelated(self, base: KnowledgeBase) -> Matrix | None:
        """Return the vectors of unrelated questions, or None if none are stored for the base's model.

        No notes answer these questions.
        """
        blob = self._value("SELECT unrelated FROM embedders WHERE fingerprint = ?", base.fingerprint)
        return None if blob is None else np.frombuffer(blob, "<f4").reshape(-1, base.dimension)

    def store_unrelated(self, fingerprint: str, vectors: Matrix) -> None:
        """Store the vectors of questions that no notes answer. The model must already have vectors in the workspace."""
        self._execute(
            "UPDATE embedders SET unrelated = ? WHERE fingerprint = ?", vectors.astype("<f4").tobytes(), fingerprint
        )

    # token bits

    def centre(self, fingerprint: str) -> Matrix | None:
        """Return the centre of a model's token vectors, or None if it isn't stored."""
        centre = self._value("SELECT centre FROM embedders WHERE fingerprint = ?", fingerprint)
        return None if centre is None else np.frombuffer(centre, dtype="<f4")

    def settle_centre(self, fingerprint: str, centre: Matrix) -> Matrix:
        """Store a model's centre unless it already has one, and return the stored centre.

        The centre never changes, because bits from different centres can't be compared.
        """
        with self._write():
            self._execute(_ADD_MODEL, fingerprint)
            self._execute(
                "UPDATE embedders SET centre = ? WHERE fingerprint = ? AND centre IS NULL",
                centre.astype("<f4").tobytes(),
                fingerprint,
            )
        return np.frombuffer(self._value("SELECT centre FROM embedders WHERE fingerprint = ?", fingerprint), "<f4")

    @decoding
    def bits(self, rowids: Iterable[int], fingerprint: str) -> dict[int, Bits]:
        """Return each chunk's token bits, in window order. Chunks that have a window without bits are left out."""
        if (centre := self.centre(fingerprint)) is None:
            return {}
        blobs = defaultdict[int, list[bytes | None]](list)
        for rowid, blob in self._rows(
            "SELECT chunk, bits FROM windows LEFT JOIN tokens ON tokens.vector = windows.vector"
            ' WHERE chunk IN ? ORDER BY chunk, "index"',
            rowids,
        ):
            blobs[rowid].append(blob)
        return {
            rowid: np.frombuffer(b"".join(filter(None, parts)), np.uint8).reshape(-1, -(-len(centre) // 8))
            for rowid, parts in blobs.items()
            if None not in parts
        }

    def count_bits(self, base: KnowledgeBase) -> TokenBits:
        """Return the number of a base's windows with token bits, and the total size of the bits."""
        return self._made(
            TokenBits,
            f"SELECT (SELECT count(*) FROM ({_OF_BASE} = ?1) WHERE vector IN (SELECT vector FROM tokens)),"
            f" (SELECT coalesce(sum(length(bits)), 0) FROM tokens WHERE vector IN ({_OF_BASE} = ?1))",
            base.id,
        )[0]

    def without_bits(self, base: KnowledgeBase) -> list[str]:
        """Return the ids of a base's notes that have a window without token bits."""
        return self._column(
            "SELECT DISTINCT note_id FROM windows JOIN chunks ON chunks.rowid = chunk JOIN notes ON notes.id = note_id"
            " WHERE base_id = ? AND windows.vector NOT IN (SELECT vector FROM tokens) ORDER BY note_id",
            base.id,
        )

    def drop_bits(self, base: KnowledgeBase) -> None:
        """Delete the token bits of a base's windows, except bits that another base uses and keeps."""
        self._execute(
            f"DELETE FROM tokens WHERE vector IN ({_OF_BASE} = ?1)"
            f" AND vector NOT IN ({_OF_BASE} IN (SELECT id FROM bases WHERE keep_tokens AND id != ?1))",
            base.id,
        )


def matrix(blobs: Sequence[bytes], dimension: int) -> Matrix:
    """Return stored vectors as a matrix with shape (n, dimension). Raises IndexDamaged if any has the wrong length."""
    if any(len(blob) != 4 * dimension for blob in blobs):
        raise IndexDamaged(
            "The search data of some passages is damaged. Your notes are safe. To compute it again, run: {command}",
            command="tessera rebuild",
        )
    return np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), dimension)


# A note's vector is the mean of its windows' vectors.

_BLOCK = 200

# The number of a note's windows, and the sum of their vectors' ids. The sign changes when the windows do.
Sign = tuple[int, int]


class NoteVectors(StoreTable):
    """Vectors of whole notes, computed from their windows."""

    def answering(self) -> set[str]:
        where = narrowed.answerable_conditions(Filters())
        return set(self._column(f"SELECT id FROM notes WHERE {where}", *where.values))

    def states(self, *, active: bool = False) -> dict[str, int]:
        """Return a number for each note. The number changes whenever the note's text or deleted chunks change.

        With `active`, include only active notes.
        """
        return dict(
            self._rows(
                "SELECT notes.id, 1000 * generation + count(chunks.rowid) FROM notes"
                " LEFT JOIN chunks ON note_id = notes.id AND state = 'deleted'"
                " WHERE notes.status = 'active' OR NOT ? GROUP BY notes.id ORDER BY notes.id",
                active,
            )
        )

    def signs(self) -> dict[str, Sign]:
        """Return the sign of each note that has windows, by note id. See `Sign`."""
        return {
            note_id: (count, total)
            for note_id, count, total in self._rows(
                "SELECT note_id, count(*), sum(vector) FROM windows JOIN chunks ON chunks.rowid = chunk"
                " GROUP BY note_id"
            )
        }

    def holders(self, tags: Collection[str]) -> dict[str, set[str]]:
        names = {tag_key(tag): tag for tag in tags}
        used = "SELECT tag FROM (SELECT DISTINCT tag FROM tags) WHERE tag_key(tag) IN ?"
        holders: dict[str, set[str]] = {tag: set() for tag in names.values()}
        for tag, note_id in self._rows(f"SELECT tag, note_id FROM tags WHERE tag IN ({used})", names):
            holders[names[tag_key(tag)]].add(note_id)
        return holders

    def owners(self, rowids: Collection[int]) -> list[str]:
        """Return the ids of the given chunks' notes, in the order of the chunks and without duplicates."""
        owner = dict(self._rows("SELECT rowid, note_id FROM chunks WHERE rowid IN ?", rowids))
        return list(dict.fromkeys(owner[rowid] for rowid in rowids if rowid in owner))

    @decoding
    def means(self, base: KnowledgeBase, note_ids: Collection[str]) -> Iterator[tuple[str, Matrix]]:
        """Yield (note id, vector) for notes in a base.

        The vector is the mean of the note's centred window vectors, scaled to unit length.
        """
        centring = VectorTable(self._database).centring(base)
        ids = list(note_ids)
        for at in range(0, len(ids), _BLOCK):
            rows = self._rows(
                "SELECT note_id, vectors.vector FROM chunks JOIN windows ON chunk = chunks.rowid"
                " JOIN vectors ON vectors.id = windows.vector WHERE note_id IN ? ORDER BY note_id",
                ids[at : at + _BLOCK],
            ).fetchall()
            if not rows:
                continue
            vectors = centring.centred(matrix([row[1] for row in rows], base.dimension), role="note")
            owners = np.array([row[0] for row in rows])
            first = np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]])
            yield from zip(owners[first].tolist(), unit(np.add.reduceat(vectors, first)), strict=True)
