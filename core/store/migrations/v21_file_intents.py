"""Schema version 21. It adds a table for unfinished file changes, and an index on versions by time.

After a crash, the changes in the table are undone.
"""

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
