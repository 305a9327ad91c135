"""Search by vectors.

| module | what it does |
|---|---|
| `vector_index` | the index of a workspace: a thread updates it from SQLite; rebuilt if it is damaged |
| `index_check` | comparing the index with SQLite and with exact search; the seal of a closed index |
| `exact_search` | search without the index, over the vectors in memory |
| `backend` | places of an index: a folder of Chroma, or the address of a server |
| `chroma_process` | backends for both places; they call Chroma in another process, which may die |
| `chroma_worker` | the main program of that process |
| `chroma_collections` | collections of Chroma's client in that process, for a folder or a server |
"""
