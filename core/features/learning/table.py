"""Table of the facts from logs, by the hash of their rule and key."""

from collections.abc import Collection, Iterable

from core.base.datetimes import utc_now
from core.base.text import digest
from core.model import LearntFact
from core.store.reading import RowReader
from core.store.table import AMONG, StoreTable


class FactTable(StoreTable):
    """The facts that were suggested as notes, and the rejected ones."""

    def put(self, facts: Iterable[LearntFact]) -> None:
        """Write facts, replacing equal ones."""
        now = utc_now().isoformat()
        with self._write(aside=True) as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO learnt_facts (hash, rule, key, note_id, rejected, reason, at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    (
                        digest(f"{fact.rule}\n{fact.key}"),
                        fact.rule,
                        fact.key,
                        fact.note_id,
                        fact.rejected,
                        fact.reason,
                        now,
                    )
                    for fact in facts
                ),
            )

    def all(self) -> list[LearntFact]:
        """Return rejected facts, and facts whose notes exist or are in the trash."""
        rows = self._rows(
            "SELECT rule, key, note_id, rejected, reason FROM learnt_facts"
            " WHERE rejected OR note_id IN (SELECT note_id FROM versions) ORDER BY at, hash"
        )
        return [_READER(dict(row), self._database.unread) for row in rows]

    def settle(self, note_ids: Collection[str], reason: str | None) -> None:
        """Store that the user rejected the facts of these notes for a reason, or accepted them (None)."""
        self._execute(
            f"UPDATE learnt_facts SET rejected = ?, reason = ? WHERE note_id {AMONG}",
            *(reason is not None, reason or "", [*note_ids]),
            aside=True,
        )


_READER = RowReader(LearntFact, "suggested fact", "key", key="key")
