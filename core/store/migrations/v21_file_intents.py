"""Schema version 21: a table for file changes in progress, which a crash interrupts, and an index on versions by time."""

STEP = """
    CREATE TABLE file_intents (
        id INTEGER PRIMARY KEY,
        folder TEXT NOT NULL,
        path TEXT NOT NULL,
        new_path TEXT NOT NULL,
        before BLOB,
        after TEXT NOT NULL,
        left INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX versions_at ON versions(at, note_id, author);
    """
