"""Hits from ranked candidates, with the scores of every stage, their facets, and the dropped candidates."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import accumulate
from pathlib import Path

from core.base.frozen import frozen
from core.intake.placeholders import is_evicted
from core.markdown.inline import tag_key, with_parents
from core.model import (
    FACETS,
    NOTE_FIELDS,
    Copy,
    DroppedCandidate,
    Facet,
    FileState,
    Hit,
    LostAt,
    NoteSummary,
    Passage,
    SearchResult,
    StageScore,
    day_of,
)
from core.query.dates import YEARS
from core.retrieval import confidence, fusion
from core.retrieval.context import build_passage
from core.retrieval.fusion import ChunkMap
from core.retrieval.grouping import Group, NewerNotes, demote_superseded, group_duplicates
from core.retrieval.ranking import RankedCandidate, Ranking, merge
from core.store import Store


@frozen
class _Ranked:
    """The candidates of a search, best first, and the groups that become its hits.

    `matched` has the question's words in each candidate, if `explain` is set.
    """

    rankings: Sequence[Ranking]
    candidates: Mapping[int, RankedCandidate]
    chunks: ChunkMap
    groups: Sequence[Group]
    matched: Mapping[int, Sequence[str]]

    def hit(self, rank: int, rowid: int) -> Hit:
        """Return a candidate as a hit whose passage is its own chunk."""
        candidate = self.candidates[rowid]
        ranking = candidate.ranking
        chunk, card = self.chunks[rowid], ranking.candidates.card(rowid)
        own = Passage(card, chunk.start, chunk.end, chunk.text)
        part = ranking.request.sub_query.text if len(self.rankings) > 1 else ""
        matched = tuple(self.matched.get(rowid, ()))
        scores = ranking.trace.scores_of(rowid)
        hit = Hit(rank, candidate.score, chunk, card, scores, own, matched, strength=candidate.strength)
        return replace(hit, asked=part, page=chunk.page)


def build_result(store: Store, successors: NewerNotes, rankings: Sequence[Ranking], whole: Ranking) -> SearchResult:
    """Return the hits of rankings that take turns; with `explain`, also the dropped candidates.

    `whole` is the ranking of the undivided question.
    """
    query = whole.request.query
    ranked = _rank_groups(store, successors, rankings, whole)
    hits = _hits(store, successors, ranked, query.settings.expansion_size)
    if query.settings.feedback_weight:
        favour = store.uses.verdict_weights({hit.note.id for hit in hits})
        hits = by_favour(hits, favour, query.settings.feedback_weight, "feedback")
    evidence = confidence.evidence(store, whole) if hits or not whole.order else 0.0
    return SearchResult(
        query=query.text,
        mode=whole.candidates.mode,
        took_ms=0.0,
        hits=tuple(hits),
        spelled={word: near for item in rankings for word, near in item.request.spelling.corrections.items()},
        notices=tuple(dict.fromkeys(notice for ranking in rankings for notice in ranking.notices)),
        reranker=whole.reranker,
        rerank_problem=next((ranking.rerank_problem for ranking in rankings if ranking.rerank_problem), None),
        facets=count_facets(hits, [base.name for base in whole.request.bases]),
        confident=evidence >= confidence.LEAST,
        evidence=evidence,
        settings=query.settings,
        without_model=all(base.without_model for base in whole.request.bases),
        lost=tuple(_list_dropped(ranked, query.settings.limit)) if query.explain else (),
    )


def with_file_states(store: Store, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return hits with the current state of their notes' files: same, changed or gone since the last sync."""
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


def _rank_groups(store: Store, successors: NewerNotes, rankings: Sequence[Ranking], whole: Ranking) -> _Ranked:
    """Group the candidates, with superseded notes below their successors."""
    query = whole.request.query
    limit = query.settings.limit
    candidates = merge(rankings)
    order = list(candidates)
    chunks = {rowid: candidate.ranking.candidates.chunks[rowid] for rowid, candidate in candidates.items()}
    groups = group_duplicates(order, chunks, limit)
    if successors:
        shown = [rowid for group in groups for rowid in (group.best, *group.copies)]
        demoted = demote_superseded(order, chunks, shown, successors)
        if demoted is not order:
            scores = accumulate((candidates[rowid].score for rowid in demoted), min)
            strengths = accumulate((candidates[rowid].strength for rowid in demoted), min)
            moved = {
                rowid: RankedCandidate(score, strength, candidates[rowid].ranking)
                for rowid, score, strength in zip(demoted, scores, strengths, strict=True)
            }
            candidates = moved | {rowid: item for rowid, item in candidates.items() if rowid not in moved}
            groups = group_duplicates(demoted, chunks, limit)
    groups = [group for group in groups if candidates[group.best].score >= whole.least]
    matched = store.words.matched_words(whole.request.words, list(chunks)) if query.explain else {}
    return _Ranked(rankings, candidates, chunks, groups, matched)


