"""Vector search.

| module | what it does |
|---|---|
| `vector_index` | updates the workspace's index from SQLite in a thread, checks it, and rebuilds it if damaged |
| `exact_search` | searches without the index by comparing the question with every vector in memory |
| `chroma_process` | backends for folders and servers, which call Chroma in a worker process that may crash |
| `chroma_worker` | the worker process's main program, and the seal of a closed index |
| `chroma_collections` | the worker process's Chroma collections, in a folder or on a server |
"""
