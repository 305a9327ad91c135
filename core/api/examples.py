"""Examples of answers in `openapi.json`."""

from typing import Any

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
