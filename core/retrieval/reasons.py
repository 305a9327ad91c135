"""Why a note is no hit: the first stage at which none of its chunks went on."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from core.model import Chunk, LostAt, NoteCard, Query, Rowids, SearchResult, StageScore, WhyNot
from core.retrieval import fusion
from core.retrieval.search import Search
from core.retrieval.stages import Stages
from core.store import Store

_ALL = 1 << 31

TOLD: dict[LostAt, str] = {
    "filters": "The filters let none of its chunks through.",
    "phrase": "None of its chunks holds the phrase as it stands.",
    "excluded": "Every one of its chunks holds a word that is excluded.",
    "pending": "Its chunks wait to be embedded, and none of them holds a word of the question.",
    "pool": "Others are nearer in meaning and in words: none of its chunks became a candidate.",
    "threshold": "It is less near in meaning than the least that is asked for.",
    "fusion": "One way of searching had it among the first; with both counted, others are better.",
    "reranking": "It was among the first until the reranker put others before it.",
    "limit": "It is a candidate, but more hits than are shown are better.",
    "duplicate": "It says the same as a hit, which stands for it.",
}
"""What is said of each stage."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How far the best of some chunks went: `stage` is None where it is a hit, `chunk` where no stage scored one."""

    stage: LostAt | None
    chunk: Chunk | None = None
    scores: dict[str, StageScore] = field(default_factory=dict)
    rank: int = 0


class Reasons:
    """What a search that explained itself, and is through, says of any chunks, in the snapshot it was made in."""

    def __init__(self, store: Store, stages: Stages, search: Search, result: SearchResult) -> None:
        self.hits = result.hits
        self._store = store
        self._stages = stages
        self._search = search
        self._lost = result.lost

    def why_not(self, note: NoteCard) -> WhyNot:
        """Return why a note is no hit, by all of its chunks."""
        outcome = self.of(note, self._store.chunks.by_rowid(self._store.chunks.rowids_of(note.id)))
        told = TOLD[outcome.stage] if outcome.stage else f"It is hit {outcome.rank}."
        return WhyNot(note, outcome.stage, told, outcome.chunk, outcome.scores)

    def of(self, note: NoteCard, chunks: Mapping[int, Chunk]) -> Outcome:
        """Return what became of some chunks of a note, by their rowids.

        Where none was a candidate they were narrowed away before anything was scored, or are behind in every
        stage: then their ranks are among all chunks that may answer.
        """
        ids = {chunk.id for chunk in chunks.values()}
        for hit in self.hits:
            if hit.chunk.id in ids:
                return Outcome(None, hit.chunk, hit.scores, hit.rank)
        for lost in self._lost:
            if lost.hit.chunk.id in ids:
                return Outcome(lost.stage, lost.hit.chunk, lost.hit.scores)
        narrowed = self._narrowed(note, list(chunks))
        if narrowed:
            return Outcome(narrowed)
        scores = {rowid: said for rowid in chunks if (said := self._among_all(rowid))}
        if not scores:
            return Outcome("pending" if any(chunk.state == "pending" for chunk in chunks.values()) else "pool")
        best = min(scores, key=lambda rowid: min(said.rank or 0 for said in scores[rowid].values()))
        return Outcome("pool", chunks[best], scores[best])

    def _narrowed(self, note: NoteCard, own: list[int]) -> LostAt | None:
        """Which of filters, exclusions and phrases, in this order, lets none of a note's chunks through."""
        if not own or note.base_id not in {base.id for base in self._search.bases}:
            return "filters"
        for stage, allowed in self._passing:
            if allowed is not None and not np.isin(own, allowed).any():
                return stage
        return None

    @cached_property
    def _passing(self) -> list[tuple[LostAt, Rowids | None]]:
        """What may answer after the filters, then the exclusions, then the phrases; None where that is all."""
        query = self._search.query
        return [
            ("filters", self._allowed(replace(query, phrases=(), excluded=()))),
            ("excluded", self._allowed(replace(query, phrases=()))),
            ("phrase", self._search.allowed),
        ]

    def _allowed(self, query: Query) -> Rowids | None:
        if query == self._search.query:
            return self._search.allowed
        narrowed = replace(self._search, query=query)
        self._stages.narrow(narrowed)
        return narrowed.allowed

    def _among_all(self, rowid: int) -> dict[str, StageScore]:
        """What meaning and words say of a chunk, with its ranks among all that may answer."""
        return {name: StageScore(*said[rowid]) for name, said in self._ranked.items() if rowid in said}

    @cached_property
    def _ranked(self) -> dict[str, dict[int, tuple[float, int]]]:
        """The score and rank that meaning and words, as far as they are asked, give every chunk that may answer."""
        search, chunks = self._search, self._store.chunks
        vector: dict[int, float] = {}
        for base in search.bases:
            if base.fingerprint in search.vectors:
                vector |= chunks.nearest(base, search.vectors[base.fingerprint], _ALL, search.allowed)
        words: dict[int, float] = {}
        if search.mode != "semantic":
            base_ids = [base.id for base in search.bases] if search.query.filters.bases else None
            words = chunks.matching_words(search.words, _ALL, base_ids=base_ids, allowed=search.allowed)
        return {
            name: {rowid: (score, rank) for rank, (rowid, score) in enumerate(said.items(), 1)}
            for name, said in (("vector", fusion.best(vector, len(vector))), ("keyword", words))
        }
