"""The quotes of an answer: the excerpt with the most evidence first, further ones only where they add something."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from core.base.text import query_keywords
from core.features.answers.confidence import confidence
from core.features.answers.evidence import EvidenceCandidate, EvidenceQuestion, candidates
from core.features.answers.excerpts import Excerpt, excerpts
from core.model import Quote, SearchResult
from core.retrieval.highlights import TokenizedHit, words_to_mark
from core.store import Store

Reads = Callable[[SearchResult], Mapping[str, TokenizedHit]]
"""The engine's function that returns the tokens of a result's question and hits."""

LOOKED_AT = 5
"""First hits whose units are compared; further ones change no excerpt of 200 natural questions."""
RIVAL_HITS = 10
"""First hits among which those as good as the first are counted."""
QUOTES = 3
"""Most quotes of an answer."""
NO_EVIDENCE = -20.0
"""Evidence of no answer: a chance of one in a few hundred millions."""
WEAKER = 1.5
"""How much less evidence than the first a further quote may have."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The quotes that answer best, and the logarithm of the odds that the first one does."""

    quotes: tuple[Quote, ...]
    evidence: float


def choose(store: Store, reads: Reads, result: SearchResult) -> Selection:
    """Return the excerpts of a result's first hits that answer its question best; none of a list or without hits."""
    if result.mode == "listed" or not result.hits:
        return Selection((), NO_EVIDENCE)
    return select(result, collect_candidates(store, reads, result))


def collect_candidates(store: Store, reads: Reads, result: SearchResult) -> list[EvidenceCandidate]:
    """Return the units of a result's first hits; those of a comparison are compared with the whole question."""
    if is_comparison(result):
        result = replace(result, hits=tuple(replace(hit, asked="") for hit in result.hits))
    tokenized_hits = reads(result)
    every = store.chunks.count_all() + 1
    units: list[EvidenceCandidate] = []
    for sub_query, words in words_to_mark(result).items():
        hits = [hit for hit in result.hits[:LOOKED_AT] if hit.asked == sub_query]
        holders = store.words.holders(words)
        rarity = {word: float(np.log(every / (len(chunks) + 0.5))) for word, chunks in zip(words, holders, strict=True)}
        question = EvidenceQuestion(sub_query or result.understood.text, words, rarity)
        units += candidates(question, hits, result.hits[0].score, tokenized_hits, store.words.stems)
    return units


def select(result: SearchResult, units: Sequence[EvidenceCandidate]) -> Selection:
    """Return the excerpts of some units that answer a question best; of a comparison without both sides, with NONE."""
    ranked = excerpts(units)
    if not ranked:
        return Selection((), NO_EVIDENCE)
    chosen = _select_sides(result, ranked) if is_comparison(result) else _select_ranked(ranked)
    hits = () if result.decompositions else result.hits[:RIVAL_HITS]
    evidence = confidence(chosen[0], ranked, hits) if chosen else NO_EVIDENCE
    return Selection(tuple(map(_quote, count(1), chosen or ranked[:1])), evidence)


def is_comparison(result: SearchResult) -> bool:
    """Return whether the question was decomposed into the sides of a comparison."""
    return bool(result.decompositions) and result.decompositions[0].kind == "comparison"


def _select_ranked(ranked: Sequence[Excerpt]) -> list[Excerpt]:
    """Return the first of ranked excerpts, and those of other notes that answer nearly as well in other words."""
    chosen = list(ranked[:1])
    for excerpt in ranked:
        if len(chosen) == QUOTES or excerpt.score < ranked[0].score - WEAKER:
            break
        if all(excerpt.hit.note.id != item.hit.note.id and not excerpt.repeats(item) for item in chosen):
            chosen.append(excerpt)
    return chosen


def _select_sides(result: SearchResult, ranked: Sequence[Excerpt]) -> list[Excerpt]:
    """Return the excerpt that answers a comparison best, and for each side the best one about that side alone.

    Of those that answer nearly as well, the first is one that names all sides. None where a side is named nowhere.
    """
    sides = [set(query_keywords(part.text)) for part in result.decompositions[0].sub_queries]
    names = [name for side in sides if (name := side.difference(*(other for other in sides if other is not side)))]
    close = (excerpt for excerpt in ranked if excerpt.score > ranked[0].score - WEAKER)
    selection = [next((excerpt for excerpt in close if all(name & excerpt.words for name in names)), ranked[0])]
    for name in names:
        others = set().union(*names) - name
        alone = (
            excerpt for excerpt in ranked if name & excerpt.strongest.words and not others & excerpt.strongest.words
        )
        missing = (
            excerpt for excerpt in ranked if name & excerpt.words and not any(name & other.words for other in selection)
        )
        excerpt = next(alone, None) or next(missing, None)
        if excerpt and not any(excerpt.repeats(other) for other in selection):
            selection.append(excerpt)
    named = frozenset().union(*(excerpt.words for excerpt in selection))
    return selection[:QUOTES] if all(name & named for name in names) else []


def _quote(number: int, item: Excerpt) -> Quote:
    chunk = item.hit.chunk
    start, end = chunk.start + item.start, chunk.start + item.end
    if len(chunk.text) != chunk.end - chunk.start:
        start, end = chunk.start, chunk.end
    return Quote(number, item.hit.note, chunk, item.kind, item.text, item.lead, start, end, item.marked)
