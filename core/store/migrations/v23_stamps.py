"""Stamps of files, by which a change is seen that leaves time and size as they were; unknown for earlier syncs."""

STEP = """
    ALTER TABLE notes ADD COLUMN stamp TEXT NOT NULL DEFAULT '';
    ALTER TABLE unread_files ADD COLUMN stamp TEXT NOT NULL DEFAULT '';
    ALTER TABLE unread_files ADD COLUMN hash TEXT NOT NULL DEFAULT '';
    """
