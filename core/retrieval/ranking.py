"""Ranking of candidates, with score fusion, duplicates, superseded notes, and the values passed between stages.

Keyword and token scores are comparable only within a language. A question's words are rare in notes written in another
language, and the question's tokens are nearer to tokens in its own language. Only semantic scores are comparable across
languages (`core/embedding/centring.py`).
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
from core.base.text import CHINESE
from core.model import Chunk, NoteSummary, Notice, ResultMode, Rowids, StageScore
from core.notes.links import NoteLinks
from core.retrieval.requests import SearchRequest
from core.store import Store
from core.store.top_k import Scores, best

# Fusing the scores from several stages. These functions are pure. Scores are dicts from chunk rowid to score.

# Maps rowids to chunks.
ChunkMap = Mapping[int, Chunk]
# Maps note ids to summaries.
Cards = Mapping[str, NoteSummary]
# A reranker's score for each chunk, or None for a chunk that the reranker had no time for.
Judged = dict[int, float | None]
# Score boost for a chunk that contains an optional phrase, on a scale from 0 to 1.
PHRASE = 0.3

# How far the best keyword score raises a chunk that has no vector, as a share of the distance from the mean semantic
# score to 1. With half of both vaults' notes in a base without vectors, MRR@10 is 0.540 at 0 and 0.561 at 0.25. At
# 0.5, notes with vectors lose as much as those without vectors gain.
_BY_WORDS = 0.25
_CONSTANT = 60


def fuse_weighted(vector: Scores, keyword: Scores, weight: float, trusted: Scores) -> Scores:
    """Return the weighted sum of the semantic and keyword scores, each normalised to 0..1 over the pool.

    Semantic scores get `weight`, and keyword scores get 1 - `weight`. If a keyword score isn't fully `trusted`, part of
    its weight goes to the semantic score. A chunk without a vector gets the mean semantic score, raised by its keyword
    score. Both stages must have scored every candidate.

    On 1,800 questions, this function put the correct passage first 1.5 to 2.5 points more often than `fuse_reciprocal`.
    Weights from 0.5 to 0.7 did equally well.
    """
    meaning = normalise(vector)
    words = normalise(keyword)
    mean = fmean(meaning.values()) if meaning else 0.0
    unknown = {key: mean + _BY_WORDS * (1 - mean) * words[key] for key in words.keys() - meaning.keys()}
    return {
        key: (1 - (1 - weight) * trusted.get(key, 1.0)) * score + (1 - weight) * words.get(key, 0.0)
        for key, score in (meaning | unknown).items()
    }


def fuse_reciprocal(*stages: Scores) -> Scores:
    """Return each chunk's sum of 1 / (60 + rank) over the stages that returned it.

    The scores in each stage are ordered best first. This is reciprocal rank fusion with the constant from the paper
    (Cormack, Clarke and Buettcher, SIGIR 2009).
    """
    fused: Scores = {}
    for scores in stages:
        for rank, key in enumerate(scores, 1):
            fused[key] = fused.get(key, 0.0) + share(rank)
    return fused


def share(rank: int) -> float:
    """Return a rank's contribution to a reciprocal rank fusion score."""
    return 1 / (_CONSTANT + rank)


def add_gains(scores: Scores, gains: Scores) -> Scores:
    """Normalise the scores to 0..1 and add the boosts in `gains`.

    Return the sums best first. Equal sums keep their order.
    """
    after = {key: score + gains.get(key, 0.0) for key, score in normalise(scores).items()}
    return dict(sorted(after.items(), key=lambda item: -item[1]))


def to_scale(raised: Scores, low: float, high: float) -> Scores:
    """Map scores between 0 and 1 to the range from `low` to `high`, and scores above 1 to the range from `high` to 1.

    Scores exceed 1 because of score boosts.
    """
    return {
        key: max(0.0, high - (high - low) * (1 - score)) if score <= 1 else 1 - (1 - high) / score
        for key, score in raised.items()
    }


