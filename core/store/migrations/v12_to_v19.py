"""Schema versions 12 (versions of notes) to 19 (answer threads)."""

import sqlite3
import zlib

# 12. A first version of every note, new fields for bases and notes, drafts, changes by programs, and packs.


def add_versions(connection: sqlite3.Connection) -> None:
    """Execute the statements one by one, because a script would commit the caller's transaction."""
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


# 13. Guests: the model requested by an imported archive, until the user agrees to it. Zip files of deleted bases.
# The days on which a workspace was opened are stored, so that an item can be seen in the trash on two days before it
# expires.

GUESTS = """
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
    """


# 14. Text refused by a model, with the reason, and the chunks that have no vectors because of this.

REFUSALS = """
    CREATE TABLE refusals (
        id INTEGER PRIMARY KEY,
        fingerprint TEXT NOT NULL,
        text_hash BLOB NOT NULL,
        reason TEXT NOT NULL,
        at TEXT NOT NULL,
        UNIQUE (fingerprint, text_hash)
    );
    CREATE TABLE refused_chunks (
        chunk INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
        refusal INTEGER NOT NULL REFERENCES refusals
    );
    CREATE INDEX refused_chunks_refusal ON refused_chunks(refusal);
    """


# 15. Documents: the format from which a note was converted, chunks' pages, originals of uploads, and unreadable files.

DOCUMENTS = """
    ALTER TABLE notes ADD COLUMN document TEXT NOT NULL DEFAULT 'null';
    ALTER TABLE chunks ADD COLUMN page INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE originals (
        hash TEXT PRIMARY KEY,
        data BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE unread_files (
        base_id TEXT NOT NULL REFERENCES bases ON DELETE CASCADE,
        source_ref TEXT NOT NULL,
        path TEXT NOT NULL,
        mtime_ns INTEGER NOT NULL,
        size INTEGER NOT NULL,
        readers TEXT NOT NULL,
        reason TEXT NOT NULL,
        PRIMARY KEY (base_id, source_ref, path)
    ) WITHOUT ROWID;
    """


# 16. Pictures: their positions in notes, the text read from each file (by hash), and the chunks that contain this text.

PICTURES = """
    ALTER TABLE bases ADD COLUMN read_pictures INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE notes ADD COLUMN pictured INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE chunks ADD COLUMN picture TEXT NOT NULL DEFAULT '';
    CREATE TABLE pictures (
        hash TEXT NOT NULL PRIMARY KEY,
        text TEXT NOT NULL,
        reason TEXT NOT NULL,
        reader TEXT NOT NULL,
        at TEXT NOT NULL
    );
    CREATE TABLE note_pictures (
        note_id TEXT NOT NULL REFERENCES notes ON DELETE CASCADE,
        target TEXT NOT NULL,
        start INTEGER NOT NULL,
        place TEXT NOT NULL,
        mtime_ns INTEGER NOT NULL,
        size INTEGER NOT NULL,
        hash TEXT NOT NULL,
        looked INTEGER NOT NULL,
        placed INTEGER NOT NULL,
        PRIMARY KEY (note_id, target)
    ) WITHOUT ROWID;
    CREATE INDEX note_pictures_hash ON note_pictures(hash);
    """


# 17. The user's decisions on items to review: to postpone the item to a later day, or to leave it unchanged.

DECISIONS = """
    CREATE TABLE decisions (
        matter TEXT PRIMARY KEY,
        until TEXT,
        at TEXT NOT NULL
    ) WITHOUT ROWID;
    """


# 18. Facts extracted from logs. They are suggested as notes, or marked as rejected so that they aren't suggested again.

LEARNING = """
    CREATE TABLE learnt_facts (
        hash BLOB PRIMARY KEY,
        rule TEXT NOT NULL,
        key TEXT NOT NULL,
        note_id TEXT NOT NULL,
        rejected INTEGER NOT NULL DEFAULT 0,
        reason TEXT NOT NULL DEFAULT '',
        at TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX learnt_facts_note ON learnt_facts(note_id);
    """


# 19. Answer threads, uses of notes, concepts, checks that notes can be found, and expected answers to questions.

ANSWERING = """
    CREATE TABLE turns (
        thread_id TEXT NOT NULL,
        number INTEGER NOT NULL,
        typed TEXT NOT NULL,
        question TEXT NOT NULL,
        model TEXT NOT NULL,
        sentences TEXT NOT NULL,
        citations TEXT NOT NULL,
        at TEXT NOT NULL,
        PRIMARY KEY (thread_id, number)
    ) WITHOUT ROWID;
    CREATE TABLE uses (
        note_id TEXT NOT NULL,
        chunk_id TEXT NOT NULL,
        used_in TEXT NOT NULL,
        context TEXT NOT NULL,
        used_at TEXT NOT NULL,
        times INTEGER NOT NULL,
        helpful INTEGER,
        PRIMARY KEY (note_id, chunk_id, used_in, context)
    ) WITHOUT ROWID;
    CREATE INDEX uses_judged ON uses(note_id, helpful, used_at) WHERE helpful IS NOT NULL;
    INSERT OR REPLACE INTO uses
        SELECT note_id, chunk_id, 'search', query, at, 0,
            CASE verdict WHEN 'helpful' THEN 1 WHEN 'not_helpful' THEN 0 WHEN 'harmful' THEN -1 END
        FROM usage WHERE verdict IN ('helpful', 'not_helpful', 'harmful');
    DROP TABLE usage;
    CREATE TABLE concepts (
        name TEXT PRIMARY KEY,
        choice TEXT NOT NULL,
        into_name TEXT NOT NULL DEFAULT ''
    ) WITHOUT ROWID;
    CREATE TABLE checks (
        base_id TEXT NOT NULL REFERENCES bases ON DELETE CASCADE,
        at TEXT NOT NULL,
        result TEXT NOT NULL,
        PRIMARY KEY (base_id, at)
    ) WITHOUT ROWID;
    ALTER TABLE questions ADD COLUMN answer TEXT NOT NULL DEFAULT '';
    """
