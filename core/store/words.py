"""The word index (FTS5): chunks that contain words or phrases, ranked by BM25."""

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice

import numpy as np

from core.base.codec import DAMAGE
from core.base.errors import SourceError
from core.base.text import WORDS_FORM
from core.chunking.describe import Sections, short_for
from core.markdown.outline import parse
from core.model import Rowids
from core.store.bm25 import BM25
from core.store.chunk_table import CHUNK, chunk_of
from core.store.filters import PROPERTY_TEXT, PROPERTY_TEXTS
from core.store.phrases import Phrase, quote, whole_words, word_row
from core.store.table import AMONG, decoding
from core.store.top_k import Scores, best_of

_HEADING = re.compile(r"[\r\n] {0,3}(?:#|[=-]+[ \t]*(?:[\r\n]|\Z))")
"""Matches a heading below the first line of a text."""
_FIELDS = ("section_title", "parent_sections", "hierarchy_level", "sections")


def write_sections(connection: sqlite3.Connection) -> None:
    """Write the sections of chunks that may have several. Breadcrumbs stay unchanged, because vectors include them."""
    marked = "line = 0 AND (instr(text, '#') OR instr(text, '=') OR instr(text, '-'))"
    texts = connection.execute(f"SELECT note_id, text FROM chunks WHERE {marked} AND typeof(text) = 'text'")
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
    sections, before = Sections(body, parse(body).headings), 0
    for rowid, kind, start, end, overlap in rows.fetchall():
        found = sections.for_slice(max(start, before) if overlap else start, end, short=short_for(kind))._asdict()
        values = [json.dumps(found[name], ensure_ascii=False) for name in _FIELDS]
        before = end
        values[0] = found["section_title"]
        columns = ", ".join(f"{name} = ?" for name in _FIELDS)
        connection.execute(f"UPDATE chunks SET {columns} WHERE rowid = ?", (*values, rowid))


_MARGIN = 10
"""Factor for the number of candidates, at first and whenever too few are from the requested bases."""
_BLOCK = 1000


class Words(BM25):
    """Word and phrase search over a workspace's chunks, except deleted ones."""

    def bring_up_to_date(self) -> None:
        """Rebuild the word index and the sections of chunks if an earlier version of the program wrote them.

        Entries of unreadable rows stay unchanged.
        """
        if self._value("SELECT words FROM version") == WORDS_FORM:
            return
        statement = (
            f"SELECT words.rowid, words.title, words.headings, words.body, notes.title, {PROPERTY_TEXT}, {CHUNK}"
            " FROM words JOIN chunks ON chunks.rowid = words.rowid JOIN notes ON notes.id = note_id"
            f" WHERE words.rowid {AMONG}"
        )
        rowids = self._column("SELECT id FROM words_docsize")
        with self._write(aside=not rowids) as connection:  # the version identifies a new workspace
            write_sections(connection)
            for at in range(0, len(rowids), _BLOCK):
                for row in self._rows(statement, rowids[at : at + _BLOCK]).fetchall():
                    rowid, *written, title, property_text = row[:6]
                    with suppress(*DAMAGE):
                        words = word_row(title, chunk_of(row), property_text or "")
                        if words != tuple(written):
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

        `others` are the words of other spellings of the query (`BM25.scores`).
        """
        holders, scores = self.scores(words, others)
        if allowed is not None:
            passing = np.isin(holders, allowed)
            holders, scores = holders[passing], scores[passing]
        if base_ids is None:
            return best_of(holders, scores, count)
        wanted = count
        while True:
            wanted *= _MARGIN
            best = self._filter_bases(best_of(holders, scores, wanted), base_ids)
            if len(best) >= count or wanted >= len(holders):
                return dict(islice(best.items(), count))

    def _filter_bases(self, ranked: Scores, base_ids: Sequence[str]) -> Scores:
        rowids = self._column(
            "SELECT chunks.rowid FROM json_each(?) JOIN chunks ON chunks.rowid = value JOIN notes ON notes.id = note_id"
            f" WHERE base_id {AMONG}",
            *(ranked, base_ids),
        )
        within = set(rowids)
        return {rowid: score for rowid, score in ranked.items() if rowid in within}

    def matched_words(self, words: Sequence[str], rowids: Sequence[int]) -> dict[int, list[str]]:
        """Return the query's words that each chunk contains; chunks without any are left out."""
        matches: dict[int, list[str]] = {}
        for word, holding in zip(words, self.holders(words), strict=True):
            for rowid in np.intersect1d(holding, np.array(rowids, np.int64)).tolist():
                matches.setdefault(rowid, []).append(word)
        return matches

    @decoding
    def find_phrase(self, text: str, allowed: Rowids | None = None) -> set[int]:
        """Return the chunks whose title, headings, text or properties contain exactly this phrase.

        Width, case, traditional characters and line breaks are ignored. A Latin word at an edge of the phrase must be
        whole: `cat` isn't in `concatenate`, but `cache` is in `cache-aside`.
        """
        phrase = Phrase(text)
        if not phrase.folded:
            return set()
        rowids = self._matching(phrase.expression, allowed) if phrase.expression else allowed
        if phrase.settled and rowids is not None:
            return set(rowids.tolist())
        # Many chunks share a title.
        held = cache(phrase.matches)
        listed = cache(lambda titles: any(map(held, json.loads(titles))))
        return {
            rowid
            for rowid, body, title, above, own, property_text in self._texts(rowids)
            if phrase.matches(body) or held(title) or listed(above) or listed(own) or held(property_text or "")
        }

    def _texts(self, rowids: Rowids | None) -> Iterator[sqlite3.Row]:
        """Yield the texts of the given chunks, or of all chunks."""
        texts = "SELECT chunks.rowid, text, title, breadcrumb, sections"
        if rowids is None:
            # A sequential read takes half the time of single look-ups.
            all_chunks = 'chunks CROSS JOIN notes ON notes.id = note_id LEFT JOIN found USING (note_id, "index")'
            yield from self._rows(f"{PROPERTY_TEXTS} {texts}, beside FROM {all_chunks} WHERE state != 'deleted'")
            return
        item = "json_each(?) JOIN chunks ON chunks.rowid = value JOIN notes ON notes.id = note_id"
        for at in range(0, len(rowids), _BLOCK):
            yield from self._rows(f"{texts}, {PROPERTY_TEXT} FROM {item}", rowids[at : at + _BLOCK].tolist())

    def find_term(self, term: str, allowed: Rowids | None = None) -> set[int]:
        """Return the chunks that contain a word, also with another English ending, or that contain an exact phrase."""
        words = whole_words(term)
        if len(words) != 1:
            return self.find_phrase(term, allowed)
        return set(self._matching(quote(words), allowed).tolist())

    def _matching(self, expression: str, allowed: Rowids | None) -> Rowids:
        rowids = self._column("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid", expression)
        matching = np.array(rowids, np.int64)
        return matching if allowed is None else np.intersect1d(matching, allowed, assume_unique=True)
