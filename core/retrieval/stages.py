"""The stages of a search: narrow, collect, score, fuse, boost; rerank, weigh, suit, exact matches, ties."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

import numpy as np

from core.base.errors import ModelError, ProviderError
from core.embedding import Embedder, tokens
from core.embedding.windows import windows_of
from core.model import Chunk, KnowledgeBase, Matrix, NoteSummary, Rowids
from core.notes.links import plain
from core.reranking import Candidate, Reranker
from core.retrieval import callers, exact_match, fusion, languages
from core.retrieval.state import SearchState
from core.store import Store
from core.store.ranking import best

# Links between the candidates' notes: a hint that both belong to the question.

STRONG = 3
"""Number of first candidates whose linked notes are raised."""


def linked(cards: Mapping[str, NoteSummary], links: Mapping[str, Sequence[str]], notes: Mapping[int, str]) -> list[int]:
    """Return the candidates whose note links to a strong candidate's note, or is linked from it.

    `notes` maps candidates to their notes, best first. `links` are the targets in each note: a path, or the
    title or file name in a wikilink.
    """
    named = {note_id: _names(card) for note_id, card in cards.items()}
    targets = {note_id: {plain(link) for link in links.get(note_id, ())} for note_id in cards}
    strong = set(list(notes.values())[:STRONG])
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


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a search whose question is embedded and whose rerankers are loaded; `scores` are those it adds."""

    run: Callable[[Store, SearchState], None]
    scores: tuple[str, ...] = ()


def collect(store: Store, search: SearchState) -> None:
    """Collect the candidates of a search that is narrowed, and order them before any reranking."""
    if not search.query.text.strip():
        _list(store, search)
        return
    for stage in COLLECTING:
        stage.run(store, search)


def rank(store: Store, search: SearchState) -> None:
    """Rerank the candidates, and raise what stands as it was typed."""
    if search.mode != "listed":
        for stage in RANKING:
            stage.run(store, search)


def narrow(store: Store, search: SearchState) -> None:
    """Resolve filters, phrases and exclusions to the allowed chunks, before anything is scored."""
    query, chunks, words = search.query, store.chunks, store.words
    search.allowed = chunks.allowed(replace(query.filters, bases=()))
    out = set().union(*(words.find_term(text, search.allowed) for text in query.excluded))
    if (
        query.indexed
        and query.text.strip()
        and (unindexed := store.pending.unindexed(base.id for base in search.vector_bases))
    ):
        out |= unindexed
        search.say("unindexed")
    if out:
        every = chunks.rowids() if search.allowed is None else search.allowed
        search.allowed = np.setdiff1d(every, _rowids(out), assume_unique=True)
    if not query.phrases:
        return
    search.phrased = set.intersection(*(words.find_phrase(phrase, search.allowed) for phrase in query.phrases))
    if not search.phrased:
        search.say("phrase_not_found")
    elif query.settings.phrase == "require":
        search.allowed = _rowids(search.phrased)


def _list(store: Store, search: SearchState) -> None:
    """List the notes that pass the filters, newest first, for a question without words."""
    search.mode = "listed"
    newest = store.chunks.newest(search.bases, search.query.settings.limit, search.allowed)
    search.keep("listed", dict.fromkeys(newest, 0.0))
    _read(store, search, newest)
    search.say("listed")


def _semantic(store: Store, search: SearchState) -> None:
    if search.mode == "keyword":
        return
    nearest: dict[int, float] = {}
    pool = search.query.settings.pool
    for base in search.vector_bases:
        nearest |= store.nearest(base, search.vectors[base.fingerprint], pool, search.allowed)
    search.pools["vector"] = best(nearest, pool)
    if store.index.state in ("damaged", "building"):
        search.say("index_damaged")
    if not search.query.indexed and store.pending.any(base.id for base in search.bases if base.embed_at_once):
        search.say("unfinished")


def _keyword(store: Store, search: SearchState) -> None:
    if search.mode == "semantic":
        return
    base_ids = [base.id for base in search.bases] if search.query.filters.bases else None
    search.pools["keyword"] = store.words.rank(
        search.words, search.query.settings.pool, base_ids=base_ids, allowed=search.allowed
    )
    titles = search.query.typed, search.query.text
    search.titled = store.titles.first_chunks(titles, search.bases, search.allowed)[: search.query.settings.pool]
    for rowid in search.titled:
        search.pools["keyword"].setdefault(rowid, 0.0)


