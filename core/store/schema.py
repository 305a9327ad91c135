"""The tables of `notes.db`, as numbered migrations: each is applied once, in its own transaction."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from core.embedding import centring
from core.errors import NewerSchema
from core.store import backups, wording
from core.store.compressed import packed
from core.store.ids import entry_id


def _one_value_for_searches(connection: sqlite3.Connection) -> None:
    """Move the search settings of bases and pipelines into an object, without the values that meant "no choice".

    Between two releases the third migration gave `switches` a column that it doesn't have any more.
    """
    columns = ("limit", "score_threshold", "semantic_weight", "rerank_weight", "reranker")
    names = ", ".join(f'"{name}"' for name in columns)
    connection.execute("ALTER TABLE bases ADD COLUMN search TEXT NOT NULL DEFAULT '{}'")
    for base_id, *values in connection.execute(f"SELECT id, {names} FROM bases").fetchall():
        chosen = _chosen(zip(columns, values, strict=True), {"limit": 0, "score_threshold": 0, "reranker": ""})
        connection.execute("UPDATE bases SET search = ? WHERE id = ?", (json.dumps(chosen), base_id))
    for name in columns:
        connection.execute(f'ALTER TABLE bases DROP COLUMN "{name}"')
    for run_id, stored in connection.execute("SELECT id, pipeline FROM runs").fetchall():
        parts = json.loads(stored)
        pipeline = {name: parts.pop(name) for name in ("name", "chunking", "embedder")}
        pipeline["search"] = _chosen(parts.items(), {"mode": "auto", "level": "auto", "limit": 10, "expansion_size": 0})
        connection.execute("UPDATE runs SET pipeline = ? WHERE id = ?", (json.dumps(pipeline), run_id))
    if "dimension" in {name for (name,) in connection.execute("SELECT name FROM pragma_table_info('switches')")}:
        connection.execute("ALTER TABLE switches DROP COLUMN dimension")


def _centring(connection: sqlite3.Connection) -> None:
    """Give models a centring: at once those whose own comes with Tessera, whose indexes are then built anew."""
    connection.execute("ALTER TABLE embedders ADD COLUMN centring BLOB")
    for fingerprint, constants in centring.shipped().items():
        known = {"fingerprint": fingerprint, "constants": constants.astype("<f4").tobytes()}
        connection.execute("UPDATE embedders SET centring = :constants WHERE fingerprint = :fingerprint", known)
        connection.execute(
            "UPDATE bases SET index_generation = index_generation + 1 WHERE fingerprint = :fingerprint", known
        )


def _entries(connection: sqlite3.Connection) -> None:
    """Give each vector the id of its entry in the vector index, which equal vectors share."""
    connection.create_function("entry_id", 1, entry_id, deterministic=True)
    connection.execute("ALTER TABLE vectors ADD COLUMN entry TEXT NOT NULL DEFAULT ''")
    connection.execute("UPDATE vectors SET entry = entry_id(vector)")
    connection.execute("CREATE INDEX vectors_entry ON vectors(entry)")


def _versions(connection: sqlite3.Connection) -> None:
    """Give every note its first version, bases and notes new fields; drafts of edits; installed packs."""
    connection.create_function("packed", 1, packed, deterministic=True)
    for statement in _VERSIONS.split(";"):
        connection.execute(statement)


_VERSIONS = """
    ALTER TABLE bases ADD COLUMN description TEXT NOT NULL DEFAULT '';
    ALTER TABLE bases ADD COLUMN write_files INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE bases ADD COLUMN watch INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE bases ADD COLUMN trusts_programs INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE chunks ADD COLUMN line INTEGER NOT NULL DEFAULT 0;
    DROP INDEX chunks_pending;
    CREATE INDEX chunks_pending ON chunks(note_id, "index") WHERE state = 'pending';
    ALTER TABLE notes ADD COLUMN expires_at TEXT;
    ALTER TABLE notes ADD COLUMN supersedes TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE notes ADD COLUMN related TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE notes ADD COLUMN depends_on TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE notes ADD COLUMN front TEXT;
    ALTER TABLE notes ADD COLUMN overridden TEXT NOT NULL DEFAULT '{}';
    UPDATE notes SET front = '' WHERE body_start = 0;
    DROP INDEX notes_filters;
    CREATE INDEX notes_filters ON notes(
        updated_at DESC, priority DESC, id, base_id, status, type, category, project, scope, expires_at, path, title
    );
    CREATE INDEX notes_expiring ON notes(expires_at) WHERE expires_at IS NOT NULL;
    CREATE INDEX notes_superseding ON notes(id) WHERE supersedes != '[]';
    CREATE TABLE versions (
        note_id TEXT NOT NULL,
        number INTEGER NOT NULL,
        base_id TEXT NOT NULL REFERENCES bases ON DELETE CASCADE,
        kind TEXT NOT NULL,
        author TEXT NOT NULL,
        at TEXT NOT NULL,
        title TEXT NOT NULL,
        body BLOB NOT NULL,
        fields TEXT NOT NULL,
        PRIMARY KEY (note_id, number)
    );
    CREATE INDEX versions_deleted ON versions(note_id, at) WHERE kind = 'delete';
    INSERT INTO versions
        SELECT id, version, base_id, 'create', 'sync', coalesce(updated_at, '1970-01-01T00:00:00+00:00'), title,
               packed(body),
               json_object('content_hash', content_hash, 'path', path, 'body_start', body_start, 'source', source,
                           'source_ref', source_ref, 'source_url', source_url, 'links', json(links),
                           'category', category, 'type', type, 'project', project, 'scope', scope,
                           'priority', priority, 'status', status, 'created_at', created_at, 'updated_at', updated_at,
                           'extra', json(extra), 'warnings', json(warnings), 'front', front,
                           'tags', (SELECT json_group_array(tag) FROM tags WHERE note_id = notes.id))
        FROM notes;
    ALTER TABLE version ADD COLUMN owner TEXT NOT NULL DEFAULT '';
    CREATE TABLE drafts (
        key TEXT PRIMARY KEY,
        base_id TEXT NOT NULL,
        version INTEGER NOT NULL,
        title TEXT NOT NULL,
        body TEXT NOT NULL,
        fields TEXT NOT NULL,
        at TEXT NOT NULL
    );
    CREATE TABLE proposals (
        note_id TEXT PRIMARY KEY REFERENCES notes ON DELETE CASCADE,
        version INTEGER NOT NULL,
        body TEXT,
        fields TEXT NOT NULL,
        at TEXT NOT NULL
    );
    CREATE TABLE creations (
        key TEXT PRIMARY KEY,
        request BLOB NOT NULL,
        at TEXT NOT NULL,
        status INTEGER,
        headers TEXT NOT NULL DEFAULT '{}',
        body BLOB NOT NULL DEFAULT x''
    );
    CREATE TABLE packs (
        name TEXT PRIMARY KEY,
        version TEXT NOT NULL,
        base_id TEXT NOT NULL REFERENCES bases ON DELETE CASCADE,
        folder TEXT NOT NULL,
        initialized_at TEXT NOT NULL,
        checked_at TEXT NOT NULL
    );
    CREATE TABLE pack_files (
        pack TEXT NOT NULL REFERENCES packs ON DELETE CASCADE,
        path TEXT NOT NULL,
        hash TEXT NOT NULL,
        PRIMARY KEY (pack, path)
    ) WITHOUT ROWID
