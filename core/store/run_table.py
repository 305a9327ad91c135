"""Runs of question sets and what each question brought, as rows."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
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
from core.store.database import Database
from core.store.note_table import fresh_id

_RUNS = "SELECT runs.*, (SELECT count(*) FROM results WHERE run_id = runs.id) AS asked FROM runs"


class RunTable:
    """The runs of a workspace; writing them changes nothing that a search finds.

    To read or write a run that was deleted, with its base or by itself, raises RunNotFound.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, base: KnowledgeBase) -> list[Run]:
        """Return the runs on a base, the newest first."""
        rows = self._database.connection.execute(
            f"{_RUNS} WHERE base_id = ? ORDER BY started_at DESC, rowid DESC", (base.id,)
        )
        return [_run(row) for row in rows]

    def run(self, run_id: str) -> Run:
        row = self._database.connection.execute(f"{_RUNS} WHERE id = ?", (run_id,)).fetchone()
        if row is None:
            raise RunNotFound(run_id)
        return _run(row)

    def begin(self, run: Run) -> Run:
        """Keep a run of which nothing was asked yet, and return it with its id; raises RunNotFound without its base."""
        with self._database.write(aside=True) as connection:
            taken = {row[0] for row in connection.execute("SELECT id FROM runs")}
            begun = replace(run, id=fresh_id(f"{run.base_id}/{run.set_name}/{run.started_at}", taken))
            if not connection.execute("SELECT 1 FROM bases WHERE id = ?", (run.base_id,)).fetchone():
                raise RunNotFound(begun.id)
            connection.execute(
                "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, '{}')",
                (
                    begun.id,
                    begun.base_id,
                    begun.set_id,
                    begun.set_name,
                    json.dumps(asdict(begun.pipeline) | {"search": begun.pipeline.search.chosen()}),
                    json.dumps(begun.settings),
                    begun.index_version,
                    begun.started_at.isoformat(),
                    begun.questions,
                ),
            )
        return begun

    def add(
        self,
        run: Run,
        results: Mapping[int, QuestionResult],
        metrics: Mapping[str, float],
        ended_at: datetime | None = None,
    ) -> Run:
        """Keep what questions brought, by their number in the run, with the figures of all so far, and return it so."""
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

    def results(self, run_id: str) -> dict[int, QuestionResult]:
        """Return what the questions of a run brought so far, by their number."""
        rows = self._database.connection.execute(
            "SELECT number, result FROM results WHERE run_id = ? ORDER BY number", (run_id,)
        )
        return {row["number"]: _result(json.loads(row["result"])) for row in rows}

    def delete(self, run_ids: Iterable[str]) -> None:
        with self._database.write(aside=True) as connection:
            connection.executemany("DELETE FROM runs WHERE id = ?", [(run_id,) for run_id in run_ids])


def _run(row: sqlite3.Row) -> Run:
    ended = row["ended_at"]
    return Run(
        id=row["id"],
        base_id=row["base_id"],
        set_id=row["set_id"],
        set_name=row["set_name"],
        pipeline=_pipeline(json.loads(row["pipeline"])),
        settings=json.loads(row["settings"]),
        index_version=row["index_version"],
        started_at=datetime.fromisoformat(row["started_at"]),
        ended_at=datetime.fromisoformat(ended) if ended else None,
        questions=row["questions"],
        asked=row["asked"],
        metrics=json.loads(row["metrics"]),
    )


def _pipeline(kept: dict[str, Any]) -> Pipeline:
    return Pipeline(
        name=kept["name"],
        chunking=kept["chunking"] and ChunkingOptions(**kept["chunking"]),
        embedder=kept["embedder"],
        # For some commits schema 9 was one where they stood beside the rest.
        search=SearchSettings.of(kept.get("search", kept)),
    )


def _result(told: dict[str, Any]) -> QuestionResult:
    def all_of(noun: Any, items: Sequence[dict[str, Any]]) -> tuple[Any, ...]:
        return tuple(noun(**item) for item in items)

    diagnoses = tuple(_diagnosis(**item) for item in told["diagnoses"])
    nouns = {"golds": all_of(GoldSpan, told["golds"]), "hits": all_of(FoundSpan, told["hits"]), "diagnoses": diagnoses}
    return QuestionResult(**told | nouns)


def _diagnosis(scores: dict[str, dict[str, Any]], told: str = "", **item: Any) -> Diagnosis:
    """Earlier versions kept the sentence too, which is that of the stage."""
    return Diagnosis(**item, scores={stage: StageScore(**score) for stage, score in scores.items()})
