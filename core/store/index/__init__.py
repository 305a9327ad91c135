"""Search by vectors.

| module | what it does |
|---|---|
| `vector_index` | the index of a workspace: updated from SQLite by a thread, checked, rebuilt if damaged |
| `exact_search` | search without the index, by comparing with all vectors in memory |
| `chroma_process` | backends for folders and servers; they call Chroma in another process, which may crash |
| `chroma_worker` | the main program of that process; the seal of a closed index |
| `chroma_collections` | collections of Chroma's client in that process, for a folder or a server |
"""
