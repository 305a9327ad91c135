"""Choice of an answer's quotes: excerpts of hits, sorted by evidence, and the chance that the first one is right."""

import re
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, count, groupby
from math import exp, log

import numpy as np

from core.base.blobs import blobs
from core.base.frozen import frozen
from core.base.text import CJK, query_keywords
from core.features.answers.evidence import EvidenceCandidate, EvidenceQuestion, candidates
from core.features.answers.units import Span
from core.model import Answered, Chunk, Hit, Quote, QuoteKind, SearchResult
from core.retrieval.highlights import TokenizedHit, words_to_mark
from core.store import Store

CHARACTERS, WITH_CODE = 500, 700
"""Maximum length of an excerpt and its lead-in in characters, without and with code."""
MARKED = 240
"""Maximum width of the marked part of an excerpt. A Chinese character has width 2; a single unit may be wider."""
SHOWN = 200
"""Maximum width of the marked part with the sentences that are shown before and after it."""
WEAKEST = 0.1
"""Minimum odds of a unit in the marked part, as a share of the strongest unit's odds."""
_WIDE = re.compile(f"[{CJK}]")

WEIGHTS: Mapping[str, float] = {
    "read": 0.141,
    "near": 2.106,
    "nearest": 0.667,
    "top": 1.364,
    "share": 2.181,
    "margin": 0.094,
    "words": 0.789,
    "rivals": -0.195,
    "search": 0.068,
    "sides": 0.5,
}
"""Weight of each feature in the log odds that an excerpt is right.

- `read`: the reader's best score in the excerpt.
- `near`: nearness of its strongest unit to the question (`core/features/answers/evidence.py`).
- `nearest`: 1 / rank of that nearness among all units; `top`: the highest nearness.
- `share`: share of the excerpt's units in the odds of all units.
- `margin`: its score minus the best score in another note.
- `words`: share of the question's words in the excerpt and its headings.
- `rivals`: number of hits that score nearly as high as the best one.
- `search`: evidence of the search (`core/retrieval/confidence.py`).
- `sides`: 1 for a comparison. Of 85 comparisons whose sides are all quoted, 73 % were right, and the other features
  predict 62 %.
"""
CONSTANT = -4.135
"""Intercept. Fitted by `benchmarks.answers --fit` on natural questions about eleven folders; other questions have a
weight of 0.1.
"""
LEAST: Mapping[Answered, float] = {"yes": 0.75, "possibly": 0.5}
"""Minimum chance for each of these verdicts."""
HARDLY = 0.05
"""Chance below which the notes are said not to answer a question."""
_FAR = 5.0
"""Maximum of `margin`, and its value if no other note has an excerpt."""
_RIVAL = 0.8
"""Share of the best hit's score above which a hit counts as a rival."""
_LEAST_SEARCH, _MOST_SEARCH = 1.0, 12.0
"""Minimum evidence of the search for an answer, and maximum of `search`. Below the minimum, the first excerpt answered
none of 13 natural questions.
"""
_USUAL_RIVALS = 3
"""Value of `rivals` for a decomposed question, whose scores are ranks: the median of other natural questions."""

Reads = Callable[[SearchResult], Mapping[str, TokenizedHit]]
"""The engine's function that returns the tokens of a result's question and hits."""

LOOKED_AT = 5
"""Number of top hits whose units are candidates; more hits changed no excerpt for 200 natural questions."""
RIVAL_HITS = 10
"""Number of top hits among which rivals are counted."""
QUOTES = 3
"""Maximum number of quotes in an answer."""
WEAKER = 1.5
"""Maximum difference in score between the first quote and the others."""


