"""Collect what hits contain as possible answers, and weigh each by its evidence for answering the question."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import chain, groupby

import numpy as np

from core.base.frozen import frozen
from core.base.text import collapse_spaces, find_words, fold
from core.embedding.graphs import thread_count
from core.embedding.tokens import token_weights, tokens_within
from core.features.answers import reader
from core.features.answers.names import OthersSections, headings_in, named_among, sections_of_others
from core.features.answers.units import (
    Unit,
    below_heading,
    is_exercise,
    is_question,
    place_in_note,
    stating_label,
    stresses,
    units_of,
)
from core.model import Hit, SearchResult
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
# - `stated`: 1 if the unit states what the question asks for (see `_put_stated_first`), 0.5 if the question names this
#   row or list item, and -1.5 if it names another one beside it (see `_put_named_first`). Its weight isn't fitted.
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

    `rarity` maps each word to log((number of chunks + 1) / (number of chunks that contain the word + 0.5)).
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
    """Set the `read` feature of the units in hits that the reader can read.

    Only the passages with the most evidence from other features are scored.
    """
    passages = []
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
    """Rank a unit that states what the question asks for above the best unit in its hit.

    Such a unit begins with a label such as *Cause:*, or is the first one below such a heading. It shares few words with
    the question, which describes the problem, so it gets the best unit's features. Of several such units, the first one
    after the best unit is taken or, if there is none, the nearest one before it. If the best unit has such a label
    itself, nothing changes.
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
    """Rank the table rows or list items that the question names above the others in their table or list.

    All sentences of a long list item are named by the item's label. A table or list with a unit that states what is
    asked isn't changed.
    """
    for (kind, _), group in groupby(units, key=lambda unit: (unit.unit.kind, unit.unit.lead)):
        members = list(group)
        if kind not in ("row", "item") or any(unit.parts["stated"] for unit in members):
            continue
        texts = [unit.hit.chunk.text[slice(*unit.unit.block)] if kind == "item" else unit.text for unit in members]
        named = named_among(question, texts)
        if any(named) and not all(named):
            for unit, is_named in zip(members, named, strict=True):
                unit.parts["stated"] = 0.5 if is_named else -1.5


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


# The search engine's function that returns the tokens of a result's question and hits, by chunk id.
Reads = Callable[[SearchResult], TokenizedHits]

# Number of top hits whose units are candidates. More hits changed no excerpt for 200 natural questions.
LOOKED_AT = 5


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
        spans = {
            note_id: [*sections_of_others(question.text, words, store.note(note_id).body)]
            for note_id in {hit.note.id for hit in hits}
        }
        units += _about_named(list(chain.from_iterable(by_hit.values())), spans)
    return units


def _about_named(units: Candidates, others: Mapping[str, OthersSections]) -> Candidates:
    """Leave out units about people whom the question doesn't name.

    Such a unit is kept if no other unit in its note contains all the words of the question that it contains.
    """
    named = defaultdict(list)
    aside = set()
    for unit in units:
        at, _ = place_in_note(unit.hit.chunk, unit.unit.start, unit.unit.end)
        sections = (names for start, end, names in others.get(unit.hit.note.id, ()) if start <= at < end)
        if any(all(find_words(name, fold(unit.text)) < 0 for name in names) for names in sections):
            aside.add(id(unit))
        else:
            named[unit.hit.note.id].append(unit.words)
    return [
        unit
        for unit in units
        if id(unit) not in aside or not unit.words or not any(unit.words <= words for words in named[unit.hit.note.id])
    ]


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