def blend(scores: Scores, judged: Judged, weight: float) -> Scores:
    """Blend the scores with a reranker's scores, both normalised to 0..1, and return them best first.

    A candidate that the reranker had no time for keeps its own score. Candidates not in `judged` come last, in their
    previous order.
    """
    before = normalise(scores)
    reranked = normalise(scored(judged))
    combined = {key: (1 - weight) * before[key] + weight * reranked.get(key, before[key]) for key in judged}
    return best(combined) | {key: (1 - weight) * before[key] for key in scores if key not in judged}


def scored(judged: Judged) -> Scores:
    """Return the reranker's scores of the chunks that it had time for."""
    return {rowid: score for rowid, score in judged.items() if score is not None}


def normalise(scores: Scores) -> Scores:
    """Scale the scores so that the lowest is 0 and the highest 1. Equal scores all become 1, or 0 if they are zero."""
    if not scores:
        return {}
    low = min(scores.values())
    high = max(scores.values())
    if high == low:
        return dict.fromkeys(scores, 1.0 if high else 0.0)
    return {key: (score - low) / (high - low) for key, score in scores.items()}


# Maps each chunk to True if its language is Chinese, Japanese or Korean, and to False for any other language.
#
# The two groups share no words.
Groups = Mapping[int, bool]

# Share of the difference between two languages' mean semantic scores to carry over to their reranker scores. At 0, a
# lone passage in the question's language never comes first. At 1, questions over both vaults lose half a point.
_BY_MEANING = 0.75


def trust_words(words: Scores, groups: Groups) -> Scores:
    """Return the trust in each chunk's keyword score, from 0 to 1.

    Trust is the square root of the ratio between the best score in the chunk's language group and the best score
    overall. If all chunks are in one group, trust is 1.
    """
    highest: dict[bool, float] = {}
    for rowid, score in words.items():
        highest[groups[rowid]] = max(highest.get(groups[rowid], 0.0), score)
    most = max(highest.values(), default=0.0)
    return {rowid: (highest[groups[rowid]] / most) ** 0.5 if most else 1.0 for rowid in words}


def level_scores(judged: Judged, meaning_scores: Scores, groups: Groups) -> Judged:
    """Shift a reranker's scores so that the languages' means differ about as much as in the semantic scores.

    Both kinds of scores are compared on a scale from 0 to 1. If all candidates are in the same language group, the
    scores don't change.
    """
    scores = scored(judged)
    ours, others = ([rowid for rowid in scores if groups[rowid] is is_ours] for is_ours in (True, False))
    if not (ours and others):
        return judged

    def apart(values: Scores) -> float:
        first, second = (sum(values[rowid] for rowid in group) / len(group) for group in (ours, others))
        return first - second

    meaning = normalise({rowid: meaning_scores.get(rowid, 0.0) for rowid in scores})
    shift = _BY_MEANING * (max(scores.values()) - min(scores.values())) * apart(meaning) - apart(scores)
    return {rowid: score if score is None or not groups[rowid] else score + shift for rowid, score in judged.items()}


# Data passed between stages: the allowed chunks, the candidates, their ranking, and all scores.


@frozen
class Scope:
    """The chunks a search is restricted to.

    `allowed` is None if all chunks are allowed. `phrased` holds the chunks that contain the question's phrases, or None
    if there are no phrases. `preferred` maps chunks to the number of conditions they meet among those named in the
    question, omitting chunks that meet none. `searched` holds subsets of the allowed chunks that are searched
    separately as well, so that other chunks can't crowd them out.
    """

    allowed: Rowids | None
    phrased: frozenset[int] | None = None
    notices: tuple[Notice, ...] = ()
    preferred: Mapping[int, int] = field(default_factory=dict)
    searched: tuple[Rowids, ...] = ()