@dataclass(frozen=True, slots=True, eq=False)
class Excerpt:
    """A run of neighbouring units of one hit, compared by identity.

    `strongest` is the unit with the most evidence that isn't a question; `score` is the log of the sum of the odds.
    """

    units: tuple[EvidenceCandidate, ...]
    strongest: EvidenceCandidate
    score: float

    @property
    def hit(self) -> Hit:
        return self.units[0].hit

    @property
    def start(self) -> int:
        return self.units[0].unit.start

    @property
    def end(self) -> int:
        return self.units[-1].unit.end

    @property
    def text(self) -> str:
        return self.hit.chunk.text[self.start : self.end]

    @property
    def lead(self) -> str:
        return self.units[0].lead

    @property
    def marked(self) -> Span:
        """The span in the text of the strongest unit and those neighbours that answer nearly as well."""
        return self._place(*self._marked_units)

    @property
    def shown(self) -> Span:
        """The span of the marked part with one more unit before and after it, if they fit."""
        first, last = self._marked_units
        if first and self._width(first - 1, last) <= SHOWN:
            first -= 1
        if last < len(self.units) and self._width(first, last + 1) <= SHOWN:
            last += 1
        return self._place(first, last)

    @property
    def _marked_units(self) -> tuple[int, int]:
        odds = [0.0 if unit.parts["asks"] else exp(unit.evidence) for unit in self.units]
        _, first, last = max(
            (sum(odds[first:last]), first, last)
            for first, last in combinations(range(len(self.units) + 1), 2)
            if last == first + 1
            or (min(odds[first:last]) >= WEAKEST * max(odds) and self._width(first, last) <= MARKED)
        )
        return first, last

    def _place(self, first: int, last: int) -> Span:
        return self.units[first].unit.start - self.start, self.units[last - 1].unit.end - self.start

    def _width(self, first: int, last: int) -> int:
        text = self.hit.chunk.text[self.units[first].unit.start : self.units[last - 1].unit.end]
        return len(text) + len(_WIDE.findall(text))

    @property
    def kind(self) -> QuoteKind:
        kinds = {unit.unit.kind for unit in self.units}
        return kinds.pop() if len(kinds) == 1 else "passage"

    @property
    def words(self) -> frozenset[str]:
        """The question's words in the units, their leads and headings."""
        return frozenset().union(*(unit.words for unit in self.units))

    def repeats(self, other: "Excerpt") -> bool:
        """Return whether two excerpts overlap, or one contains the other's strongest unit word for word."""
        if self.hit.chunk.id == other.hit.chunk.id and self.start < other.end and other.start < self.end:
            return True
        return any(map(self.strongest.repeats, other.units)) or any(map(other.strongest.repeats, self.units))


def excerpts(units: Sequence[EvidenceCandidate]) -> list[Excerpt]:
    """Return the best excerpt around each unit, the highest score first; `units` are sorted by hit and position."""
    best: list[Excerpt] = []
    for _, neighbours in groupby(units, key=lambda unit: unit.hit.chunk.id):
        best += _hit_excerpts(list(neighbours))
    return sorted(best, key=lambda excerpt: -excerpt.score)


def _hit_excerpts(units: Sequence[EvidenceCandidate]) -> Iterator[Excerpt]:
    """Yield, for each unit of a hit, the best run in which it is the strongest unit, if there is one."""
    evidence = [unit.evidence for unit in units]
    odds = [exp(value) for value in evidence]
    best: dict[int, tuple[float, int, int]] = {}
    for first, last in _runs(units):
        answering = [number for number in range(first, last) if not units[number].parts["asks"]]
        if not answering:
            continue
        strongest = max(answering, key=evidence.__getitem__)
        best[strongest] = max(best.get(strongest, (0.0, 0, 0)), (sum(odds[first:last]), first, last))
    for strongest, (total, first, last) in best.items():
        yield Excerpt(tuple(units[first:last]), units[strongest], log(total))


def _runs(units: Sequence[EvidenceCandidate]) -> Iterator[tuple[int, int]]:
    """Yield the start and end (exclusive) of each run of units that is short enough; a single unit always is.

    A run never spans a blob.
    """
    ends = [end for _, end in blobs(units[0].hit.chunk.text)]
    for first, start in enumerate(units):
        code = False
        for last in range(first, len(units)):
            unit = units[last]
            code |= unit.unit.kind == "code"
            size = unit.unit.end - start.unit.start + len(start.lead)
            if last > first and bisect(ends, start.unit.start) < bisect(ends, unit.unit.start):
                break
            if last > first and (size > (WITH_CODE if code else CHARACTERS) or not _continues(start, unit)):
                break
            yield first, last + 1


