"""The keyword index (FTS5). It finds chunks that contain words or phrases, and ranks them by BM25.

BM25 is computed from counts that are cached until the index changes. FTS5's own function looks up the length of each
matching chunk on every query. This takes 3 µs per chunk, and a frequent word may occur in a third of all chunks.
Reading all lengths from FTS5's table `words_docsize` takes 1 ms. Counting the words with fts5vocab takes 1 s for a
million words (docs/decisions/0010-bm25-from-kept-counts.md).
"""

import json
import re
import sqlite3
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from core.base.codec import DAMAGE
from core.base.errors import SourceError
from core.base.frozen import TextValues
from core.base.irregular import IRREGULAR
from core.base.text import WORDS_FORM
from core.chunking.describe import Sections
from core.markdown.outline import parse
from core.model import Rowids
from core.store.chunk_table import CHUNK, chunk_of
from core.store.database import Database
from core.store.filters import PROPERTY_TEXT, PROPERTY_TEXTS
from core.store.phrases import Phrase, quote, whole_words, word_row
from core.store.reading import texts
from core.store.table import StoreTable, decoding
from core.store.top_k import Scores, best_of

_K1 = 1.2
_B = 0.75
# Minimum weight of a word. Words in at least half of all chunks get this weight.
_LEAST = 1e-6
# Weight of an occurrence of a word, by field of the word index.
_WEIGHTS = {"title": 3.0, "headings": 2.0, "body": 1.0}
# SQL expression for the index of an occurrence's field in `_WEIGHTS`.
_FIELD = "CASE col WHEN 'title' THEN 0 WHEN 'headings' THEN 1 WHEN 'body' THEN 2 END"
_BY_FIELD = np.array(list(_WEIGHTS.values()))
# Weight of the query's other spellings. If a spelling has more words than the query, its score is scaled down
# accordingly.
_OTHERS = 0.9
# Maximum number of cached counts, which take 12 bytes each.
_CACHED = 4_000_000

_CACHED_STEMS = 100_000

Weights = NDArray[np.float64]
Places = NDArray[np.int32]


@dataclass(slots=True)
class _Counts:
    """Data for BM25 at one version of the database, with each chunk's length norm and score for each cached word."""

    version: int
    rowids: Rowids
    norms: Weights
    gains: OrderedDict[str, tuple[Places, Weights]] = field(default_factory=OrderedDict)
    size: int = 0


# Matches a heading below the first line.
_HEADING = re.compile(r"[\r\n] {0,3}(?:#|[=-]+[ \t]*(?:[\r\n]|\Z))")


def write_sections(connection: sqlite3.Connection) -> None:
    """Update the sections of chunks that may span several sections.

    Breadcrumbs don't change, because vectors include them.
    """
    texts = connection.execute(
        "SELECT note_id, text FROM chunks WHERE line = 0"
        " AND (instr(text, '#') OR instr(text, '=') OR instr(text, '-')) AND typeof(text) = 'text'"
    )
    for note_id in {note_id for note_id, text in texts if _HEADING.search(text)}:
        with suppress(SourceError, *DAMAGE):
            _write_of_note(connection, note_id)


def _write_of_note(connection: sqlite3.Connection, note_id: str) -> None:
    ((body,),) = connection.execute("SELECT body FROM notes WHERE id = ?", (note_id,))
    rows = connection.execute(
        "SELECT rowid, kind, start, \"end\", overlap_tokens FROM chunks WHERE note_id = ? AND picture = ''"
        ' ORDER BY "index"',
        (note_id,),
    )
    sections = Sections(body, parse(body).headings)
    before = 0
    for rowid, kind, start, end, overlap in rows.fetchall():
        found = sections.for_slice(max(start, before) if overlap else start, end, kind)
        before = end
        connection.execute(
            "UPDATE chunks SET section_title = ?, parent_sections = ?, hierarchy_level = ?, sections = ?"
            " WHERE rowid = ?",
            (
                found.section_title,
                json.dumps(found.parent_sections, ensure_ascii=False),
                found.hierarchy_level,
                json.dumps(found.sections, ensure_ascii=False),
                rowid,
            ),
        )


# Factor by which to increase the number of candidates, initially and whenever too few are in the requested bases.
_MARGIN = 10
_BLOCK = 1000


