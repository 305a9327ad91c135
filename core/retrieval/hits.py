"""Build hits from ranked candidates, add passages, facets and file states, and reorder hits by clicks."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

import numpy as np

from core.base.errors import QueryError
from core.base.frozen import Pair, TextValues, frozen
from core.base.text import is_chinese, query_keywords
from core.intake.placeholders import is_evicted
from core.markdown.inline import tag_key, with_parents
from core.model import (
    FACETS,
    NOTE_FIELDS,
    SIGNALS,
    Click,
    Condition,
    Copy,
    DroppedCandidate,
    Facet,
    FileState,
    Hit,
    LostAt,
    NoteSummary,
    Notice,
    Passage,
    Query,
    SearchResult,
    StageScore,
    day_of,
    favour,
    local_now,
)
from core.notes.uses import Clicks
from core.query.dates import YEARS
from core.query.parser import parse
from core.retrieval import confidence
from core.retrieval.context import build_passage
from core.retrieval.highlights import telling_words
from core.retrieval.ranking import (
    ChunkMap,
    Group,
    NewerNotes,
    RankedCandidate,
    Ranking,
    add_gains,
    demote_superseded,
    group_duplicates,
    merge,
    newer_notes,
    normalise,
    to_scale,
)
from core.store import Store


@frozen
class _Ranked:
    """A search's candidates, best first, and the groups that become its hits.

    `matched` maps each candidate to the question's words found in it. It is empty unless the query sets `explain`.
    """

    rankings: Sequence[Ranking]
    candidates: Mapping[int, RankedCandidate]
    chunks: ChunkMap
    groups: Sequence[Group]
    matched: Mapping[int, Sequence[str]]

    def hit(self, rank: int, rowid: int) -> Hit:
        """Return a candidate as a hit whose passage is just its own chunk."""
        candidate = self.candidates[rowid]
        chunk = self.chunks[rowid]
        ranking = candidate.ranking
        card = ranking.candidates.card(rowid)
        return Hit(
            rank,
            candidate.score,
            chunk,
            card,
            ranking.trace.scores_of(rowid),
            Passage(card, chunk.start, chunk.end, chunk.text, chunk.fence),
            tuple(self.matched.get(rowid, ())),
            asked=ranking.request.sub_query.text if len(self.rankings) > 1 else "",
            page=chunk.page,
            strength=candidate.strength,
        )


def build_result(store: Store, rankings: Sequence[Ranking], whole: Ranking) -> SearchResult:
    """Build a result whose hits are taken from the rankings in turn.

    `whole` is the ranking for the whole question. If the query sets `explain`, the result also lists the dropped
    candidates.
    """
    query = whole.request.query
    successors = newer_notes(store)
    ranked = _rank_groups(store, successors, rankings, whole)
    hits = _hits(store, successors, ranked, query.settings.expansion_size)
    if query.settings.feedback_weight:
        hits = by_favour(
            hits, store.uses.verdict_weights({hit.note.id for hit in hits}), query.settings.feedback_weight, "feedback"
        )
    evidence = confidence.evidence(store, whole) if hits or not whole.order else 0.0
    notices: list[Notice] = []
    for ranking in rankings:
        for stage in (ranking.request, ranking.scope, ranking.candidates, ranking.reranked):
            notices += stage.notices
    problems = [ranking.reranked.problem or ranking.request.rerank_problem for ranking in rankings]
    return SearchResult(
        query=query.text,
        mode=whole.candidates.mode,
        took_ms=0.0,
        hits=tuple(hits),
        spelled={word: near for item in rankings for word, near in item.request.spelling.corrections.items()},
        notices=tuple(dict.fromkeys(notices)),
        reranker=query.settings.reranker if whole.reranked.scores else "",
        rerank_problem=next(filter(None, problems), None),
        facets=count_facets(hits),
        confident=evidence >= confidence.LEAST,
        evidence=evidence,
        settings=query.settings,
        without_model=all(base.without_model for base in whole.request.bases),
        lost=tuple(_list_dropped(ranked, query.settings.limit)) if query.explain else (),
    )


# Minimum number of the question's words in an expired note's passage. Shorter questions require all of their words.
_LEAST_WORDS = 2


def count_expired(store: Store, query: Query) -> int:
    """Return the number of expired notes that have at least half of the question's words in one passage.

    The number is 0 if the question filters by status. A pair of Chinese characters that occurs in no passage doesn't
    count as a word.
    """
    conditions = query.filters.conditions
    if not store.fields.any_lapsed() or any(condition.field == "status" for condition in conditions):
        return 0
    expired = store.chunks.passing(replace(query.filters, conditions=(*conditions, Condition("status", ("expired",)))))
    if not len(expired):
        return 0
    words = telling_words(query_keywords(query.text))
    holders = store.words.holders(words)
    held = Counter(rowid for rowids in holders for rowid in np.intersect1d(rowids, expired).tolist())
    known = sum(bool(len(rowids)) or not is_chinese(word) for word, rowids in zip(words, holders, strict=True))
    least = max(known / 2, min(_LEAST_WORDS, len(words)))
    passages = store.chunks.by_rowid(rowid for rowid, count in held.items() if count >= least)
    return len({chunk.note_id for chunk in passages.values()})


def with_file_states(store: Store, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits with the states of their files.

    `same` means that a file is unchanged since the last sync, `stale` that it has changed, and `gone` that it is
    missing.
    """
    states: dict[str, FileState] = {}
    for note_id, folder, path, *stamp in store.fields.stamps({hit.note.id for hit in hits if hit.note.in_file}):
        file = Path(folder, path)
        try:
            now = file.stat()
        except (OSError, ValueError) as error:
            states[note_id] = "same" if isinstance(error, FileNotFoundError) and is_evicted(file) else "gone"
        else:
            states[note_id] = "same" if None in stamp or [now.st_mtime_ns, now.st_size] == stamp else "stale"
    return tuple(replace(hit, file=states.get(hit.note.id, "same")) for hit in hits)


