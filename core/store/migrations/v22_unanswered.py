"""Schema version 22. It adds whether the notes answered a past search."""

from sqlite3 import Connection


def step(connection: Connection) -> None:
    # Version 21 had the column for a while before it was closed.
    if not connection.execute("SELECT 1 FROM pragma_table_info('searches') WHERE name = 'unanswered'").fetchone():
        connection.execute("ALTER TABLE searches ADD COLUMN unanswered INTEGER NOT NULL DEFAULT 0")
