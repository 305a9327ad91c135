"""Backups of a whole workspace as zip files: database, preferences, word lists and trash, without models and index."""
