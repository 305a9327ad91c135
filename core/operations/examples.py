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
