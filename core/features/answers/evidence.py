"""The evidence that a unit of a hit answers a question: a weighted sum of features."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from core.base.frozen import frozen
from core.base.text import CJK, STOP_WORDS, fold
from core.embedding.graphs import thread_count
from core.embedding.tokens import tokens_within
from core.features.answers import reader
from core.features.answers.reader import ReaderEnsemble
from core.features.answers.units import Span, Unit, is_question, units_of
from core.model import Hit, Matrix, Spans
from core.retrieval.highlights import Stems, TokenizedHit, word_places, words_in

Rarity = Mapping[str, float]
"""For each word of a question, the log of the number of all chunks divided by the number that contain the word."""

WEIGHTS: Mapping[str, float] = {
    "near": 5.31,
    "held": 2.08,
    "score": 1.4,
    "first": 2.64,
    "part": -1.5,
    "stressed": 1.94,
    "asks": -1.76,
    "read": 0.7,
}
"""Weight of each feature of a unit in the log odds that the unit answers the question. Features are from 0 to 1.

- `near`: mean over the question's tokens of the cosine to the nearest token of the unit or its lead.
- `held`: share of the question's words in the unit or its lead, weighted by rarity.
- `score`: score of its hit, relative to the best hit; `first`: 1 / rank of its hit.
- `part`: 1 if the hit was found by a sub-query, which is only a part of the question.
- `stressed`: 1 if the question is a term that the unit stresses, as notes do where they define it.
- `asks`: 1 if the unit is a question or an exercise itself.
- `read`: the reader's score (`core/features/answers/reader.py`), which is a log odds and not from 0 to 1.
"""
CONSTANT = -9.03
"""Fitted by logistic regression on hard questions (docs/decisions/0059-excerpts-and-a-reader.md), except two weights.
`part` is between the -0.7 of both vaults and the -2.0 of the English one. With 0.3 to 1.3 for `read`, the first excerpt
is right for 69 to 70 % of natural questions, without it for 67 %. Other weights fitted on natural questions were no
better for another folder.
"""

_STOP_WORD = 0.3
"""Weight of a token in a stop word or punctuation; other tokens have weight 1."""
_NEAR_BY_WORDS = (0.26, 0.29)
"""Estimate of `near` without token bits: with none of the question's words, and the increase if all are present."""
_ASKS_WHAT = re.compile(
    r"^\W*(?:what(?:'s|’s| is| are)\b|define\b|什么是|何谓)|(?:是什么|指什么|的定义)\W*$", re.IGNORECASE
)
_STRESSED = re.compile(
    r"\*\*[^*\n]{1,60}\*\*|(?<![*\w])\*[^*\n]{1,60}\*(?!\*)|(?<![_\w])_[^_\n]{1,60}_(?!\w)|[“「][^”」\n]{1,60}[”」]"
)
_HEADING = re.compile(r"^#{1,6}[ \t]+(.*)$", re.MULTILINE)
_EXERCISES = re.compile(
    r"\W*(?:[\d.]+\W+)?(?:练习题?|习题|思考题|(?:exercises?|quiz|questions)\b.{0,20})\W*", re.IGNORECASE
)
"""Headings of exercises, which don't answer anything."""
_SHORT = 3
"""Maximum number of words in a term."""
PARTS = 6
"""Maximum number of hit passages for the reader to score; six take about 0.06 s on two processor cores."""
UNREAD, SKIPPED = -1.0, -6.0
"""Values of `read` without a reader for the model, and for units in passages that weren't scored."""


@frozen
class EvidenceQuestion:
    """A question or sub-query, with its words and their rarity."""

    text: str
    words: Sequence[str]
    rarity: Rarity

    @property
    def is_term(self) -> bool:
        """Whether the question only names a thing, so that a definition answers it."""
        return len(self.words) <= _SHORT or bool(_ASKS_WHAT.search(self.text))


@frozen
class EvidenceCandidate:
    """A unit of a hit, with its features (`parts`) and the question's words in its text, lead-in or headings."""

    hit: Hit
    unit: Unit
    parts: Mapping[str, float]
    words: frozenset[str]

    @property
    def evidence(self) -> float:
        return CONSTANT + sum(weight * self.parts[name] for name, weight in WEIGHTS.items())

    @property
    def text(self) -> str:
        return self.hit.chunk.text[self.unit.start : self.unit.end]

    @property
    def lead(self) -> str:
        return self.hit.chunk.text[slice(*self.unit.lead)] if self.unit.lead else ""

    @property
    def size(self) -> int:
        return len(self.text) + len(self.lead)

    def repeats(self, other: "EvidenceCandidate") -> bool:
        """Return whether the unit overlaps another one or has the same words."""
        same = self.hit.chunk.id == other.hit.chunk.id
        if same and self.unit.start < other.unit.end and other.unit.start < self.unit.end:
            return True
        return fold(" ".join(self.text.split())) == fold(" ".join(other.text.split()))


def candidates(
    question: EvidenceQuestion, hits: Sequence[Hit], best: float, reads: Mapping[str, TokenizedHit], stems: Stems
) -> list[EvidenceCandidate]:
    """Return the units of hits with their features; `best` is the score of the best hit."""
    by_hit = {hit.chunk.id: [*_hit_candidates(question, hit, best, reads.get(hit.chunk.id), stems)] for hit in hits}
    return [candidate for read in _with_reading(by_hit, reads).values() for candidate in read]


