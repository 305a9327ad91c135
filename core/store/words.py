"""The index of words (FTS5): what holds a word, what holds a phrase, and how well by BM25."""

import json
import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, islice

import numpy as np

from core.model import Rowids
from core.store.database import Database
from core.store.phrases import Phrase, quoted, whole_words

_WEIGHTS = (3.0, 2.0, 1.0)
"""BM25 weights of title, headings and body."""
_MOST_IDFS = 2.2
"""k1 + 1, as FTS5 computes BM25."""
_FEW = 5000
"""Chunks that are scored without ado."""
_WORTHWHILE = 0.7
"""The share of the matches below which leaving out the others saves more than finding out which they are."""
_MARGIN = 1.5
"""How many times as many are looked at as should have to be to find enough that are allowed."""
_WIDER = 4
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
        few = allowed is not None and len(allowed) <= _FEW
        share = 1.0 if allowed is None or few else len(allowed) / self._count() / _MARGIN
        asked = int(count / share)
        while True:
            ranked = self._best(words, asked, allowed if few else None)
            passing = self._of_bases(ranked, base_ids)
            if allowed is not None and not few:
                passing = {rowid: score for rowid, score in passing.items() if _among(rowid, allowed)}
            if len(passing) >= count or len(ranked) < asked:
                return dict(islice(passing.items(), count))
            asked *= _WIDER

    def _best(self, words: Sequence[str], count: int, only: Rowids | None) -> dict[int, float]:
        """The best of all chunks, or of `only` these, without scoring those that hold nothing but common words.

        A word adds at most (k1 + 1) idf to a score, so that a chunk without the rarer words can't be among the
        best once the others together add less than the last of the best has (MaxScore, Turtle and Flood 1995).
        """
        if only is not None:
            return self._scored(words, count, "SELECT value FROM json_each(?)", json.dumps(only.tolist()))
        frequencies = {word: frequency for word in words if (frequency := self._frequency(word))}
        rare = sorted(frequencies, key=frequencies.__getitem__)
        sums = list(accumulate(frequencies[word] for word in rare))
        if not rare or sums[-1] <= _FEW:
            return self._scored(rare, count)
        first = min(bisect_left(sums, count) + 1, len(rare))
        best = self._scored(rare[:first], count)
        least = min(best.values()) if len(best) == count else 0.0
        every = self._count()
        most = [_MOST_IDFS * _idf(frequencies[word], every) for word in rare]
        needed = next((number for number in range(first, len(rare)) if sum(most[number:]) < least), len(rare))
        if sums[needed - 1] > _WORTHWHILE * sums[-1]:
            return self._scored(rare, count)
        return self._scored(rare, count, "SELECT rowid FROM words WHERE words MATCH ?", quoted(rare[:needed], " OR "))

    def _scored(self, words: Sequence[str], count: int, only: str = "", *values: object) -> dict[int, float]:
        if not words:
            return {}
        # The + keeps SQLite from asking FTS5 once for each row: one pass over the matches
        # is hundreds of times faster.
        rows = self._database.connection.execute(
            f"SELECT rowid, -bm25(words, {', '.join(map(str, _WEIGHTS))}) AS score FROM words WHERE words MATCH ?"
            f"{f' AND +rowid IN ({only})' if only else ''} ORDER BY score DESC, rowid LIMIT ?",
            [quoted(words, " OR "), *values, count],
        )
        return {row[0]: row[1] for row in rows}

    def _frequency(self, word: str) -> int:
        row = self._database.connection.execute("SELECT count(*) FROM words WHERE words MATCH ?", (quoted([word]),))
        return int(row.fetchone()[0])

    def _count(self) -> int:
        row = self._database.connection.execute("SELECT count(*) FROM chunks")
        return int(row.fetchone()[0])

    def _of_bases(self, ranked: dict[int, float], base_ids: Sequence[str] | None) -> dict[int, float]:
        if base_ids is None:
            return ranked
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


def _idf(frequency: int, every: int) -> float:
    """As FTS5 computes it."""
    return max(math.log((every - frequency + 0.5) / (frequency + 0.5)), 1e-6)


def _among(rowid: int, allowed: Rowids) -> bool:
    place = int(np.searchsorted(allowed, rowid))
    return place < len(allowed) and bool(allowed[place] == rowid)
