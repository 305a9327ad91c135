"""Choose the best excerpts from hits as an answer's quotes, and estimate the chance that they are right."""

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations, count, groupby
from math import exp, log

import numpy as np

from core.base.blobs import Span, blobs
from core.base.frozen import frozen
from core.base.text import CHINESE, collapse_spaces, find_words, fold, query_keywords
from core.embedding.graphs import thread_count
from core.embedding.tokens import token_weights, tokens_within
from core.features.answers import reader
from core.features.answers.names import NamedSections, OthersSections, headings_in, named_among
from core.features.answers.units import (
    Unit,
    below_heading,
    is_exercise,
    is_question,
    place_in_note,
    stating_label,
    stresses,
    units_of,
    with_code,
)
from core.model import Answered, Hit, Quote, QuoteKind, SearchResult
from core.retrieval.highlights import Stems, TokenizedHit, TokenizedHits, word_places, words_in, words_to_mark
from core.store import Store

Weights = Mapping[str, float]

# Weight of each feature in the log odds that a unit (a sentence, list item, table row or code block) is an
# answer.
#
# Features range from 0 to 1.
#
# - `near`: mean cosine between each of the question's tokens and the nearest token in the unit or its lead.
# - `held`: share of the question's words in the unit or its lead, weighted by rarity.
# - `score`: the hit's score divided by the best hit's score. `first`: 1 / the hit's rank.
# - `part`: 1 if the hit was found by a sub-query, which covers only part of the question.
# - `stressed`: 1 if the question is a term emphasized by the unit, as in a note that defines it.
# - `asks`: 1 if the unit is itself a question or an exercise.
# - `stated`: 1 if the unit states what the question asks for (see `_put_stated_first`) or is a row or list item that
#   the question names, and -1 if it is one beside them (see `_put_named_first`). Its weight isn't fitted.
# - `read`: the score from the reader (`core/features/answers/reader.py`), in log odds, so it may be outside 0 to 1.
UNIT_WEIGHTS: Weights = {
    "near": 5.31,
    "held": 2.08,
    "score": 1.4,
    "first": 2.64,
    "part": -1.5,
    "stressed": 1.94,
    "asks": -1.76,
    "stated": 1.5,
    "read": 0.7,
}
# Intercept for UNIT_WEIGHTS.
#
# Most weights were fitted by logistic regression (docs/decisions/0059-excerpts-and-a-reader.md). The weight of
# `part` is between -0.7, fitted on both vaults, and -2.0, fitted on the English vault. With a weight of 0.3 to
# 1.3 for `read`, the first excerpt is right for 69 to 70 % of natural questions, and without the reader for 67
# %. Weights fitted on natural questions alone were no better on another folder.
UNIT_CONSTANT = -9.03

# Estimates of `near` if there are no token bits: the value for a unit with none of the question's words, and the amount
# added if the unit has all of them.
_NEAR_BY_WORDS = (0.26, 0.29)
_ASKS_WHAT = re.compile(r"(?i)^\W*(?:what(?:'s|’s| is| are)\b|define\b|什么是|何谓)|(?:是什么|指什么|的定义)\W*$")
# Maximum number of words in a question that counts as a term.
_SHORT = 3
# Maximum number of passages for the reader to score. Six take about 0.06 s on two cores.
PARTS = 6
# Values of `read` without a reader for the model, and for units in passages that the reader didn't score.
UNREAD, SKIPPED = -1.0, -6.0


@frozen
class EvidenceQuestion:
    """A question or sub-query, with the words in it.

    `rarity` maps each word to log(number of chunks / number of chunks that contain the word).
    """

    text: str
    words: Sequence[str]
    rarity: Weights


@frozen
class EvidenceCandidate:
    """A unit in a hit, with its features (`parts`) and the title of its section (`heading`).

    `words` are the question's words found in the unit's text, lead-in or headings.
    """

    hit: Hit
    unit: Unit
    parts: dict[str, float]
    words: frozenset[str]
    heading: str = ""

    @property
    def evidence(self) -> float:
        return UNIT_CONSTANT + sum(weight * self.parts[name] for name, weight in UNIT_WEIGHTS.items())

    @property
    def text(self) -> str:
        return self.hit.chunk.text[self.unit.start : self.unit.end]

    @property
    def lead(self) -> str:
        return self.hit.chunk.text[slice(*self.unit.lead)] if self.unit.lead else ""

    def repeats(self, other: "EvidenceCandidate") -> bool:
        """Return whether this unit and another overlap or have the same text."""
        first, second = self.unit, other.unit
        overlap = self.hit.chunk.id == other.hit.chunk.id and first.start < second.end and second.start < first.end
        return overlap or fold(collapse_spaces(self.text)) == fold(collapse_spaces(other.text))


