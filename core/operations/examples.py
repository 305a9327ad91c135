"""Examples of arguments and answers, which the schema of HTTP shows."""

from typing import Any

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
INSTALLED: dict[str, Any] = {
    "name": "guide",
    "version": "0.1.0",
    "base": "guide",
    "notes": 23,
    "chunks": 61,
    "initialized_at": "2026-11-23T08:15:00+00:00",
    "last_check": "2026-11-23T08:15:00+00:00",
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
RESULT: dict[str, Any] = {
    "query": "where do we begin",
    "mode": "hybrid",
    "level": "simple",
    "level_reason": "The question asks for one thing.",
    "understood": {"text": "where do we begin", "phrases": [], "excluded": [], "terms": []},
    "took_ms": 14.2,
    "notices": [],
    "reranker": "late-interaction",
    "rerank_problem": "",
    "sub_queries": [],
    "decompositions": [],
    "decompose_problem": "",
    "spelled": {},
    "choice": None,
    "confident": True,
    "facets": [{"field": "tag", "value": "plan", "hits": 1, "term": "tag:plan"}],
    "hits": [
        {
            "rank": 1,
            "note_id": "4f1c",
            "base": "work",
            "path": "plans/roadmap.md",
            "title": "Roadmap",
            "section": ["Roadmap"],
            "line": None,
            "chunk_id": "b7a0",
            "chunk_index": 0,
            "total_chunks": 1,
            "start": 0,
            "end": 35,
            "file_start": 0,
            "file_end": 35,
            "text": "# Roadmap\n\nThe search comes first.",
            "score": 0.91,
            "scores": {"vector": 0.83, "keyword": 2.1, "fused": 0.91, "rerank": None, "final": 0.91},
            "ranks": {"vector": 1, "keyword": 1, "fused": 1, "rerank": None, "final": 1},
            "chunk_start": 0,
            "chunk_end": 35,
            "edited": False,
            "tags": ["plan"],
            "type": "plan",
            "category": "",
            "project": "",
            "scope": "",
            "priority": 0,
            "status": "active",
            "expires_at": None,
            "superseded_by": [],
            "file": "same",
            "remarks": [],
            "matched": [],
            "joined": [],
            "copies": [],
            "sub_query": "",
        }
    ],
    "lost": [],
}
CONTEXT: dict[str, Any] = {
    "text": "[1] <note> Roadmap (plans/roadmap.md)\nThe search comes first.\n</note>",
    "tokens": 12,
    "budget": 1000,
    "left_out": 0,
    "confident": True,
    "citations": [
        {
            "number": 1,
            "note_id": "4f1c",
            "base": "work",
            "path": "plans/roadmap.md",
            "title": "Roadmap",
            "section": ["Roadmap"],
            "start": 0,
            "end": 35,
            "file_start": 0,
            "file_end": 35,
        }
    ],
}
WHY_NOT: dict[str, Any] = {
    "note_id": "4f1c",
    "path": "plans/roadmap.md",
    "title": "Roadmap",
    "stage": None,
    "told": "It is a hit, on rank 1.",
    "chunk_index": 0,
    "scores": {"final": {"score": 0.91, "rank": 1}},
}
