"""Examples of answers in `openapi.json`."""

from typing import Any

from core.operations.examples import INSTALLED

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
NEW_SET: dict[str, Any] = {
    "base": "work",
    "name": "first questions",
    "questions": '{"id": "q1", "question": "What comes first?", "gold": [{"path": "roadmap.md", "quote": "first."}]}',
}
QUESTION_SET: dict[str, Any] = {
    "id": "8c21",
    "name": "first questions",
    "questions": 1,
    "suggested": 0,
    "flagged": 0,
    "created_at": "2026-11-23T08:15:00+00:00",
}
QUESTION: dict[str, Any] = {
    "id": "q1",
    "text": "What comes first?",
    "kind": "",
    "note": "",
    "suggested": False,
    "any": True,
    "gold": [
        {
            "note_id": "4f1c",
            "path": "plans/roadmap.md",
            "quote": "The search comes first.",
            "start": 11,
            "end": 34,
            "flagged": False,
        }
    ],
}
RUN: dict[str, Any] = {
    "id": "5d07",
    "set_id": "8c21",
    "set_name": "first questions",
    "questions": 1,
    "asked": 1,
    "metrics": {"hit@5": 1.0, "mrr@10": 1.0},
    "settings": {"limit": 5},
    "pipeline": "",
    "started_at": "2026-11-23T08:15:00+00:00",
    "ended_at": "2026-11-23T08:15:01+00:00",
}
QUESTION_RESULT: dict[str, Any] = {
    "id": "q1",
    "question": "What comes first?",
    "kind": "",
    "negative": False,
    "took_ms": 12.1,
    "hits": [{"path": "plans/roadmap.md", "file_start": 0, "file_end": 35, "score": 0.91}],
    "found_rank": 1,
    "found_in_budget": True,
}
STATUS: dict[str, Any] = {
    "workspace": "/home/ada/tessera/data/workspace",
    "bytes": 4194304,
    "bases": [BASE],
    "packs": [INSTALLED],
    "readonly": False,
    "index_problem": None,
    "unreadable": [],
}
