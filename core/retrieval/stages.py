"""The stages of a search: `narrow` to the allowed chunks, `collect` candidates among them, and `rank` these."""

from collections import ChainMap, Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

import numpy as np

from core.base.errors import ModelError, ProviderError
from core.base.text import fold
from core.embedding import tokens
from core.embedding.windows import windows_of
from core.markdown.inline import tag_key
from core.model import SCOPE_GAIN, TAGS_GAIN, CallerContext, Chunk, KnowledgeBase, NoteSummary, Notice, Query, Rowids
from core.notes.links import plain
from core.query import exclusions
from core.reranking import Candidate, Reranker
from core.retrieval import exact_match, fusion
from core.retrieval.confidence import word_share
from core.retrieval.fusion import Cards
from core.retrieval.ranking import Candidates, Ranking, Reranked, Scope, Trace
from core.retrieval.requests import SearchRequest
from core.store import Store
from core.store.top_k import Scores, best

_NAMED = 2.0
"""Gain of a chunk with named metadata, and loss of a chunk about an excluded thing.

Previous scores range from 0 to 1, so they only decide among chunks of the same kind.
"""
_STRONG = 3
"""Number of best candidates whose linked notes rank higher, because a link suggests that both notes fit the question.
"""


def narrow(store: Store, query: Query, bases: Sequence[KnowledgeBase]) -> Scope:
    """Resolve filters, phrases and exclusions to the allowed chunks, before anything is scored."""
    words, notices = store.words, list[Notice]()
    allowed = store.chunks.allowed(replace(query.filters, bases=()))
    out = set().union(*(words.find_term(text, allowed) for text in query.excluded))
    if (
        query.indexed
        and query.text.strip()
        and (unindexed := store.pending.unindexed(base.id for base in bases if base.has_vectors))
    ):
        out |= unindexed
        notices.append("unindexed")
    if out:
        every = store.chunks.rowids() if allowed is None else allowed
        allowed = np.setdiff1d(every, _rowids(out), assume_unique=True)
    if not query.phrases:
        return _ordered(store, query, Scope(allowed, None, tuple(notices)))
    phrased = frozenset(set.intersection(*(words.find_phrase(phrase, allowed) for phrase in query.phrases)))
    if not phrased:
        notices.append("phrase_not_found")
    elif query.settings.phrase == "require":
        allowed = _rowids(phrased)
    return _ordered(store, query, Scope(allowed, phrased, tuple(notices)))


def _ordered(store: Store, query: Query, scope: Scope) -> Scope:
    """Add to a scope the chunks with metadata that the question names, and the chunks without excluded things."""
    if not (query.preferred or query.avoided):
        return scope
    every = store.chunks.rowids() if scope.allowed is None else scope.allowed
    having = [
        store.chunks.passing(replace(query.filters, bases=(), conditions=(*query.filters.conditions, condition)))
        for condition in query.preferred
    ]
    preferred = Counter(rowid for rowids in having for rowid in np.intersect1d(every, rowids).tolist())
    searched = [_rowids(preferred)] if preferred else []
    if query.avoided:
        searched.append(np.setdiff1d(every, _rowids(set().union(*map(store.words.find_term, query.avoided)))))
    return replace(scope, preferred=preferred, searched=tuple(searched))


def collect(store: Store, request: SearchRequest, scope: Scope) -> Candidates:
    """Return the candidates of a request in their order before reranking."""
    query, notices = request.query, list[Notice]()
    if not query.text.strip():
        newest = store.chunks.newest(request.bases, query.settings.limit, scope.allowed)
        trace = Trace().add("listed", dict.fromkeys(newest, 0.0))
        return Candidates("listed", trace, *_read(store, newest), notices=("listed",))
    found: dict[str, Scores] = {}
    titled: Sequence[int] = ()
    scopes = [scope, *(replace(scope, allowed=rowids) for rowids in scope.searched)]
    if request.mode != "keyword":
        found["vector"] = _merged(_find_by_meaning(store, request, within) for within in scopes)
        notices += _index_notices(store, request)
    if request.mode != "semantic":
        titles = query.typed, query.text
        titled = store.titles.first_chunks(titles, request.bases, scope.allowed)[: query.settings.pool]
        by_words = _merged(find_by_words(store, request, query.settings.pool, within.allowed) for within in scopes)
        found["keyword"] = by_words | {rowid: 0.0 for rowid in titled if rowid not in by_words}
    scored = _score_missing(store, request, found)
    chunks, cards = _read(store, {rowid for scores in scored.values() for rowid in scores})
    trace = Trace()
    for stage, scores in found.items():
        trace = trace.add(stage, scores, scored[stage])
    candidates = Candidates(request.mode, trace, chunks, cards, titled, tuple(notices))
    candidates = candidates.after("fused", _fuse(store, request, candidates))
    return candidates.after("boosted", _boost(store, query, scope, candidates))