def _continues(first: EvidenceCandidate, other: EvidenceCandidate) -> bool:
    """Return whether an excerpt that begins with one unit can continue with another.

    Table rows and code within a fence can't be rendered outside, so they continue only in the same block.
    """
    within = first.unit.kind == "row" or (first.unit.kind == "code" and first.unit.start >= first.unit.block[0])
    return not within or first.unit.block == other.unit.block


def features(chosen: Sequence[Excerpt], ranked: Sequence[Excerpt], result: SearchResult) -> dict[str, float]:
    """Return the features of the first chosen excerpt; `ranked` are all excerpts, from which `chosen` are selected."""
    excerpt = chosen[0]
    others = [other.score for other in ranked if other.hit.note.id != excerpt.hit.note.id]
    hits = () if result.decompositions else result.hits[:RIVAL_HITS]
    best = max((hit.strength for hit in hits), default=0.0)
    units = [other.strongest for other in ranked]
    near = excerpt.strongest.parts["near"]
    words = query_keywords(result.understood.text)
    return {
        "read": max(unit.parts["read"] for unit in excerpt.units),
        "near": near,
        "nearest": 1 / (1 + sum(unit.parts["near"] > near for unit in units)),
        "top": max(unit.parts["near"] for unit in units),
        "share": min(1.0, sum(exp(other.score) for other in chosen) / sum(exp(unit.evidence) for unit in units)),
        "margin": min(excerpt.score - max(others), _FAR) if others else _FAR,
        "words": len(excerpt.words) / max(1, len(words)),
        "rivals": sum(hit.strength > _RIVAL * best for hit in hits) if hits else _USUAL_RIVALS,
        "search": min(result.evidence, _MOST_SEARCH),
        "sides": float(result.is_comparison),
    }


def chance(chosen: Sequence[Excerpt], ranked: Sequence[Excerpt], result: SearchResult) -> float:
    """Return the chance, 0 to 1, that the first chosen excerpt is right; arguments as in `features`."""
    values = features(chosen, ranked, result)
    return 1 / (1 + exp(-CONSTANT - sum(weight * values[name] for name, weight in WEIGHTS.items())))


@frozen
class Selection:
    """The best quotes for an answer, and the chance that the first one is right."""

    quotes: tuple[Quote, ...]
    chance: float


def choose(store: Store, reads: Reads, result: SearchResult) -> Selection:
    """Select the excerpts of a result's first hits that answer its question best; empty for a listing."""
    if result.mode == "listed" or not result.hits:
        return Selection((), 0.0)
    return select(result, collect_candidates(store, reads, result))


def collect_candidates(store: Store, reads: Reads, result: SearchResult) -> list[EvidenceCandidate]:
    """Return the units of a result's first hits with their evidence for the sub-query that found them.

    Hits of a comparison are evaluated for the whole question.
    """
    if result.is_comparison:
        result = replace(result, hits=tuple(replace(hit, asked="") for hit in result.hits))
    # The token bits of an edited chunk belong to the edited text, but answers quote the note's text.
    tokenized_hits = {key: read for key, read in reads(result).items() if not read.hit.chunk.edited}
    result = with_own_texts(store, result)
    every = store.chunks.count_all() + 1
    units = []
    for sub_query, words in words_to_mark(result).items():
        hits = [hit for hit in result.hits[:LOOKED_AT] if hit.asked == sub_query]
        holders = store.words.holders(words)
        rarity = {word: float(np.log(every / (len(chunks) + 0.5))) for word, chunks in zip(words, holders, strict=True)}
        question = EvidenceQuestion(sub_query or result.understood.text, words, rarity)
        units += candidates(question, hits, result.hits[0].strength, tokenized_hits, store.words.stems)
    return units


def with_own_texts(store: Store, result: SearchResult) -> SearchResult:
    """Return a result with the original text of edited chunks, because answers quote only the notes themselves."""

    def own(hit: Hit) -> Hit:
        chunk = hit.chunk
        if not chunk.edited:
            return hit
        text = store.notes.note(hit.note.id).body[chunk.start : chunk.end]
        return replace(hit, chunk=replace(chunk, text=text))

    return replace(result, hits=tuple(map(own, result.hits)))


