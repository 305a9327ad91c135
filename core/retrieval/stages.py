"""The three stages of a search.

`narrow` determines the allowed chunks, `collect` finds candidates among them, and `rank` orders the candidates.
"""

import re
from bisect import bisect_right
from collections import ChainMap, Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import accumulate, islice, pairwise
from pathlib import PurePosixPath

import numpy as np

from core.base.errors import ModelError, ProviderError
from core.base.frozen import Texts
from core.base.text import CJK, STOP_WORDS, fold, keywords
from core.embedding import tokens
from core.embedding.windows import windows_of
from core.markdown.inline import tag_key
from core.model import SCOPE_GAIN, TAGS_GAIN, CallerContext, Chunk, KnowledgeBase, NoteSummary, Notice, Query, Rowids
from core.notes.links import plain
from core.query.own_words import share_about
from core.reranking import Candidate, Reranker
from core.retrieval.confidence import word_share
from core.retrieval.ranking import (
    PHRASE,
    Candidates,
    ChunkMap,
    Judged,
    Ranking,
    Reranked,
    Scope,
    Trace,
    add_gains,
    blend,
    fuse_reciprocal,
    fuse_weighted,
    level_scores,
    scored,
    to_scale,
    trust_words,
)
from core.retrieval.requests import SearchRequest
from core.store import Store
from core.store.top_k import Scores, best

# Score boost for a chunk whose metadata the question names, and penalty for a chunk about an excluded subject. Earlier
# scores range from 0 to 1, so they only decide among chunks with the same boost or penalty.
_NAMED = 2.0
# Number of top candidates whose linked notes are boosted. A link suggests that both notes fit the question.
_STRONG = 3


def narrow(store: Store, query: Query, bases: Sequence[KnowledgeBase]) -> Scope:
    """Return the allowed and preferred chunks for a query, given its filters, phrases and exclusions."""
    words = store.words
    notices = list[Notice]()
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
    phrased = None
    if query.phrases:
        phrased = frozenset(set.intersection(*(words.find_phrase(phrase, allowed) for phrase in query.phrases)))
        if not phrased:
            notices.append("phrase_not_found")
        elif query.settings.phrase == "require":
            allowed = _rowids(phrased)
    if not (query.preferred or query.avoided):
        return Scope(allowed, phrased, tuple(notices))
    # Also search separately among chunks whose metadata the question names, and among chunks without the excluded
    # subjects.
    every = store.chunks.rowids() if allowed is None else allowed
    preferred: Counter[int] = Counter()
    for condition in query.preferred:
        named = replace(query.filters, bases=(), conditions=(*query.filters.conditions, condition))
        preferred.update(np.intersect1d(every, store.chunks.passing(named)).tolist())
    searched = [_rowids(preferred)] if preferred else []
    if query.avoided:
        searched.append(np.setdiff1d(every, _rowids(set().union(*map(store.words.find_term, query.avoided)))))
    return Scope(allowed, phrased, tuple(notices), preferred, tuple(searched))


