"""The migrations that make up the schema of `notes.db`.

Each migration runs once, in its own transaction, after a backup.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from core.base.errors import NewerSchema
from core.store.backups.making import make
from core.store.migrations import v01_to_v11, v12_to_v19, v20_files, v21_file_intents, v22_unanswered, v23_floors

# Migrations in order. The migration at index N takes the schema from version N to version N + 1.
#
# A migration is an SQL script, or a function to call within a transaction.
MIGRATIONS: tuple[str | Callable[[sqlite3.Connection], None], ...] = (
    v01_to_v11.FIRST,
    v01_to_v11.EDITS,
    v01_to_v11.TOKENS,
    v01_to_v11.USAGE,
    v01_to_v11.WORDS,
    v01_to_v11.FILTERS,
    v01_to_v11.QUESTIONS,
    v01_to_v11.RUNS,
    v01_to_v11.move_search_settings,
    v01_to_v11.add_centring,
    v01_to_v11.add_entries,
    v12_to_v19.add_versions,
    v12_to_v19.GUESTS,
    v12_to_v19.REFUSALS,
    v12_to_v19.DOCUMENTS,
    v12_to_v19.PICTURES,
    v12_to_v19.DECISIONS,
    v12_to_v19.LEARNING,
    v12_to_v19.ANSWERING,
    v20_files.step,
    v21_file_intents.STEP,
    v22_unanswered.step,
    v23_floors.STEP,
)


def migrate(connection: sqlite3.Connection, folder: Path) -> None:
    """Migrate a workspace's database to the newest schema. If it contains bases, back it up first.

    Raises NewerSchema if the database has a newer schema.
    """
    version = schema_version(connection)
    if 0 < version < len(MIGRATIONS) and connection.execute("SELECT EXISTS (SELECT 1 FROM bases)").fetchone()[0]:
        make(connection, folder, "migration")
    for number, step in enumerate(MIGRATIONS[version:], start=version + 1):
        if isinstance(step, str):
            connection.executescript(f"BEGIN IMMEDIATE; {step}; PRAGMA user_version = {number}; COMMIT;")
            continue
        connection.execute("BEGIN IMMEDIATE")
        try:
            step(connection)
            connection.execute(f"PRAGMA user_version = {number}")
        except BaseException:
            connection.rollback()
            raise
        connection.commit()


def objects_of(version: int) -> dict[tuple[str, str], str | None]:
    """Return the SQL for each object in the given schema version, by kind and name. Raises NewerSchema."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
        schema_version(connection)
        for step in MIGRATIONS[:version]:
            if isinstance(step, str):
                connection.executescript(step)
            else:
                step(connection)
        return {
            (kind, name): sql for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_master")
        }


def schema_version(connection: sqlite3.Connection) -> int:
    """Return the number of migrations applied to a database. Raises NewerSchema if it exceeds the known migrations."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise NewerSchema(
            (
                "This workspace was written by a newer version of Tessera (schema {theirs}; this version knows "
                "{ours}). Update Tessera to open the workspace. Nothing was changed."
            ),
            theirs=version,
            ours=len(MIGRATIONS),
        )
    return version
