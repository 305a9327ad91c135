"""Examples of answers in `openapi.json`."""

from typing import Any

JOB: dict[str, Any] = {
    "id": "rechunk-4",
    "name": "rechunk",
    "base": "work",
    "state": "running",
    "done": 12,
    "total": 40,
    "share": 0.3,
    "what": "plans/roadmap.md",
    "seconds": 1.204,
    "result": None,
    "error": None,
}
CHUNKING: dict[str, Any] = {
    "strategy": "auto",
    "short_doc_threshold": 500,
    "chunk_size": 512,
    "chunk_overlap": 100,
    "min_headings_for_md_aware": 2,
    "max_single_chunk_size": 1500,
}
BASE: dict[str, Any] = {
    "name": "work",
    "description": "Plans and decisions",
    "kind": "vector",
    "notes": 41,
    "chunks": 187,
    "windows": 203,
    "pending": 0,
    "waiting": 0,
    "embedder": "bundled",
    "chunking": CHUNKING,
    "search": {"limit": 5},
    "embed_at_once": True,
    "keep_tokens": True,
    "write_files": False,
    "watch": False,
    "folders": [{"path": "/home/ada/notes", "synced_at": "2026-11-23T08:15:00+00:00"}],
}
CARD: dict[str, Any] = {
    "base": "work",
    "id": "4f1c",
    "title": "Roadmap",
    "path": "plans/roadmap.md",
    "version": 3,
    "tags": ["plan"],
    "type": "plan",
    "category": "",
    "project": "",
    "scope": "",
    "priority": 0,
    "status": "active",
    "source": "person",
    "created_at": "2026-11-20T10:00:00+00:00",
    "updated_at": "2026-11-23T08:15:00+00:00",
    "expires_at": None,
}
NOTE: dict[str, Any] = CARD | {
    "body": "# Roadmap\n\nThe search comes first.\n",
    "supersedes": [],
    "related": [],
    "depends_on": [],
}
