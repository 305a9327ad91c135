"""The quotes of an answer: the units with the most evidence, up to three and 400 characters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, count
from math import exp

import numpy as np

from core.answers.evidence import Candidate, Question, candidates
from core.model import Quote, SearchResult
from core.retrieval.highlights import Read, words_of
from core.store import Store

LOOKED_AT = 10
"""First hits whose units are compared."""
CHARACTERS = 400
"""Most characters of an answer, with what leads to its quotes."""
QUOTES = 3
"""Most quotes of an answer."""
NONE = -20.0
"""Evidence of no answer: a chance of one in a few hundred millions."""
SOFTENED = 0.5
"""How much of a difference in evidence counts between the quotes: below 1, two short ones may stand for a long one."""
COMPARED = 12
"""Units with the most evidence of which the quotes are some."""
SURE = -2.1
"""Evidence from which on three of four answers are right, and at most 5 of 100 are to questions on another vault."""
BEHIND = 1.5
"""How much less evidence than the first a further quote may have."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The quotes that answer best, and the evidence that the first one does."""

    quotes: tuple[Quote, ...]
    evidence: float


def choose(store: Store, reads: Mapping[str, Read], result: SearchResult) -> Choice:
    """Return the units of a result's first hits that answer its question best; no quotes of a list or without hits."""
    if result.mode == "listed" or not result.hits:
        return Choice((), NONE)
    chosen = chosen_of(sorted(compared(store, reads, result), key=lambda one: -one.evidence))
    return Choice(tuple(map(_quote, count(1), chosen)), max((one.evidence for one in chosen), default=NONE))


def compared(store: Store, reads: Mapping[str, Read], result: SearchResult) -> list[Candidate]:
    """Return the units of a result's first hits; `reads` are those of the engine."""
    every = store.chunks.count_all() + 1
    units: list[Candidate] = []
    for asked, words in words_of(result).items():
        hits = [hit for hit in result.hits[:LOOKED_AT] if hit.asked == asked]
        holders = store.words.holders(words)
        rarity = {word: float(np.log(every / (len(chunks) + 0.5))) for word, chunks in zip(words, holders, strict=True)}
        question = Question(asked or result.understood.text, words, rarity)
        units += candidates(question, hits, result.hits[0].score, reads, store.words.stems)
    return units


def chosen_of(units: Sequence[Candidate]) -> list[Candidate]:
    """Return the few units of which most are expected to answer, of those that fit together, in reading order.

    `units` are in the order of their evidence.
    """
    near = [one for one in units if one.size <= CHARACTERS and one.evidence >= units[0].evidence - BEHIND][:COMPARED]
    if not near:
        return []
    values = [exp(SOFTENED * (one.evidence - near[0].evidence)) for one in near]
    sizes = [one.size for one in near]
    alike = {pair for pair in combinations(range(len(near)), 2) if near[pair[0]].repeats(near[pair[1]])}
    best: tuple[float, tuple[int, ...]] = (0.0, ())
    for number in range(1, QUOTES + 1):
        for some in combinations(range(len(near)), number):
            if sum(sizes[one] for one in some) <= CHARACTERS and alike.isdisjoint(combinations(some, 2)):
                best = max(best, (sum(values[one] for one in some), some))
    chosen = [near[one] for one in best[1]]
    notes = list(dict.fromkeys(one.hit.rank for one in chosen))
    return sorted(chosen, key=lambda one: (notes.index(one.hit.rank), one.unit.start))


def _quote(number: int, one: Candidate) -> Quote:
    chunk, unit = one.hit.chunk, one.unit
    start, end = chunk.start + unit.start, chunk.start + unit.end
    if len(chunk.text) != chunk.end - chunk.start:
        start, end = chunk.start, chunk.end
    return Quote(number, one.hit.note, chunk, unit.kind, one.text, one.lead, start, end)
