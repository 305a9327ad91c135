"""The table of evaluation runs and their results.

Exports can use it without loading models, the search engine or an LLM client.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from core.base.codec import decoder, to_plain
from core.base.errors import RunNotFound
from core.base.frozen import Values
from core.model import KnowledgeBase, MetricValues, Pipeline, QuestionResult, Run
from core.store.ids import fresh_id
from core.store.reading import RowReader, columns_of, fields_in, loaded, stored
from core.store.table import StoreTable

_RUNS = "SELECT runs.*, (SELECT count(*) FROM results WHERE run_id = runs.id) AS asked FROM runs"


class RunTable(StoreTable):
    """The evaluation runs in a workspace. Writing to the table doesn't invalidate cached search results.

    Reading or writing a deleted run raises RunNotFound.
    """

    def for_base(self, base: KnowledgeBase) -> list[Run]:
        """Return the evaluation runs on a base, newest first."""
        return self._nouns(_RUN, f"{_RUNS} WHERE base_id = ? ORDER BY started_at DESC, rowid DESC", base.id)

    def run(self, run_id: str) -> Run:
        for run in self._nouns(_RUN, f"{_RUNS} WHERE id = ?", run_id):
            return run
        raise RunNotFound(run_id)

    def begin(self, run: Run) -> Run:
        """Store a new evaluation run, and return it with its id. Raises RunNotFound if the base was deleted."""
        with self._write(aside=True):
            run_with_id = replace(
                run, id=fresh_id(f"{run.base_id}/{run.set_name}/{run.started_at}", self._column("SELECT id FROM runs"))
            )
            if not self._value("SELECT 1 FROM bases WHERE id = ?", run.base_id):
                raise RunNotFound(run_with_id.id)
            self._insert("runs", {name: value for name, value in columns_of(run_with_id).items() if name != "asked"})
        return run_with_id

    def add(
        self,
        run: Run,
        results: Mapping[int, QuestionResult],
        metrics: MetricValues,
        ended_at: datetime | None = None,
    ) -> Run:
        """Store results, keyed by question number, and the metrics so far. Return the updated run."""
        with self._write(aside=True) as connection:
            self.run(run.id)
            connection.executemany(
                "INSERT OR REPLACE INTO results VALUES (?, ?, ?)",
                [(run.id, number, json.dumps(to_plain(result))) for number, result in results.items()],
            )
            connection.execute(
                "UPDATE runs SET ended_at = ?, metrics = ? WHERE id = ?",
                (ended_at and ended_at.isoformat(), json.dumps(metrics), run.id),
            )
        return self.run(run.id)

    def results(self, run_id: str) -> dict[int, QuestionResult]:
        """Return an evaluation run's results so far, by question number."""
        rows = self._rows("SELECT number, result FROM results WHERE run_id = ? ORDER BY number", run_id)
        read = ((number, _RESULT(fields_in(result, QuestionResult), self._database.unread)) for number, result in rows)
        return {number: result for number, result in read if result.id}

    def delete(self, run_ids: Iterable[str]) -> None:
        self._execute("DELETE FROM runs WHERE id IN ?", list(run_ids), aside=True)


def _pipeline(value: object) -> Pipeline:
    fields = loaded(value)
    # Some development versions with schema 9 stored the search settings next to the other fields.
    read: Pipeline = decoder(Pipeline)(fields | {"search": fields.get("search", fields)})
    return read


_RUN = RowReader(
    Run,
    "test run",
    "set_name",
    pipeline=_pipeline,
    settings=stored(Values),
    metrics=stored(MetricValues),
)
_RESULT = RowReader(QuestionResult, "test result", "question")