def collect(store: Store, request: SearchRequest, scope: Scope) -> Candidates:
    """Find a request's candidates by semantic and keyword search, and return them in their order before reranking."""
    query = request.query
    notices = list[Notice]()
    if not query.text.strip():
        newest = store.chunks.newest(request.bases, query.settings.limit, scope.allowed)
        trace = Trace().add("listed", dict.fromkeys(newest, 0.0))
        return Candidates("listed", trace, *_read(store, newest), notices=("listed",))
    found: dict[str, Scores] = {}
    titled: Sequence[int] = ()
    scopes = scope.allowed, *scope.searched
    pool = query.settings.pool
    if request.mode != "keyword":
        nearest: list[Scores] = []
        for allowed in scopes:
            of_bases = (
                store.nearest(base, request.vectors[base.fingerprint], pool, allowed) for base in request.vector_bases
            )
            nearest.append(best(dict(ChainMap(*of_bases)), pool))
        found["vector"] = best(dict(ChainMap(*nearest)))
        if store.index.state in ("damaged", "building"):
            notices.append("index_damaged")
        if not query.indexed and store.pending.any(base.id for base in request.bases if base.embed_at_once):
            notices.append("unfinished")
    if request.mode != "semantic":
        titled = store.titles.first_chunks((query.typed, query.text), request.bases, scope.allowed)[:pool]
        by_words = best(dict(ChainMap(*(find_by_words(store, request, pool, allowed) for allowed in scopes))))
        found["keyword"] = by_words | {rowid: 0.0 for rowid in titled if rowid not in by_words}
    # Score each search's candidates in the other search too. Chunks that aren't indexed have no semantic score.
    scored = {stage: dict(scores) for stage, scores in found.items()}
    if request.mode == "hybrid":
        vector = scored["vector"]
        keyword = scored["keyword"]
        only_keyword = [rowid for rowid in keyword if rowid not in vector]
        only_vector = [rowid for rowid in vector if rowid not in keyword]
        for base in request.vector_bases:
            vector |= store.chunks.cosines(base, request.vectors[base.fingerprint], only_keyword)
        keyword |= dict.fromkeys(only_vector, 0.0)
        keyword |= store.words.rank(
            request.words, len(only_vector), allowed=_rowids(only_vector), others=request.others
        )
    chunks, cards = _read(store, {rowid for scores in scored.values() for rowid in scores})
    trace = Trace()
    for stage, scores in found.items():
        trace = trace.add(stage, scores, scored[stage])
    candidates = Candidates(request.mode, trace, chunks, cards, titled, tuple(notices))
    candidates = candidates.after("fused", _fuse(store, request, candidates))
    return candidates.after("boosted", _boost(store, query, scope, candidates))


def rank(store: Store, request: SearchRequest, scope: Scope, candidates: Candidates) -> Ranking:
    """Rerank the candidates, and boost scores for priorities, the caller's context and exact matches."""
    trace = candidates.trace
    if candidates.mode == "listed":
        return Ranking(request, scope, candidates, trace, dict.fromkeys(trace.order, 1.0))
    reranked = _rerank(store, request, candidates)
    trace = trace.add("rerank", reranked.scores).add("final", reranked.order)
    trace = trace.add("priority", _boost_priority(request.query, candidates, trace.order))
    trace = trace.add("context", _boost_caller(request.query.caller, candidates, trace.order))
    before = trace.order
    gains = _exact_match_gains(store, request, candidates, before)
    raised = add_gains(before, gains)
    trace = trace.add("literal", raised if gains else None)
    if moved := _named_gains(request.query, scope, candidates):
        raised = add_gains(raised, moved)
        trace = trace.add("named", raised)
    if any(card.priority for card in candidates.cards.values()):
        # Order chunks with equal scores by their notes' priority, highest first.
        scores = trace.order
        order = sorted(scores, key=lambda rowid: (-scores[rowid], -candidates.card(rowid).priority))
        trace = trace.add(list(trace.returned)[-1], {rowid: scores[rowid] for rowid in order})
    return Ranking(
        request,
        scope,
        candidates,
        trace,
        _scores(store, request, candidates, before, raised),
        gains,
        reranked,
        request.query.settings.score_threshold,
    )


def _scores(store: Store, request: SearchRequest, candidates: Candidates, before: Scores, raised: Scores) -> Scores:
    """Return each candidate's score (see `Hit`), given the scores `before` boosts and the `raised` scores after them.

    The threshold applies only to candidates with a similarity. All others pass the threshold, and so do notes whose
    title is exactly the question.
    """
    similar = candidates.trace.scores("vector")
    nearest = [min(1.0, max(0.0, similar[rowid])) for rowid in before if rowid in similar]
    low = min(nearest, default=0.0)
    high = max(nearest, default=0.0)
    if before and not nearest:
        high = word_share(store, request, next(iter(raised)))
        low = high * min(before.values()) / (max(before.values()) or 1.0)
    least = request.query.settings.score_threshold
    exempt = raised.keys() - (similar.keys() - candidates.titled)
    return {
        rowid: max(score, least) if rowid in exempt else score for rowid, score in to_scale(raised, low, high).items()
    }


