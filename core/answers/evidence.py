"""The evidence that a unit of a hit answers a question: a weighted sum of what is known of both."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.answers.units import Unit, plain, units_of
from core.model import Hit, Matrix, Spans
from core.retrieval.highlights import Read, Stems, cosines_of, word_places
from core.text import CJK, STOP_WORDS, fold, keywords

Rarity = Mapping[str, float]
"""For each word of a question, the logarithm of how few chunks hold it."""

_TOKEN_OF_STOP_WORD = 0.3
"""Weight of a token of a word that carries no subject, against 1 of any other."""
_DEFINES = re.compile(
    r"^\W{0,4}(?:(?:is|are|means|refers to)\b|(?:就)?是(?!否)|(?:指|表示|称为|意味着)|[:：—–-]{1,2}\s)", re.IGNORECASE
)
"""What stands behind a name where a sentence says what it is."""
_ASKS_WHAT = re.compile(
    r"^\W*(?:what(?:'s|’s| is| are)\b|define\b|什么是|何谓)|(?:是什么|指什么|的定义)\W*$", re.IGNORECASE
)
_SHORT = 3
"""Words of the question's subject below which it may be a name."""

CONSTANT = -6.0
WEIGHTS: Mapping[str, float] = {
    "near": 6.0,
    "chunk": 2.0,
    "held": 1.0,
    "under": 1.0,
    "score": 1.0,
    "first": 0.5,
    "defines": 1.0,
    "says": 1.0,
    "asks": -1.0,
    "found": 0.3,
}


def evidence(parts: Mapping[str, float]) -> float:
    """Return the evidence of a unit: the logarithm of the odds that it answers, as `benchmarks.answers` fits it."""
    return CONSTANT + sum(weight * parts[name] for name, weight in WEIGHTS.items())


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its words and their rarity."""

    text: str
    words: Sequence[str]
    rarity: Rarity
    found: float
    """The evidence of the search that the notes answer it at all."""

    @property
    def wants_definition(self) -> bool:
        return len(self.words) <= _SHORT or bool(_ASKS_WHAT.search(self.text))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit of a hit with what speaks for it, each from about 0 to 1."""

    hit: Hit
    unit: Unit
    parts: Mapping[str, float]

    @property
    def evidence(self) -> float:
        return evidence(self.parts)

    @property
    def text(self) -> str:
        return self.hit.chunk.text[self.unit.start : self.unit.end]

    @property
    def lead(self) -> str:
        return self.hit.chunk.text[slice(*self.unit.lead)] if self.unit.lead else ""

    @property
    def size(self) -> int:
        return len(self.text) + len(self.lead)

    def repeats(self, other: "Candidate") -> bool:
        """Return whether it says the same as another unit."""
        return fold(" ".join(self.text.split())) == fold(" ".join(other.text.split()))


def candidates(question: Question, hits: Sequence[Hit], reads: Mapping[str, Read], stems: Stems) -> list[Candidate]:
    """Return the units of hits; without a hit's token bits `near` and `chunk` are 0."""
    return [one for hit in hits for one in _of_hit(question, hit, reads.get(hit.chunk.id), stems)]


def _of_hit(question: Question, hit: Hit, read: Read | None, stems: Stems) -> Iterator[Candidate]:
    titles = " ".join((hit.note.title, *hit.chunk.section))
    above = {word for _, word in word_places(titles, question.words, stems)}
    places = word_places(hit.chunk.text, question.words, stems)
    said = {*question.words, *keywords(titles), *STOP_WORDS}
    units = units_of(hit.chunk.text)
    near, whole = _nearness(question, hit, units, read)
    shared = {
        "chunk": whole,
        "score": min(hit.score, _MOST_SCORE),
        "first": 1 / hit.rank,
        "found": min(question.found, _MOST_FOUND) / _MOST_FOUND,
    }
    for unit, nearness in zip(units, near, strict=True):
        text = plain(hit.chunk.text[unit.start : unit.end])
        held = {word for (start, end), word in places if unit.holds(start, end)}
        own = {*keywords(text)} - said
        yield Candidate(
            hit,
            unit,
            shared
            | {
                "near": nearness,
                "held": _share(held, question),
                "under": _share(held | above, question),
                "defines": float(question.wants_definition and _defines(text, question.words)),
                "says": min(len(own), _ENOUGH) / _ENOUGH,
                "asks": float(text.rstrip(" \n*_").endswith(("?", "？"))),
            },
        )


_MOST_SCORE = 1.5
_MOST_FOUND = 12.0
"""Evidence of a search above which more says nothing."""
_ENOUGH = 12
"""Words beside those of question and titles from which on a unit says enough of its own."""


def _share(held: set[str], question: Question) -> float:
    """Return the share of the question's words that are held, by their rarity."""
    total = sum(question.rarity.values())
    return sum(question.rarity[word] for word in held if word in question.rarity) / total if total else 0.0


def _nearness(question: Question, hit: Hit, units: Sequence[Unit], read: Read | None) -> tuple[list[float], float]:
    """Return how near each unit is to the question with its lead, and how near the hit is."""
    compared = cosines_of(hit, read)
    if compared is None or read is None:
        return [0.0] * len(units), 0.0
    places, cosines = compared
    weights = token_weights(question.text, read.embedder.tokens(question.text), cosines.shape[1])
    near = [_best(places, cosines, unit.spans) @ weights for unit in units]
    return [float(one) for one in near], float(cosines.max(axis=0) @ weights)


def _best(places: Spans, cosines: Matrix, spans: Sequence[tuple[int, int]]) -> Matrix:
    within = np.zeros(len(places), dtype=bool)
    for start, end in spans:
        within |= (places[:, 0] >= start) & (places[:, 1] <= end)
    best: Matrix = cosines[within].max(axis=0) if within.any() else np.zeros(cosines.shape[1], np.float32)
    return best


def token_weights(text: str, spans: Spans, count: int) -> Matrix:
    """Return the weight of each token of a question; their sum is 1."""
    weights = np.ones(count, np.float32)
    if len(spans) == count:
        for match in re.finditer(rf"(?:(?![{CJK}])\w)+|[^\w\s]+", text):
            if match[0].casefold() in STOP_WORDS or not match[0][0].isalnum():
                weights[(spans[:, 0] >= match.start()) & (spans[:, 1] <= match.end())] = _TOKEN_OF_STOP_WORD
    total: Matrix = weights / weights.sum()
    return total


def _defines(text: str, words: Sequence[str]) -> bool:
    """Return whether a text begins by saying what one of some words is."""
    head = text[:80].casefold()
    return any(
        (at := head.find(word)) >= 0 and _DEFINES.search(head[at + len(word) :].lstrip("*_`”」\"') ")[:12])
        for word in words
    )