"""


def _chosen(parts: Iterable[tuple[str, Any]], left_open: Mapping[str, object]) -> dict[str, Any]:
    return {name: value for name, value in parts if value not in (None, left_open.get(name))}


MIGRATIONS: tuple[str | Callable[[sqlite3.Connection], None], ...] = (
    """
    CREATE TABLE bases (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        embedder TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        dimension INTEGER NOT NULL,
        chunking TEXT NOT NULL,
        "limit" INTEGER NOT NULL,
        score_threshold REAL NOT NULL,
        index_generation INTEGER NOT NULL,
        index_added INTEGER NOT NULL DEFAULT 0,
        created_at TEXT NOT NULL,
        synced_at TEXT
    );
    CREATE TABLE notes (
        id TEXT PRIMARY KEY,
        base_id TEXT NOT NULL REFERENCES bases ON DELETE CASCADE,
        generation INTEGER NOT NULL,
        title TEXT NOT NULL,
        body TEXT NOT NULL,
        body_start INTEGER NOT NULL,
        content_hash TEXT NOT NULL,
        path TEXT,
        source TEXT NOT NULL,
        source_ref TEXT NOT NULL,
        source_url TEXT NOT NULL,
        mtime_ns INTEGER,
        size INTEGER,
        links TEXT NOT NULL,
        category TEXT NOT NULL,
        type TEXT NOT NULL,
        project TEXT NOT NULL,
        scope TEXT NOT NULL,
        priority INTEGER NOT NULL,
        status TEXT NOT NULL,
        created_at TEXT,
        updated_at TEXT,
        version INTEGER NOT NULL,
        extra TEXT NOT NULL,
        warnings TEXT NOT NULL,
        strategy TEXT NOT NULL,
        cut_by TEXT NOT NULL
    );
    CREATE UNIQUE INDEX notes_file ON notes(base_id, source_ref, path) WHERE path IS NOT NULL;
    CREATE TABLE tags (
        note_id TEXT NOT NULL REFERENCES notes ON DELETE CASCADE,
        tag TEXT NOT NULL COLLATE NOCASE,
        PRIMARY KEY (note_id, tag)
    ) WITHOUT ROWID;
    CREATE INDEX tags_tag ON tags(tag);
    CREATE TABLE chunks (
        rowid INTEGER PRIMARY KEY,
        id TEXT NOT NULL,
        note_id TEXT NOT NULL REFERENCES notes ON DELETE CASCADE,
        "index" INTEGER NOT NULL,
        start INTEGER NOT NULL,
        "end" INTEGER NOT NULL,
        text TEXT NOT NULL,
        kind TEXT NOT NULL,
        section_title TEXT NOT NULL,
        parent_sections TEXT NOT NULL,
        hierarchy_level INTEGER NOT NULL,
        has_code INTEGER NOT NULL,
        language TEXT NOT NULL,
        token_count INTEGER NOT NULL,
        overlap_tokens INTEGER NOT NULL,
        lead TEXT NOT NULL,
        state TEXT NOT NULL,
        edited INTEGER NOT NULL,
        UNIQUE (note_id, "index")
    );
    CREATE VIRTUAL TABLE words USING fts5(title, headings, body, tokenize = "porter ascii tokenchars '.+#_'");
    CREATE TABLE embedders (id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE);
    CREATE TABLE vectors (
        id INTEGER PRIMARY KEY,
        embedder INTEGER NOT NULL REFERENCES embedders,
        text_hash BLOB NOT NULL,
        vector BLOB NOT NULL,
        UNIQUE (embedder, text_hash)
    );
    CREATE TABLE windows (
        chunk INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE,
        "index" INTEGER NOT NULL,
        vector INTEGER NOT NULL REFERENCES vectors,
        PRIMARY KEY (chunk, "index")
    ) WITHOUT ROWID;
    CREATE INDEX windows_vector ON windows(vector);
    CREATE TABLE syncs (
        base_id TEXT NOT NULL REFERENCES bases ON DELETE CASCADE,
        folder TEXT NOT NULL,
        at TEXT NOT NULL,
        report TEXT NOT NULL,
        PRIMARY KEY (base_id, folder)
    ) WITHOUT ROWID;
    """,
    # An edit outlives its note, because the note's file may be imported again.
    """
    CREATE TABLE edits (
        id TEXT PRIMARY KEY,
        note_id TEXT NOT NULL,
        base_id TEXT NOT NULL REFERENCES bases ON DELETE CASCADE,
        number INTEGER NOT NULL,
        kind TEXT NOT NULL,
        anchor TEXT NOT NULL,
        anchor_start INTEGER NOT NULL,
        text TEXT NOT NULL,
        deleted INTEGER NOT NULL,
        flagged INTEGER NOT NULL,
        created_at TEXT NOT NULL
    );
    CREATE INDEX edits_note ON edits(note_id, number);
    CREATE INDEX chunks_id ON chunks(id);
    CREATE INDEX chunks_pending ON chunks(note_id) WHERE state = 'pending';
    ALTER TABLE bases ADD COLUMN embed_at_once INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE notes ADD COLUMN chunking TEXT;
    """,
    # Sign bits of token vectors, relative to a centre that never changes for a model; unfinished changes of embedder.
    """
    ALTER TABLE bases ADD COLUMN keep_tokens INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE embedders ADD COLUMN centre BLOB;
    CREATE TABLE tokens (
        vector INTEGER PRIMARY KEY REFERENCES vectors ON DELETE CASCADE,
        bits BLOB NOT NULL
    );
    CREATE TABLE switches (
        base_id TEXT PRIMARY KEY REFERENCES bases ON DELETE CASCADE,
        embedder TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        started_at TEXT NOT NULL
    ) WITHOUT ROWID;
    """,
    # A number that grows with every change, by which results are cached; past searches and feedback on hits;
    # the search settings of a base, where 0 and NULL leave the choice to the settings.
    """
    CREATE TABLE version (number INTEGER NOT NULL);
    INSERT INTO version VALUES (0);
    CREATE TABLE usage (
        query TEXT NOT NULL,
        note_id TEXT NOT NULL,
        chunk_id TEXT NOT NULL,
        verdict TEXT NOT NULL,
        at TEXT NOT NULL,
        PRIMARY KEY (query, chunk_id)
    ) WITHOUT ROWID;
    CREATE INDEX usage_note ON usage(note_id);
    CREATE TABLE searches (
        query TEXT PRIMARY KEY,
        at TEXT NOT NULL,
        times INTEGER NOT NULL,
        name TEXT NOT NULL DEFAULT ''
    ) WITHOUT ROWID;
    ALTER TABLE bases ADD COLUMN semantic_weight REAL;
    ALTER TABLE bases ADD COLUMN rerank_weight REAL;
    UPDATE bases SET "limit" = 0;
    """,
    wording.fold_traditional,
    # Every column of a note or a chunk that a filter reads; in the order in which changed notes are listed.
    """
    CREATE INDEX notes_filters ON notes(updated_at DESC, id, base_id, status, type, category, project, path, title);
    CREATE INDEX notes_inactive ON notes(status) WHERE status != 'active';
    CREATE INDEX chunks_filters ON chunks(note_id, state, has_code, section_title, parent_sections);
    """,
    # Questions and their right passages; a passage outlives its note, because the note's file may be imported again.
    """
    CREATE TABLE question_sets (
        id TEXT PRIMARY KEY,
        base_id TEXT NOT NULL REFERENCES bases ON DELETE CASCADE,
        name TEXT NOT NULL,
        created_at TEXT NOT NULL,
        UNIQUE (base_id, name)
    );
    CREATE TABLE questions (
        rowid INTEGER PRIMARY KEY,
        set_id TEXT NOT NULL REFERENCES question_sets ON DELETE CASCADE,
        id TEXT NOT NULL,
        text TEXT NOT NULL,
        "any" INTEGER NOT NULL,
        kind TEXT NOT NULL,
        note TEXT NOT NULL,
        suggested INTEGER NOT NULL,
        UNIQUE (set_id, id)
    );
    CREATE TABLE golds (
        question INTEGER NOT NULL REFERENCES questions ON DELETE CASCADE,
        number INTEGER NOT NULL,
        note_id TEXT NOT NULL,
        path TEXT NOT NULL,
        quote TEXT NOT NULL,
        start INTEGER NOT NULL,
        "end" INTEGER NOT NULL,
        flagged INTEGER NOT NULL,
        PRIMARY KEY (question, number)
    ) WITHOUT ROWID;
    CREATE INDEX golds_note ON golds(note_id);
    CREATE TRIGGER golds_flagged AFTER DELETE ON notes BEGIN
        UPDATE golds SET flagged = 1 WHERE note_id = OLD.id;
    END;
    """,
    # Runs and their results; a run outlives its question set. The reranker of a base, where '' leaves the choice to
    # the settings.
    """
    CREATE TABLE runs (
        id TEXT PRIMARY KEY,
        base_id TEXT NOT NULL REFERENCES bases ON DELETE CASCADE,
        set_id TEXT NOT NULL,
        set_name TEXT NOT NULL,
        pipeline TEXT NOT NULL,
        settings TEXT NOT NULL,
        index_version INTEGER NOT NULL,
        started_at TEXT NOT NULL,
        ended_at TEXT,
        questions INTEGER NOT NULL,
        metrics TEXT NOT NULL
    );
    CREATE INDEX runs_base ON runs(base_id, started_at);
    CREATE TABLE results (
        run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
        number INTEGER NOT NULL,
        result TEXT NOT NULL,
        PRIMARY KEY (run_id, number)
    ) WITHOUT ROWID;
    ALTER TABLE bases ADD COLUMN reranker TEXT NOT NULL DEFAULT '';
    """,
    _one_value_for_searches,
    _centring,
    _entries,
    _versions,
    # The model that the archive of a base names, until a person agrees to it; the zips of deleted bases that Tessera
    # wrote; the days of openings, by which what is in the trash too long is seen twice before it goes.
    """
    ALTER TABLE bases ADD COLUMN wish TEXT NOT NULL DEFAULT '';
    CREATE TABLE trashed_bases (
        file TEXT PRIMARY KEY,
        digest TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE openings (
        number INTEGER PRIMARY KEY,
        day TEXT NOT NULL
    );
    CREATE TABLE overdue (
        item TEXT PRIMARY KEY,
        opening INTEGER NOT NULL
    ) WITHOUT ROWID;
    """,
)


def migrate(connection: sqlite3.Connection, folder: Path) -> None:
    """Bring the database of a workspace to the newest version, after a backup of it.

    Raises NewerSchema if its version is a later one.
    """
    version = schema_version(connection)
    if 0 < version < len(MIGRATIONS) and connection.execute("SELECT EXISTS (SELECT 1 FROM bases)").fetchone()[0]:
        backups.make(connection, folder, version)
    for number, step in enumerate(MIGRATIONS[version:], start=version + 1):
        if isinstance(step, str):
            connection.executescript(f"BEGIN IMMEDIATE; {step} PRAGMA user_version = {number}; COMMIT;")
            continue
        connection.execute("BEGIN IMMEDIATE")
        try:
            step(connection)
            connection.execute(f"PRAGMA user_version = {number}")
        except BaseException:
            connection.rollback()
            raise
        connection.commit()


def schema_version(connection: sqlite3.Connection) -> int:
    """Return how many migrations the database has; raises NewerSchema if this version has fewer."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise NewerSchema(
            "This workspace was written by a later version of Tessera (schema {theirs}; this one knows {ours}). "
            "Update Tessera to open it; nothing was changed.",
            theirs=version,
            ours=len(MIGRATIONS),
        )
    return version
