"""State of one search, and the order of several that take turns."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from core.base.messages import Message
from core.base.registry import lazy
from core.base.text import query_keywords
from core.embedding import Embedder
from core.model import (
    Chunk,
    KnowledgeBase,
    Matrix,
    NoteSummary,
    Notice,
    Query,
    ResultMode,
    Rowids,
    StageScore,
    SubQuery,
)
from core.reranking import Reranker
from core.retrieval import fusion, languages


@dataclass
class SearchState:
    """State of one search between its stages: per stage, the scores of chunks by rowid.

    `spelled` is the question with the nearest spelling of words that no chunk holds, and `corrections` has those words
    with their spelling. `pools` hold the chunks that a stage returned, best first; `completed` its scores of every
    candidate. `titled` are the first chunks of the notes whose title is the question. `gains` are those of chunks
    in which the question stands as it was typed.
    """

    query: Query
    sub_query: SubQuery
    bases: Sequence[KnowledgeBase]
    mode: ResultMode
    spelled: str
    corrections: dict[str, str]
    allowed: Rowids | None = None
    phrased: set[int] | None = None
    vectors: dict[str, Matrix] = field(default_factory=dict)
    pools: dict[str, dict[int, float]] = field(default_factory=dict)
    completed: dict[str, dict[int, float]] = field(default_factory=dict)
    chunks: dict[int, Chunk] = field(default_factory=dict)
    cards: dict[str, NoteSummary] = field(default_factory=dict)
    below: set[int] = field(default_factory=set)
    titled: list[int] = field(default_factory=list)
    gains: dict[int, float] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    rerankers: dict[str, tuple[Reranker, Embedder]] = field(default_factory=dict)
    reranker: str = ""
    rerank_problem: Message | None = None

    def say(self, notice: Notice) -> None:
        """Add a notice, once."""
        if notice not in self.notices:
            self.notices.append(notice)

    @property
    def vector_bases(self) -> list[KnowledgeBase]:
        """The bases that answer by meaning."""
        return [base for base in self.bases if base.has_vectors]

    @lazy
    def words(self) -> list[str]:
        """The words that keyword search looks for."""
        return query_keywords(self.spelled)

    @lazy
    def groups(self) -> dict[int, bool]:
        """The languages of the candidates; valid once they are read."""
        return languages.groups(self.chunks, self.cards)

    @property
    def order(self) -> dict[int, float]:
        """The candidates of the last stage, best first, without those below the threshold."""
        last = list(self.pools.values())[-1] if self.pools else {}
        return {rowid: score for rowid, score in last.items() if rowid not in self.below} if self.below else last

    def card(self, rowid: int) -> NoteSummary:
        return self.cards[self.chunks[rowid].note_id]

    def best(self, count: int) -> list[tuple[Chunk, NoteSummary]]:
        """Return the first candidates with their notes."""
        return [(self.chunks[rowid], self.card(rowid)) for rowid in islice(self.order, count)]

    @lazy
    def ranks(self) -> dict[str, dict[int, int]]:
        """The rank of each chunk in every stage; valid once all stages have run."""
        return {stage: {rowid: rank for rank, rowid in enumerate(scores, 1)} for stage, scores in self.pools.items()}

    def collected(self) -> "SearchState":
        """Return the search with its candidates as they are now."""
        return replace(self, pools=dict(self.pools), completed=dict(self.completed), notices=list(self.notices))

    def take_over(self, other: "SearchState") -> None:
        """Take over the candidates that a search of the same question collected from the same notes."""
        for name in ("mode", "allowed", "phrased", "chunks", "cards", "below", "titled"):
            setattr(self, name, getattr(other, name))
        self.pools, self.completed = dict(other.pools), dict(other.completed)
        for notice in other.notices:
            self.say(notice)

    def scores(self, rowid: int) -> dict[str, StageScore]:
        """Return the score and rank of a candidate in each stage."""
        return {
            stage: StageScore(scores[rowid], self.ranks[stage].get(rowid))
            for stage, scores in self.completed.items()
            if rowid in scores
        }

    def keep(self, stage: str, scores: dict[int, float]) -> None:
        self.pools[stage] = self.completed[stage] = scores


def rank_candidates(searches: Sequence[SearchState]) -> dict[int, tuple[float, SearchState]]:
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
