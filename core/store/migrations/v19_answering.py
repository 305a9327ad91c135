"""Threads of answers, uses of notes, concepts, checks whether notes can be found, expected answers of questions."""

STEP = """
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
