"""Choose the best excerpts from hits as an answer's quotes, and estimate the chance that they are right."""

from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, count, groupby
from math import exp, log
from operator import attrgetter

from core.base.blobs import Span, blobs
from core.base.frozen import frozen
from core.base.text import CHINESE, query_keywords
from core.features.answers.candidates import Candidates, EvidenceCandidate, Reads, Weights, collect_candidates
from core.features.answers.names import headings_in, names_other
from core.features.answers.units import place_in_note, with_code
from core.model import Answered, Hit, Quote, QuoteKind, SearchResult
from core.store import Store

# Maximum number of characters in an excerpt with its lead-in, first without code and then with code.
CHARACTERS, WITH_CODE = 500, 700
# Maximum width of an excerpt's marked part. A Chinese character has a width of 2. A single unit may be wider.
MARKED = 240
# Maximum width of the part of an excerpt that is shown, which includes the sentences next to the marked part.
SHOWN = 200
# Minimum odds of a unit in the marked part, as a share of the strongest unit's odds.
WEAKEST = 0.1
# Minimum odds of a table row, as a share of the strongest row's odds.
WEAKEST_ROW = 0.5

# Weight of each feature in the log odds that an excerpt is right.
#
# - `read`: the reader's best score in the excerpt.
# - `near`: the strongest unit's `near` feature (see UNIT_WEIGHTS).
# - `nearest`: 1 / the rank of the strongest unit's `near` among all units. `top`: the highest `near` of any unit.
# - `share`: the excerpt's odds as a share of the odds of all units.
# - `margin`: the excerpt's score minus the best score in any other note.
# - `words`: share of the question's words in the excerpt and its headings.
# - `rivals`: number of hits with nearly the same score as the best hit.
# - `search`: the evidence from the search itself (`core/retrieval/confidence.py`).
# - `sides`: 1 for a comparison. Of 85 comparisons with all sides quoted, 73 % were right. The other features
#   alone predict 62 %.
WEIGHTS: Weights = {
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
# Intercept for WEIGHTS.
#
# All weights were fitted by `benchmarks.answers --fit` on natural questions about eleven folders. Other
# questions counted a tenth as much.
CONSTANT = -4.135
# Minimum chance of being right for each verdict, from 0 to 1.
LEAST: Mapping[Answered, float] = {"yes": 0.75, "possibly": 0.5}
# Maximum chance of a quote that doesn't name what the question names.
ABOUT_OTHERS = 0.7
# Maximum value of `margin`, also used if no other note has an excerpt.
_FAR = 5.0
# Share of the best hit's score above which another hit counts as a rival.
_RIVAL = 0.8
# Minimum evidence from the search for an answer, and maximum value of `search`. Of 13 natural questions with less
# evidence, the first excerpt answered none.
_LEAST_SEARCH = 1.0
_MOST_SEARCH = 12.0
# Value of `rivals` for a decomposed question, whose scores only reflect ranks. It is the median for other natural
# questions.
_USUAL_RIVALS = 3

# Number of top hits to check for rivals.
RIVAL_HITS = 10
# Maximum number of quotes in an answer.
QUOTES = 3
# Maximum difference between the first quote's score and any other quote's.
WEAKER = 1.5


@dataclass(frozen=True, slots=True, eq=False)
class Excerpt:
    """A sequence of neighbouring units from one hit. Excerpts are compared by identity.

    `strongest` is the unit with the most evidence, apart from questions. `score` is the log of the sum of the units'
    odds.
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
    def marked(self) -> Span:
        """The span, in the chunk, of the strongest unit and any neighbours that answer nearly as well."""
        return self._place(*self._marked_units)

    @property
    def shown(self) -> Span:
        """The span of the marked part, plus a unit on each side if it fits. A table row isn't extended."""
        first, last = self._marked_units
        if self.units[first].unit.kind == "row":
            return self.marked
        if first and self._fits(first - 1, last, SHOWN):
            first -= 1
        if last < len(self.units) and self._fits(first, last + 1, SHOWN):
            last += 1
        return self._place(first, last)

    @property
    def _marked_units(self) -> Span:
        odds = [0.0 if unit.parts["asks"] else exp(unit.evidence) for unit in self.units]
        least = max(odds) * (WEAKEST_ROW if self.strongest.unit.kind == "row" else WEAKEST)
        _, first, last = max(
            (sum(odds[first:last]), first, last)
            for first, last in combinations(range(len(self.units) + 1), 2)
            if last == first + 1 or (min(odds[first:last]) >= least and self._fits(first, last, MARKED))
        )
        return first, last

    def _place(self, first: int, last: int) -> Span:
        chunk = self.hit.chunk
        return with_code(chunk.text, chunk.fence, (self.units[first].unit.start, self.units[last - 1].unit.end))

    def _fits(self, first: int, last: int, width: int) -> bool:
        """Return whether units fit into `width`, and are either all in the same table or all outside tables."""
        text = self.hit.chunk.text[self.units[first].unit.start : self.units[last - 1].unit.end]
        tables = {unit.unit.kind == "row" and unit.unit.block for unit in self.units[first:last]}
        is_narrow = len(text) + len(CHINESE.findall(text)) <= width
        return is_narrow and len(tables) == 1

    @property
    def context(self) -> str:
        """What the marked part is about: the titles above it, what comes before it in its section, and its text.

        A list item or table row isn't about what the one before it names.
        """
        note, chunk, unit = self.hit.note, self.hit.chunk, self.strongest.unit
        start, end = self.marked
        titles = dict(enumerate(chunk.breadcrumb, 1))
        before = 0
        for level, title, heading in headings_in(chunk.text, chunk.fence):
            if heading <= start:
                titles = {upper: name for upper, name in titles.items() if upper < level} | {level: title}
                before = heading
        if unit.kind == "row":
            before = start
        elif unit.kind == "item":
            before = unit.block[0]
        place = [note.base, note.path or "", note.title, *note.aliases, *note.tags, *titles.values()]
        return "\n".join([*place, self.strongest.lead, chunk.text[before:end]])

    @property
    def kind(self) -> QuoteKind:
        kinds = {unit.unit.kind for unit in self.units}
        return kinds.pop() if len(kinds) == 1 else "passage"

    @property
    def words(self) -> frozenset[str]:
        """The question's words that occur in the units, or in their leads or headings."""
        return frozenset().union(*(unit.words for unit in self.units))

    def repeats(self, other: "Excerpt") -> bool:
        """Return whether two excerpts overlap, or one contains the other's strongest unit word for word."""
        return (
            (self.hit.chunk.id == other.hit.chunk.id and self.start < other.end and other.start < self.end)
            or any(map(self.strongest.repeats, other.units))
            or any(map(other.strongest.repeats, self.units))
        )


Excerpts = Sequence[Excerpt]
_BY_SCORE = attrgetter("score")


def excerpts(units: Candidates) -> Excerpts:
    """Return, for each unit, the best excerpt in which it is the strongest, sorted with the best excerpt first.

    Units that are strongest in no excerpt have none. `units` must be sorted by hit and position.
    """
    around = defaultdict(list)
    for chunk_id, neighbours in groupby(units, key=lambda unit: unit.hit.chunk.id):
        of_hit = list(neighbours)
        evidence = [unit.evidence for unit in of_hit]
        odds = [exp(value) for value in evidence]
        for first, last in _runs(of_hit):
            if answering := [number for number in range(first, last) if not of_hit[number].parts["asks"]]:
                strongest = max(answering, key=evidence.__getitem__)
                excerpt = Excerpt(tuple(of_hit[first:last]), of_hit[strongest], log(sum(odds[first:last])))
                around[chunk_id, strongest].append(excerpt)
    return sorted((max(alike, key=_BY_SCORE) for alike in around.values()), key=_BY_SCORE, reverse=True)


def _runs(units: Candidates) -> Iterator[Span]:
    """Yield the start and end (exclusive) of each sequence of units that is short enough.

    A single unit always counts as short enough. A sequence never spans a heading or embedded data, such as a picture,
    and one that begins with a table row never leaves the table.
    """
    chunk = units[0].hit.chunk
    headings = headings_in(chunk.text, chunk.fence)
    ends = sorted([*(end for _, end in blobs(chunk.text)), *(start for _, _, start in headings)])
    for first, start in enumerate(units):
        code = False
        for last in range(first, len(units)):
            unit = units[last]
            code |= unit.unit.kind == "code"
            if last > first and (
                bisect(ends, start.unit.start) < bisect(ends, unit.unit.start)
                or unit.unit.end - start.unit.start + len(start.lead) > (WITH_CODE if code else CHARACTERS)
                or (start.unit.kind == "row" and start.unit.block != unit.unit.block)
            ):
                break
            yield first, last + 1


def features(chosen: Excerpts, ranked: Excerpts, result: SearchResult) -> dict[str, float]:
    """Return the features (see WEIGHTS) of the first excerpt in `chosen`.

    Only `share` also covers the other excerpts in `chosen`. `ranked` contains all excerpts, best first.
    """
    excerpt = chosen[0]
    others = [other.score for other in ranked if other.hit.note.id != excerpt.hit.note.id]
    hits = () if result.decompositions else result.hits[:RIVAL_HITS]
    best = max((hit.strength for hit in hits), default=0.0)
    units = [other.strongest for other in ranked]
    near = excerpt.strongest.parts["near"]
    return {
        "read": max(unit.parts["read"] for unit in excerpt.units),
        "near": near,
        "nearest": 1 / (1 + sum(unit.parts["near"] > near for unit in units)),
        "top": max(unit.parts["near"] for unit in units),
        "share": min(1.0, sum(exp(other.score) for other in chosen) / sum(exp(unit.evidence) for unit in units)),
        "margin": min(excerpt.score - max(others), _FAR) if others else _FAR,
        "words": len(excerpt.words) / max(1, len(query_keywords(result.understood.text))),
        "rivals": sum(hit.strength > _RIVAL * best for hit in hits) if hits else _USUAL_RIVALS,
        "search": min(result.evidence, _MOST_SEARCH),
        "sides": float(result.is_comparison),
    }


@frozen
class Selection:
    """The best quotes for an answer, and the chance that the first one is right."""

    quotes: tuple[Quote, ...] = ()
    chance: float = 0.0


def choose(store: Store, reads: Reads, result: SearchResult) -> Selection:
    """Select the excerpts in top hits that best answer a result's question, or none if the result lists notes."""
    if result.mode == "listed" or not result.hits:
        return Selection()
    return select(result, collect_candidates(store, reads, result))


def select(result: SearchResult, units: Candidates) -> Selection:
    """Select the excerpts that best answer a question.

    The chance is 0 if a side of a comparison isn't covered, or if the search found too little evidence.
    """
    if not (ranked := excerpts(units)):
        return Selection()
    chosen = _select_sides(result, ranked) if result.is_comparison else _select_ranked(ranked)
    sides = chosen if result.is_comparison else chosen[:1]
    chance = 0.0
    if sides and result.evidence >= _LEAST_SEARCH:
        values = features(sides, ranked, result)
        chance = 1 / (1 + exp(-CONSTANT - sum(weight * values[name] for name, weight in WEIGHTS.items())))
        if not result.is_comparison and chance > ABOUT_OTHERS and names_other(result.understood.text, sides[0].context):
            chance = ABOUT_OTHERS
    return Selection(tuple(map(_quote, count(1), chosen or ranked[:1])), chance)


def _select_ranked(ranked: Excerpts) -> Excerpts:
    """Return the best excerpt and, up to QUOTES in total, excerpts from other notes that answer nearly as well."""
    chosen = list[Excerpt]()
    for excerpt in _close(ranked):
        if all(excerpt.hit.note.id != item.hit.note.id and not excerpt.repeats(item) for item in chosen):
            chosen.append(excerpt)
    return chosen[:QUOTES]


def _select_sides(result: SearchResult, ranked: Excerpts) -> Excerpts:
    """Return the best excerpt for a comparison, followed by the best excerpt about each side alone.

    An excerpt that names all sides comes first if it answers nearly as well as the best one. Further good excerpts
    about a side follow, up to QUOTES in total, because only tiny differences between vectors decide which excerpt is
    best. If a side isn't named in any excerpt, the list is empty.
    """
    sides = [set(query_keywords(part.text)) for part in result.decompositions[0].sub_queries]
    names = [name for side in sides if (name := side.difference(*(other for other in sides if other is not side)))]
    naming_all = (excerpt for excerpt in _close(ranked) if all(name & excerpt.words for name in names))
    selection = [next(naming_all, ranked[0])]
    further = list[Excerpt]()
    for name in names:
        others = set().union(*names) - name
        alone = [
            excerpt for excerpt in ranked if name & excerpt.strongest.words and not others & excerpt.strongest.words
        ]
        further += _close(alone)
        missing = (
            excerpt for excerpt in ranked if name & excerpt.words and not any(name & other.words for other in selection)
        )
        excerpt = next(chain(alone, missing), None)
        if excerpt and not any(excerpt.repeats(other) for other in selection):
            selection.append(excerpt)
    named = frozenset().union(*(excerpt.words for excerpt in selection))
    if not all(name & named for name in names):
        return []
    for excerpt in sorted(further, key=_BY_SCORE, reverse=True):
        if all(excerpt.hit.chunk.id != item.hit.chunk.id and not excerpt.repeats(item) for item in selection):
            selection.append(excerpt)
    return selection[:QUOTES]


def _close(ranked: Excerpts) -> Excerpts:
    """Return the excerpts that answer nearly as well as the first one."""
    return [excerpt for excerpt in ranked if excerpt.score > ranked[0].score - WEAKER]


def _quote(number: int, item: Excerpt) -> Quote:
    chunk = item.hit.chunk
    shown = item.shown
    start = min(item.start, shown[0])
    end = max(item.end, shown[1])
    return Quote(
        number,
        item.hit.note,
        chunk,
        "passage" if start < item.start or end > item.end else item.kind,
        chunk.text[start:end],
        "" if start < item.start else item.units[0].lead,
        *place_in_note(chunk, start, end),
        *((first - start, last - start) for first, last in (item.marked, shown)),
    )
