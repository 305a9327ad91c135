"""Excerpts: neighbouring units of one hit, read at a glance, ranked by the evidence of all their units together."""

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from math import exp, log

from core.base.blobs import blobs
from core.base.text import CJK
from core.features.answers.evidence import EvidenceCandidate
from core.features.answers.units import Span
from core.model import Hit, QuoteKind

CHARACTERS, WITH_CODE = 500, 700
"""Maximum length of an excerpt with its lead, in characters; of one that holds code."""
MARKED = 240
"""Maximum width of the marked part of an excerpt, where a Chinese character is two wide; a single unit may be wider."""
WEAKEST = 0.1
"""Least odds of a unit in the marked part, as a share of those of the strongest one."""
_WIDE = re.compile(f"[{CJK}]")


@dataclass(frozen=True, slots=True, eq=False)
class Excerpt:
    """A run of neighbouring units of one hit, equal only to itself.

    `strongest` is the unit with the most evidence, `score` the logarithm of the sum of the units' odds.
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
        """The strongest unit with its neighbours that answer nearly as well, as characters of the text."""
        odds = [exp(unit.evidence) for unit in self.units]
        _, first, last = max(
            (sum(odds[first:last]), first, last)
            for first, last in combinations(range(len(self.units) + 1), 2)
            if last == first + 1
            or (min(odds[first:last]) >= WEAKEST * max(odds) and self._width(first, last) <= MARKED)
        )
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
        """The question's words in its units, their leads and headings."""
        return frozenset().union(*(unit.words for unit in self.units))

    def repeats(self, other: "Excerpt") -> bool:
        """Return whether the two overlap, or one holds the strongest unit of the other in the same words."""
        if self.hit.chunk.id == other.hit.chunk.id and self.start < other.end and other.start < self.end:
            return True
        return any(map(self.strongest.repeats, other.units)) or any(map(other.strongest.repeats, self.units))


def excerpts(units: Sequence[EvidenceCandidate]) -> list[Excerpt]:
    """Return the best excerpt around each unit, the one with the highest score first.

    `units` are in the order of their hits and their places.
    """
    best: list[Excerpt] = []
    for _, neighbours in groupby(units, key=lambda unit: unit.hit.chunk.id):
        best += _hit_excerpts(list(neighbours))
    return sorted(best, key=lambda excerpt: -excerpt.score)


def _hit_excerpts(units: Sequence[EvidenceCandidate]) -> Iterator[Excerpt]:
    """Yield for each unit of a hit the best run in which it is the strongest, if there is one."""
    evidence = [unit.evidence for unit in units]
    odds = [exp(value) for value in evidence]
    best: dict[int, tuple[float, int, int]] = {}
    for first, last in _runs(units):
        strongest = max(range(first, last), key=evidence.__getitem__)
        best[strongest] = max(best.get(strongest, (0.0, 0, 0)), (sum(odds[first:last]), first, last))
    for strongest, (total, first, last) in best.items():
        yield Excerpt(tuple(units[first:last]), units[strongest], log(total))


def _runs(units: Sequence[EvidenceCandidate]) -> Iterator[tuple[int, int]]:
    """Yield the first unit and the one after the last of each run that is short enough; a single unit always is.

    A run has no blob between its units.
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
    """Return whether an excerpt that begins with a unit can go on to another one.

    Rows and the inside of a code block can't be drawn without their table and fence, so they continue within them only.
    """
    within = first.unit.kind == "row" or (first.unit.kind == "code" and first.unit.start >= first.unit.block[0])
    return not within or first.unit.block == other.unit.block