class Words(StoreTable):
    """Word and phrase search over a workspace's chunks, except deleted ones.

    Scores are computed by BM25F over all fields (Robertson and Zaragoza 2009).
    """

    _counts: _Counts | None = None

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._lock = Lock()
        self._stemming = Lock()
        self._stems: TextValues = {}

    @property
    def outdated(self) -> bool:
        """Whether the word index was written by an earlier version of Tessera."""
        return bool(self._value("SELECT words FROM version") != WORDS_FORM)

    def bring_up_to_date(self) -> None:
        """Update the word index and chunks' sections if they were written by an earlier version of Tessera.

        Entries for unreadable rows stay unchanged.
        """
        if not self.outdated:
            return
        statement = (
            f"SELECT words.rowid, words.title, words.headings, words.body, notes.title, {PROPERTY_TEXT}, {CHUNK}"
            " FROM words JOIN chunks ON chunks.rowid = words.rowid JOIN notes ON notes.id = note_id"
            f" WHERE words.rowid IN ?"
        )
        rowids = self._column("SELECT id FROM words_docsize")
        with self._write(aside=not rowids) as connection:  # a new workspace is recognized by its version
            write_sections(connection)
            for at in range(0, len(rowids), _BLOCK):
                for row in self._rows(statement, rowids[at : at + _BLOCK]).fetchall():
                    rowid, *written, title, property_text = row[:6]
                    with suppress(*DAMAGE):
                        if (words := word_row(title, chunk_of(row), property_text or "")) != tuple(written):
                            connection.execute(
                                "UPDATE words SET title = ?, headings = ?, body = ? WHERE rowid = ?", (*words, rowid)
                            )
            connection.execute("UPDATE version SET words = ?", (WORDS_FORM,))

    def rank(
        self,
        words: Sequence[str],
        count: int,
        *,
        base_ids: Sequence[str] | None = None,
        allowed: Rowids | None = None,
        others: Sequence[Sequence[str]] = (),
    ) -> Scores:
        """Return the chunks that contain any of the words, ranked by BM25 (Robertson and Zaragoza 2009), best first.

        `others` are the words in the query's other spellings. See `scores`.
        """
        holders, scores = self.scores(words, others)
        if allowed is not None:
            passing = np.isin(holders, allowed)
            holders = holders[passing]
            scores = scores[passing]
        if base_ids is None:
            return best_of(holders, scores, count)
        wanted = count
        while True:
            wanted *= _MARGIN
            ranked = best_of(holders, scores, wanted)
            inside = set(
                self._column(
                    "SELECT chunks.rowid FROM json_each(?) JOIN chunks ON chunks.rowid = value"
                    " JOIN notes ON notes.id = note_id WHERE base_id IN ?",
                    ranked,
                    base_ids,
                )
            )
            best = {rowid: score for rowid, score in ranked.items() if rowid in inside}
            if len(best) >= count or wanted >= len(holders):
                return dict(islice(best.items(), count))

    def matched_words(self, words: Sequence[str], rowids: Sequence[int]) -> dict[int, list[str]]:
        """Return the query's words that each chunk contains. Chunks without any of the words are left out."""
        matches = defaultdict(list)
        for word, holding in zip(words, self.holders(words), strict=True):
            for rowid in np.intersect1d(holding, np.array(rowids, np.int64)).tolist():
                matches[rowid].append(word)
        return matches

    @decoding
    def find_phrase(self, text: str, allowed: Rowids | None = None) -> set[int]:
        """Return the chunks whose title, headings, text or properties contain an exact phrase.

        Differences in width, case, line breaks, and simplified or traditional characters are ignored. A Latin word at
        either end of the phrase must match a whole word. For example, `cat` doesn't match `concatenate`, but `cache`
        matches `cache-aside`.
        """
        phrase = Phrase(text)
        if not phrase.folded:
            return set()
        rowids = self._matching(phrase.expression, allowed) if phrase.expression else allowed
        if phrase.settled and rowids is not None:
            return set(rowids.tolist())
        # Cache the checks, because many chunks share a title.
        held = cache(phrase.matches)
        listed = cache(lambda titles: any(map(held, texts(titles))))
        return {
            rowid
            for rowid, body, title, above, own, property_text in self._texts(rowids)
            if phrase.matches(body) or held(title) or listed(above) or listed(own) or held(property_text or "")
        }

    def any_phrase(self, phrases: Iterable[str]) -> list[int]:
        """Return the chunks that may contain one of the phrases, judging by the word index alone."""
        expressions = dict.fromkeys(f"({Phrase(text).expression})" for text in phrases)
        return list(map(int, self._matching(" OR ".join(expressions), None)))

    def _texts(self, rowids: Rowids | None) -> Iterator[sqlite3.Row]:
        """Yield the text, titles and property text of the given chunks, or of all chunks if `rowids` is None."""
        texts = "SELECT chunks.rowid, CAST(text AS TEXT), CAST(title AS TEXT), breadcrumb, sections"
        if rowids is None:
            # A sequential read takes half the time of individual lookups.
            yield from self._rows(
                f"{PROPERTY_TEXTS} {texts}, beside FROM chunks CROSS JOIN notes ON notes.id = note_id"
                " LEFT JOIN found USING (note_id, \"index\") WHERE state != 'deleted'"
            )
            return
        for at in range(0, len(rowids), _BLOCK):
            yield from self._rows(
                f"{texts}, {PROPERTY_TEXT} FROM json_each(?) JOIN chunks ON chunks.rowid = value"
                " JOIN notes ON notes.id = note_id",
                rowids[at : at + _BLOCK].tolist(),
            )

    def find_term(self, term: str, allowed: Rowids | None = None) -> set[int]:
        """Return the chunks that contain a term.

        A single word also matches with a different English ending. Several words must match as an exact phrase.
        """
        words = whole_words(term)
        if len(words) != 1:
            return self.find_phrase(term, allowed)
        return set(self._matching(quote(words), allowed).tolist())

    def _matching(self, expression: str, allowed: Rowids | None) -> Rowids:
        matching = np.array(
            self._column("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid", expression), np.int64
        )
        return matching if allowed is None else np.intersect1d(matching, allowed, assume_unique=True)

    # BM25

    @decoding
    def scores(self, words: Sequence[str], others: Sequence[Sequence[str]] = ()) -> tuple[Rowids, Weights]:
        """Return the chunks that contain any word in the query or in its other spellings, by rowid, with their scores.

        `others` are the words in the query's other spellings. A chunk gets the score for its best-matching spelling.
        """
        with self._database.read() as connection, self._lock:
            counts = self._read(connection)
            best = np.zeros(len(counts.rowids))
            for spelling in (words, *others):
                total = np.zeros(len(best))
                for places, gains in self._gains(connection, counts, spelling):
                    total[places] += gains
                weight = 1.0 if spelling is words else _OTHERS * min(1.0, len(words) / max(len(spelling), 1))
                best = np.maximum(best, weight * total)
        holding = np.flatnonzero(best)
        return counts.rowids[holding], best[holding]

    @decoding
    def holders(self, words: Sequence[str]) -> list[Rowids]:
        """Return the sorted rowids of the chunks that contain each word, in the order of the words."""
        with self._database.read() as connection, self._lock:
            counts = self._read(connection)
            return [counts.rowids[places] for places, _ in self._gains(connection, counts, words)]

    def stems(self, words: Sequence[str]) -> TextValues:
        """Return the stem under which FTS5's tokenizer indexes each word, or "" if the tokenizer ignores the word.

        An irregular form of an English word has the stem of its base form.
        """
        with self._stemming:
            new = [word for word in words if word not in self._stems]
            if len(self._stems) + len(new) > _CACHED_STEMS:
                self._stems = {}
                new = list(words)
            if new:
                with closing(sqlite3.connect(":memory:")) as connection:  # takes 0.5 ms
                    connection.executescript(
                        "CREATE VIRTUAL TABLE words USING fts5(word, tokenize = \"porter ascii tokenchars '.+#_'\");"
                        "CREATE VIRTUAL TABLE terms USING fts5vocab(words, instance);"
                    )
                    connection.executemany(
                        "INSERT INTO words (rowid, word) VALUES (?, ?)",
                        enumerate(IRREGULAR.get(word, word) for word in new),
                    )
                    terms = dict(connection.execute("SELECT doc, term FROM terms"))
                self._stems |= {word: terms.get(number, "") for number, word in enumerate(new)}
            return {word: self._stems[word] for word in words}

    def indexed_words(self, words: Sequence[str]) -> set[str]:
        """Return the words that occur in at least one chunk. Frequent words don't take longer than rare ones."""
        stems = self.stems(words)
        held = set(
            self._column(
                "SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM occurrences WHERE term = value)",
                list(stems.values()),
            )
        )
        return {word for word, stem in stems.items() if stem in held}

    def counts(self, words: Sequence[str]) -> dict[str, int]:
        """Return the number of chunks that contain each word, without reading the words' occurrences.

        Words that aren't indexed are left out.
        """
        stems = self.stems(words)
        counts = dict(map(tuple, self._rows("SELECT term, doc FROM vocabulary WHERE term IN ?", list(stems.values()))))
        return {word: counts[stem] for word, stem in stems.items() if stem in counts}

    def _read(self, connection: sqlite3.Connection) -> _Counts:
        version = self._database.version()
        if self._counts is None or self._counts.version != version:
            rowids, lengths = _lengths(connection)
            mean = max(lengths.sum(), 1) / max(len(lengths), 1)
            self._counts = _Counts(version, rowids, _K1 * (1 - _B + _B * lengths / mean))
        return self._counts

    def _gains(
        self, connection: sqlite3.Connection, counts: _Counts, words: Sequence[str]
    ) -> list[tuple[Places, Weights]]:
        """For each word, return the places in `counts.rowids` of the chunks that contain it, and the chunks' scores."""
        for word, stem in self.stems([word for word in dict.fromkeys(words) if word not in counts.gains]).items():
            places, frequencies = _frequencies(connection, counts.rowids, stem)
            inverse = np.log((len(counts.rowids) - len(places) + 0.5) / (len(places) + 0.5))
            gains = frequencies * (_K1 + 1) / (frequencies + counts.norms[places]) * max(inverse, _LEAST)
            counts.gains[word] = places, gains
            counts.size += len(places) + 1
        result = []
        for word in words:
            counts.gains.move_to_end(word)
            result.append(counts.gains[word])
        while counts.size > _CACHED:
            counts.size -= len(counts.gains.popitem(last=False)[1][0]) + 1
        return result


