"""Values passed between the stages of a search: allowed chunks, candidates, their ranking, and all scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest
from typing import Self

from core.base.blobs import Span
from core.base.frozen import frozen
from core.base.messages import Message
from core.base.registry import lazy
from core.model import Chunk, NoteSummary, Notice, ResultMode, Rowids, StageScore
from core.retrieval import fusion
from core.retrieval.fusion import Cards, ChunkMap
from core.retrieval.requests import SearchRequest
from core.store.top_k import Scores


@frozen
class Scope:
    """The chunks that a question allows (None: all), and those that contain its phrases (None without phrases).

    `preferred` has the number of named conditions that each chunk passes, for chunks that pass any. Candidates are also
    collected within each of `searched`, so that other chunks don't crowd them out.
    """

    allowed: Rowids | None
    phrased: frozenset[int] | None = None
    notices: tuple[Notice, ...] = ()
    preferred: Mapping[int, int] = field(default_factory=dict)
    searched: tuple[Rowids, ...] = ()


@frozen
class StageScores:
    """The scores of a stage: for the chunks that it returned, best first, and for every candidate."""

    returned: Scores
    every: Scores


@dataclass(frozen=True)
class Trace:
    """The scores of each stage, in the order in which the stages ran.

    `order` are the chunks after the last stage, best first.
    """

    stages: Mapping[str, StageScores] = field(default_factory=dict)
    order: Scores = field(default_factory=dict)

    def add(self, stage: str, scores: Scores | None, every: Scores | None = None) -> Self:
        """Return the trace after a stage with the given scores, best first; None if the stage had nothing to do."""
        if scores is None:
            return self
        stages = {**self.stages, stage: StageScores(scores, scores if every is None else every)}
        return replace(self, stages=stages, order=scores)

    def scores(self, stage: str) -> Scores:
        """Return the scores of every candidate in a stage, empty if it didn't run."""
        return self.stages[stage].every if stage in self.stages else {}

    @lazy
    def ranks(self) -> Mapping[str, Mapping[int, int]]:
        """The rank of each chunk in every stage."""
        return {
            stage: {rowid: rank for rank, rowid in enumerate(scores.returned, 1)}
            for stage, scores in self.stages.items()
        }

    def scores_of(self, rowid: int) -> dict[str, StageScore]:
        """Return the score and rank of a candidate in each stage."""
        return {
            stage: StageScore(scores.every[rowid], self.ranks[stage].get(rowid))
            for stage, scores in self.stages.items()
            if rowid in scores.every
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
    def groups(self) -> Mapping[int, bool]:
        """The language group of each candidate."""
        return fusion.language_groups(self.chunks, self.cards)

    def after(self, stage: str, scores: Scores | None) -> Self:
        """Return the candidates after a stage; see `Trace.add`."""
        return replace(self, trace=self.trace.add(stage, scores))


@frozen
class Reranked:
    """The result of a reranker: its scores, best first, and the order with its scores blended in, or a problem."""

    scores: Scores | None = None
    order: Scores | None = None
    problem: Message | None = None
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class Ranking:
    """The ranked candidates of a sub-query; `gains` are for chunks that contain the sub-query as typed.

    `scores` are those of hits (see `Hit`), which need at least `least`.
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

    @property
    def reranker(self) -> str:
        """The reranker that judged the candidates, "" without one."""
        return self.request.query.settings.reranker if self.reranked.scores else ""

    @property
    def rerank_problem(self) -> Message | None:
        """The reason why the reranker judged no candidates."""
        return self.reranked.problem or self.request.rerank_problem

    @property
    def notices(self) -> Sequence[Notice]:
        """The notices of all stages, with repetitions."""
        return (*self.request.notices, *self.scope.notices, *self.candidates.notices, *self.reranked.notices)

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

    The rankings take turns, so that each sub-query has a fair share of the first places. All candidates of a turn have
    its best score.
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
        rowid: RankedCandidate(turns[rank - 1], fusion.share(rank), rankings[turn])
        for rowid, (rank, turn) in sorted(best.items(), key=lambda item: item[1])
    }