Candidates = Sequence[EvidenceCandidate]


def _read(by_hit: Mapping[str, Candidates], reads: TokenizedHits) -> None:
    """Set each unit's `read` feature. Only the passages with the most evidence from other features are scored."""
    passages = list[tuple[float, list[EvidenceCandidate], Callable[[], list[float]]]]()
    for key, units in by_hit.items():
        read = reads.get(key)
        if not (read and read.compared and units and (ensemble := reader.shipped(read.embedder.fingerprint))):
            continue
        places, _ = read.compared
        masks = np.stack([tokens_within(places, candidate.unit.spans) for candidate in units])
        for part in reader.parts(places):
            numbers = np.flatnonzero(masks[:, part].any(axis=1))
            if inside := [units[number] for number in numbers.tolist()]:
                most = max(candidate.evidence for candidate in inside)
                passages.append((most, inside, partial(ensemble.scores, read, part, masks[numbers])))
        for candidate in units:
            candidate.parts["read"] = SKIPPED
    chosen = sorted(passages, key=lambda passage: -passage[0])[:PARTS]
    with ThreadPoolExecutor(thread_count()) as pool:
        for (_, inside, _), scores in zip(chosen, pool.map(lambda passage: passage[2](), chosen), strict=True):
            for candidate, score in zip(inside, scores, strict=True):
                candidate.parts["read"] = max(candidate.parts["read"], score)


def _put_stated_first(question: str, units: Candidates) -> None:
    """Put a unit that states what the question asks for before the best unit in its hit.

    It begins with a label such as *Cause:*, or is the first one below such a heading. It shares few words with the
    question, which describes the problem. So it gets the features of the best unit. Of several such units, the first
    one after the best unit is taken or, if there is none, the nearest one before it.
    """
    label = stating_label(question)
    stating = [
        unit
        for above, unit in zip(["", *(unit.heading for unit in units)], units, strict=False)
        if not unit.parts["asks"]
        and (
            any(map(label.match, (unit.text, unit.lead)))
            or (unit.heading != above and label.fullmatch(f"{unit.heading}:"))
        )
    ]
    if stating:
        best = max(units, key=lambda unit: unit.evidence)
        at = best.unit.start
        unit = min(stating, key=lambda unit: (unit.unit.start < at, abs(unit.unit.start - at)))
        if unit is best or not label.search(f"{best.lead}\n{best.text}"):
            unit.parts.update(best.parts, stated=1.0)


def _put_named_first(question: str, units: Candidates) -> None:
    """Put the table rows or list items that the question names before the others of their table or list.

    They share few words with the question, as all of them do. So they get the features of the best one.
    """
    groups = defaultdict[tuple[str, Span | None], list[EvidenceCandidate]](list)
    for unit in units:
        if unit.unit.kind in ("row", "item"):
            groups[unit.unit.kind, unit.unit.block if unit.unit.kind == "row" else unit.unit.lead].append(unit)
    for group in groups.values():
        named = named_among(question, [unit.text for unit in group])
        if any(named) and not all(named):
            best = dict(max(group, key=lambda unit: unit.evidence).parts)
            for unit, is_named in zip(group, named, strict=True):
                unit.parts.update({**best, "stated": 1.0} if is_named else {"stated": -1.0})


def _hit_candidates(
    question: EvidenceQuestion, hit: Hit, best: float, read: TokenizedHit | None, stems: Stems
) -> Iterator[EvidenceCandidate]:
    whole = hit.chunk.text
    places = word_places(whole, question.words, stems)
    headings = words_in(" ".join((hit.note.title, *hit.chunk.titles)), question.words, stems)[1]
    inside = headings_in(whole, hit.chunk.fence)
    units = [below_heading(unit, whole, inside, question.words) for unit in units_of(whole, hit.chunk.fence)]
    words = [{word for span, word in places if unit.holds(*span)} for unit in units]
    total = sum(question.rarity.values()) or 1.0
    shares = [sum(question.rarity.get(word, 0.0) for word in held) / total for held in words]
    nearness = _nearness(question, units, shares, read)
    headings_at = [(0, hit.chunk.section_title), *((start, title) for _, title, start in inside)]
    # A question that consists of a term is answered by the term's definition.
    is_term = len(question.words) <= _SHORT or bool(_ASKS_WHAT.search(question.text))
    for unit, own_words, share, near in zip(units, words, shares, nearness, strict=True):
        text = whole[unit.start : unit.end]
        heading = next(title for start, title in reversed(headings_at) if start <= unit.start)
        values = {
            "score": hit.strength / best if best > 0 else 0.0,
            "first": 1 / hit.rank,
            "part": float(bool(hit.asked)),
            "near": near,
            "held": share,
            "read": UNREAD,
            "stated": 0.0,
            "stressed": float(is_term and stresses(text, len(question.words), places, unit)),
            "asks": float(is_question(text) or is_exercise(heading)),
        }
        yield EvidenceCandidate(hit, unit, values, frozenset(own_words | headings), heading)