def find_by_words(store: Store, request: SearchRequest, count: int, allowed: Rowids | None) -> Scores:
    """Return the best allowed chunks by keyword search, best first."""
    return store.words.rank(
        request.words,
        count,
        base_ids=[base.id for base in request.bases] if request.query.filters.bases else None,
        allowed=allowed,
        others=request.others,
    )


def _read(store: Store, rowids: Iterable[int]) -> tuple[dict[int, Chunk], dict[str, NoteSummary]]:
    chunks = store.chunks.by_rowid(rowids)
    return chunks, store.notes.cards_of({chunk.note_id for chunk in chunks.values()})


def _fuse(store: Store, request: SearchRequest, candidates: Candidates) -> Scores | None:
    """Return the fused semantic and keyword scores, or None if the mode isn't `hybrid`."""
    if request.mode != "hybrid":
        return None
    settings = request.query.settings
    trace = candidates.trace
    if settings.fusion != "weighted":
        return best(fuse_reciprocal(trace.returned["vector"], trace.returned["keyword"]))
    keyword = trace.every["keyword"]
    across = any(store.vectors.centring(base).compares_languages for base in request.vector_bases)
    trusted = trust_words(keyword, candidates.groups) if across else {}
    return best(fuse_weighted(trace.every["vector"], keyword, settings.semantic_weight, trusted))


def _boost(store: Store, query: Query, scope: Scope, candidates: Candidates) -> Scores | None:
    """Boost chunks that contain an optional or emphasised phrase, or whose notes are linked to the best notes.

    Return None if no chunk is boosted.
    """
    settings = query.settings
    order = candidates.trace.order
    raised: Scores = {}
    if scope.phrased and settings.phrase == "boost":
        raised |= dict.fromkeys(scope.phrased & order.keys(), PHRASE)
    for phrase in query.emphasised:
        if phrase in query.text:
            raised |= dict.fromkeys(store.words.find_phrase(phrase, _rowids(order)), PHRASE)
    if settings.link_weight and order:
        for rowid in _linked(store, candidates, order):
            raised[rowid] = raised.get(rowid, 0.0) + settings.link_weight
    return add_gains(order, raised) if raised else None


def _rerank(store: Store, request: SearchRequest, candidates: Candidates) -> Reranked:
    """Score the best candidates with the reranker. If it fails, return only the reason."""
    order = candidates.trace.order
    settings = request.query.settings
    if not request.rerankers or not order:
        return Reranked()
    notices: list[Notice] = []
    try:
        judged = _judge(store, request, candidates, best(order, settings.rerank_pool), notices)
    except (ModelError, ProviderError) as error:
        return Reranked(problem=error.message, notices=notices)
    if not (scores := scored(judged)):
        return Reranked(notices=notices)
    return Reranked(best(scores), blend(order, judged, settings.rerank_weight), notices=notices)


