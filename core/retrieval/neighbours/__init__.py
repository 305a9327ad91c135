"""Finds related notes by meaning, words, links and tags, finds duplicates, and maps all notes."""
