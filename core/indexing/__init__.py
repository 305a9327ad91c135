"""Turn notes into chunks and vectors, apply the user's edits to chunks, and switch embedders."""
