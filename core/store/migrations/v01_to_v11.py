"""Schema versions 1 (the first tables) to 11 (entries in the vector index)."""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path

# 1. The first tables: bases, notes with tags, chunks with words and vectors, syncs.

FIRST = """
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
    """


# 2. The user's edits to chunks. Edits are kept after their note is deleted, because its file may be imported again.

EDITS = """
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
    """


# 3. Sign bits of token vectors, relative to the model's centre, which never changes. Unfinished model switches.

TOKENS = """
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
    """


# 4. A version number that increases with every change, for caching. Past searches, feedback on hits, and weights.
#
# If a base's weight or limit is 0 or NULL, the settings apply.

USAGE = """
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
    """


# 5. A former change to the word index. It is empty, because opening the store rebuilds the index anyway.

WORDS = ""

# 6. Covering indexes for filters on notes and chunks, in the order in which notes are listed.

FILTERS = """
    CREATE INDEX notes_filters ON notes(updated_at DESC, id, base_id, status, type, category, project, path, title);
    CREATE INDEX notes_inactive ON notes(status) WHERE status != 'active';
    CREATE INDEX chunks_filters ON chunks(note_id, state, has_code, section_title, parent_sections);
    """


# 7. Questions and the passages that answer them. Passages are kept after their note is deleted, because its file may be
# imported again.

QUESTIONS = """
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
    """


# 8. Runs and their results, which are kept after their question set is deleted. A base's reranker, where '' means that
# the settings apply.

RUNS = """
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
    """


# 9. A base's or pipeline's search settings as a single object. Values that meant "no choice" are left out.

_COLUMNS = ("limit", "score_threshold", "semantic_weight", "rerank_weight", "reranker")


def move_search_settings(connection: sqlite3.Connection) -> None:
    """Move search settings into objects. Drop a column from `switches` that existed only between two releases."""
    names = ", ".join(f'"{name}"' for name in _COLUMNS)
    connection.execute("ALTER TABLE bases ADD COLUMN search TEXT NOT NULL DEFAULT '{}'")
    for base_id, *values in connection.execute(f"SELECT id, {names} FROM bases").fetchall():
        chosen = _chosen(zip(_COLUMNS, values, strict=True), {"limit": 0, "score_threshold": 0, "reranker": ""})
        connection.execute("UPDATE bases SET search = ? WHERE id = ?", (json.dumps(chosen), base_id))
    for name in _COLUMNS:
        connection.execute(f'ALTER TABLE bases DROP COLUMN "{name}"')
    for run_id, stored in connection.execute("SELECT id, pipeline FROM runs").fetchall():
        parts = json.loads(stored)
        pipeline = {name: parts.pop(name) for name in ("name", "chunking", "embedder")}
        pipeline["search"] = _chosen(parts.items(), {"mode": "auto", "level": "auto", "limit": 10, "expansion_size": 0})
        connection.execute("UPDATE runs SET pipeline = ? WHERE id = ?", (json.dumps(pipeline), run_id))
    if "dimension" in {name for (name,) in connection.execute("SELECT name FROM pragma_table_info('switches')")}:
        connection.execute("ALTER TABLE switches DROP COLUMN dimension")


def _chosen(parts: Iterable[tuple[str, object]], left_open: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in parts if value not in (None, left_open.get(name))}


# 10. A centring for each model. For models in `v10_centring.safetensors`, the centring is stored now, and their indexes
# are rebuilt.

_CONSTANTS = Path(__file__).with_name("v10_centring.safetensors")


def add_centring(connection: sqlite3.Connection) -> None:
    from safetensors.numpy import load_file

    connection.execute("ALTER TABLE embedders ADD COLUMN centring BLOB")
    for fingerprint, constants in load_file(_CONSTANTS).items():
        known = {"fingerprint": fingerprint, "constants": constants.astype("<f4").tobytes()}
        connection.execute("UPDATE embedders SET centring = :constants WHERE fingerprint = :fingerprint", known)
        connection.execute(
            "UPDATE bases SET index_generation = index_generation + 1 WHERE fingerprint = :fingerprint", known
        )


# 11. An id for each vector's entry in the vector index. Equal vectors share an entry.


def add_entries(connection: sqlite3.Connection) -> None:
    connection.create_function("entry_id", 1, _entry_id, deterministic=True)
    connection.execute("ALTER TABLE vectors ADD COLUMN entry TEXT NOT NULL DEFAULT ''")
    connection.execute("UPDATE vectors SET entry = entry_id(vector)")
    connection.execute("CREATE INDEX vectors_entry ON vectors(entry)")


def _entry_id(vector: bytes) -> str:
    return blake2b(vector, digest_size=16).hexdigest()