def _hits(store: Store, successors: NewerNotes, ranked: _Ranked, expansion_size: int) -> list[Hit]:
    """Return the hit of each group: its best chunk, widened by joined chunks and neighbours."""
    cards = {note_id: card for ranking in ranked.rankings for note_id, card in ranking.candidates.cards.items()}
    best = {ranked.chunks[group.best].note_id for group in ranked.groups}
    missing = {new for note_id in best for new in successors.get(note_id, ())} - cards.keys()
    cards |= store.notes.cards_of(missing) if missing else {}
    hits = []
    for rank, group in enumerate(ranked.groups, 1):
        hit = ranked.hit(rank, group.best)
        joined = [ranked.chunks[rowid] for rowid in group.joined]
        copies = [ranked.chunks[rowid] for rowid in group.copies]
        scores = dict(hit.scores)
        if scores and len(ranked.rankings) == 1:
            # Its rank is higher than the candidate's, because duplicates of better hits are gone.
            last = list(scores)[-1]
            scores[last] = replace(scores[last], rank=rank)
        hits.append(
            replace(
                hit,
                scores=scores,
                passage=build_passage(store, hit.note, hit.chunk, expansion_size, joined),
                joined=tuple(sorted(chunk.index for chunk in joined)),
                copies=tuple(Copy(cards[chunk.note_id], chunk) for chunk in copies),
                superseded_by=tuple(cards[new] for new in successors.get(hit.note.id, ())),
            )
        )
    return hits


def by_favour(hits: Sequence[Hit], favour: Mapping[str, float], weight: float, stage: str) -> list[Hit]:
    """Reorder the hits by `favour` for their notes; no hit is added or removed.

    On a scale from the last score (0) to the first (1), no hit moves by more than `weight`. A superseded note gains at
    most as much as its successors among the hits, so that it stays below them.
    """
    if not favour:
        return list(hits)
    present = {hit.note.id for hit in hits}
    gains = {
        hit.rank: weight
        * min(favour.get(note.id, 0.0) for note in (hit.note, *hit.superseded_by) if note.id in present)
        for hit in hits
    }
    strengths = fusion.add_gains({hit.rank: hit.strength for hit in hits}, gains)
    scores = fusion.to_scale(fusion.normalise(strengths), hits[-1].score, hits[0].score)
    ordered = []
    for rank, (before, strength) in enumerate(strengths.items(), 1):
        hit = hits[before - 1]
        stages = hit.scores | {stage: StageScore(strength, rank)}
        ordered.append(replace(hit, rank=rank, score=scores[before], scores=stages, strength=strength))
    return ordered


def _list_dropped(ranked: _Ranked, limit: int) -> list[DroppedCandidate]:
    """Return the candidates that aren't hits, each with the stage that dropped it."""
    best = {group.best for group in ranked.groups}
    double = {rowid for group in ranked.groups for rowid in (*group.joined, *group.dropped, *group.copies)}
    dropped = []
    for rank, (rowid, candidate) in enumerate(ranked.candidates.items(), 1):
        if rowid in best:
            continue
        stage: LostAt = "duplicate"
        if candidate.score < candidate.ranking.least:
            stage = "threshold"
        elif rowid not in double:
            stage = _find_drop_stage(candidate.ranking.trace.ranks, rowid, limit)
        dropped.append(DroppedCandidate(ranked.hit(rank, rowid), stage))
    return dropped


def _find_drop_stage(ranks: Mapping[str, Mapping[int, int]], rowid: int, limit: int) -> LostAt:
    """Return the stage at which a candidate fell below the limit, judged by its ranks."""

    def within(*stages: str) -> bool:
        return any(ranks.get(stage, {}).get(rowid, limit + 1) <= limit for stage in stages)

    if "literal" in ranks and within("final" if "final" in ranks else "fused"):
        return "literal"
    if "final" in ranks and within("boosted" if "boosted" in ranks else "fused"):
        return "reranking"
    return "fusion" if "fused" in ranks and not within("fused") and within("vector", "keyword") else "limit"


MOST_VALUES = 12
"""Maximum number of facet values per field."""
_FIELDS = {name: field.typed[0] for name, field in NOTE_FIELDS.items() if field.is_facet}


def count_facets(hits: Sequence[Hit], bases: Sequence[str]) -> tuple[Facet, ...]:
    """Return the field values of the hits' notes and their copies, the most frequent first.

    Values that all hits share are left out.
    """
    values: defaultdict[str, Counter[str]] = defaultdict(Counter)
    spelled: dict[str, str] = {}
    for hit in hits:
        pairs = [pair for card in (hit.note, *(copy.note for copy in hit.copies)) for pair in _values(card)]
        own = {
            (field, spelled.setdefault(tag_key(value), value) if field == "tag" else value) for field, value in pairs
        }
        for field, value in own:
            values[field][value] += 1
    if len(bases) < 2:
        values.pop("base", None)
    return tuple(
        Facet(field, value, number, _term(field, value))
        for field in FACETS
        for value, number in sorted(values[field].items(), key=lambda item: (-item[1], item[0]))[:MOST_VALUES]
        if number < len(hits)
    )


def _values(card: NoteSummary) -> Iterator[tuple[str, str]]:
    yield "base", card.base
    for name, facet in _FIELDS.items():
        value = getattr(card, name)
        values = value if isinstance(value, tuple) else filter(None, [value])
        named = (parent for entry in values for parent in (with_parents(entry) if name == "tags" else [str(entry)]))
        yield from ((facet, entry) for entry in named)
    if card.path and "/" in card.path:
        yield "folder", card.path.rpartition("/")[0]
    if card.updated_at and card.updated_at.year in YEARS[:-1]:
        yield "month", day_of(card.updated_at)[:7]


def _term(field: str, value: str) -> str:
    """Return the query term for a facet value."""
    if field == "month":
        start = datetime.fromisoformat(f"{value}-01")
        later = f"{start.year + start.month // 12}-{start.month % 12 + 1:02}"
        return f"after:{value} before:{later}"
    name, value = ("path", f"{value}/") if field == "folder" else (field, value)
    return f'{name}:"{value}"' if any(mark in value for mark in ' ,，、:：()"“”「」#') else f"{name}:{value}"
