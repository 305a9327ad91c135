"""A number that grows with every change, by which results are cached; past searches; feedback on hits; weights.

In a base's weights and limits, 0 and NULL leave the choice to the settings.
"""

STEP = """
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
