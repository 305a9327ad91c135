"""What the text of a note lacks of its file."""

STEP = """
    ALTER TABLE notes ADD COLUMN left_out TEXT NOT NULL DEFAULT '[]';
    CREATE INDEX notes_incomplete ON notes(base_id, path) WHERE left_out != '[]';
    """
