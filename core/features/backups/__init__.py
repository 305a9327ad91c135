"""Backups of a whole workspace as zip files: database, preferences, word lists and trash, but no models or index."""
