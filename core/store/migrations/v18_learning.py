"""Facts extracted from logs: suggested as notes, or rejected, so that they aren't suggested again."""

STEP = """
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
