"""Examples of what searches and their evaluation answer, which the schema of HTTP shows."""

from typing import Any

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
