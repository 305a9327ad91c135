"""What a reranker gives on questions that were held back: against no reranking, and against late interaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from core import evaluation
from core.embedding import Embedder
from core.errors import ModelError
from core.indexing import Draft, Indexer
from core.model import (
    ChunkingOptions,
    Filters,
    GoldSpan,
    Hit,
    KnowledgeBase,
    Note,
    Progress,
    Query,
    Question,
    unheard,
)
from core.reranking import Reranker
from core.retrieval import Retriever, fusion
from core.store import Store
from core.training.examples import Example, Passage

WEIGHTS = (0.3, 0.5, 0.7, 1.0)
"""The shares of a reranker that are tried; 1 is the reranker alone."""

POOL = 20


@dataclass(frozen=True, slots=True)
class Figures:
    """How often the right passage was first, and the mean of 1 / its rank within ten; `weight` is the reranker's."""

    reranker: str
    weight: float
    hit_at_1: float
    mrr_at_10: float


def shelve(
    store: Store,
    passages: Sequence[Passage],
    examples: Sequence[Example],
    embedder: Embedder,
    progress: Progress = unheard,
) -> tuple[KnowledgeBase, list[Question]]:
    """Make a base with a note a passage, and questions on it; `examples` number the passages."""
    base = store.notes.add_base(
        "held back",
        embedder="bundled",
        fingerprint=embedder.fingerprint,
        dimension=embedder.dimension,
        chunking=ChunkingOptions(strategy="none"),
    )
    store.add_base_index(base)
    hidden = {one.right: one.hidden for one in examples if one.hidden}
    texts = [
        passage.text.replace(hidden[number], " ") if number in hidden else passage.text
        for number, passage in enumerate(passages)
    ]
    drafts = [
        Draft(Note(f"{number}", base.id, "", text, sha256(text.encode()).hexdigest(), path=f"{number}"))
        for number, text in enumerate(texts)
    ]
    Indexer(store, base, embedder).index(drafts, len(drafts), progress)
    questions = [
        Question(f"{number}", one.question, (_whole(f"{one.right}", texts[one.right]),))
        for number, one in enumerate(examples)
    ]
    return base, questions


def _whole(note: str, text: str) -> GoldSpan:
    return GoldSpan(note, text, 0, len(text), note)


def measure(
    store: Store,
    base: KnowledgeBase,
    questions: Sequence[Question],
    embedder: Embedder,
    rerankers: Mapping[str, Reranker],
    *,
    weights: Sequence[float] = WEIGHTS,
    progress: Progress = unheard,
) -> list[Figures]:
    """Ask every question, and tell for no reranking, and each reranker at each weight, how well it went."""
    found: dict[str, Mapping[str, Sequence[Hit]]] = {}
    total = len(questions) * (1 + len(rerankers))
    for name in ("", *rerankers):
        retriever = Retriever(store, lambda _: embedder, lambda _, asked: rerankers[asked])
        hits: dict[str, Sequence[Hit]] = {}
        for number, question in enumerate(questions):
            progress(len(found) * len(questions) + number, total, name or "no reranking")
            asked = Query(question.text, Filters(bases=(base.name,)), limit=100, reranker=name, rerank_pool=POOL)
            result = retriever.search(asked)
            if result.rerank_problem:
                raise ModelError(result.rerank_problem)
            hits[question.text] = result.hits
        found[name] = hits

    def figures(name: str, weight: float) -> Figures:
        told = evaluation.run(questions, lambda asked: _blended(found[name][asked.text], weight)).metrics
        return Figures(name, weight, told["hit@1"], told["mrr@10"])

    return [figures("", 0.0), *(figures(name, weight) for name in rerankers for weight in weights)]


def _blended(hits: Sequence[Hit], weight: float) -> list[Hit]:
    """The ten best of a search at another weight of its reranker."""
    fused = {number: hit.scores["fused"].score for number, hit in enumerate(hits)}
    judged: dict[int, float | None] = {
        number: hit.scores["rerank"].score for number, hit in enumerate(hits) if "rerank" in hit.scores
    }
    order = fusion.blended(fused, judged, weight) if judged else fusion.best(fused, len(fused))
    return [hits[number] for number in order][: evaluation.DEPTH]


def scratch(folder: Path) -> Store:
    """Return a store for what is held back, with its index open."""
    store = Store(folder)
    store.open_index()
    return store
