"""The order of candidates: fused scores, duplicates, superseded notes; and the values that the stages pass on.

Keyword and token scores are only comparable within a language: a question's words are rare in notes in another
language, and its tokens are nearer to tokens in its own language. Only semantic scores are comparable across languages
(`core/embedding/centring.py`).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice, zip_longest
from statistics import fmean
from typing import Self

import numpy as np
from numpy.typing import NDArray

from core.base.blobs import Span
from core.base.frozen import frozen
from core.base.messages import Message
from core.base.registry import lazy
from core.base.text import CJK
from core.model import Chunk, NoteSummary, Notice, ResultMode, Rowids, StageScore
from core.notes.links import NoteLinks
from core.retrieval.requests import SearchRequest
from core.store import Store
from core.store.top_k import Scores, best

# Fusion of the scores from several stages, as pure functions over {chunk: score}.

ChunkMap = Mapping[int, Chunk]
"""Chunks by their rowids."""
Cards = Mapping[str, NoteSummary]
"""Notes by their ids."""
PHRASE = 0.3
"""Gain of a chunk that contains an optional phrase, on a scale from 0 to 1."""

_BY_WORDS = 0.25
"""How much the best keyword score raises a chunk without a vector, as a share of the distance from the mean semantic
score to 1.

With half of the notes of both vaults in a base without vectors, MRR@10 is 0.540 with 0 and 0.561 with 0.25. With 0.5,
notes with vectors lose what the others gain.
"""
_CONSTANT = 60


def fuse_weighted(vector: Scores, keyword: Scores, weight: float, trusted: Scores) -> Scores:
    """Return the weighted sum of the semantic and keyword scores, each normalised to 0..1 over the pool.

    Semantic scores have `weight`, keyword scores the rest; keyword scores that aren't fully `trusted` cede part of
    their weight to the semantic score. A chunk without a vector gets the mean semantic score, raised by its keyword
    score. On 1,800 questions this put the right passage first 1.5 to 2.5 points more often than reciprocal ranks, and
    equally often for weights of 0.5 to 0.7. Both stages must have scored every candidate.
    """
    meaning, words = normalise(vector), normalise(keyword)
    mean = fmean(meaning.values()) if meaning else 0.0
    unknown = {key: mean + _BY_WORDS * (1 - mean) * words[key] for key in words.keys() - meaning.keys()}
    return {
        key: (1 - (1 - weight) * trusted.get(key, 1.0)) * score + (1 - weight) * words.get(key, 0.0)
        for key, score in (meaning | unknown).items()
    }


def fuse_reciprocal(*stages: Scores) -> Scores:
    """Return the sum of 1 / (60 + rank) over the stages that returned a chunk; each stage is ordered best first.

    Reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009, with their constant).
    """
    fused: Scores = {}
    for scores in stages:
        for rank, key in enumerate(scores, 1):
            fused[key] = fused.get(key, 0.0) + share(rank)
    return fused


def share(rank: int) -> float:
    """Return what a rank contributes to the sum over several lists."""
    return 1 / (_CONSTANT + rank)


def add_gains(scores: Scores, gains: Scores) -> Scores:
    """Return the scores, normalised to 0..1 and raised by gains, best first; equal scores keep their order."""
    after = {key: score + gains.get(key, 0.0) for key, score in normalise(scores).items()}
    return dict(sorted(after.items(), key=lambda item: -item[1]))


def to_scale(raised: Scores, low: float, high: float) -> Scores:
    """Return scores of 0 to 1 mapped to `low` to `high`, and scores above 1 (from gains) mapped to `high` to 1."""
    return {
        key: max(0.0, high - (high - low) * (1 - score)) if score <= 1 else 1 - (1 - high) / score
        for key, score in raised.items()
    }


def blend(scores: Scores, judged: Mapping[int, float | None], weight: float) -> Scores:
    """Return the scores blended with a reranker's scores, both normalised to 0..1, best first.

    Candidates outside `judged` follow in their previous order. A candidate for which the reranker had no time (None)
    keeps its own score.
    """
    before = normalise(scores)
    reranked = normalise({key: score for key, score in judged.items() if score is not None})
    combined = {key: (1 - weight) * before[key] + weight * reranked.get(key, before[key]) for key in judged}
    return best(combined) | {key: (1 - weight) * before[key] for key in scores if key not in judged}


def normalise(scores: Scores) -> Scores:
    """Return the scores scaled to 0 (lowest) to 1 (highest); equal scores become 1, but zeros stay 0."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high == low:
        return dict.fromkeys(scores, 1.0 if high else 0.0)
    return {key: (score - low) / (high - low) for key, score in scores.items()}