def _merged(found: Iterable[Scores]) -> Scores:
    """Return the chunks of several searches, best first."""
    return best(dict(ChainMap(*found)))


def rank(store: Store, request: SearchRequest, scope: Scope, candidates: Candidates) -> Ranking:
    """Return the candidates in a reranker's order, raised if they match the caller or contain the words as typed."""
    trace = candidates.trace
    if candidates.mode == "listed":
        return Ranking(request, scope, candidates, trace, dict.fromkeys(trace.order, 1.0))
    reranked = _rerank(store, request, candidates)
    trace = trace.add("rerank", reranked.scores).add("final", reranked.order)
    trace = trace.add("priority", _boost_priority(request.query, candidates, trace.order))
    trace = trace.add("context", _boost_caller(request.query, candidates, trace.order))
    before, gains = trace.order, _exact_match_gains(store, request, candidates, trace.order)
    raised = fusion.add_gains(before, gains)
    trace = trace.add("literal", raised if gains else None)
    if moved := _named_gains(request.query, scope, candidates):
        raised = fusion.add_gains(raised, moved)
        trace = trace.add("named", raised)
    trace = _break_ties(candidates, trace)
    scores = _scores(store, request, candidates, before, raised)
    return Ranking(request, scope, candidates, trace, scores, gains, reranked, request.query.settings.score_threshold)


def _scores(store: Store, request: SearchRequest, candidates: Candidates, before: Scores, raised: Scores) -> Scores:
    """Return the score of each candidate (see `Hit`) from the scores before and after gains.

    The threshold is for similarities. Candidates without a similarity pass it, as does a note whose title is the
    question.
    """
    similar = candidates.trace.scores("vector")
    nearest = [min(1.0, max(0.0, similar[rowid])) for rowid in before if rowid in similar]
    low, high = min(nearest, default=0.0), max(nearest, default=0.0)
    if before and not nearest:
        high = word_share(store, request, next(iter(raised)))
        low = high * min(before.values()) / (max(before.values()) or 1.0)
    least = request.query.settings.score_threshold
    exempt = raised.keys() - (similar.keys() - candidates.titled)
    return {
        rowid: max(score, least) if rowid in exempt else score
        for rowid, score in fusion.to_scale(raised, low, high).items()
    }


def _find_by_meaning(store: Store, request: SearchRequest, scope: Scope) -> Scores:
    """Return the nearest chunks of all bases, best first."""
    nearest: Scores = {}
    pool = request.query.settings.pool
    for base in request.vector_bases:
        nearest |= store.nearest(base, request.vectors[base.fingerprint], pool, scope.allowed)
    return best(nearest, pool)


def _index_notices(store: Store, request: SearchRequest) -> list[Notice]:
    """Return notices about missing or damaged vectors."""
    notices: list[Notice] = ["index_damaged"] if store.index.state in ("damaged", "building") else []
    if not request.query.indexed and store.pending.any(base.id for base in request.bases if base.embed_at_once):
        notices.append("unfinished")
    return notices


def find_by_words(store: Store, request: SearchRequest, count: int, allowed: Rowids | None) -> Scores:
    """Return the best allowed chunks by words, best first."""
    base_ids = [base.id for base in request.bases] if request.query.filters.bases else None
    return store.words.rank(request.words, count, base_ids=base_ids, allowed=allowed, others=request.others)


def _score_missing(store: Store, request: SearchRequest, found: Mapping[str, Mapping[int, float]]) -> dict[str, Scores]:
    """Return the scores of each stage, completed for candidates of the other stage.

    Chunks that aren't indexed yet have no score by meaning.
    """
    scored = {stage: dict(scores) for stage, scores in found.items()}
    if request.mode == "hybrid":
        vector, keyword = scored["vector"], scored["keyword"]
        only_keyword = [rowid for rowid in keyword if rowid not in vector]
        only_vector = [rowid for rowid in vector if rowid not in keyword]
        for base in request.vector_bases:
            vector |= store.chunks.cosines(base, request.vectors[base.fingerprint], only_keyword)
        keyword |= dict.fromkeys(only_vector, 0.0)
        keyword |= store.words.rank(
            request.words, len(only_vector), allowed=_rowids(only_vector), others=request.others
        )
    return scored


def _read(store: Store, rowids: Iterable[int]) -> tuple[dict[int, Chunk], dict[str, NoteSummary]]:
    chunks = store.chunks.by_rowid(rowids)
    return chunks, store.notes.cards_of({chunk.note_id for chunk in chunks.values()})


