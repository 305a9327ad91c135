"""The names of setups, and setups that differ from a base in one thing."""

from dataclasses import replace

from core.model import SIZES, KnowledgeBase, Pipeline, Run, SearchSettings, pipeline_label
from pages.ui.shared import knobs
from pages.ui.shared.text import text_of

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The names of runs side by side."""


def presets(base: KnowledgeBase) -> dict[str, Pipeline]:
    """Return setups that differ from the base in one thing, by name."""
    now = base.chunking
    halved = ("chunk_size", "max_single_chunk_size", "chunk_overlap")
    halves = {name: max(SIZES[name].least, getattr(now, name) // 2) for name in halved}
    smaller = replace(now, short_doc_threshold=SIZES["short_doc_threshold"].least, **halves)
    strategies = [name for name in ("recursive", "markdown", "none") if name != now.strategy]
    by_meaning = {
        "no_rerank": Pipeline(search=SearchSettings(reranker=knobs.NO_RERANKER)),
        "meaning": Pipeline(search=SearchSettings(mode="semantic")),
        "words": Pipeline(search=SearchSettings(mode="keyword")),
    }
    return {
        **(by_meaning if base.has_vectors else {}),
        **({"smaller": Pipeline(chunking=smaller)} if smaller != now else {}),
        **{name: Pipeline(chunking=replace(now, strategy=name)) for name in strategies},
        "around": Pipeline(search=knobs.AROUND),
    }


def pipeline_name(way: Pipeline, base: KnowledgeBase) -> str:
    """Return the name of a setup: its own, else its differences from the base."""
    text = text_of(pipeline_label(way, base.chunking))
    return text if way.name else text[:1].upper() + text[1:]


def pipeline_title(run: Run, number: int, base: KnowledgeBase) -> str:
    """Return a run's letter and the name of its setup."""
    return f"{LETTERS[number]} · {pipeline_name(run.pipeline, base)}"


def needs_copy(way: Pipeline, base: KnowledgeBase) -> bool:
    """Return whether a setup needs other chunks or vectors than the base's; those are stored apart from the base."""
    return (way.chunking or base.chunking, way.embedder or base.embedder) != (base.chunking, base.embedder)
