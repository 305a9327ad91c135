"""Documents: what a note was converted from, the pages of chunks, originals of uploads, and files that aren't read."""

STEP = """
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