def _with_reading(
    by_hit: Mapping[str, list[EvidenceCandidate]], reads: Mapping[str, TokenizedHit]
) -> dict[str, list[EvidenceCandidate]]:
    """Return the units of each hit with the reader's scores. It scores the passages with the most other evidence."""
    todo: list[tuple[float, str, ReaderEnsemble, NDArray[np.int64]]] = []
    masks: dict[str, NDArray[np.bool_]] = {}
    for key, units in by_hit.items():
        tokenized = reads.get(key)
        ensemble = reader.shipped(tokenized.embedder.fingerprint) if tokenized and tokenized.compared else None
        if tokenized is None or tokenized.compared is None or ensemble is None or not units:
            continue
        places, _ = tokenized.compared
        masks[key] = np.stack([tokens_within(places, candidate.unit.spans) for candidate in units])
        evidence = np.array([candidate.evidence for candidate in units])
        todo += [
            (float(evidence[inside].max()), key, ensemble, part)
            for part in reader.parts(places)
            if (inside := masks[key][:, part].any(axis=1)).any()
        ]
    scores = {key: [SKIPPED if key in masks else UNREAD] * len(units) for key, units in by_hit.items()}

    def read(item: tuple[float, str, ReaderEnsemble, NDArray[np.int64]]) -> Iterable[tuple[str, int, float]]:
        _, key, ensemble, part = item
        numbers = np.flatnonzero(masks[key][:, part].any(axis=1))
        found = ensemble.scores(reads[key], part, masks[key][numbers])
        return [(key, number, score) for number, score in zip(numbers.tolist(), found, strict=True)]

    with ThreadPoolExecutor(thread_count()) as pool:
        for key, number, score in chain.from_iterable(pool.map(read, sorted(todo, key=lambda item: -item[0])[:PARTS])):
            scores[key][number] = max(scores[key][number], score)
    return {
        key: [
            replace(candidate, parts={**candidate.parts, "read": score})
            for candidate, score in zip(units, scores[key], strict=True)
        ]
        for key, units in by_hit.items()
    }


def _hit_candidates(
    question: EvidenceQuestion, hit: Hit, best: float, read: TokenizedHit | None, stems: Stems
) -> Iterator[EvidenceCandidate]:
    places = word_places(hit.chunk.text, question.words, stems)
    headings = words_in(" ".join((hit.note.title, *hit.chunk.titles)), question.words, stems)[1]
    units = units_of(hit.chunk.text)
    words = [{word for span, word in places if unit.holds(*span)} for unit in units]
    shares = [_share(held, question) for held in words]
    shared = {
        "score": hit.strength / best if best > 0 else 0.0,
        "first": 1 / hit.rank,
        "part": float(bool(hit.asked)),
    }
    nearness = _nearness(question, units, shares, read)
    headings_at = [(0, hit.chunk.section_title), *((at.start(), at[1]) for at in _HEADING.finditer(hit.chunk.text))]
    for unit, own_words, share, near in zip(units, words, shares, nearness, strict=True):
        text = hit.chunk.text[unit.start : unit.end]
        own = {
            "near": near,
            "held": share,
            "read": UNREAD,
            "stressed": float(question.is_term and _stresses(text, len(question.words), places, unit)),
            "asks": float(is_question(text) or bool(_EXERCISES.fullmatch(_heading_of(unit, headings_at)))),
        }
        yield EvidenceCandidate(hit, unit, shared | own, frozenset(own_words | headings))


def _heading_of(unit: Unit, headings: Sequence[tuple[int, str]]) -> str:
    """Return the last heading before a unit; `headings` are pairs of position and title."""
    return next(title for start, title in reversed(headings) if start <= unit.start)


def _share(held: set[str], question: EvidenceQuestion) -> float:
    """Return the share of the question's words that a unit contains, weighted by rarity."""
    total = sum(question.rarity.values())
    return sum(question.rarity[word] for word in held if word in question.rarity) / total if total else 0.0


def _nearness(
    question: EvidenceQuestion, units: Sequence[Unit], shares: Sequence[float], read: TokenizedHit | None
) -> Iterable[float]:
    """Return the feature `near` of each unit, estimated from its share of words if there are no token bits."""
    if read is None or read.compared is None:
        least, more = _NEAR_BY_WORDS
        return [least + more * share for share in shares]
    places, cosines = read.compared
    weights = token_weights(question.text, read.embedder.tokens(question.text), cosines.shape[1])
    return [float(_max_cosines(places, cosines, unit.spans) @ weights) for unit in units]


def _max_cosines(places: Spans, cosines: Matrix, spans: Sequence[tuple[int, int]]) -> Matrix:
    within = tokens_within(places, spans)
    return cosines[within].max(axis=0) if within.any() else np.zeros(cosines.shape[1], np.float32)


def token_weights(text: str, spans: Spans, count: int) -> Matrix:
    """Return the weight of each token of a question; the sum is 1."""
    weights = np.ones(count, np.float32)
    if len(spans) == count:
        for match in re.finditer(rf"(?:(?![{CJK}])\w)+|[^\w\s]+", text):
            if match[0].casefold() in STOP_WORDS or not match[0][0].isalnum():
                weights[(spans[:, 0] >= match.start()) & (spans[:, 1] <= match.end())] = _STOP_WORD
    total: Matrix = weights / weights.sum()
    return total


def _stresses(text: str, count: int, places: Sequence[tuple[Span, str]], unit: Unit) -> bool:
    """Return whether a text stresses a phrase with all words of the question, as notes do when they define a term."""
    for phrase in _STRESSED.finditer(text):
        start, end = unit.start + phrase.start(), unit.start + phrase.end()
        if len({word for (first, last), word in places if start <= first and last <= end}) == count:
            return True
    return False