def _fuse(store: Store, request: SearchRequest, candidates: Candidates) -> Scores | None:
    """Return the fused scores by meaning and by words."""
    if request.mode != "hybrid":
        return None
    settings, stages = request.query.settings, candidates.trace.stages
    vector, keyword = stages["vector"], stages["keyword"]
    if settings.fusion != "weighted":
        return best(fusion.fuse_reciprocal(vector.returned, keyword.returned))
    across = any(store.vectors.centring(base).compares_languages for base in request.vector_bases)
    trusted = fusion.trust_words(keyword.every, candidates.groups) if across else {}
    return best(fusion.fuse_weighted(vector.every, keyword.every, settings.semantic_weight, trusted))


def _boost(store: Store, query: Query, scope: Scope, candidates: Candidates) -> Scores | None:
    """Raise chunks that contain an optional or emphasised phrase, or whose notes are linked with the best ones."""
    settings, order = query.settings, candidates.trace.order
    raised: Scores = {}
    if scope.phrased and settings.phrase == "boost":
        raised |= dict.fromkeys(scope.phrased & order.keys(), fusion.PHRASE)
    for phrase in query.emphasised:
        if phrase in query.text:
            raised |= dict.fromkeys(store.words.find_phrase(phrase, _rowids(order)), fusion.PHRASE)
    if settings.link_weight and order:
        links = store.notes.links_of(candidates.cards)
        notes = {rowid: candidates.chunks[rowid].note_id for rowid in order}
        for rowid in _linked(candidates.cards, links, notes):
            raised[rowid] = raised.get(rowid, 0.0) + settings.link_weight
    return fusion.add_gains(order, raised) if raised else None


def _rerank(store: Store, request: SearchRequest, candidates: Candidates) -> Reranked:
    """Judge the best candidates with the reranker; after a failure, return only the reason."""
    order, settings = candidates.trace.order, request.query.settings
    if not request.rerankers or not order:
        return Reranked()
    notices: list[Notice] = []
    try:
        judged = _judge(store, request, candidates, best(order, settings.rerank_pool), notices.append)
    except (ModelError, ProviderError) as error:
        return Reranked(problem=error.message, notices=tuple(notices))
    scores = {rowid: score for rowid, score in judged.items() if score is not None}
    if not scores:
        return Reranked(notices=tuple(notices))
    return Reranked(best(scores), fusion.blend(order, judged, settings.rerank_weight), notices=tuple(notices))


def _judge(
    store: Store, request: SearchRequest, candidates: Candidates, pool: Iterable[int], report: Callable[[Notice], None]
) -> dict[int, float | None]:
    """Score the pool once with each reranker, and report what it lacks. Bases with the same model share one reranker.

    Chunks that aren't indexed yet have no token bits and get None: reading them would delay indexing.
    """
    by_reranker: dict[int, tuple[Reranker, dict[int, Candidate]]] = {}
    for base in request.vector_bases:
        reranker, embedder = request.rerankers[base.id].reranker, request.rerankers[base.id].embedder
        own = {
            rowid: chunk
            for rowid in pool
            if candidates.card(rowid).base_id == base.id
            if (chunk := candidates.chunks[rowid]).state != "pending" or not reranker.reads_bits
        }
        if not own:
            continue
        bits = store.vectors.bits(own, base.fingerprint) if reranker.reads_bits else {}
        if reranker.reads_bits and not tokens.token_embedder(embedder):
            report("tokens_read")
        elif reranker.reads_bits and len(bits) < len(own):
            report("tokens_missing")
        read = _nearest_windows(store, request, candidates, base, [rowid for rowid in own if rowid not in bits])
        texts = {rowid: Candidate("", bits[rowid]) if rowid in bits else Candidate(read[rowid]) for rowid in own}
        by_reranker.setdefault(id(reranker), (reranker, {}))[1].update(texts)
    judged: dict[int, float | None] = {}
    for reranker, texts in by_reranker.values():
        scores = dict(zip(texts, reranker.score(request.query.text, list(texts.values())), strict=True))
        if reranker.reads_bits and request.mode != "keyword":
            scores = fusion.level_scores(scores, candidates.trace.scores("vector"), candidates.groups)
        judged |= scores
    if None in judged.values():
        report("rerank_partial")
    return {rowid: judged.get(rowid) for rowid in pool}


