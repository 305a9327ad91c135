"""An id for each vector's entry in the vector index, which equal vectors share."""

import sqlite3
from hashlib import blake2b


def step(connection: sqlite3.Connection) -> None:
    connection.create_function("entry_id", 1, _entry_id, deterministic=True)
    connection.execute("ALTER TABLE vectors ADD COLUMN entry TEXT NOT NULL DEFAULT ''")
    connection.execute("UPDATE vectors SET entry = entry_id(vector)")
    connection.execute("CREATE INDEX vectors_entry ON vectors(entry)")


def _entry_id(vector: bytes) -> str:
    return blake2b(vector, digest_size=16).hexdigest()
