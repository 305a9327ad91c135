"""A first version for every note, new fields of bases and notes, drafts of edits, changes by programs, packs."""

import sqlite3
import zlib


def step(connection: sqlite3.Connection) -> None:
    """Apply the statements in the caller's transaction, which a script would commit."""
    connection.create_function("packed", 1, _packed, deterministic=True)
    for statement in _STATEMENTS.split(";"):
        connection.execute(statement)


def _packed(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogatepass"))


_STATEMENTS = """
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
                           'source_ref', source_ref, 'source_url', source_url,
                           'links', iif(json_valid(links), json(links), json('[]')),
                           'category', category, 'type', type, 'project', project, 'scope', scope,
                           'priority', priority, 'status', status, 'created_at', created_at, 'updated_at', updated_at,
                           'extra', iif(json_valid(extra), json(extra), json('{}')),
                           'warnings', iif(json_valid(warnings), json(warnings), json('[]')), 'front', front,
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