def _nearness(
    question: EvidenceQuestion, units: Sequence[Unit], shares: Sequence[float], read: TokenizedHit | None
) -> Iterable[float]:
    """Return each unit's `near` feature. If there are no token bits, estimate it from the unit's share of words."""
    if not (read and read.compared):
        least, more = _NEAR_BY_WORDS
        return [least + more * share for share in shares]
    places, cosines = read.compared
    weights = token_weights(question.text, read.embedder.tokens(question.text), cosines.shape[1])
    inside = [tokens_within(places, unit.spans) for unit in units]
    return [float(cosines[within].max(axis=0) @ weights) if within.any() else 0.0 for within in inside]


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

# The search engine's function that returns the tokens of a result's question and hits, by chunk id.
Reads = Callable[[SearchResult], TokenizedHits]

# Number of top hits whose units are candidates. More hits changed no excerpt for 200 natural questions.
LOOKED_AT = 5
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
    def text(self) -> str:
        return self.hit.chunk.text[self.start : self.end]

    @property
    def marked(self) -> Span:
        """The span, in `text`, of the strongest unit and any neighbours that answer nearly as well."""
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
        return self.units[first].unit.start - self.start, self.units[last - 1].unit.end - self.start

    def _fits(self, first: int, last: int, width: int) -> bool:
        """Return whether units fit into `width`, and can be shown together without the text around them."""
        text = self.hit.chunk.text[self.units[first].unit.start : self.units[last - 1].unit.end]
        tables = {unit.unit.kind == "row" and unit.unit.block for unit in self.units[first:last]}
        is_narrow = len(text) + len(CHINESE.findall(text)) <= width
        return is_narrow and len(tables) == 1 and _continues(self.units[first], self.units[last - 1])

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


def excerpts(units: Candidates) -> Excerpts:
    """Return the best excerpt around each unit, best first. `units` must be sorted by hit and position."""
    found = list[Excerpt]()
    for _, neighbours in groupby(units, key=lambda unit: unit.hit.chunk.id):
        of_hit = list(neighbours)
        evidence = [unit.evidence for unit in of_hit]
        odds = [exp(value) for value in evidence]
        best: dict[int, tuple[float, int, int]] = {}
        for first, last in _runs(of_hit):
            if answering := [number for number in range(first, last) if not of_hit[number].parts["asks"]]:
                strongest = max(answering, key=evidence.__getitem__)
                best[strongest] = max(best.get(strongest, (0.0, 0, 0)), (sum(odds[first:last]), first, last))
        for strongest, (total, first, last) in best.items():
            found.append(Excerpt(tuple(of_hit[first:last]), of_hit[strongest], log(total)))
    return sorted(found, key=lambda excerpt: -excerpt.score)


def _runs(units: Candidates) -> Iterator[Span]:
    """Yield the start and end (exclusive) of each sequence of units that is short enough.

    A single unit always counts as short enough. A sequence never spans a heading or embedded data, such as a picture.
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
                or not _continues(start, unit)
            ):
                break
            yield first, last + 1


def _continues(first: EvidenceCandidate, other: EvidenceCandidate) -> bool:
    """Return whether an excerpt that begins with `first` can continue with `other`.

    Table rows and fenced code can't be rendered outside their block, so they continue only within the same block.
    """
    within = first.unit.kind == "row" or (first.unit.kind == "code" and first.unit.start >= first.unit.block[0])
    return not within or first.unit.block == other.unit.block


def features(chosen: Excerpts, ranked: Excerpts, result: SearchResult) -> dict[str, float]:
    """Return the features (see WEIGHTS) of the first excerpt in `chosen`.

    `ranked` contains all excerpts, best first.
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