def _lengths(connection: sqlite3.Connection) -> tuple[Rowids, Weights]:
    """Return the sorted rowids of all indexed chunks, and each chunk's number of words.

    Each row in FTS5's table `words_docsize` holds the lengths of a chunk's fields as SQLite's variable-length integers.
    Raises ValueError if the format is different.
    """
    listed, sizes = connection.execute(
        "SELECT group_concat(id), group_concat(hex(sz), '') FROM (SELECT id, sz FROM words_docsize ORDER BY id)"
    ).fetchone()
    rowids = np.fromstring(listed or "", np.int64, sep=",")
    digits = np.frombuffer(bytes.fromhex(sizes or ""), np.uint8)
    ends = np.flatnonzero(digits < 128)
    if len(ends) != len(_WEIGHTS) * len(rowids):
        raise ValueError(f"{len(ends)} lengths of the fields of {len(rowids)} chunks")
    number: NDArray[np.int64] = np.cumsum(digits < 128) - (digits < 128)
    values = (digits & 127).astype(np.int64) << 7 * (ends[number] - np.arange(len(digits)))
    return rowids, np.bincount(number // len(_WEIGHTS), values, len(rowids)).astype(np.float64)


def _frequencies(connection: sqlite3.Connection, rowids: Rowids, term: str) -> tuple[Places, Weights]:
    """Return the positions in `rowids` of the chunks that contain a term, and the term's weighted frequency in each.

    Occurrences are weighted by field.
    """
    # Reading a single long string takes a third of the time of reading separate rows.
    listed = connection.execute(
        f"SELECT group_concat({len(_WEIGHTS)} * doc + {_FIELD}) FROM occurrences WHERE term = ?", (term,)
    ).fetchone()[0]
    occurrences = np.fromstring(listed or "", np.int64, sep=",")
    if not len(occurrences):
        return np.empty(0, np.int32), np.empty(0)
    holders = occurrences // len(_WEIGHTS)
    first = np.flatnonzero(np.diff(holders, prepend=-1))
    frequencies = np.add.reduceat(_BY_FIELD[occurrences % len(_WEIGHTS)], first)
    return np.searchsorted(rowids, holders[first]).astype(np.int32), frequencies
