"""Tables for uses of notes (with verdicts), clicks on hits, and past searches."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from core.base.datetimes import utc_now
from core.base.frozen import Values
from core.model import OF_QUESTIONS, Click, PastSearch, Use, UseFigures, favour, in_utc, later
from core.store.reading import RowReader, columns_of
from core.store.table import Ids, QuestionedTable

# Number of days after which a click is deleted.
CLICK_DAYS = 365


_OF_NOTES = "WHERE ?1 IS NULL OR note_id IN (SELECT value FROM json_each(?1))"


class ClickTable(QuestionedTable):
    """Clicks on hits. If a note is deleted, so are the clicks on it.

    Writing to this table doesn't change the database's version.
    """

    asked = "clicks", "question", "TRUE"

    def add(self, clicks: Iterable[Click], today: datetime) -> None:
        """Record clicks, ignoring duplicates, and delete clicks that are more than CLICK_DAYS old."""
        with self._write(aside=True):
            self._execute_many(
                "INSERT OR IGNORE INTO clicks VALUES (:note_id, :question, :kind, :day, :chunk_id)",
                (columns_of(replace(click, day=in_utc(click.day))) for click in clicks),
            )
            self._execute("DELETE FROM clicks WHERE day < ?", in_utc(later(today, -CLICK_DAYS)).isoformat())

    def for_notes(self, note_ids: Ids | None = None) -> list[Click]:
        """Return the clicks on the given notes (by default, on all notes), newest first."""
        return self._nouns(
            _CLICK, f"SELECT * FROM clicks {_OF_NOTES} ORDER BY day DESC, note_id, question, kind", note_ids
        )

    def drop(self, note_ids: Ids | None = None) -> int:
        """Delete the clicks on the given notes (by default, on all notes), and return the number deleted."""
        return self._execute(f"DELETE FROM clicks {_OF_NOTES}", note_ids, aside=True)


_CLICK = RowReader(Click, "recorded click", "question", key="note_id")


# Maximum number of past searches to keep, not counting saved ones.
_REMEMBERED = 200


class SearchTable(QuestionedTable):
    """Past and saved searches. Writing to this table doesn't affect search results."""

    asked = "searches", "query", "TRUE"

    def add(self, query: str) -> None:
        """Record a search. Do nothing in a read-only workspace."""
        if self._database.readonly:
            return
        with self._write(aside=True):
            self._execute(
                "INSERT INTO searches (query, at, times) VALUES (?1, ?2, 1)"
                " ON CONFLICT (query) DO UPDATE SET at = ?2, times = times + 1",
                query,
                utc_now().isoformat(),
            )
            self._execute(
                "DELETE FROM searches WHERE name = '' AND query NOT IN"
                " (SELECT query FROM searches WHERE name = '' ORDER BY at DESC LIMIT ?)",
                _REMEMBERED,
            )

    def save(self, query: str, name: str) -> None:
        """Save a search under a name. If the name is empty, turn a saved search back into a past search."""
        self._execute(
            "INSERT INTO searches (query, at, times, name) VALUES (?1, ?2, 0, ?3)"
            " ON CONFLICT (query) DO UPDATE SET name = ?3",
            query,
            utc_now().isoformat(),
            name.strip(),
            aside=True,
        )

    def delete_for_good(self, query: str) -> None:
        self._execute("DELETE FROM searches WHERE query = ?", query, aside=True)

    def all(self, limit: int = _REMEMBERED) -> list[PastSearch]:
        """Return the saved searches, followed by the past searches. Both are sorted newest first."""
        return self._nouns(_PAST, "SELECT * FROM searches ORDER BY name = '', at DESC LIMIT ?", limit)

    def mark(self, queries: Ids, *, unanswered: bool) -> None:
        """Record whether past questions are unanswered. Do nothing in a read-only workspace."""
        if not self._database.readonly:
            self._execute("UPDATE searches SET unanswered = ? WHERE query IN ?", unanswered, queries, aside=True)

    def unanswered(self) -> list[PastSearch]:
        """Return the questions that the notes didn't answer when they were last asked, oldest first."""
        return self._nouns(_PAST, "SELECT * FROM searches WHERE unanswered ORDER BY at, query")


_PAST = RowReader(PastSearch, "past search", "query", key="query")


# Maximum number of times a use is counted.
_MOST = 1_000_000_000
_USE_VALUES = "VALUES (:note_id, :chunk_id, :used_in, :context, :used_at, :times, :helpful)"


