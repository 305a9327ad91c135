"""What a way to search is called, and ways that differ from a base in one thing."""

from collections.abc import Mapping
from dataclasses import replace

from core.messages import message
from core.model import CHUNKING_RANGES, KnowledgeBase, Pipeline, Run, SearchSettings, pipeline_label
from pages.ui.shared import knobs, names, rerankers
from pages.ui.shared.text import said

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""What runs are called where they stand side by side."""

AS_IS = Pipeline()
OTHERS = {"strategy": message("Strategy"), "embedder": message("Model for meaning")}
"""The settings of a run that are neither a search's nor sizes."""
_SIZES = ("chunk_size", "max_single_chunk_size")


def presets(base: KnowledgeBase) -> dict[str, Pipeline]:
    """Return ways that differ from the base in one thing, by name."""
    now = base.chunking
    lowest = {name: ends[0] for name, ends in CHUNKING_RANGES.items()}
    halves = {name: max(lowest[name], getattr(now, name) // 2) for name in (*_SIZES, "chunk_overlap")}
    smaller = replace(now, short_doc_threshold=lowest["short_doc_threshold"], **halves)
    others = {
        name: Pipeline(chunking=replace(now, strategy=name))
        for name in ("recursive", "markdown", "none")
        if name != now.strategy
    }
    return {
        "no_rerank": Pipeline(search=SearchSettings(reranker=rerankers.NONE)),
        "meaning": Pipeline(search=SearchSettings(mode="semantic")),
        "words": Pipeline(search=SearchSettings(mode="keyword")),
        **({"smaller": Pipeline(chunking=smaller)} if smaller != now else {}),
        **others,
        "around": Pipeline(search=knobs.AROUND),
    }


def called(way: Pipeline, base: KnowledgeBase) -> str:
    """Return what a setup is called: its own name, else what differs from the base."""
    text = said(pipeline_label(way, base.chunking))
    return text if way.name else text[:1].upper() + text[1:]


def titled(run: Run, number: int, base: KnowledgeBase) -> str:
    """Return a run's letter and what its way is called."""
    return f"{LETTERS[number]} · {called(run.pipeline, base)}"


def beside(way: Pipeline, base: KnowledgeBase) -> bool:
    """Whether the notes must be cut or embedded anew for it, in a place beside the base."""
    return (way.chunking or base.chunking, way.embedder or base.embedder) != (base.chunking, base.embedder)


def setting(name: str) -> str:
    """Return what a setting of a run is called."""
    if name in OTHERS:
        return said(OTHERS[name])
    return said(names.PARAMETERS[name]) if name in names.PARAMETERS else knobs.setting(name)


def value(settings: Mapping[str, object], name: str) -> str:
    """Return a run's setting as it is shown."""
    return knobs.shown(name, settings.get(name))
