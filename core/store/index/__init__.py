"""Search by vectors.

| module | what it does |
|---|---|
| `vector_index` | the index of a workspace: brought in line with SQLite in a thread, built again where it is damaged |
| `index_check` | whether the index holds what SQLite holds and finds what exact search finds; its seal |
| `exact_search` | bases that are searched without the index: their vectors in memory |
| `backend` | the protocol of what keeps an index: a folder of Chroma, a server, or nothing |
| `chroma_process` | both of them, for the rest of the program: a process that may die |
| `chroma_worker` | what that process runs |
| `chroma_collections` | collections of Chroma's client in that process, for a folder or a server |
"""
