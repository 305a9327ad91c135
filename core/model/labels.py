"""Names of pipelines and rerankers on the screen, in the terminal and in reports."""

from collections.abc import Mapping
from dataclasses import asdict, replace

from core.messages import Message, lines, message
from core.model.bases import ChunkingOptions
from core.model.evaluation import Pipeline
from core.model.search import LEVELS, MODES
from core.model.settings import PARTS

_NEW = ChunkingOptions()
_STRATEGIES = {
    "auto": message("split as fits each note"),
    "none": message("whole notes"),
    "markdown": message("split by headings"),
    "recursive": message("split by size"),
    "lines": message("split by line"),
}
_SIZES = {
    "short_doc_threshold": message("notes shorter than {n} tokens whole"),
    "chunk_overlap": message("overlap {n}"),
    "min_headings_for_md_aware": message("split by headings from {n}"),
}
_CHOICES: Mapping[str, Mapping[str, Message]] = {
    "mode": dict(MODES.items()),
    "level": dict(LEVELS.items()),
    "fusion": {"weighted": message("combined by score"), "reciprocal": message("combined by rank")},
    "reranker": {"none": message("without second look")},
}
_RERANKERS = {
    "none": message("None"),
    "late-interaction": message("Word-by-word check"),
    "cross-encoder": message("Close reading (slower)"),
    "rerank-api": message("Ranking server"),
    "llm": message("Language model"),
}


def pipeline_label(pipeline: Pipeline, own: ChunkingOptions = _NEW) -> str | Message:
    """Return a pipeline's name, else its differences from a base that splits its notes by `own`."""
    if pipeline.name:
        return pipeline.name
    parts = _splitting(pipeline.chunking, own) if pipeline.chunking else []
    parts += [pipeline.embedder] if pipeline.embedder else []
    parts += [_part(name, value) for name, value in pipeline.search.chosen().items()]
    return lines(*parts, separator=" · ") if parts else message("Current settings")


def reranker_name(reranker: str) -> Message:
    """Return a reranker's name: its kind and its model, if any."""
    kind, _, model = reranker.partition(":")
    return lines(_RERANKERS.get(kind, kind), *([model] if model else []), separator=" · ")


def _splitting(options: ChunkingOptions, own: ChunkingOptions) -> list[object]:
    changed = {name: value for name, value in asdict(options).items() if value != getattr(own, name)}
    strategy: list[object] = [_STRATEGIES[options.strategy]] if "strategy" in changed or not changed else []
    if not changed.keys().isdisjoint(("chunk_size", "max_single_chunk_size")):
        # The table of settings shows the other sizes.
        sizes = {"size": options.chunk_size, "largest": options.max_single_chunk_size}
        return [*strategy, message("chunks of {size}, at most {largest}", **sizes)]
    return [
        *strategy,
        *(replace(text, fields={"n": changed[name]}) for name, text in _SIZES.items() if name in changed),
    ]


def _part(name: str, value: object) -> Message:
    part = PARTS[name]
    if text := _CHOICES.get(name, {}).get(str(value)):
        return text
    if name == "reranker":
        return message("second look: {name}", name=reranker_name(str(value)))
    return replace(part.label, fields={"n": value}) if part.label else lines(part.noun, value, separator=" ")