def _rank_groups(store: Store, successors: NewerNotes, rankings: Sequence[Ranking], whole: Ranking) -> _Ranked:
    """Group the candidates, placing superseded notes below their successors."""
    query = whole.request.query
    candidates = merge(rankings)
    limit = query.settings.limit
    order = list(candidates)
    chunks = {rowid: candidate.ranking.candidates.chunks[rowid] for rowid, candidate in candidates.items()}
    groups = group_duplicates(order, chunks, limit)
    if successors:
        shown = [rowid for group in groups for rowid in (group.best, *group.copies)]
        demoted = demote_superseded(order, chunks, shown, successors)
        if demoted != order:
            scores = accumulate((candidates[rowid].score for rowid in demoted), min)
            strengths = accumulate((candidates[rowid].strength for rowid in demoted), min)
            candidates = {
                rowid: RankedCandidate(score, strength, candidates[rowid].ranking)
                for rowid, score, strength in zip(demoted, scores, strengths, strict=True)
            }
            groups = group_duplicates(demoted, chunks, limit)
    groups = [group for group in groups if candidates[group.best].score >= whole.least]
    matched = store.words.matched_words(whole.request.words, list(chunks)) if query.explain else {}
    return _Ranked(rankings, candidates, chunks, groups, matched)


def _hits(store: Store, successors: NewerNotes, ranked: _Ranked, expansion_size: int) -> list[Hit]:
    """Return each group's best chunk as a hit, with a passage that includes the joined and neighbouring chunks."""
    cards = {note_id: card for ranking in ranked.rankings for note_id, card in ranking.candidates.cards.items()}
    best = {ranked.chunks[group.best].note_id for group in ranked.groups}
    missing = {new for note_id in best for new in successors.get(note_id, ())} - cards.keys()
    cards |= store.notes.cards_of(missing) if missing else {}
    hits = []
    for rank, group in enumerate(ranked.groups, 1):
        hit = ranked.hit(rank, group.best)
        joined, copies = ([ranked.chunks[rowid] for rowid in rowids] for rowids in (group.joined, group.copies))
        scores = dict(hit.scores)
        if scores and len(ranked.rankings) == 1:
            # Without the duplicates of better hits, the hit may rank higher than the candidate did.
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


def by_favour(hits: Sequence[Hit], gained: Mapping[str, float], weight: float, stage: str) -> list[Hit]:
    """Reorder hits by the score boosts of their notes. `gained` maps note ids to boosts. No hit is added or removed.

    On a scale from the last score (0) to the first (1), no hit moves by more than `weight`. A superseded note is never
    boosted more than its successors among the hits, so it stays below them.
    """
    if not gained:
        return list(hits)
    present = {hit.note.id for hit in hits}
    gains = {
        hit.rank: weight
        * min(gained.get(note.id, 0.0) for note in (hit.note, *hit.superseded_by) if note.id in present)
        for hit in hits
    }
    strengths = add_gains({hit.rank: hit.strength for hit in hits}, gains)
    scores = to_scale(normalise(strengths), hits[-1].score, hits[0].score)
    return [
        replace(
            hits[before - 1],
            rank=rank,
            score=scores[before],
            scores=hits[before - 1].scores | {stage: StageScore(strength, rank)},
            strength=strength,
        )
        for rank, (before, strength) in enumerate(strengths.items(), 1)
    ]