def _score_missing(store: Store, search: SearchState) -> None:
    """Compute the missing scores of the other stage's candidates, and mark those below the threshold.

    A chunk that isn't indexed yet has no score by meaning, and no threshold.
    """
    search.completed = {stage: dict(scores) for stage, scores in search.pools.items()}
    if search.mode == "hybrid":
        vector, keyword = search.completed["vector"], search.completed["keyword"]
        only_keyword = [rowid for rowid in keyword if rowid not in vector]
        only_vector = [rowid for rowid in vector if rowid not in keyword]
        for base in search.vector_bases:
            vector |= store.chunks.cosines(base, search.vectors[base.fingerprint], only_keyword)
        keyword |= dict.fromkeys(only_vector, 0.0)
        keyword |= store.words.rank(search.words, len(only_vector), rowids=only_vector)
    _read(store, search, {rowid for scores in search.completed.values() for rowid in scores})
    least = search.query.settings.score_threshold
    if search.mode != "keyword" and least > 0:
        vector = search.completed["vector"]
        search.below = {rowid for rowid in search.chunks if vector.get(rowid, least) < least}.difference(search.titled)


def _read(store: Store, search: SearchState, rowids: Iterable[int]) -> None:
    search.chunks = store.chunks.by_rowid(rowids)
    search.cards = store.notes.cards_of({chunk.note_id for chunk in search.chunks.values()})


def _fuse(store: Store, search: SearchState) -> None:
    settings, completed = search.query.settings, search.completed
    if search.mode == "hybrid" and settings.fusion == "weighted":
        vector, keyword = completed["vector"], completed["keyword"]
        across = any(store.vectors.centring(base).compares_languages for base in search.vector_bases)
        trusted = languages.trust_words(keyword, search.groups) if across else {}
        fused = fusion.fuse_weighted(vector, keyword, settings.semantic_weight, trusted)
    elif search.mode == "hybrid":
        fused = fusion.fuse_reciprocal(search.pools["vector"], search.pools["keyword"])
    else:
        return
    search.keep("fused", best(fused))


def _boost(store: Store, search: SearchState) -> None:
    """Raise chunks that hold an optional or emphasised phrase, and those linked with the best."""
    settings = search.query.settings
    raised: dict[int, float] = {}
    if search.phrased and settings.phrase == "boost":
        raised |= dict.fromkeys(search.phrased & search.order.keys(), fusion.PHRASE)
    for phrase in search.query.emphasised:
        if phrase in search.query.text:
            raised |= dict.fromkeys(store.words.find_phrase(phrase, _rowids(search.order)), fusion.PHRASE)
    if settings.link_weight and search.order:
        texts = store.notes.links_of(search.cards)
        notes = {rowid: search.chunks[rowid].note_id for rowid in search.order}
        for rowid in linked(search.cards, texts, notes):
            raised[rowid] = raised.get(rowid, 0.0) + settings.link_weight
    if raised:
        search.keep("boosted", fusion.add_gains(search.order, raised))


def _rerank(store: Store, search: SearchState) -> None:
    """Rerank the best; a failure keeps the order and records the reason."""
    order = search.order
    if not search.rerankers or not order:
        return
    try:
        judged = _judge(store, search, best(order, search.query.settings.rerank_pool))
    except (ModelError, ProviderError) as error:
        search.rerank_problem = error.message
        return
    scores = {rowid: score for rowid, score in judged.items() if score is not None}
    if scores:
        search.reranker = search.query.settings.reranker
        search.keep("rerank", best(scores))
        search.keep("final", fusion.blend(order, judged, search.query.settings.rerank_weight))


def _boost_priority(store: Store, search: SearchState) -> None:
    """Raise the chunks of important notes, and lower those of notes with a negative priority."""
    priorities = {rowid: search.card(rowid).priority for rowid in search.order}
    if search.query.settings.priority_weight and (most := max(map(abs, priorities.values()), default=0)):
        gains = {
            rowid: search.query.settings.priority_weight * priority / most for rowid, priority in priorities.items()
        }
        search.keep("priority", fusion.add_gains(search.order, gains))


def _boost_caller(store: Store, search: SearchState) -> None:
    """Raise the chunks of notes that have the scope and the tags of the caller."""
    caller = search.query.caller
    if caller.scopes or caller.tags:
        gains = {rowid: callers.gain(caller, search.card(rowid)) for rowid in search.order}
        search.keep("context", fusion.add_gains(search.order, gains))


def _break_ties(store: Store, search: SearchState) -> None:
    """Put the more important of chunks with equal scores first."""
    if search.pools and any(card.priority for card in search.cards.values()):
        stage, scores = list(search.pools.items())[-1]
        order = sorted(scores, key=lambda rowid: (-scores[rowid], -search.card(rowid).priority))
        search.keep(stage, {rowid: scores[rowid] for rowid in order})


