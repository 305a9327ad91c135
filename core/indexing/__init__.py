"""Notes -> chunks -> vectors: indexing, the user's edits of chunks, and changes of embedder."""
