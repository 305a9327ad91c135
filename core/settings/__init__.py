"""Settings: the file, its sections, the user's preferences, and access tokens."""