def _judge(
    store: Store, request: SearchRequest, candidates: Candidates, pool: Iterable[int], notices: list[Notice]
) -> Judged:
    """Return the pool's reranker scores, and add notices about missing token bits and scores.

    Bases with the same model share a reranker, and each reranker is called once. If a reranker reads token bits, the
    score is None for chunks that aren't indexed yet. These have no bits, and reading their text would delay indexing.
    """
    settings = request.query.settings
    by_reranker: dict[int, tuple[Reranker, dict[int, Candidate]]] = {}
    for base in request.vector_bases:
        reranker, embedder = request.rerankers[base.id]
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
            notices.append("tokens_read")
        elif reranker.reads_bits and len(bits) < len(own):
            notices.append("tokens_missing")
        # For a chunk without bits, use the beginning of the window nearest to the question, or else of the first one.
        vector = request.vectors.get(base.fingerprint)
        nearest = (
            {}
            if vector is None
            else store.chunks.nearest_windows(base, vector, [rowid for rowid in own if rowid not in bits])
        )
        texts = {}
        for rowid, chunk in own.items():
            text = ""
            if rowid not in bits:
                windows = windows_of([chunk], candidates.card(rowid).title, embedder)
                text = windows[min(nearest.get(rowid, 0), len(windows) - 1)].text[: settings.rerank_characters]
            texts[rowid] = Candidate(text, bits.get(rowid))
        by_reranker.setdefault(id(reranker), (reranker, {}))[1].update(texts)
    judged: Judged = {}
    for reranker, texts in by_reranker.values():
        scores = dict(zip(texts, reranker.score(request.query.text, list(texts.values())), strict=True))
        if reranker.reads_bits and request.mode != "keyword":
            scores = level_scores(scores, candidates.trace.scores("vector"), candidates.groups)
        judged |= scores
    if None in judged.values():
        notices.append("rerank_partial")
    return {rowid: judged.get(rowid) for rowid in pool}


def _boost_priority(query: Query, candidates: Candidates, order: Scores) -> Scores | None:
    """Boost chunks in notes with a positive priority, and penalize chunks in notes with a negative priority."""
    priorities = {rowid: candidates.card(rowid).priority for rowid in order}
    weight = query.settings.priority_weight
    most = max(map(abs, priorities.values()), default=0)
    if not (weight and most):
        return None
    return add_gains(order, {rowid: weight * priority / most for rowid, priority in priorities.items()})


def _boost_caller(caller: CallerContext, candidates: Candidates, order: Scores) -> Scores | None:
    """Boost chunks in notes that match the caller's scopes or tags, by up to 1."""
    if not (caller.scopes or caller.tags):
        return None
    scopes = {*map(fold, caller.scopes)}
    wanted = {*map(tag_key, caller.tags)}
    gains = {}
    for rowid in order:
        card = candidates.card(rowid)
        shared = len(wanted.intersection(map(tag_key, card.tags)))
        gains[rowid] = SCOPE_GAIN * (fold(card.scope) in scopes) + TAGS_GAIN * (shared / len(wanted) if wanted else 0.0)
    return add_gains(order, gains)


def _exact_match_gains(store: Store, request: SearchRequest, candidates: Candidates, order: Scores) -> Scores:
    """Return the score boosts for chunks that match the question as typed."""
    if request.mode == "semantic" or not order:
        return {}
    text = request.spelling.text
    chunks = {rowid: candidates.chunks[rowid] for rowid in order}
    gained = Counter(_headings(text, candidates, order))
    by_words = islice(best(candidates.trace.scores("keyword")), _RUNS_IN)
    gained.update(_runs(text, {rowid: chunks[rowid] for rowid in by_words if rowid in chunks}))
    for word, rowids in zip(words := _words(text), store.words.holders(words), strict=True):
        if len(rowids) <= _FEW_HOLDERS:
            held = filter(chunks.__contains__, rowids.tolist())
            gained.update({rowid: _RARE if word in fold(chunks[rowid].text) else _RARE / 2 for rowid in held})
    gained.update(
        dict.fromkeys(_first_of_sections((request.query.typed, request.query.text), chunks), SECTION)
        | dict.fromkeys(candidates.titled, TITLE)
    )
    return dict(gained)


def _named_gains(query: Query, scope: Scope, candidates: Candidates) -> Scores:
    """Return the score boosts for chunks with metadata named in the question, and penalties for excluded subjects."""
    most = len(query.preferred)
    gains = {
        rowid: _NAMED + scope.preferred[rowid] / most for rowid in scope.preferred.keys() & candidates.chunks.keys()
    }
    for rowid, chunk in candidates.chunks.items() if query.avoided else ():
        gains[rowid] = gains.get(rowid, 0.0) - _NAMED * share_about(
            query.avoided, (candidates.card(rowid).title, *chunk.titles), chunk.text
        )
    return gains