def _nearest_windows(
    store: Store, request: SearchRequest, candidates: Candidates, base: KnowledgeBase, rowids: Sequence[int]
) -> dict[int, str]:
    """Return, for each chunk, the start of the window nearest to the question, or of the first one without vectors."""
    vector, characters = request.vectors.get(base.fingerprint), request.query.settings.rerank_characters
    nearest = {} if vector is None else store.chunks.nearest_windows(base, vector, rowids)
    texts = {}
    for rowid in rowids:
        title, embedder = candidates.card(rowid).title, request.rerankers[base.id].embedder
        windows = windows_of([candidates.chunks[rowid]], title, embedder)
        texts[rowid] = windows[min(nearest.get(rowid, 0), len(windows) - 1)].text[:characters]
    return texts


def _boost_priority(query: Query, candidates: Candidates, order: Scores) -> Scores | None:
    """Raise the chunks of notes with a positive priority, and lower chunks of notes with a negative priority."""
    priorities = {rowid: candidates.card(rowid).priority for rowid in order}
    weight, most = query.settings.priority_weight, max(map(abs, priorities.values()), default=0)
    if not (weight and most):
        return None
    return fusion.add_gains(order, {rowid: weight * priority / most for rowid, priority in priorities.items()})


def _boost_caller(query: Query, candidates: Candidates, order: Scores) -> Scores | None:
    """Raise the chunks of notes that match the caller's scope and tags."""
    if not (query.caller.scopes or query.caller.tags):
        return None
    return fusion.add_gains(order, {rowid: _caller_gain(query.caller, candidates.card(rowid)) for rowid in order})


def _exact_match_gains(store: Store, request: SearchRequest, candidates: Candidates, order: Scores) -> Scores:
    """Return the gains of chunks that contain the question as typed."""
    if request.mode == "semantic" or not order:
        return {}
    query = request.query
    chunks = {rowid: candidates.chunks[rowid] for rowid in order}
    by_words = best(candidates.trace.scores("keyword"))
    gains = exact_match.gains(request.spelling.text, by_words, chunks, candidates.cards, store.words.holders)
    sections = exact_match.first_of_sections((query.typed, query.text), chunks)
    titles = dict.fromkeys(sections, exact_match.SECTION) | dict.fromkeys(candidates.titled, exact_match.TITLE)
    for rowid, gain in titles.items():
        gains[rowid] = gains.get(rowid, 0.0) + gain
    return gains


def _named_gains(query: Query, scope: Scope, candidates: Candidates) -> Scores:
    """Return the gains of chunks with named metadata, and the losses of chunks about excluded things."""
    most = len(query.preferred)
    gains = {
        rowid: _NAMED + scope.preferred[rowid] / most for rowid in scope.preferred.keys() & candidates.chunks.keys()
    }
    for rowid, chunk in candidates.chunks.items() if query.avoided else ():
        titles = candidates.card(rowid).title, *chunk.titles
        gains[rowid] = gains.get(rowid, 0.0) - _NAMED * exclusions.share_about(query.avoided, titles, chunk.text)
    return gains


def _break_ties(candidates: Candidates, trace: Trace) -> Trace:
    """Put notes with a higher priority first among chunks with equal scores."""
    if not any(card.priority for card in candidates.cards.values()):
        return trace
    *_, (stage, last) = trace.stages.items()
    scores = last.returned
    order = sorted(scores, key=lambda rowid: (-scores[rowid], -candidates.card(rowid).priority))
    return trace.add(stage, {rowid: scores[rowid] for rowid in order})


def _caller_gain(caller: CallerContext, card: NoteSummary) -> float:
    """Return a note's gain, from 0 to 1, for matching the caller's scope and tags."""
    fits = fold(card.scope) in map(fold, caller.scopes)
    wanted, own = ({*map(tag_key, item)} for item in (caller.tags, card.tags))
    return SCOPE_GAIN * fits + TAGS_GAIN * (len(wanted & own) / len(wanted) if wanted else 0.0)


def _linked(cards: Cards, links: Mapping[str, Sequence[str]], notes: Mapping[int, str]) -> list[int]:
    """Return the candidates whose note links to a strong candidate's note, or is linked from it.

    `notes` maps candidates to their notes, best first. `links` are the link targets in each note: a path, or the title
    or file name in a wikilink.
    """
    named = {note_id: _names(card) for note_id, card in cards.items()}
    targets = {note_id: {plain(link) for link in links.get(note_id, ())} for note_id in cards}
    strong = set(list(notes.values())[:_STRONG])
    return [
        rowid
        for rowid, note_id in notes.items()
        if any(
            other != note_id and (named[other] & targets[note_id] or named[note_id] & targets[other])
            for other in strong
        )
    ]


def _names(card: NoteSummary) -> set[str]:
    path = card.path or ""
    return {plain(name) for name in (card.title, path, PurePosixPath(path).name) if name}


def _rowids(chunks: Iterable[int]) -> Rowids:
    return np.array(sorted(chunks), dtype=np.int64)