@dataclass(frozen=True)
class Trace:
    """The scores from each stage, in the order the stages ran.

    `returned` holds the scores of the chunks returned by each stage, best first. `every` holds the scores of all
    candidates in each stage. `order` holds the chunks after the last stage, best first.
    """

    returned: Mapping[str, Scores] = field(default_factory=dict)
    every: Mapping[str, Scores] = field(default_factory=dict)
    order: Scores = field(default_factory=dict)

    def add(self, stage: str, scores: Scores | None, every: Scores | None = None) -> "Trace":
        """Return the trace with another stage's scores added, best first. Without scores, the trace stays unchanged."""
        if scores is None:
            return self
        return Trace(
            {**self.returned, stage: scores}, {**self.every, stage: scores if every is None else every}, scores
        )

    def scores(self, stage: str) -> Scores:
        """Return every candidate's score in a stage, or an empty dict if the stage didn't run."""
        return self.every.get(stage, {})

    @lazy
    def ranks(self) -> Mapping[str, Mapping[int, int]]:
        """Each chunk's rank, by stage."""
        return {stage: {rowid: rank for rank, rowid in enumerate(scores, 1)} for stage, scores in self.returned.items()}

    def scores_of(self, rowid: int) -> dict[str, StageScore]:
        """Return a candidate's score and rank in each stage."""
        return {
            stage: StageScore(scores[rowid], self.ranks[stage].get(rowid))
            for stage, scores in self.every.items()
            if rowid in scores
        }


@dataclass(frozen=True)
class Candidates:
    """A search's candidates before reranking, with their chunks and notes.

    `titled` holds the first chunks of notes whose title is exactly the question.
    """

    mode: ResultMode
    trace: Trace
    chunks: ChunkMap
    cards: Cards
    titled: Sequence[int] = ()
    notices: tuple[Notice, ...] = ()

    def card(self, rowid: int) -> NoteSummary:
        """Return a candidate's note."""
        return self.cards[self.chunks[rowid].note_id]

    @lazy
    def groups(self) -> Groups:
        """Each candidate's language group. Headings count too, because the candidate's text may be code."""
        return {
            rowid: chunk.language in ("zh", "mixed")
            or bool(CHINESE.search(" ".join((self.card(rowid).title, *chunk.titles))))
            for rowid, chunk in self.chunks.items()
        }

    def after(self, stage: str, scores: Scores | None) -> Self:
        """Return the candidates with a stage's scores added. See `Trace.add`."""
        return replace(self, trace=self.trace.add(stage, scores))


@frozen
class Reranked:
    """A reranker's result.

    `scores` are the reranker's scores, best first. `order` holds the candidates with these scores blended in. If the
    reranker failed, `problem` says why.
    """

    scores: Scores | None = None
    order: Scores | None = None
    problem: Message | None = None
    notices: Sequence[Notice] = ()


@dataclass(frozen=True)
class Ranking:
    """A sub-query's ranked candidates.

    `gains` are the score boosts for chunks that match the sub-query exactly as typed. `scores` are on the same scale as
    a hit's score (see `Hit`). A hit needs a score of at least `least`.
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
        """The candidates after the last stage, best first."""
        return self.trace.order

    def best(self, count: int) -> list[tuple[Chunk, NoteSummary]]:
        """Return the first `count` candidates with their notes."""
        return [(self.candidates.chunks[rowid], self.candidates.card(rowid)) for rowid in islice(self.order, count)]


@frozen
class RankedCandidate:
    """A candidate's score and strength, and the ranking in which the candidate ranks best."""

    score: float
    strength: float
    ranking: Ranking


def merge(rankings: Sequence[Ranking]) -> dict[int, RankedCandidate]:
    """Merge the candidates from several rankings, best first.

    The rankings take turns, so that each sub-query gets a fair share of the top positions. In each turn, every ranking
    contributes one candidate, and all of them get the best score among them.
    """
    if len(rankings) == 1:
        scores = rankings[0].scores
        return {
            rowid: RankedCandidate(scores[rowid], strength, rankings[0])
            for rowid, strength in rankings[0].order.items()
        }
    scored = [[ranking.scores[rowid] for rowid in ranking.order] for ranking in rankings]
    turns = list(map(max, zip_longest(*scored, fillvalue=0.0)))
    best: dict[int, Span] = {}
    for turn, ranking in enumerate(rankings):
        for rank, rowid in enumerate(ranking.order, 1):
            best[rowid] = min(best.get(rowid, (rank, turn)), (rank, turn))
    return {
        rowid: RankedCandidate(turns[rank - 1], share(rank), rankings[turn])
        for rowid, (rank, turn) in sorted(best.items(), key=lambda item: item[1])
    }


