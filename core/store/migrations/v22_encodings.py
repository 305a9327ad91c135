"""The encoding of the file of a note."""

STEP = """
    ALTER TABLE notes ADD COLUMN encoding TEXT NOT NULL DEFAULT 'null';
    """
