"""One value for how a base or a pipeline is searched, without the values that meant "no choice"."""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

_COLUMNS = ("limit", "score_threshold", "semantic_weight", "rerank_weight", "reranker")


def step(connection: sqlite3.Connection) -> None:
    """Move search settings into objects; drop a column of `switches` that existed between two releases."""
    names = ", ".join(f'"{name}"' for name in _COLUMNS)
    connection.execute("ALTER TABLE bases ADD COLUMN search TEXT NOT NULL DEFAULT '{}'")
    for base_id, *values in connection.execute(f"SELECT id, {names} FROM bases").fetchall():
        chosen = _chosen(zip(_COLUMNS, values, strict=True), {"limit": 0, "score_threshold": 0, "reranker": ""})
        connection.execute("UPDATE bases SET search = ? WHERE id = ?", (json.dumps(chosen), base_id))
    for name in _COLUMNS:
        connection.execute(f'ALTER TABLE bases DROP COLUMN "{name}"')
    for run_id, stored in connection.execute("SELECT id, pipeline FROM runs").fetchall():
        parts = json.loads(stored)
        pipeline = {name: parts.pop(name) for name in ("name", "chunking", "embedder")}
        pipeline["search"] = _chosen(parts.items(), {"mode": "auto", "level": "auto", "limit": 10, "expansion_size": 0})
        connection.execute("UPDATE runs SET pipeline = ? WHERE id = ?", (json.dumps(pipeline), run_id))
    if "dimension" in {name for (name,) in connection.execute("SELECT name FROM pragma_table_info('switches')")}:
        connection.execute("ALTER TABLE switches DROP COLUMN dimension")


def _chosen(parts: Iterable[tuple[str, Any]], left_open: Mapping[str, object]) -> dict[str, Any]:
    return {name: value for name, value in parts if value not in (None, left_open.get(name))}