Groups = Mapping[int, bool]
"""Chunk -> whether it is in Chinese, Japanese or Korean, which share no words with other languages."""

_BY_MEANING = 0.75
"""Share of the difference between two languages' mean semantic scores that is transferred to their reranker scores.

With 0, a single passage in the question's language is never first; with 1, questions over both vaults lose half a
point.
"""
CHINESE = re.compile(f"[{CJK}]")


def trust_words(words: Scores, groups: Groups) -> Scores:
    """Return how much to trust keyword scores for each chunk, from 0 to 1; 1 if all chunks are in one language.

    It is the square root of the ratio of the best score in the chunk's language to the best score of all.
    """
    highest: dict[bool, float] = {}
    for rowid, score in words.items():
        highest[groups[rowid]] = max(highest.get(groups[rowid], 0.0), score)
    most = max(highest.values(), default=0.0)
    return {rowid: (highest[groups[rowid]] / most) ** 0.5 if most else 1.0 for rowid in words}


def level_scores(judged: Mapping[int, float | None], meaning_scores: Scores, groups: Groups) -> dict[int, float | None]:
    """Return a reranker's scores, shifted until the means of the languages differ like those of the semantic scores.

    Both are compared on a scale from 0 to 1. If all candidates are in one language, their scores don't change.
    """
    scores = {rowid: score for rowid, score in judged.items() if score is not None}
    ours, others = ([rowid for rowid in scores if groups[rowid] is is_ours] for is_ours in (True, False))
    if not (ours and others):
        return dict(judged)

    def apart(values: Scores) -> float:
        first, second = (sum(values[rowid] for rowid in group) / len(group) for group in (ours, others))
        return first - second

    meaning = normalise({rowid: meaning_scores.get(rowid, 0.0) for rowid in scores})
    spread = max(scores.values()) - min(scores.values())
    shift = _BY_MEANING * spread * apart(meaning) - apart(scores)
    return {rowid: score if score is None or not groups[rowid] else score + shift for rowid, score in judged.items()}


# What the stages pass on: allowed chunks, candidates, their ranking, and all scores.


@frozen
class Scope:
    """The chunks that a question allows (None: all), and those that contain its phrases (None without phrases).

    `preferred`: the number of named conditions that a chunk meets, for chunks that meet any. `searched`: parts of the
    allowed chunks in which candidates are collected too, to keep other chunks from crowding them out.
    """

    allowed: Rowids | None
    phrased: frozenset[int] | None = None
    notices: tuple[Notice, ...] = ()
    preferred: Mapping[int, int] = field(default_factory=dict)
    searched: tuple[Rowids, ...] = ()


@dataclass(frozen=True)
class Trace:
    """The scores of each stage, in the order in which the stages ran.

    `returned`: scores of the chunks that a stage returned, best first. `every`: scores of all candidates in a stage.
    `order`: the chunks after the last stage, best first.
    """

    returned: Mapping[str, Scores] = field(default_factory=dict)
    every: Mapping[str, Scores] = field(default_factory=dict)
    order: Scores = field(default_factory=dict)

    def add(self, stage: str, scores: Scores | None, every: Scores | None = None) -> "Trace":
        """Return the trace with a further stage's scores, best first; unchanged if they are None."""
        if scores is None:
            return self
        scored = {**self.every, stage: scores if every is None else every}
        return Trace({**self.returned, stage: scores}, scored, scores)

    def scores(self, stage: str) -> Scores:
        """Return the scores of every candidate in a stage, empty if it didn't run."""
        return self.every.get(stage, {})

    @lazy
    def ranks(self) -> Mapping[str, Mapping[int, int]]:
        """The rank of each chunk in every stage."""
        return {stage: {rowid: rank for rank, rowid in enumerate(scores, 1)} for stage, scores in self.returned.items()}

    def scores_of(self, rowid: int) -> dict[str, StageScore]:
        """Return the score and rank of a candidate in each stage."""
        return {
            stage: StageScore(scores[rowid], self.ranks[stage].get(rowid))
            for stage, scores in self.every.items()
            if rowid in scores
        }


