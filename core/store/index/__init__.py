"""Search by vectors.

| module | what it does |
|---|---|
| `vector_index` | the index of a workspace: opened, brought in line with SQLite, built again where it is damaged |
| `index_queue` | the index follows SQLite in a thread |
| `index_check` | whether the index holds what SQLite holds, and finds what exact search finds |
| `exact_search` | bases that are searched without the index: their vectors in memory |
| `no_index` | a workspace without an index |
| `backend` | the protocol of what keeps an index: a folder of Chroma, or a server |
| `chroma_process` | both of them, for the rest of the program: a process that may die |
| `chroma_worker` | what that process runs |
| `chroma_collections` | collections of Chroma's client, in that process |
| `chroma_server` | a server of Chroma, as that process asks it |
| `seal` | sizes and checksums of the files of a closed index |
"""
