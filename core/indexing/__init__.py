"""Turning notes into chunks and vectors: indexing, the user's edits to chunks, and switching embedders."""