class UseTable(QuestionedTable):
    """Uses of notes, with verdicts. They affect search results only if `feedback_weight` is set."""

    asked = "uses", "context", f"used_in IN {OF_QUESTIONS}"

    def add(self, uses: Iterable[Use]) -> None:
        """Record uses in a single transaction.

        If a use is already known, its count increases, and a new verdict replaces the old one.
        """
        self._execute_many(
            f"INSERT INTO uses {_USE_VALUES} ON CONFLICT DO UPDATE SET used_at = max(used_at, excluded.used_at),"
            f" times = min(times + excluded.times, {_MOST}), helpful = coalesce(excluded.helpful, helpful)",
            map(_row, uses),
            aside=True,
        )

    def put(self, use: Use) -> None:
        """Insert a use with its count and verdict, unless it already exists."""
        self._execute_many(f"INSERT OR IGNORE INTO uses {_USE_VALUES}", [_row(use)], aside=True)

    def take_back(self, note_id: str, used_in: str, context: str, chunk_id: str) -> None:
        """Remove the verdict on a use. If the use was recorded only for its verdict, remove it as well."""
        key = note_id, chunk_id, used_in, context
        where = "WHERE note_id = ? AND chunk_id = ? AND used_in = ? AND context = ?"
        with self._write(aside=True):
            self._execute(f"UPDATE uses SET helpful = NULL {where}", *key)
            self._execute(f"DELETE FROM uses {where} AND times = 0", *key)

    def drop(self, note_ids: Ids) -> int:
        return self._execute("DELETE FROM uses WHERE note_id IN ?", note_ids, aside=True)

    def for_note(self, note_id: str) -> list[Use]:
        return self._read("note_id = ?", note_id)

    def judged(self, *, query: str | None = None) -> list[Use]:
        """Return the uses with a verdict, newest first. With `query`, return only verdicts on that query's hits."""
        return self._read("helpful IS NOT NULL AND (?1 IS NULL OR used_in = 'search' AND context = ?1)", query)

    def _read(self, where: str, *values: object) -> list[Use]:
        return self._nouns(
            _USE, f"SELECT * FROM uses WHERE {where} ORDER BY used_at DESC, used_in, context, chunk_id", *values
        )

    def figures(self, note_id: str) -> UseFigures:
        """Return how often a note was found and used, when it was last used, and its verdicts."""
        uses = self.for_note(note_id)
        used = [use for use in uses if use.used_in != "found"]
        times = sum(use.times for use in used)
        verdicts = Counter(use.helpful for use in used)
        return UseFigures(
            sum(use.times for use in uses) - times,
            times,
            used[0].used_at if used else None,
            verdicts[1],
            verdicts[0],
            verdicts[-1],
        )

    def found_since(self, since: datetime) -> int:
        """Return the number of notes found by searches since the given time."""
        return int(
            self._value(
                "SELECT count(DISTINCT note_id) FROM uses WHERE used_in = 'found' AND used_at >= ?",
                in_utc(since).isoformat(),
            )
        )

    def touched(self, since: datetime, unseen: datetime) -> list[str]:
        """Return the ids of notes found by searches since `since` that haven't been used since `unseen`.

        Notes that were never used come first, followed by the least recently used.
        """
        return self._column(
            "SELECT note_id FROM uses GROUP BY note_id"
            " HAVING max(CASE WHEN used_in = 'found' THEN used_at END) >= ?"
            " AND coalesce(max(CASE WHEN used_in != 'found' THEN used_at END), '') < ?"
            " ORDER BY coalesce(max(CASE WHEN used_in != 'found' THEN used_at END), ''), note_id",
            *(in_utc(item).isoformat() for item in (since, unseen)),
        )

    def verdict_weights(self, note_ids: Ids) -> Mapping[str, float]:
        """Return the weight of each note's verdicts, from -1 to 1. Notes with a weight of 0 are left out."""
        return {
            note_id: favour(total, count)
            for note_id, total, count in self._rows(
                "SELECT note_id, sum(helpful), count(*) FROM uses WHERE helpful IN (1, 0, -1)"
                " AND note_id IN ? GROUP BY note_id HAVING sum(helpful) != 0",
                note_ids,
            )
        }

    def stamp(self, *, verdicts: bool = False) -> tuple[object, ...]:
        """Return values that change whenever a use is recorded. With `verdicts`, only verdicts count."""
        source = "uses INDEXED BY uses_judged WHERE helpful IS NOT NULL" if verdicts else "uses"
        times = "count(*)" if verdicts else "sum(times)"
        return tuple(*self._rows(f"SELECT count(*), {times}, sum(helpful), max(used_at) FROM {source}"))


def _row(use: Use) -> Values:
    return columns_of(replace(use, used_at=in_utc(use.used_at), times=max(0, min(use.times, _MOST))))


_USE = RowReader(Use, "recorded use", "context", key="note_id")