def _linked(store: Store, candidates: Candidates, order: Iterable[int]) -> list[int]:
    """Return the candidates whose note links to a strong candidate's note or is linked from it.

    The target of a link is a path, or a wikilink's title or file name.
    """
    links = store.notes.links_of(candidates.cards)
    named = {}
    targets = {}
    for note_id, card in candidates.cards.items():
        path = card.path or ""
        named[note_id] = {plain(name) for name in (card.title, path, PurePosixPath(path).name) if name}
        targets[note_id] = set(map(plain, links.get(note_id, ())))
    notes = {rowid: candidates.chunks[rowid].note_id for rowid in order}
    strong = set(list(notes.values())[:_STRONG])
    return [
        rowid
        for rowid, note_id in notes.items()
        if any(
            other != note_id and (named[other] & targets[note_id] or named[note_id] & targets[other])
            for other in strong
        )
    ]


def _rowids(chunks: Iterable[int]) -> Rowids:
    return np.array(sorted(chunks), dtype=np.int64)


# Exact matches. Chunks are boosted if they contain the typed question as a heading or as a run of words, or if they
# contain one of its rare words.
#
# Every boost has a condition. Without conditions, freely phrased questions lost 4 points of MRR (58 questions about a
# folder of 173 English notes). With them, MRR@10 in `benchmarks.quality` rises from 0.617 to 0.634.


# Score boosts for a heading, a run of words and a rare word. Each outweighs earlier scores, which are from 0 to 1.
_HEADING = 2.0
_RUN = 1.5
_RARE = 1.1
# Score boost for a note's first chunk if the question is exactly the note's title. It outweighs all other boosts.
TITLE = 10.0
# Score boost for a section's first chunk if the question is exactly the section's title but not the note's title.
SECTION = 5.0

# Minimum word overlap (Jaccard) for a heading to match the question.
_LEAST_HEADING = 0.75
# Decrease in overlap from one kind of heading to the next: note title, note and section title, section title, and all
# titles.
_LESS = 0.02
# Minimum share of the question that a run must cover, by weight, and minimum number of words in the question.
_LEAST_RUN = 0.6
_LEAST_WORDS = 4
# Number of chunks to search for runs. The best keyword matches suffice, because a run consists of the question's words.
_RUNS_IN = 12
# Maximum number of chunks that contain a word for the word to be rare.
_FEW_HOLDERS = 3
# Maximum number of words in a question for all of its rare words to count. In longer questions, only identifiers count.
_FEW_WORDS = 3

_LATIN = re.compile(rf"[vV]?\d+(?:\.\d+)+|(?:(?![{CJK}])\w)+")
_UNIT = re.compile(rf"[{CJK}]|{_LATIN.pattern}")
# Phrases that frame the subject of a Chinese question, such as "what is".
_FRAME = re.compile(
    "什么时候|为什么|是什么|什么|怎么样|怎样|怎么|如何|哪里|哪些|哪个|是否|可以|能否|能不能|请问|解释一下|解释|说明|介绍|一下|"
    "一个|关于|有关|提到过|提到|我们|这个|那个|需要|应该|例子|使用|实现|缺点|优点|作用|请"
)
# Chinese function characters. A pair of characters that includes one of these usually isn't a word.
_JOINING = frozenset("的了是在吗呢么什怎哪吧啊和与及或把被用有我你它过举记")


