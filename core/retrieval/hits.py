"""Hits from ranked candidates, with the scores of every stage, and the candidates that lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from core.intake.placeholders import is_evicted
from core.model import Chunk, Copy, DroppedCandidate, FileState, Hit, LostAt, Passage, SearchResult, StageScore
from core.retrieval import confidence, duplicates, facets, fusion, supersession
from core.retrieval.duplicates import Group
from core.retrieval.passages import passage
from core.retrieval.state import SearchState, rank_candidates
from core.retrieval.supersession import NewerNotes
from core.store import Store


@dataclass(frozen=True, slots=True)
class _Ranked:
    """The candidates of a search, best first, those below the threshold last, and the groups that become its hits.

    `places` are a candidate's score and the search that ranks it best, which is one of `searches`; `matched` are the
    words of the question in it, with `explain`.
    """

    searches: Sequence[SearchState]
    places: Mapping[int, tuple[float, SearchState]]
    chunks: Mapping[int, Chunk]
    groups: Sequence[Group]
    matched: Mapping[int, Sequence[str]]

    def hit(self, rank: int, rowid: int) -> Hit:
        """Return a candidate as a hit with its own passage."""
        score, search = self.places[rowid]
        chunk, card = self.chunks[rowid], search.card(rowid)
        own = Passage(card, chunk.start, chunk.end, chunk.text)
        question_part = search.sub_query.text if len(self.searches) > 1 else ""
        matched = tuple(self.matched.get(rowid, ()))
        return Hit(rank, score, chunk, card, search.scores(rowid), own, matched, asked=question_part, page=chunk.page)


def result_of(
    store: Store, successors: NewerNotes, searches: Sequence[SearchState], whole: SearchState
) -> SearchResult:
    """Return the hits of searches that take turns, with `explain` also the candidates that lost.

    `whole` is the search of the undivided question.
    """
    query = whole.query
    ranked = _rank_groups(store, successors, searches, whole)
    hits = _hits(store, successors, ranked, query.settings.expansion_size)
    if query.settings.feedback_weight:
        favour = store.uses.verdict_weights({hit.note.id for hit in hits})
        hits = by_favour(hits, favour, query.settings.feedback_weight, "feedback")
    evidence = confidence.evidence(store, whole)
    return SearchResult(
        query=query.text,
        mode=whole.mode,
        took_ms=0.0,
        hits=tuple(hits),
        spelled={word: near for search in searches for word, near in search.corrections.items()},
        notices=tuple(dict.fromkeys(notice for search in searches for notice in search.notices)),
        reranker=whole.reranker,
        rerank_problem=next((search.rerank_problem for search in searches if search.rerank_problem), None),
        facets=facets.count(hits, [base.name for base in whole.bases]),
        confident=evidence >= confidence.LEAST,
        evidence=evidence,
        settings=query.settings,
        lost=tuple(_list_dropped(ranked, query.settings.limit)) if query.explain else (),
    )


def with_file_states(store: Store, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return hits with the state of their notes' files now, by time and size: changed or gone since the last sync."""
    notes = {hit.note.id for hit in hits if hit.note.in_file}
    if not notes:
        return tuple(hits)
    states: dict[str, FileState] = {}
    for note_id, folder, path, *stamp in store.fields.stamps(notes):
        try:
            now = Path(folder, path).stat()
        except FileNotFoundError:
            states[note_id] = "same" if is_evicted(Path(folder, path)) else "gone"
        except (OSError, ValueError):
            states[note_id] = "gone"
        else:
            same = None in stamp or [now.st_mtime_ns, now.st_size] == stamp
            states[note_id] = "same" if same else "stale"
    return tuple(replace(hit, file=states.get(hit.note.id, "same")) for hit in hits)


def _rank_groups(store: Store, successors: NewerNotes, searches: Sequence[SearchState], whole: SearchState) -> _Ranked:
    """Group the candidates, those of a superseded note behind those of its successors."""
    limit = whole.query.settings.limit
    places = rank_candidates(searches)
    order = list(places)
    for search in searches:
        for rowid in search.below:
            places.setdefault(rowid, (0.0, search))
    chunks = {rowid: search.chunks[rowid] for rowid, (_, search) in places.items()}
    groups = duplicates.groups(order, chunks, limit)
    if successors:
        shown = [rowid for group in groups for rowid in (group.best, *group.copies)]
        demoted = supersession.demote_superseded(order, chunks, shown, successors)
        if demoted is not order:
            scores = accumulate((places[rowid][0] for rowid in demoted), min)
            moved = {rowid: (score, places[rowid][1]) for rowid, score in zip(demoted, scores, strict=True)}
            places = moved | {rowid: place for rowid, place in places.items() if rowid not in moved}
            groups = duplicates.groups(demoted, chunks, limit)
    matched = store.words.matched_words(whole.words, list(chunks)) if whole.query.explain else {}
    return _Ranked(searches, places, chunks, groups, matched)


