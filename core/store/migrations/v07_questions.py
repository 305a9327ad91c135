"""Questions and their right passages. A passage outlives its note, because the note's file may be imported again."""

STEP = """
    CREATE TABLE question_sets (
        id TEXT PRIMARY KEY,
        base_id TEXT NOT NULL REFERENCES bases ON DELETE CASCADE,
        name TEXT NOT NULL,
        created_at TEXT NOT NULL,
        UNIQUE (base_id, name)
    );
    CREATE TABLE questions (
        rowid INTEGER PRIMARY KEY,
        set_id TEXT NOT NULL REFERENCES question_sets ON DELETE CASCADE,
        id TEXT NOT NULL,
        text TEXT NOT NULL,
        "any" INTEGER NOT NULL,
        kind TEXT NOT NULL,
        note TEXT NOT NULL,
        suggested INTEGER NOT NULL,
        UNIQUE (set_id, id)
    );
    CREATE TABLE golds (
        question INTEGER NOT NULL REFERENCES questions ON DELETE CASCADE,
        number INTEGER NOT NULL,
        note_id TEXT NOT NULL,
        path TEXT NOT NULL,
        quote TEXT NOT NULL,
        start INTEGER NOT NULL,
        "end" INTEGER NOT NULL,
        flagged INTEGER NOT NULL,
        PRIMARY KEY (question, number)
    ) WITHOUT ROWID;
    CREATE INDEX golds_note ON golds(note_id);
    CREATE TRIGGER golds_flagged AFTER DELETE ON notes BEGIN
        UPDATE golds SET flagged = 1 WHERE note_id = OLD.id;
    END;
    """