def _first_of_sections(titles: Iterable[str], chunks: ChunkMap) -> Iterable[int]:
    """Return the first chunk of each note that is in a section with one of these titles.

    Case, width and spacing are ignored.
    """
    wanted = {" ".join(fold(title).split()) for title in titles} - {""}
    first: dict[str, int] = {}
    for rowid, chunk in sorted(chunks.items(), key=lambda item: item[1].start):
        if any(" ".join(fold(section).split()) in wanted for section in chunk.sections):
            first.setdefault(chunk.note_id, rowid)
    return first.values()


def _headings(text: str, candidates: Candidates, order: Iterable[int]) -> Scores:
    """Return the score boosts for chunks that have a heading similar to the question."""
    question = Counter(keywords(text))

    @cache
    def alike(*names: str) -> float:
        """Return the word overlap (Jaccard) of the question with a heading, or 0 if their lengths differ too much."""
        heading = _heading(names)
        shorter, longer = sorted((question.total(), heading.total()))
        if not shorter or shorter < _LEAST_HEADING * longer:
            return 0.0
        both = sum(min(count, question[word]) for word, count in heading.items())
        return both / (shorter + longer - both)

    shares: Scores = {}
    for rowid in order:
        title = candidates.card(rowid).title
        chunk = candidates.chunks[rowid]
        shares[rowid] = max(
            alike(*names) - _LESS * place
            for own in chunk.sections or ("",)
            for place, names in enumerate(((title,), (title, own), (own,), (title, *chunk.parent_sections, own)))
        )
    least = max(_LEAST_HEADING, max(shares.values(), default=0) - 1.5 * _LESS)
    return {rowid: _HEADING * share for rowid, share in shares.items() if share >= least}


@lru_cache(4096)
def _heading(names: Texts) -> Counter[str]:
    return Counter(word for name in names for word in keywords(name))


def _runs(text: str, chunks: ChunkMap) -> Scores:
    """Return the score boosts for chunks that contain most of the question as a single run of words."""
    question = _UNIT.findall(fold(text))
    if len(question) < _LEAST_WORDS:
        return {}
    # A run that covers so much must contain the middle of the question. Searching for the middle first takes a tenth
    # of the time.
    ends = list(accumulate(map(_weight, question)))
    first, last = (bisect_right(ends, share * ends[-1]) for share in (1 - _LEAST_RUN, _LEAST_RUN))
    middle = re.compile(r"\W*".join(map(re.escape, question[first : last + 1])))
    folded = {rowid: fold(chunk.text) for rowid, chunk in chunks.items()}
    shares = {rowid: _heaviest_run(question, text) / ends[-1] for rowid, text in folded.items() if middle.search(text)}
    return {rowid: _RUN * share for rowid, share in shares.items() if share >= _LEAST_RUN}


def _heaviest_run(question: Sequence[str], text: str) -> int:
    """Return the weight of the heaviest run of question words in folded text."""
    within = f" {' '.join(_UNIT.findall(text))} "
    heaviest = 0
    end = 0
    for start in range(len(question)):
        while end < len(question) and f" {' '.join(question[start : end + 1])} " in within:
            end += 1
        heaviest = max(heaviest, sum(map(_weight, question[start:end])))
        end = max(end, start + 1)
    return heaviest


def _weight(unit: str) -> int:
    """Return a word's weight within a run of words: its length, or 2 for a Chinese character."""
    return len(unit) if unit.isascii() else 2


def _words(text: str) -> list[str]:
    """Return the words that count if they are rare. In a long question, only identifiers do."""
    folded = fold(text)
    latin = [word for word in _LATIN.findall(folded) if word not in STOP_WORDS]
    parts = [part for run in re.findall(f"[{CJK}]+", folded) for part in _FRAME.split(run)]
    if len(latin) + sum((len(part) + 1) // 2 for part in parts) > _FEW_WORDS:
        return [fold(word) for word in re.findall(r"(?a)(?=\w*(?:[a-z][A-Z]|_|\d))[A-Za-z_]\w+", text)]
    pairs = (first + second for part in parts for first, second in pairwise(part) if not {first, second} & _JOINING)
    return [*latin, *pairs]
