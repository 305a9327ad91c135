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
