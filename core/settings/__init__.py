"""The settings file and its sections, the user's preferences, and access tokens."""
