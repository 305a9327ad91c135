"""Office documents: content that pandoc doesn't read, put where it reads it or added to its result."""
