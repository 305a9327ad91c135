"""Sign bits of token vectors, relative to a centre that never changes for a model; unfinished changes of model."""

STEP = """
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