def collect_candidates(store: Store, reads: Reads, result: SearchResult) -> list[EvidenceCandidate]:
    """Return the units in a result's top hits, with features computed for the sub-query that found each hit.

    In a comparison, the features are computed for the whole question.
    """
    if result.is_comparison:
        result = replace(result, hits=tuple(replace(hit, asked="") for hit in result.hits))
    # An edited chunk's token bits belong to the edited text, but answers quote the note's text.
    tokenized_hits = {key: read for key, read in reads(result).items() if not read.hit.chunk.edited}
    result = with_own_texts(store, result)
    every = store.chunks.count_all() + 1
    units = list[EvidenceCandidate]()
    for sub_query, words in words_to_mark(result).items():
        rarity = {
            word: float(np.log(every / (len(chunks) + 0.5)))
            for word, chunks in zip(words, store.words.holders(words), strict=True)
        }
        question = EvidenceQuestion(sub_query or result.understood.text, words, rarity)
        best = result.hits[0].strength
        hits = [hit for hit in result.hits[:LOOKED_AT] if hit.asked == sub_query]
        by_hit = {
            hit.chunk.id: [*_hit_candidates(question, hit, best, tokenized_hits.get(hit.chunk.id), store.words.stems)]
            for hit in hits
        }
        _read(by_hit, tokenized_hits)
        for of_hit in by_hit.values():
            _put_stated_first(question.text, of_hit)
            _put_named_first(question.text, of_hit)
        named = NamedSections(question.text, words)
        spans = {
            note_id: [*named.spans_of_others(store.note(note_id).body)]
            for note_id in {hit.note.id for hit in hits if named}
        }
        units += _about_named(list(chain.from_iterable(by_hit.values())), spans)
    return units


def _about_named(units: Candidates, others: Mapping[str, OthersSections]) -> Candidates:
    """Leave out units about people whom the question doesn't name, if units about named people say as much."""
    named = defaultdict[str, list[frozenset[str]]](list)
    aside = list[EvidenceCandidate]()
    for unit in units:
        at, _ = place_in_note(unit.hit.chunk, unit.unit.start, unit.unit.end)
        sections = (names for start, end, names in others.get(unit.hit.note.id, ()) if start <= at < end)
        if any(all(find_words(name, fold(unit.text)) < 0 for name in names) for names in sections):
            aside.append(unit)
        else:
            named[unit.hit.note.id].append(unit.words)
    dropped = {
        id(unit) for unit in aside if unit.words and any(unit.words <= words for words in named[unit.hit.note.id])
    }
    return [unit for unit in units if id(unit) not in dropped]


def with_own_texts(store: Store, result: SearchResult) -> SearchResult:
    """Return a result with the original text of edited chunks, because answers quote only the notes themselves."""
    return replace(
        result,
        hits=tuple(
            replace(hit, chunk=replace(hit.chunk, text=store.note(hit.note.id).body[hit.chunk.start : hit.chunk.end]))
            if hit.chunk.edited
            else hit
            for hit in result.hits
        ),
    )


def select(result: SearchResult, units: Candidates) -> Selection:
    """Select the excerpts that best answer a question. If a side of a comparison isn't covered, the chance is 0."""
    if not (ranked := excerpts(units)):
        return Selection()
    chosen = _select_sides(result, ranked) if result.is_comparison else _select_ranked(ranked)
    sides = chosen if result.is_comparison else chosen[:1]
    chance = 0.0
    if sides and result.evidence >= _LEAST_SEARCH:
        values = features(sides, ranked, result)
        chance = 1 / (1 + exp(-CONSTANT - sum(weight * values[name] for name, weight in WEIGHTS.items())))
    return Selection(tuple(map(_quote, count(1), chosen or ranked[:1])), chance)


def _select_ranked(ranked: Excerpts) -> Excerpts:
    """Return the best excerpt, and excerpts from other notes that answer nearly as well in different words."""
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
    for excerpt in sorted(further, key=lambda excerpt: -excerpt.score):
        if all(excerpt.hit.chunk.id != item.hit.chunk.id and not excerpt.repeats(item) for item in selection):
            selection.append(excerpt)
    return selection[:QUOTES]


def _close(ranked: Excerpts) -> Excerpts:
    """Return the excerpts that answer nearly as well as the first one."""
    return [excerpt for excerpt in ranked if excerpt.score > ranked[0].score - WEAKER]


def _quote(number: int, item: Excerpt) -> Quote:
    note, chunk = item.hit.note, item.hit.chunk
    spans = ((item.start + first, item.start + last) for first, last in (item.marked, item.shown))
    marked, shown = (with_code(chunk.text, chunk.fence, span) for span in spans)
    start = min(item.start, shown[0])
    end = max(item.end, shown[1])
    kind = item.kind if end == item.end or item.kind == "code" else "passage"
    parts = ((first - start, last - start) for first, last in (marked, shown))
    place = place_in_note(chunk, start, end)
    return Quote(number, note, chunk, kind, chunk.text[start:end], item.units[0].lead, *place, *parts)
