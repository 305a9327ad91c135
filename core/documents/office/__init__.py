"""Office documents: what pandoc doesn't read of them, put where pandoc reads it or beside what it read."""
