"""One search on its way through the stages, and several taking turns."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from core.embedding import Embedder
from core.model import Chunk, KnowledgeBase, Matrix, Mode, NoteCard, Query, Rowids, StageScore, SubQuery
from core.reranking import Reranker
from core.retrieval import fusion


@dataclass
class Search:
    """What the stages of one search hand on: per stage, the score of each chunk by its rowid.

    `pools` hold what a stage returned, best first; `completed` what it says of every candidate.
    """

    query: Query
    sub_query: SubQuery
    bases: Sequence[KnowledgeBase]
    mode: Mode
    words: Sequence[str]
    allowed: Rowids | None = None
    phrased: set[int] | None = None
    vectors: dict[str, Matrix] = field(default_factory=dict)
    pools: dict[str, dict[int, float]] = field(default_factory=dict)
    completed: dict[str, dict[int, float]] = field(default_factory=dict)
    chunks: dict[int, Chunk] = field(default_factory=dict)
    cards: dict[str, NoteCard] = field(default_factory=dict)
    below: set[int] = field(default_factory=set)
    notices: list[str] = field(default_factory=list)
    rerankers: dict[str, tuple[Reranker, Embedder]] = field(default_factory=dict)
    reranker: str = ""
    rerank_problem: str = ""

    def say(self, notice: str) -> None:
        """Tell the person, once."""
        if notice not in self.notices:
            self.notices.append(notice)

    @property
    def order(self) -> dict[int, float]:
        """The candidates as the last stage left them, best first, but for those below the threshold."""
        last = list(self.pools.values())[-1] if self.pools else {}
        return {rowid: score for rowid, score in last.items() if rowid not in self.below} if self.below else last

    def card(self, rowid: int) -> NoteCard:
        return self.cards[self.chunks[rowid].note_id]

    def best(self, count: int) -> list[tuple[Chunk, NoteCard]]:
        """The first candidates, with their notes."""
        return [(self.chunks[rowid], self.card(rowid)) for rowid in islice(self.order, count)]

    @cached_property
    def ranks(self) -> dict[str, dict[int, int]]:
        """The place of each chunk in what every stage returned; asked for when all are through."""
        return {stage: {rowid: rank for rank, rowid in enumerate(scores, 1)} for stage, scores in self.pools.items()}

    def scores(self, rowid: int) -> dict[str, StageScore]:
        """What each stage said of a candidate."""
        return {
            stage: StageScore(said[rowid], self.ranks[stage].get(rowid))
            for stage, said in self.completed.items()
            if rowid in said
        }

    def keep(self, stage: str, scores: dict[int, float]) -> None:
        self.pools[stage] = self.completed[stage] = scores


def placed(searches: Sequence[Search]) -> dict[int, tuple[float, Search]]:
    """Return each candidate with its score and the search that ranks it best, best first.

    Several searches take turns, so that each has a fair share of the first places.
    """
    if len(searches) == 1:
        return {rowid: (score, searches[0]) for rowid, score in searches[0].order.items()}
    best: dict[int, tuple[int, int]] = {}
    for turn, search in enumerate(searches):
        for rank, rowid in enumerate(search.order, 1):
            best[rowid] = min(best.get(rowid, (rank, turn)), (rank, turn))
    return {
        rowid: (fusion.share(rank), searches[turn])
        for rowid, (rank, turn) in sorted(best.items(), key=lambda item: item[1])
    }
