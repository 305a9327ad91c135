"""From notes to chunks and vectors: indexing, the user's edits to chunks, and switching embedders."""
