"""Backups of a whole workspace, each one zip: database, choices, word lists and trash, without models and index."""
