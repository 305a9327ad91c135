"""Edits of chunks. An edit outlives its note, because the note's file may be imported again."""

STEP = """
    CREATE TABLE edits (
        id TEXT PRIMARY KEY,
        note_id TEXT NOT NULL,
        base_id TEXT NOT NULL REFERENCES bases ON DELETE CASCADE,
        number INTEGER NOT NULL,
        kind TEXT NOT NULL,
        anchor TEXT NOT NULL,
        anchor_start INTEGER NOT NULL,
        text TEXT NOT NULL,
        deleted INTEGER NOT NULL,
        flagged INTEGER NOT NULL,
        created_at TEXT NOT NULL
    );
    CREATE INDEX edits_note ON edits(note_id, number);
    CREATE INDEX chunks_id ON chunks(id);
    CREATE INDEX chunks_pending ON chunks(note_id) WHERE state = 'pending';
    ALTER TABLE bases ADD COLUMN embed_at_once INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE notes ADD COLUMN chunking TEXT;
    """
