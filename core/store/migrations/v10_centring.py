"""A centring for each model: at once for the models of `v10_centring.safetensors`, whose indexes are built anew."""

import sqlite3
from pathlib import Path

_CONSTANTS = Path(__file__).with_suffix(".safetensors")


def step(connection: sqlite3.Connection) -> None:
    from safetensors.numpy import load_file

    connection.execute("ALTER TABLE embedders ADD COLUMN centring BLOB")
    for fingerprint, constants in load_file(_CONSTANTS).items():
        known = {"fingerprint": fingerprint, "constants": constants.astype("<f4").tobytes()}
        connection.execute("UPDATE embedders SET centring = :constants WHERE fingerprint = :fingerprint", known)
        connection.execute(
            "UPDATE bases SET index_generation = index_generation + 1 WHERE fingerprint = :fingerprint", known
        )
