"""Examples of arguments and answers, which the schema of HTTP shows."""

from typing import Any

CHUNKING: dict[str, Any] = {
    "strategy": "auto",
    "short_doc_threshold": 500,
    "chunk_size": 512,
    "chunk_overlap": 100,
    "min_headings_for_md_aware": 2,
    "max_single_chunk_size": 1500,
}
INSTALLED: dict[str, Any] = {
    "name": "guide",
    "version": "0.1.0",
    "base": "guide",
    "notes": 23,
    "chunks": 61,
    "initialized_at": "2026-11-23T08:15:00+00:00",
    "last_check": "2026-11-23T08:15:00+00:00",
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
    "trusts_programs": False,
    "folders": [{"path": "/home/ada/notes", "synced_at": "2026-11-23T08:15:00+00:00"}],
}
VERSION: dict[str, Any] = {
    "number": 3,
    "kind": "update",
    "author": "person",
    "title": "Roadmap",
    "at": "2026-11-23T08:15:00+00:00",
}
DIFFERENCE: dict[str, Any] = {
    "first": 2,
    "second": 3,
    "fields": [{"name": "priority", "before": 0, "after": 1}],
    "pieces": [{"kind": "equal", "text": "# Roadmap\n\n"}, {"kind": "added", "text": "The search comes first.\n"}],
}
PACK: dict[str, Any] = {
    "name": "guide",
    "found": {
        "version": "0.1.0",
        "base": "guide",
        "language": "en",
        "description": "How Tessera works",
        "folder": "/opt/tessera/data/packs/guide",
    },
    "installed": INSTALLED,
}
PACK_REPORT: dict[str, Any] = {
    "name": "guide",
    "version": "0.1.0",
    "added": 0,
    "changed": 2,
    "removed": 0,
    "unchanged": 21,
    "edited": [],
}
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
MODEL: dict[str, Any] = {
    "name": "bundled",
    "part": "embedder",
    "folder": "/home/ada/.cache/tessera/e5",
    "bytes": 118_000_000,
    "languages": ["en", "zh"],
    "dimension": 384,
    "input_tokens": 512,
    "downloadable": False,
    "usable": True,
    "problem": "",
    "download_bytes": None,
    "server": None,
    "loaded": False,
    "memory_bytes": None,
    "device": None,
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
WRITTEN: dict[str, Any] = {"id": "4f1c", "version": 1, "path": "Roadmap.md", "base": "work", "status": "pending"}
NOTE: dict[str, Any] = CARD | {
    "body": "# Roadmap\n\nThe search comes first.\n",
    "supersedes": [],
    "related": [],
    "depends_on": [],
}
TRASHED: dict[str, Any] = {
    "id": "4f1c",
    "base": "work",
    "path": "Roadmap.md",
    "title": "Roadmap",
    "author": "person",
    "version": 3,
    "deleted_at": "2026-11-23T08:15:00+00:00",
}
CHUNK: dict[str, Any] = {
    "id": "b7a0",
    "index": 0,
    "total": 1,
    "kind": "full_document",
    "section": ["Roadmap"],
    "start": 0,
    "end": 35,
    "text": "# Roadmap\n\nThe search comes first.",
    "token_count": 9,
    "overlap_tokens": 0,
    "state": "embedded",
    "edited": False,
}
SUBMISSION: dict[str, Any] = {
    "id": "4f1c",
    "base": "work",
    "path": "Roadmap.md",
    "title": "Roadmap",
    "version": 3,
    "kind": "change",
    "author": "program",
    "at": "2026-11-23T08:15:00+00:00",
}
SYNCED: dict[str, Any] = {
    "added": 41,
    "changed": 0,
    "renamed": 0,
    "removed": 0,
    "unchanged": 0,
    "failed": [],
    "chunks": 187,
    "embedded_windows": 203,
    "edits_flagged": 0,
    "edits_kept": 0,
    "seconds": 2.104,
    "waiting": 0,
    "problem": None,
}
RECHUNKED: dict[str, Any] = {
    "notes": 12,
    "unchanged": 29,
    "chunks": 61,
    "embedded_windows": 61,
    "flagged": 0,
    "failed": [],
    "seconds": 1.204,
}
COST: dict[str, Any] = {
    "embedder": "bundled",
    "notes": 41,
    "chunks": 187,
    "windows": 203,
    "to_embed": 203,
    "seconds": 4.2,
}
RESTORED: dict[str, Any] = {
    "base": "work",
    "wish": "",
    "powers": {"switches": [], "folders": [], "reranker": ""},
    "notes": 41,
    "wish_asks": "",
    "foreign": False,
}
TRASHED_BASE: dict[str, Any] = {
    "key": "work-20261123",
    "base": "work",
    "deleted_at": "2026-11-23T08:15:00+00:00",
    "expired": False,
    "notes": [],
    "problem": "",
    "folders": [{"path": "/home/ada/notes", "synced_at": "2026-11-23T08:15:00+00:00"}],
}
STATUS: dict[str, Any] = {
    "workspace": "/home/ada/tessera/data/workspace",
    "bytes": 4194304,
    "bases": [BASE],
    "packs": [INSTALLED],
    "readonly": False,
    "index_problem": None,
    "unreadable": [],
    "settings_problem": "",
    "set_aside": [],
}
CUT: dict[str, Any] = {
    "profile": {"characters": 35, "tokens": 9, "headings": 1, "blocks": 2},
    "strategy": "none",
    "sizes": {"count": 1, "smallest": 9, "mean": 9.0, "largest": 9},
    "reasons": ["The note has 9 tokens, fewer than 500: it stays whole."],
    "warnings": [],
    "chunks": [
        {
            "index": 0,
            "kind": "full_document",
            "start": 0,
            "end": 35,
            "text": "# Roadmap\n\nThe search comes first.",
            "section_title": "Roadmap",
            "parent_sections": [],
            "hierarchy_level": 1,
            "token_count": 9,
            "overlap_tokens": 0,
            "has_code": False,
            "language": "",
            "file_start": 0,
            "file_end": 35,
        }
    ],
}
