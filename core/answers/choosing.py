"""The quotes of an answer: the units with the most evidence, up to three and 400 characters."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from core.answers.evidence import Candidate, Question, candidates
from core.model import Quote, SearchResult
from core.models import Models
from core.retrieval.highlights import reads, words_of
from core.store import Store

LOOKED_AT = 10
"""First hits whose units are compared."""
CHARACTERS = 400
"""Most characters of an answer, with what leads to its quotes."""
QUOTES = 3
"""Most quotes of an answer."""
BEHIND = 1.5
"""How much less evidence than the first a further quote may have."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The quotes that answer best, and the evidence that the first one does."""

    quotes: tuple[Quote, ...]
    evidence: float


def choose(store: Store, models: Models, result: SearchResult) -> Choice:
    """Return the units of a result's first hits that answer its question best; no quotes of a list or without hits."""
    if result.mode == "listed" or not result.hits:
        return Choice((), 0.0)
    compared = sorted(_candidates(store, models, result), key=lambda one: -one.evidence)
    chosen = chosen_of(compared)
    quotes = tuple(map(_quote, count(1), chosen))
    return Choice(quotes, compared[0].evidence if chosen else 0.0)


def _candidates(store: Store, models: Models, result: SearchResult) -> list[Candidate]:
    read, every = reads(result, store, models), store.chunks.count_all() + 1
    compared: list[Candidate] = []
    for asked, words in words_of(result).items():
        hits = [hit for hit in result.hits[:LOOKED_AT] if hit.asked == asked]
        holders = store.words.holders(words)
        rarity = {word: float(np.log(every / (len(chunks) + 0.5))) for word, chunks in zip(words, holders, strict=True)}
        question = Question(asked or result.understood.text, words, rarity, result.evidence)
        compared += candidates(question, hits, read, store.words.stems)
    return compared


def chosen_of(compared: Sequence[Candidate]) -> list[Candidate]:
    """Return the first units, best first, as many as fit; what says the same as a better one is left out."""
    chosen: list[Candidate] = []
    room = CHARACTERS
    for one in compared:
        if len(chosen) == QUOTES or (chosen and one.evidence < chosen[0].evidence - BEHIND):
            break
        if one.size <= room and not any(one.repeats(other) for other in chosen):
            chosen.append(one)
            room -= one.size
    return chosen


def _quote(number: int, one: Candidate) -> Quote:
    chunk, unit = one.hit.chunk, one.unit
    start, end = chunk.start + unit.start, chunk.start + unit.end
    if len(chunk.text) != chunk.end - chunk.start:
        start, end = chunk.start, chunk.end
    return Quote(number, one.hit.note, chunk, unit.kind, one.text, one.lead, start, end)