def _list_dropped(ranked: _Ranked, limit: int) -> Iterator[DroppedCandidate]:
    """Yield the candidates that aren't hits. The stage that dropped each candidate is inferred from its ranks."""
    best = {group.best for group in ranked.groups}
    double = {rowid for group in ranked.groups for rowid in (*group.joined, *group.dropped, *group.copies)}
    for rank, (rowid, candidate) in enumerate(ranked.candidates.items(), 1):
        if rowid in best:
            continue
        ranks = candidate.ranking.trace.ranks
        within = {stage for stage, places in ranks.items() if places.get(rowid, limit + 1) <= limit}
        stage: LostAt = "limit"
        if candidate.score < candidate.ranking.least:
            stage = "threshold"
        elif rowid in double:
            stage = "duplicate"
        elif "literal" in ranks and ("final" if "final" in ranks else "fused") in within:
            stage = "literal"
        elif "final" in ranks and ("boosted" if "boosted" in ranks else "fused") in within:
            stage = "reranking"
        elif "fused" in ranks.keys() - within and within & {"vector", "keyword"}:
            stage = "fusion"
        yield DroppedCandidate(ranked.hit(rank, rowid), stage)


# Maximum number of facet values per field.
MOST_VALUES = 12
_FIELDS = {name: field.typed[0] for name, field in NOTE_FIELDS.items() if field.is_facet}


def count_facets(hits: Sequence[Hit]) -> tuple[Facet, ...]:
    """Count the values of each facet field in the hits' notes and in their copies, most frequent first.

    Values shared by all hits are left out.
    """
    values: defaultdict[str, Counter[str]] = defaultdict(Counter)
    spelled: TextValues = {}
    for hit in hits:
        pairs = [pair for card in (hit.note, *(copy.note for copy in hit.copies)) for pair in _values(card)]
        own = {
            (field, spelled.setdefault(tag_key(value), value) if field == "tag" else value) for field, value in pairs
        }
        for field, value in own:
            values[field][value] += 1
    return tuple(
        Facet(field, value, number, _term(field, value))
        for field in FACETS
        for value, number in sorted(values[field].items(), key=lambda item: (-item[1], item[0]))[:MOST_VALUES]
        if number < len(hits)
    )


def _values(card: NoteSummary) -> Iterator[Pair]:
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
    """Return the term to add to a query to filter by a facet value."""
    if field == "month":
        start = datetime.fromisoformat(f"{value}-01")
        later = f"{start.year + start.month // 12}-{start.month % 12 + 1:02}"
        return f"after:{value} before:{later}"
    name, value = ("path", f"{value}/") if field == "folder" else (field, value)
    return f'{name}:"{value}"' if any(mark in value for mark in ' ,，、:：()"“”「」#') else f"{name}:{value}"


# Reordering hits by clicks on their notes. Clicks count only for similar questions, and their weight decays over time.

# Maximum score boost from clicks, on a scale from the last hit's score (0) to the first hit's (1). See decision 61.
GAIN = 0.5
# Clicks for one question count for another question only if the two are more similar than this.
_LIKE = 0.5


def rank_by_clicks(clicks: Clicks | None, result: SearchResult) -> Sequence[Hit]:
    """Return a result's hits, reordered by clicks. No hit is added or removed."""
    if clicks is None:
        return result.hits
    totals: defaultdict[str, float] = defaultdict(float)
    for click in relevant_clicks(clicks, result):
        signal = SIGNALS[click.kind]
        days = max(0, (clicks.today - click.day).days)
        totals[click.note_id] += (
            signal.weight * likeness(click.question, result.query) * 0.5 ** (days / signal.half_life)
        )
    return by_favour(result.hits, {note: favour(total, total) for note, total in totals.items()}, GAIN, "clicks")


def relevant_clicks(clicks: Clicks | None, result: SearchResult) -> Sequence[Click]:
    """Return the clicks on a result's notes for similar questions, newest first.

    Return no clicks if they are disabled, or if a language model chose the hits, because its order must not change.
    """
    if clicks is None or not clicks.enabled or (result.choice and result.choice.by):
        return ()
    on_notes = clicks.all({hit.note.id for hit in result.hits})
    return [click for click in on_notes if likeness(click.question, result.query) > _LIKE]


def likeness(first: str, second: str) -> float:
    """Return two questions' similarity by shared words, from 0 to 1 (Dice's coefficient)."""
    item = _words(first)
    other = _words(second)
    return 2 * len(item & other) / (len(item) + len(other)) if item and other else 0.0


@lru_cache(4096)
def _words(question: str) -> frozenset[str]:
    """Return a question's content words, ignoring its filters and exclusions."""
    try:
        understood = parse(question, now=local_now(), has_filters=True)
    except QueryError:
        return frozenset(query_keywords(question))
    return frozenset(query_keywords(" ".join([understood.text, *understood.phrases])))
