"""The index of words (FTS5): what holds a word, what holds a phrase, and how well by BM25."""

import json
from collections.abc import Sequence
from itertools import islice

import numpy as np

from core.model import Rowids
from core.store.database import Database
from core.store.phrases import Phrase, quoted, whole_words

_WEIGHTS = (3.0, 2.0, 1.0)
"""BM25 weights of title, headings and body."""
_NAMED = 0.25
"""Up to this share of all, the allowed chunks are named to SQLite; of more, the best of all are looked through."""
_MARGIN = 10
"""How many times as many are looked through as should do, and how many times as many again where they didn't."""
_BLOCK = 1000


class Words:
    """What the chunks of a workspace say; deleted chunks say nothing."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ranked(
        self,
        words: Sequence[str],
        count: int,
        base_ids: Sequence[str] | None,
        allowed: Rowids | None,
        rowids: Sequence[int] | None,
    ) -> dict[int, float]:
        """Return the chunks that hold any of the words, by BM25, best first."""
        if rowids is not None:
            given = np.array(sorted(rowids), np.int64)
            allowed = given if allowed is None else np.intersect1d(given, allowed)
        if not words:
            return {}
        share = 1.0 if allowed is None else len(allowed) / max(self._count(), 1)
        named = allowed if share <= _NAMED else None
        asked = count
        if base_ids is not None or named is not allowed:
            asked = int(_MARGIN * count / max(share, _NAMED))
        while True:
            ranked = self._best(words, asked, named)
            passing = {rowid: score for rowid, score in ranked.items() if named is allowed or _among(rowid, allowed)}
            if base_ids is not None:
                passing = self._of_bases(passing, base_ids)
            if len(passing) >= count or len(ranked) < asked:
                return dict(islice(passing.items(), count))
            asked *= _MARGIN

    def _best(self, words: Sequence[str], count: int, only: Rowids | None) -> dict[int, float]:
        """The best of all chunks, or of `only` these."""
        # The + keeps SQLite from asking FTS5 once for each row: one pass over the matches
        # is hundreds of times faster.
        narrowed = "" if only is None else "AND +rowid IN (SELECT value FROM json_each(:only))"
        rows = self._database.connection.execute(
            f"SELECT rowid, -bm25(words, {', '.join(map(str, _WEIGHTS))}) AS score FROM words"
            f" WHERE words MATCH :words {narrowed} ORDER BY score DESC, rowid LIMIT :count",
            {
                "words": quoted(words, " OR "),
                "only": None if only is None else json.dumps(only.tolist()),
                "count": count,
            },
        )
        return {row[0]: row[1] for row in rows}

    def _count(self) -> int:
        row = self._database.connection.execute("SELECT count(*) FROM chunks")
        return int(row.fetchone()[0])

    def _of_bases(self, ranked: dict[int, float], base_ids: Sequence[str]) -> dict[int, float]:
        rows = self._database.connection.execute(
            "SELECT chunks.rowid FROM json_each(?) JOIN chunks ON chunks.rowid = value JOIN notes ON notes.id = note_id"
            " WHERE base_id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(ranked)), json.dumps(list(base_ids))),
        )
        within = {row[0] for row in rows}
        return {rowid: score for rowid, score in ranked.items() if rowid in within}

    def matched(self, words: Sequence[str], rowids: Sequence[int]) -> dict[int, list[str]]:
        """Return which of the words each chunk holds; chunks that hold none are left out."""
        found: dict[int, list[str]] = {}
        for word in words:
            rows = self._database.connection.execute(
                "SELECT rowid FROM words WHERE words MATCH ? AND +rowid IN (SELECT value FROM json_each(?))",
                (quoted([word]), json.dumps(list(rowids))),
            )
            for row in rows:
                found.setdefault(row[0], []).append(word)
        return found

    def containing(self, text: str, allowed: Rowids | None) -> set[int]:
        """Return the chunks that hold a phrase as it stands."""
        phrase = Phrase(text)
        if not phrase.folded:
            return set()
        rowids = self._matching(phrase.asked, allowed) if phrase.asked else self._every(allowed)
        if phrase.settled:
            return set(rowids.tolist())
        found: set[int] = set()
        for at in range(0, len(rowids), _BLOCK):
            rows = self._database.connection.execute(
                "SELECT chunks.rowid, text, title, parent_sections, section_title FROM json_each(?)"
                " JOIN chunks ON chunks.rowid = value JOIN notes ON notes.id = note_id",
                (json.dumps(rowids[at : at + _BLOCK].tolist()),),
            )
            found.update(
                rowid
                for rowid, body, title, parents, section in rows
                if any(map(phrase.held_in, (body, title, section, *json.loads(parents))))
            )
        return found

    def holding(self, term: str, allowed: Rowids | None) -> set[int]:
        """Return the chunks that hold a word in any of its forms, or a phrase as it stands."""
        words = whole_words(term)
        if len(words) != 1:
            return self.containing(term, allowed)
        return set(self._matching(quoted(words), allowed).tolist())

    def _matching(self, expression: str, allowed: Rowids | None) -> Rowids:
        rows = self._database.connection.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid", (expression,)
        )
        found = np.fromiter((row[0] for row in rows), np.int64)
        return found if allowed is None else np.intersect1d(found, allowed, assume_unique=True)

    def _every(self, allowed: Rowids | None) -> Rowids:
        if allowed is not None:
            return allowed
        rows = self._database.connection.execute("SELECT rowid FROM chunks WHERE state != 'deleted' ORDER BY rowid")
        return np.fromiter((row[0] for row in rows), np.int64)


def _among(rowid: int, allowed: Rowids | None) -> bool:
    if allowed is None:
        return True
    place = int(np.searchsorted(allowed, rowid))
    return place < len(allowed) and bool(allowed[place] == rowid)
