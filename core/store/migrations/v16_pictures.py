"""Pictures: their places in notes, the text read from each file by its hash, and the chunks of pictures."""

STEP = """
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
