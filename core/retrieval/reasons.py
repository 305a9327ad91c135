"""Why a note is no hit: the first stage at which none of its chunks went on."""

from collections.abc import Sequence
from dataclasses import replace

from core.model import LostAt, NoteCard, Query, SearchResult, StageScore, WhyNot
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


def of_candidate(result: SearchResult, note_id: str) -> WhyNot | None:
    """Return what a search that explains itself says of a note, None where it was no candidate."""
    for hit in result.hits:
        if hit.note.id == note_id:
            return WhyNot(hit.note, None, f"It is hit {hit.rank}.", hit.chunk, hit.scores)
    for lost in result.lost:
        if lost.hit.note.id == note_id:
            return WhyNot(lost.hit.note, lost.stage, TOLD[lost.stage], lost.hit.chunk, lost.hit.scores)
    return None


def of_others(store: Store, stages: Stages, search: Search, note: NoteCard) -> WhyNot:
    """Return why a note is no candidate: narrowed away before anything was scored, or behind in every stage."""
    own = store.chunks.rowids_of(note.id)
    narrowed = _narrowed(store, stages, search, set(own))
    if narrowed:
        return WhyNot(note, narrowed, TOLD[narrowed])
    scores = _among_all(store, search, own)
    stage: LostAt = "pending" if note.pending and not scores else "pool"
    if not scores:
        return WhyNot(note, stage, TOLD[stage])
    best = min(scores, key=lambda rowid: min(said.rank or 0 for said in scores[rowid].values()))
    return WhyNot(note, stage, TOLD[stage], store.chunks.by_rowid([best])[best], scores[best])


def _narrowed(store: Store, stages: Stages, search: Search, own: set[int]) -> LostAt | None:
    """Which of filters, exclusions and phrases, in this order, lets none of a note's chunks through."""
    query = search.query
    steps: tuple[tuple[LostAt, Query], ...] = (
        ("filters", replace(query, phrases=(), excluded=())),
        ("excluded", replace(query, phrases=())),
        ("phrase", query),
    )
    if not own & set(store.chunks.rowids_in(search.bases).tolist()):
        return "filters"
    for stage, search.query in steps:
        stages.narrow(search)
        if search.allowed is not None and not own & set(search.allowed.tolist()):
            return stage
    return None


def _among_all(store: Store, search: Search, own: Sequence[int]) -> dict[int, dict[str, StageScore]]:
    """What meaning and words say of some chunks, with their ranks among all that may answer."""
    vector: dict[int, float] = {}
    for base in search.bases:
        if base.fingerprint in search.vectors:
            vector |= store.chunks.nearest(base, search.vectors[base.fingerprint], _ALL, search.allowed)
    words = store.chunks.matching_words(
        search.words, _ALL, base_ids=[base.id for base in search.bases], allowed=search.allowed
    )
    scores: dict[int, dict[str, StageScore]] = {}
    for name, said in (("vector", fusion.best(vector, len(vector))), ("keyword", words)):
        ranks = {rowid: rank for rank, rowid in enumerate(said, 1)}
        for rowid in own:
            if rowid in said:
                scores.setdefault(rowid, {})[name] = StageScore(said[rowid], ranks[rowid])
    return scores