@dataclass(frozen=True)
class Candidates:
    """The candidates of a search before reranking, with their chunks and notes.

    `titled` are the first chunks of notes whose title is the question.
    """

    mode: ResultMode
    trace: Trace
    chunks: ChunkMap
    cards: Cards
    titled: Sequence[int] = ()
    notices: tuple[Notice, ...] = ()

    def card(self, rowid: int) -> NoteSummary:
        """Return the note of a candidate."""
        return self.cards[self.chunks[rowid].note_id]

    @lazy
    def groups(self) -> Groups:
        """The language group of each candidate; its headings count too, since its text may be code."""
        return {
            rowid: chunk.language in ("zh", "mixed")
            or bool(CHINESE.search(" ".join((self.card(rowid).title, *chunk.titles))))
            for rowid, chunk in self.chunks.items()
        }

    def after(self, stage: str, scores: Scores | None) -> Self:
        """Return the candidates after a stage; see `Trace.add`."""
        return replace(self, trace=self.trace.add(stage, scores))


@frozen
class Reranked:
    """The result of a reranker: its scores, best first, and the order with its scores blended in, or a problem."""

    scores: Scores | None = None
    order: Scores | None = None
    problem: Message | None = None
    notices: Sequence[Notice] = ()


@dataclass(frozen=True)
class Ranking:
    """The ranked candidates of a sub-query; `gains` are for chunks that contain the sub-query as typed.

    `scores` are scores of hits (see `Hit`); a hit needs at least `least`.
    """

    request: SearchRequest
    scope: Scope
    candidates: Candidates
    trace: Trace
    scores: Scores
    gains: Scores = field(default_factory=dict)
    reranked: Reranked = field(default_factory=Reranked)
    least: float = 0.0

    @property
    def order(self) -> Scores:
        """The candidates of the last stage, best first."""
        return self.trace.order

    def best(self, count: int) -> list[tuple[Chunk, NoteSummary]]:
        """Return the first candidates with their notes."""
        return [(self.candidates.chunks[rowid], self.candidates.card(rowid)) for rowid in islice(self.order, count)]


@frozen
class RankedCandidate:
    """The score and strength of a candidate, and the sub-query's ranking in which it ranks best."""

    score: float
    strength: float
    ranking: Ranking


def merge(rankings: Sequence[Ranking]) -> dict[int, RankedCandidate]:
    """Return the candidates of several rankings, best first.

    The rankings take turns, to give each sub-query a fair share of the first places. All candidates of a turn get the
    turn's best score.
    """
    if len(rankings) == 1:
        scores = rankings[0].scores
        order = rankings[0].order.items()
        return {rowid: RankedCandidate(scores[rowid], strength, rankings[0]) for rowid, strength in order}
    scored = [[ranking.scores[rowid] for rowid in ranking.order] for ranking in rankings]
    turns = [max(turn) for turn in zip_longest(*scored, fillvalue=0.0)]
    best: dict[int, Span] = {}
    for turn, ranking in enumerate(rankings):
        for rank, rowid in enumerate(ranking.order, 1):
            best[rowid] = min(best.get(rowid, (rank, turn)), (rank, turn))
    return {
        rowid: RankedCandidate(turns[rank - 1], share(rank), rankings[turn])
        for rowid, (rank, turn) in sorted(best.items(), key=lambda item: item[1])
    }


# Duplicates: overlapping chunks of a note, copies in other notes, equal lines of texts.

ALIKE = 0.9
"""Minimum similarity of copies (Jaccard, over 4-character pieces)."""

_DIGITS = re.compile(r"\d+")
_PIECE = 4
_CELLS = 1 << 14
_SHIFT = np.uint32(32 - 14)
_FACTOR = np.uint32(0x9E3779B1)
"""A prime that spreads hashes over all bits (Knuth)."""


@dataclass(slots=True)
class Group:
    """A candidate with its duplicates: overlapping chunks of its note, and copies in other notes.

    `joined` chunks would be hits themselves, so they widen the hit; `dropped` chunks wouldn't.
    """

    best: int
    joined: list[int] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)
    copies: list[int] = field(default_factory=list)