# Duplicates: overlapping chunks in a note, copies in other notes, and identical lines.

# Minimum similarity for copies (Jaccard index over 4-character pieces).
ALIKE = 0.9

_DIGITS = re.compile(r"\d+")
_PIECE = 4
_CELLS = 1 << 14
_SHIFT = np.uint32(32 - 14)
# A prime that spreads hashes across all bits (Knuth).
_FACTOR = np.uint32(0x9E3779B1)


@dataclass(slots=True)
class Group:
    """A candidate with its duplicates: overlapping chunks in its note, and copies in other notes.

    `joined` and `dropped` are the overlapping chunks. `joined` chunks rank high enough to be hits themselves, so they
    extend the hit's passage. `dropped` chunks don't.
    """

    best: int
    joined: list[int] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)
    copies: list[int] = field(default_factory=list)


def group_duplicates(order: Sequence[int], chunks: ChunkMap, count: int) -> list[Group]:
    """Return the first `count` groups, best first. A duplicate joins the first group whose best chunk it duplicates.

    Comparing text is slow, so only candidates that may become hits are compared.
    """
    result: list[Group] = []
    texts = {rowid: _ComparedText(chunks[rowid].text) for rowid in order}
    for place, rowid in enumerate(order):
        chunk = chunks[rowid]
        is_compared = len(result) < count or place < 3 * count
        for group in result:
            other = chunks[group.best]
            is_of_note = other.note_id == chunk.note_id
            if is_of_note and chunk.start < other.end and other.start < chunk.end:
                (group.joined if place < count else group.dropped).append(rowid)
                break
            if chunk.line and other.line:
                # Lines in a list may have different meanings even if they differ only in a number.
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
    """Text to compare with other text. Its pieces are cached."""

    _text: str

    def copies(self, other: "_ComparedText") -> bool:
        length = len(self._text)
        others = len(other._text)
        if length < ALIKE * others or others < ALIKE * length:
            return False
        # If the other text lacks more than a tenth of the pieces, the two can't share nine tenths of all pieces.
        if np.count_nonzero(self._cells > other._cells) > (1 - ALIKE) * length:
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
        """A hash table with True for each cell that one or more of the text's pieces occupy."""
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

# Maps each superseded note's id to the ids of the active notes that supersede it.
NewerNotes = Mapping[str, Sequence[str]]


def newer_notes(store: Store) -> NewerNotes:
    """Return the newer notes for each superseded note.

    A note refers to the notes it supersedes by path, file name, title or alias.
    """

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
    """Return the candidates reordered so that superseded notes come after the notes that supersede them.

    A superseded note is placed below the first hit of each note that supersedes it. `hits` are the shown candidates,
    including superseded ones. All other candidates keep their order, and so do notes that supersede each other.
    """
    places = {rowid: place for place, rowid in enumerate(order)}
    first: dict[str, int] = {}
    for rowid in sorted(hits, key=places.__getitem__):
        first.setdefault(chunks[rowid].note_id, rowid)

    @cache
    def newer(old: str) -> set[str]:
        """Return the notes that supersede a note, directly or transitively."""
        known = set()
        waiting = list(successors.get(old, ()))
        while waiting:
            if (note := waiting.pop()) not in known:
                known.add(note)
                waiting += successors.get(note, ())
        return known

    @cache
    def place_below(rowid: int) -> Span:
        """Return a sort key for a candidate.

        It consists of the lowest position of the candidate and its newer notes, and the number of steps to that note.
        """
        old = chunks[rowid].note_id
        place = (places[rowid], 0)
        for new in successors.get(old, ()) if old in first else ():
            if new in first and old not in newer(new):
                above, steps = place_below(first[new])
                place = max(place, (above, steps + 1))
        return place

    return sorted(order, key=place_below)
