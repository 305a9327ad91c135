"""Runs of question sets and the results of their questions, as rows."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from core.errors import RunNotFound
from core.model import (
    ChunkingOptions,
    Diagnosis,
    FoundSpan,
    GoldSpan,
    KnowledgeBase,
    Pipeline,
    QuestionResult,
    Run,
    SearchSettings,
    StageScore,
)
from core.store.database import AMONG, Table, decoding
from core.store.ids import fresh_id

_RUNS = "SELECT runs.*, (SELECT count(*) FROM results WHERE run_id = runs.id) AS asked FROM runs"


class RunTable(Table):
    """The runs of a workspace; writing them changes nothing that a search finds.

    To read or write a run that was deleted, with its base or by itself, raises RunNotFound.
    """

    @decoding
    def of(self, base: KnowledgeBase) -> list[Run]:
        """Return the runs on a base, the newest first."""
        rows = self._database.rows(f"{_RUNS} WHERE base_id = ? ORDER BY started_at DESC, rowid DESC", base.id)
        return list(map(_run, rows))

    @decoding
    def run(self, run_id: str) -> Run:
        row = self._database.row(f"{_RUNS} WHERE id = ?", run_id)
        if row is None:
            raise RunNotFound(run_id)
        return _run(row)

    def begin(self, run: Run) -> Run:
        """Store a new run, and return it with its id; raises RunNotFound if its base was deleted."""
        with self._database.write(aside=True):
            taken = self._database.column("SELECT id FROM runs")
            begun = replace(run, id=fresh_id(f"{run.base_id}/{run.set_name}/{run.started_at}", taken))
            if not self._database.value("SELECT 1 FROM bases WHERE id = ?", run.base_id):
                raise RunNotFound(begun.id)
            pipeline = asdict(begun.pipeline) | {"search": begun.pipeline.search.chosen()}
            row = {name: getattr(begun, name) for name in Run.__slots__ if name != "asked"} | {
                "pipeline": json.dumps(pipeline),
                "settings": json.dumps(begun.settings),
                "started_at": begun.started_at.isoformat(),
                "ended_at": None,
                "metrics": "{}",
            }
            self._database.insert("runs", row)
        return begun

    def add(
        self,
        run: Run,
        results: Mapping[int, QuestionResult],
        metrics: Mapping[str, float],
        ended_at: datetime | None = None,
    ) -> Run:
        """Store results by their question's number in the run, and the metrics so far; return the changed run."""
        with self._database.write(aside=True) as connection:
            self.run(run.id)
            connection.executemany(
                "INSERT OR REPLACE INTO results VALUES (?, ?, ?)",
                [(run.id, number, json.dumps(asdict(result))) for number, result in results.items()],
            )
            connection.execute(
                "UPDATE runs SET ended_at = ?, metrics = ? WHERE id = ?",
                (ended_at and ended_at.isoformat(), json.dumps(metrics), run.id),
            )
        return self.run(run.id)

    @decoding
    def results(self, run_id: str) -> dict[int, QuestionResult]:
        """Return the results of a run so far, by the number of their question."""
        rows = self._database.rows("SELECT number, result FROM results WHERE run_id = ? ORDER BY number", run_id)
        return {number: _result(json.loads(result)) for number, result in rows}

    def delete(self, run_ids: Iterable[str]) -> None:
        self._database.execute(f"DELETE FROM runs WHERE id {AMONG}", list(run_ids), aside=True)


def _run(row: sqlite3.Row) -> Run:
    fields = dict(row) | {
        "pipeline": _pipeline(json.loads(row["pipeline"])),
        "settings": json.loads(row["settings"]),
        "started_at": datetime.fromisoformat(row["started_at"]),
        "ended_at": row["ended_at"] and datetime.fromisoformat(row["ended_at"]),
        "metrics": json.loads(row["metrics"]),
    }
    return Run(**fields)


def _pipeline(stored: dict[str, Any]) -> Pipeline:
    return Pipeline(
        name=stored["name"],
        chunking=stored["chunking"] and ChunkingOptions(**stored["chunking"]),
        embedder=stored["embedder"],
        # Some commits with schema 9 stored the search settings beside the other fields.
        search=SearchSettings.of(stored.get("search", stored)),
    )


def _result(stored: dict[str, Any]) -> QuestionResult:
    makers: dict[str, Callable[..., Any]] = {"golds": GoldSpan, "hits": FoundSpan, "diagnoses": _diagnosis}
    return QuestionResult(**stored | {key: tuple(make(**item) for item in stored[key]) for key, make in makers.items()})


def _diagnosis(scores: dict[str, dict[str, Any]], told: str = "", **item: Any) -> Diagnosis:
    """Make a diagnosis; earlier versions stored the sentence of the stage too, as `told`."""
    return Diagnosis(**item, scores={stage: StageScore(**score) for stage, score in scores.items()})
