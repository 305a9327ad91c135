"""What a way to search is called, and ways that differ from a base in one thing."""

from collections.abc import Mapping
from dataclasses import asdict, replace

from core.model import ChunkingOptions, KnowledgeBase, Pipeline, Run
from core.workspace import ranges
from pages.ui import rerankers
from pages.ui.parameters import STRATEGIES
from pages.ui.sentences import said
from pages.ui.text import t

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""What runs are called where they stand side by side."""

AS_IS = Pipeline()
CUTS = {
    "auto": "cut as fits each note",
    "none": "whole notes",
    "markdown": "cut by headings",
    "recursive": "cut by size",
    "lines": "cut by line",
}
MODES = {"semantic": "by meaning only", "keyword": "by words only", "hybrid": "by meaning and words"}
_SIZES = ("chunk_size", "max_single_chunk_size")


def presets(base: KnowledgeBase) -> dict[str, Pipeline]:
    """Return ways that differ from the base in one thing, by name."""
    now = base.chunking
    lowest = {name: ends[0] for name, ends in ranges().items()}
    halves = {name: max(lowest[name], getattr(now, name) // 2) for name in (*_SIZES, "chunk_overlap")}
    smaller = replace(now, short_doc_threshold=lowest["short_doc_threshold"], **halves)
    others = {
        name: Pipeline(chunking=replace(now, strategy=name))
        for name in ("recursive", "markdown", "none")
        if name != now.strategy
    }
    return {
        "no_rerank": Pipeline(reranker=rerankers.NONE),
        "meaning": Pipeline(mode="semantic"),
        "words": Pipeline(mode="keyword"),
        **({"smaller": Pipeline(chunking=smaller)} if smaller != now else {}),
        **others,
        "around": Pipeline(expansion_size=1),
    }


def named(way: Pipeline, base: KnowledgeBase) -> str:
    """Return a way's own name, else what it does in another way than the base, in English, parted by dots."""
    if way.name:
        return way.name
    parts = [
        *(_cut(way.chunking, base.chunking) if way.chunking else []),
        *([way.embedder] if way.embedder and way.embedder != base.embedder else []),
        *([MODES[way.mode]] if way.mode in MODES else []),
        *([f"level {way.level}"] if way.level != "auto" else []),
        *([f"{way.fusion} fusion"] if way.fusion else []),
        *([f"weight {way.semantic_weight:g}"] if way.semantic_weight is not None else []),
        *(["no reranking" if way.reranker == rerankers.NONE else way.reranker] if way.reranker is not None else []),
        *([f"rerank weight {way.rerank_weight:g}"] if way.rerank_weight is not None else []),
        *([f"neighbours ±{way.expansion_size}"] if way.expansion_size else []),
        *([f"limit {way.limit}"] if way.limit != AS_IS.limit else []),
    ]
    return " · ".join(parts) or "as it is"


def called(way: Pipeline, base: KnowledgeBase) -> str:
    """Return what a way is called, in the person's language."""
    told = " · ".join(said(part) for part in named(way, base).split(" · "))
    return told[:1].upper() + told[1:]


def titled(run: Run, number: int, base: KnowledgeBase) -> str:
    """Return a run's letter and what its way is called."""
    return f"{LETTERS[number]} · {called(run.pipeline, base)}"


def _cut(options: ChunkingOptions, base: ChunkingOptions) -> list[str]:
    heeded = [name for name in asdict(options) if name in STRATEGIES.get(options.strategy, ())]
    other = {name: value for name in heeded if (value := getattr(options, name)) != getattr(base, name)}
    told = [CUTS[options.strategy]] if options.strategy != base.strategy or not other else []
    if any(name in other for name in _SIZES):
        # The sizes beside these are told of in the table of settings.
        return [*told, f"chunks {options.chunk_size}/{options.max_single_chunk_size}"]
    return [*told, *(f"{name} {value}" for name, value in other.items())]


def beside(way: Pipeline, base: KnowledgeBase) -> bool:
    """Whether the notes must be cut or embedded anew for it, in a place beside the base."""
    return (way.chunking or base.chunking, way.embedder or base.embedder) != (base.chunking, base.embedder)


def setting(name: str) -> str:
    """Return what a setting of a run is called."""
    known = ("limit", "pool", "semantic_weight", "fusion", "link_weight", "phrase", "reranker", "rerank_pool")
    if name in (*known, "rerank_weight", "rerank_characters", "score_threshold"):
        return t(f"setting.{name}")
    if name in ranges() or name == "strategy":
        return t(f"try.{name}")
    return {
        "mode": t("search.mode"),
        "level": t("search.level"),
        "embedder": t("eval.way.embedder"),
        "expansion_size": t("search.expansion"),
    }.get(name, name)


def value(settings: Mapping[str, object], name: str) -> str:
    """Return a run's setting as it is shown."""
    told = settings.get(name)
    if name == "reranker":
        return rerankers.called(str(told))
    if name in ("mode", "level", "fusion", "phrase", "strategy"):
        return t(f"{name}.{told}")
    return f"{told:g}" if isinstance(told, float) else "–" if told in (None, "") else str(told)