def _boost_exact_matches(store: Store, search: SearchState) -> None:
    """Raise the chunks in which the question stands as it was typed."""
    order = search.order
    if search.mode == "semantic" or not order:
        return
    chunks = {rowid: search.chunks[rowid] for rowid in order}
    by_words = best(search.completed["keyword"])
    search.gains = exact_match.gains(search.spelled, by_words, chunks, search.cards, store.words.holders)
    sections = exact_match.first_of_sections((search.query.typed, search.query.text), chunks)
    titled = dict.fromkeys(sections, exact_match.SECTION) | dict.fromkeys(search.titled, exact_match.TITLE)
    for rowid, gain in titled.items():
        search.gains[rowid] = search.gains.get(rowid, 0.0) + gain
    if search.gains:
        search.keep("literal", fusion.add_gains(order, search.gains))


def _judge(store: Store, search: SearchState, pool: Iterable[int]) -> dict[int, float | None]:
    """Score with each reranker once. Bases with the same model share one reranker.

    A chunk that isn't indexed yet has no token bits, and gets None: reading it would delay the indexing.
    """
    cards, characters = search.cards, search.query.settings.rerank_characters
    by_reranker: dict[int, tuple[Reranker, dict[int, Candidate]]] = {}
    for base in search.vector_bases:
        reranker, embedder = search.rerankers[base.id]
        own = {
            rowid: chunk
            for rowid in pool
            if search.card(rowid).base_id == base.id
            if (chunk := search.chunks[rowid]).state != "pending" or not reranker.reads_bits
        }
        if not own:
            continue
        vector = search.vectors.get(base.fingerprint)
        texts = candidates(
            store, base, embedder, vector, own, cards, with_bits=reranker.reads_bits, characters=characters
        )
        if reranker.reads_bits and not tokens.token_embedder(embedder):
            search.say("tokens_read")
        elif reranker.reads_bits and any(candidate.bits is None for candidate in texts.values()):
            search.say("tokens_missing")
        by_reranker.setdefault(id(reranker), (reranker, {}))[1].update(texts)
    judged: dict[int, float | None] = {}
    for reranker, texts in by_reranker.values():
        scores = dict(zip(texts, reranker.score(search.query.text, list(texts.values())), strict=True))
        if reranker.reads_bits and search.mode != "keyword":
            scores = languages.level_scores(scores, search.completed["vector"], search.groups)
        judged |= scores
    if None in judged.values():
        search.say("rerank_partial")
    return {rowid: judged.get(rowid) for rowid in pool}


def candidates(
    store: Store,
    base: KnowledgeBase,
    embedder: Embedder,
    vector: Matrix | None,
    chunks: Mapping[int, Chunk],
    cards: Mapping[str, NoteSummary],
    *,
    with_bits: bool,
    characters: int,
) -> dict[int, Candidate]:
    """Return chunks of a base as candidates, in the order of `chunks`; `cards` are those of their notes.

    A chunk without bits has the text of the window nearest to the question's `vector`, or of the first window
    without a vector, cut to `characters`.
    """
    bits = store.vectors.bits(chunks, base.fingerprint) if with_bits else {}
    read = [rowid for rowid in chunks if rowid not in bits]
    nearest = {} if vector is None else store.chunks.nearest_windows(base, vector, read)
    result = {rowid: Candidate("", rows) for rowid, rows in bits.items()}
    for rowid in read:
        windows = windows_of([chunks[rowid]], cards[chunks[rowid].note_id].title, embedder)
        result[rowid] = Candidate(windows[min(nearest.get(rowid, 0), len(windows) - 1)].text[:characters])
    return {rowid: result[rowid] for rowid in chunks}


def _rowids(chunks: Iterable[int]) -> Rowids:
    return np.array(sorted(chunks), dtype=np.int64)


COLLECTING = (
    Stage(_semantic, ("vector",)),
    Stage(_keyword, ("keyword",)),
    Stage(_score_missing),
    Stage(_fuse, ("fused",)),
    Stage(_boost, ("boosted",)),
)
"""The stages that find candidates, in their order."""
RANKING = (
    Stage(_rerank, ("rerank", "final")),
    Stage(_boost_priority, ("priority",)),
    Stage(_boost_caller, ("context",)),
    Stage(_boost_exact_matches, ("literal",)),
    Stage(_break_ties),
)
"""The stages that order the candidates, in their order."""
