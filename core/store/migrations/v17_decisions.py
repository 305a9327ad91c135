"""Decisions on items to review: put off until a day, or fine as it is."""

STEP = """
    CREATE TABLE decisions (
        matter TEXT PRIMARY KEY,
        until TEXT,
        at TEXT NOT NULL
    ) WITHOUT ROWID;
    """
