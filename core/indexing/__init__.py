"""Notes -> chunks -> vectors: indexing, a person's edits of chunks, and changes of embedder."""
