"""Settings: the file, its sections, a user's preferences, and where things are."""