def select(result: SearchResult, units: Sequence[EvidenceCandidate]) -> Selection:
    """Select the excerpts that answer a question best. If no excerpt names a side of a comparison, the chance is 0."""
    ranked = excerpts(units)
    if not ranked:
        return Selection((), 0.0)
    chosen = _select_sides(result, ranked) if result.is_comparison else _select_ranked(ranked)
    sides = chosen if result.is_comparison else chosen[:1]
    found = sides and result.evidence >= _LEAST_SEARCH
    quotes = tuple(map(_quote, count(1), chosen or ranked[:1]))
    return Selection(quotes, chance(sides, ranked, result) if found else 0.0)


def _select_ranked(ranked: Sequence[Excerpt]) -> list[Excerpt]:
    """Return the best excerpt, and excerpts from other notes that answer nearly as well in other words."""
    chosen = list(ranked[:1])
    for excerpt in ranked:
        if len(chosen) == QUOTES or excerpt.score < ranked[0].score - WEAKER:
            break
        if all(excerpt.hit.note.id != item.hit.note.id and not excerpt.repeats(item) for item in chosen):
            chosen.append(excerpt)
    return chosen


def _select_sides(result: SearchResult, ranked: Sequence[Excerpt]) -> list[Excerpt]:
    """Return the best excerpt for a comparison, then for each side the best excerpt about that side alone.

    The first excerpt is one that names all sides, if it answers nearly as well as the best. Other good excerpts about a
    side follow, up to QUOTES in all, because small differences in vectors decide which is best. The result is empty if
    any side isn't named.
    """
    sides = [set(query_keywords(part.text)) for part in result.decompositions[0].sub_queries]
    names = [name for side in sides if (name := side.difference(*(other for other in sides if other is not side)))]
    naming_all = (excerpt for excerpt in _close(ranked) if all(name & excerpt.words for name in names))
    selection, further = [next(naming_all, ranked[0])], []
    for name in names:
        others = set().union(*names) - name
        alone = [
            excerpt for excerpt in ranked if name & excerpt.strongest.words and not others & excerpt.strongest.words
        ]
        further += _close(alone)
        missing = (
            excerpt for excerpt in ranked if name & excerpt.words and not any(name & other.words for other in selection)
        )
        excerpt = next(iter(alone), None) or next(missing, None)
        if excerpt and not any(excerpt.repeats(other) for other in selection):
            selection.append(excerpt)
    named = frozenset().union(*(excerpt.words for excerpt in selection))
    if not all(name & named for name in names):
        return []
    for excerpt in sorted(further, key=lambda excerpt: -excerpt.score):
        if all(excerpt.hit.chunk.id != item.hit.chunk.id and not excerpt.repeats(item) for item in selection):
            selection.append(excerpt)
    return selection[:QUOTES]


def _close(ranked: Sequence[Excerpt]) -> list[Excerpt]:
    """Return the excerpts that answer nearly as well as the first."""
    return [excerpt for excerpt in ranked if excerpt.score > ranked[0].score - WEAKER]


def _quote(number: int, item: Excerpt) -> Quote:
    place = place_in_note(item.hit.chunk, item.start, item.end)
    quoted = item.hit.note, item.hit.chunk, item.kind, item.text, item.lead
    return Quote(number, *quoted, *place, item.marked, item.shown)


def place_in_note(chunk: Chunk, start: int, end: int) -> Span:
    """Return the span in the note for a part of a chunk; the chunk's span if its text was read from a picture."""
    is_read = len(chunk.text) != chunk.end - chunk.start
    return (chunk.start, chunk.end) if is_read else (chunk.start + start, chunk.start + end)


def sentence_quote(hit: Hit, sentence: str) -> Quote | None:
    """Return a sentence of a hit as a quote, None if the hit doesn't contain it."""
    at, whole = hit.chunk.text.find(sentence), (0, len(sentence))
    place = place_in_note(hit.chunk, at, at + len(sentence))
    return Quote(1, hit.note, hit.chunk, "sentence", sentence, "", *place, whole, whole) if at >= 0 else None
