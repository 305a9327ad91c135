"""Guests: the model that an archive names, until the user agrees to it, and the zips of deleted bases.

The days of openings tell that what is in the trash too long was seen twice before it goes.
"""

STEP = """
    ALTER TABLE bases ADD COLUMN wish TEXT NOT NULL DEFAULT '';
    CREATE TABLE trashed_bases (
        file TEXT PRIMARY KEY,
        digest TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE openings (
        number INTEGER PRIMARY KEY,
        day TEXT NOT NULL
    );
    CREATE TABLE overdue (
        item TEXT PRIMARY KEY,
        opening INTEGER NOT NULL
    ) WITHOUT ROWID;
    """