def group_duplicates(order: Sequence[int], chunks: ChunkMap, count: int) -> list[Group]:
    """Return the first `count` groups, best first; each candidate joins the first group that it repeats.

    Comparing texts is slow, so it is done only for candidates that may become hits.
    """
    result: list[Group] = []
    texts = {rowid: _ComparedText(chunks[rowid].text) for rowid in order}
    for place, rowid in enumerate(order):
        chunk, is_compared = chunks[rowid], len(result) < count or place < 3 * count
        for group in result:
            other = chunks[group.best]
            is_of_note = other.note_id == chunk.note_id
            if is_of_note and chunk.start < other.end and other.start < chunk.end:
                (group.joined if place < count else group.dropped).append(rowid)
                break
            if chunk.line and other.line:
                # Lines of a list may differ only in a number, but then mean something else.
                is_copy = chunk.text == other.text
            else:
                is_copy = not is_of_note and is_compared and texts[rowid].copies(texts[group.best])
            if is_copy:
                group.copies.append(rowid)
                break
        else:
            if len(result) < count:
                result.append(Group(rowid))
    return result


@dataclass(eq=False)
class _ComparedText:
    """A text to compare with others; its pieces are cached."""

    _text: str

    def copies(self, other: "_ComparedText") -> bool:
        length, others = len(self._text), len(other._text)
        if length < ALIKE * others or others < ALIKE * length:
            return False
        # A text with more than a tenth of unique pieces can't share nine tenths of all pieces.
        if np.count_nonzero(self._cells > other._cells) > (1 - ALIKE) * len(self._text):
            return False
        both = len(self._pieces & other._pieces)
        alike = both >= ALIKE * (len(self._pieces) + len(other._pieces) - both)
        # A different price, date or version is a different answer.
        return alike and _DIGITS.findall(self._text) == _DIGITS.findall(other._text)

    @lazy
    def _pieces(self) -> frozenset[str]:
        return frozenset(self._plain[at : at + _PIECE] for at in range(max(1, len(self._plain) - _PIECE + 1)))

    @lazy
    def _cells(self) -> NDArray[np.bool_]:
        """The hash cells of the text's pieces; several pieces may share a cell."""
        characters = np.frombuffer(self._plain.encode("utf-32-le", "surrogatepass"), np.uint32)
        count = max(0, len(characters) - _PIECE + 1)
        pieces = np.zeros(count, np.uint32)
        for at in range(_PIECE):
            pieces = pieces * _FACTOR + characters[at : at + count]
        cells = np.zeros(_CELLS, np.bool_)
        cells[pieces * _FACTOR >> _SHIFT] = True
        return cells

    @lazy
    def _plain(self) -> str:
        return " ".join(self._text.split())


# Superseded notes and their successors.

NewerNotes = Mapping[str, Sequence[str]]
"""Superseded note -> the active notes that supersede it, by id."""


def newer_notes(store: Store) -> NewerNotes:
    """Return the newer notes of each note; notes name what they supersede by path, file name, title or alias."""

    def read() -> NewerNotes:
        newer: dict[str, dict[str, None]] = {}
        if superseding := store.fields.superseding():
            links = NoteLinks(store)
            for note_id in superseding:
                note = store.notes.note(note_id)
                for link in links.resolve(note, note.supersedes):
                    if link.note_id:
                        newer.setdefault(link.note_id, {})[note_id] = None
        return {old: tuple(new) for old, new in newer.items()}

    return store.remembered.get(("newer notes", store.fields.expired()), read)


def demote_superseded(
    order: Sequence[int], chunks: ChunkMap, hits: Iterable[int], successors: NewerNotes
) -> Sequence[int]:
    """Return the candidates with each superseded note below the first hit of every note that supersedes it.

    `hits` are the shown candidates, which may include superseded ones. All others keep their order, and so do notes
    that supersede each other.
    """
    places = {rowid: place for place, rowid in enumerate(order)}
    first: dict[str, int] = {}
    for rowid in sorted(hits, key=places.__getitem__):
        first.setdefault(chunks[rowid].note_id, rowid)

    @cache
    def newer(old: str) -> dict[str, None]:
        """Return the notes that supersede a note, directly or through other notes."""
        waiting = [*successors.get(old, ())]
        known = dict.fromkeys(waiting)
        for note in waiting:
            more = [new for new in successors.get(note, ()) if new not in known]
            waiting += more
            known |= dict.fromkeys(more)
        return known

    @cache
    def place_below(rowid: int) -> Span:
        """Return a candidate's place, or the place of the last newer note and the number of steps to it."""
        old, place = chunks[rowid].note_id, (places[rowid], 0)
        for new in successors.get(old, ()) if old in first else ():
            if new in first and old not in newer(new):
                above, steps = place_below(first[new])
                place = max(place, (above, steps + 1))
        return place

    return sorted(order, key=place_below)
