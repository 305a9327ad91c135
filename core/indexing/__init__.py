"""From notes to chunks and vectors: indexing, the user's edits of chunks, and changes of embedder."""