def _hits(store: Store, successors: NewerNotes, ranked: _Ranked, expansion_size: int) -> list[Hit]:
    """Return the hit of each group: its best chunk, widened by the joined chunks and by neighbours."""
    cards = {note_id: card for search in ranked.searches for note_id, card in search.cards.items()}
    best = {ranked.chunks[group.best].note_id for group in ranked.groups}
    missing = {new for note_id in best for new in successors.get(note_id, ())} - cards.keys()
    cards |= store.notes.cards_of(missing) if missing else {}
    hits = []
    for rank, group in enumerate(ranked.groups, 1):
        hit = ranked.hit(rank, group.best)
        joined = [ranked.chunks[rowid] for rowid in group.joined]
        copies = [ranked.chunks[rowid] for rowid in group.copies]
        scores = dict(hit.scores)
        if scores and len(ranked.searches) == 1:
            # Duplicates of better hits stood between.
            last = list(scores)[-1]
            scores[last] = replace(scores[last], rank=rank)
        hits.append(
            replace(
                hit,
                scores=scores,
                passage=passage(store, hit.note, hit.chunk, expansion_size, joined),
                joined=tuple(sorted(chunk.index for chunk in joined)),
                copies=tuple(Copy(cards[chunk.note_id], chunk) for chunk in copies),
                superseded_by=tuple(cards[new] for new in successors.get(hit.note.id, ())),
            )
        )
    return hits


def by_favour(hits: Sequence[Hit], favour: Mapping[str, float], weight: float, stage: str) -> list[Hit]:
    """Order the hits by what speaks for their notes too; no hit goes, and none comes in.

    On the scale from the last score (0) to the first (1) none is moved by more than `weight`.

    A superseded note has at most what those have that stand in its place, so that it stays behind them.
    """
    if not favour:
        return list(hits)
    present = {hit.note.id for hit in hits}
    gains = {
        hit.rank: weight
        * min(favour.get(note.id, 0.0) for note in (hit.note, *hit.superseded_by) if note.id in present)
        for hit in hits
    }
    scores = fusion.add_gains({hit.rank: hit.score for hit in hits}, gains)
    ordered = []
    for rank, (before, score) in enumerate(scores.items(), 1):
        hit = hits[before - 1]
        ordered.append(replace(hit, rank=rank, score=score, scores=hit.scores | {stage: StageScore(score, rank)}))
    return ordered


def _list_dropped(ranked: _Ranked, limit: int) -> list[DroppedCandidate]:
    """Return the candidates that are no hits, each with the stage at which it was dropped."""
    best = {group.best for group in ranked.groups}
    double = {rowid for group in ranked.groups for rowid in (*group.joined, *group.dropped, *group.copies)}
    dropped = []
    for rank, (rowid, (_, search)) in enumerate(ranked.places.items(), 1):
        if rowid in best:
            continue
        stage: LostAt = "threshold" if rowid in search.below else "duplicate"
        if rowid not in search.below | double:
            stage = _find_drop_stage(search.ranks, rowid, limit)
        dropped.append(DroppedCandidate(ranked.hit(rank, rowid), stage))
    return dropped


def _find_drop_stage(ranks: dict[str, dict[int, int]], rowid: int, limit: int) -> LostAt:
    """Return the stage at which a candidate fell behind, by its ranks."""

    def within(*stages: str) -> bool:
        return any(ranks.get(stage, {}).get(rowid, limit + 1) <= limit for stage in stages)

    if "literal" in ranks and within("final" if "final" in ranks else "fused"):
        return "literal"
    if "final" in ranks and within("boosted" if "boosted" in ranks else "fused"):
        return "reranking"
    return "fusion" if "fused" in ranks and not within("fused") and within("vector", "keyword") else "limit"
