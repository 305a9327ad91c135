"""Explain why a note isn't a hit by finding the first stage that none of its chunks passed."""

from dataclasses import dataclass, replace

import numpy as np

from core.base.messages import Message, message, message_table
from core.base.registry import lazy
from core.model import LostAt, NoteSummary, Rowids, SearchResult, StageScore, WhyNot
from core.retrieval.ranking import ChunkMap, Ranking
from core.retrieval.stages import find_by_words, narrow
from core.store import Store
from core.store.top_k import Scores, best

_ALL = 1 << 31

# The reason shown for each stage.
_REASONS: dict[LostAt, Message] = message_table(
    {
        "filters": "None of this note's passages matches the filters.",
        "phrase": "None of this note's passages contains the exact phrase.",
        "excluded": "Each of this note's passages contains an excluded word.",
        "pending": "Some of this note's passages aren't indexed yet and contain none of the question's words.",
        "pool": "Other passages match better by meaning and by keyword, so none of this note's passages was "
        "considered.",
        "threshold": "This note's similarity is below the minimum in the settings.",
        "fusion": "By meaning or by keyword alone, this note ranked near the top. With both combined, other notes "
        "rank higher.",
        "reranking": "This note ranked near the top until reranking moved others above it.",
        "literal": "Other passages contain your exact words, so they rank above this note.",
        "limit": "This note was considered, but all the hits shown rank higher.",
        "duplicate": "This note has the same text as another hit, which is shown instead.",
    }
)


@dataclass(eq=False)
class Reasons:
    """Explains why notes aren't hits in a finished search with `explain`. Valid only within the search's snapshot."""

    _store: Store
    _ranking: Ranking
    result: SearchResult

    def why_not(self, note: NoteSummary, chunks: ChunkMap | None = None) -> WhyNot:
        """Return why a note isn't a hit. Consider only the given chunks of the note, or all of its chunks if None.

        Chunks that never became candidates were either excluded before scoring or not in the pool of any search. In the
        latter case, they are ranked among all allowed chunks.
        """
        if chunks is None:
            chunks = self._store.chunks.by_rowid(self._store.chunks.rowids_of(note.id))
        ids = {chunk.id for chunk in chunks.values()}
        for hit in self.result.hits:
            if hit.chunk.id in ids:
                return WhyNot(
                    note, None, message("The note is hit number {rank}.", rank=hit.rank), hit.chunk, hit.scores
                )
        for lost in self.result.lost:
            if lost.hit.chunk.id in ids:
                return WhyNot(note, lost.stage, _REASONS[lost.stage], lost.hit.chunk, lost.hit.scores)
        own = list(chunks)
        if not own or note.base_id not in {base.id for base in self._ranking.request.bases}:
            return WhyNot(note, "filters", _REASONS["filters"])
        for stage, allowed in self._allowed_by_stage:
            if allowed is not None and not np.isin(own, allowed).any():
                return WhyNot(note, stage, _REASONS[stage])
        among_all = {
            rowid: {name: ranked[rowid] for name, ranked in self._ranks_among_all.items() if rowid in ranked}
            for rowid in chunks
        }
        scores = {rowid: stages for rowid, stages in among_all.items() if stages}
        waits = any(chunk.state == "pending" and rowid not in scores for rowid, chunk in chunks.items())
        missed: LostAt = "pending" if waits else "pool"
        if not scores:
            return WhyNot(note, missed, _REASONS[missed])
        best = min(scores, key=lambda rowid: min(score.rank or 0 for score in scores[rowid].values()))
        return WhyNot(note, missed, _REASONS[missed], chunks[best], scores[best])

    @lazy
    def _allowed_by_stage(self) -> list[tuple[LostAt, Rowids | None]]:
        """The chunks still allowed after the filters, the exclusions and the phrases. None means all chunks."""
        query = self._ranking.request.query
        bases = self._ranking.request.bases
        return [
            ("filters", narrow(self._store, replace(query, phrases=(), excluded=()), bases).allowed),
            ("excluded", narrow(self._store, replace(query, phrases=()), bases).allowed),
            ("phrase", self._ranking.scope.allowed),
        ]

    @lazy
    def _ranks_among_all(self) -> dict[str, dict[int, StageScore]]:
        """The score and rank of every allowed chunk in each search used by the mode (semantic, keyword or both)."""
        request = self._ranking.request
        allowed = self._ranking.scope.allowed
        vector: Scores = {}
        for base in request.vector_bases:
            if base.fingerprint in request.vectors:
                vector |= self._store.chunks.nearest(base, request.vectors[base.fingerprint], _ALL, allowed)
        words: Scores = {}
        if self._ranking.candidates.mode != "semantic":
            words = find_by_words(self._store, request, _ALL, allowed)
        return {
            name: {rowid: StageScore(score, rank) for rank, (rowid, score) in enumerate(scores.items(), 1)}
            for name, scores in (("vector", best(vector)), ("keyword", words))
        }
