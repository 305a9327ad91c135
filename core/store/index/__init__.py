"""Vector search.

| module | what it does |
|---|---|
| `vector_index` | the workspace's index: updated from SQLite by a thread, checked, and rebuilt if damaged |
| `exact_search` | search without the index, comparing with all vectors in memory |
| `chroma_process` | backends for folders and servers; they call Chroma in a separate process, which may crash |
| `chroma_worker` | that process's main program, and the seal of a closed index |
| `chroma_collections` | Chroma collections in that process, in a folder or on a server |
"""
