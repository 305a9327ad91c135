"""Pipelines as text, such as `chunk_size=256,reranker=none`."""

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any, cast, get_args

from pydantic import TypeAdapter, ValidationError

from core.base.errors import ConfigError, UnknownChoice
from core.model import (
    DEPTH,
    PARTS,
    AnswersBy,
    ChunkingOptions,
    Filters,
    JudgedBy,
    KnowledgeBase,
    Pipeline,
    SearchOptions,
    SearchSettings,
)
from core.settings.errors import problem_of
from core.settings.sections import ChunkingSettings

_CUTTING = tuple(field.name for field in fields(ChunkingOptions))
_BY_MODEL = {"answers": get_args(AnswersBy), "judge": get_args(JudgedBy)}
"""Settings of a pipeline that may use a language model, with their choices."""
_NAMES = (*_CUTTING, "embedder", *_BY_MODEL, *PARTS)
_SEARCH = TypeAdapter(SearchSettings)


def parse(spec: str, start: Pipeline, chunking: ChunkingOptions) -> Pipeline:
    """Return the pipeline `start` with the settings in `spec` changed, and with `spec` as name.

    `chunking` is the chunking of the base. Raises UnknownChoice for an unknown setting, and ConfigError for an invalid
    value.
    """
    settings = dict(_pair(part) for part in spec.split(",") if part.strip())
    if not settings:
        raise ConfigError("This setup contains no settings. Write it like chunk_size=256,reranker=none.")
    return replace(_with(settings, start, chunking), name=spec.strip())


def _pair(part: str) -> tuple[str, str]:
    name, equals, value = (piece.strip() for piece in part.partition("="))
    if not equals or not value:
        raise ConfigError("'{part}' isn't a setting with a value. Write it like chunk_size=256.", part=part.strip())
    if name not in _NAMES:
        raise UnknownChoice("setting", name, _NAMES)
    return name, value


def _with(settings: Mapping[str, str], start: Pipeline, chunking: ChunkingOptions) -> Pipeline:
    cut = {name: value for name, value in settings.items() if name in _CUTTING}
    search = {name: value for name, value in settings.items() if name in PARTS}
    try:
        if cut:
            checked = ChunkingSettings.model_validate(asdict(start.chunking or chunking) | cut)
            start = replace(start, chunking=ChunkingOptions(**checked.model_dump()))
        chosen = _SEARCH.validate_python(search).over(start.search)
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(
            "The setting '{name}' is not valid: {reason}.", name=str(first["loc"][0]), reason=problem_of(first)
        ) from error
    by_model: dict[str, Any] = {name: value for name, value in settings.items() if name in _BY_MODEL}
    for name, value in by_model.items():
        if value not in _BY_MODEL[name]:
            raise UnknownChoice("setting", value, _BY_MODEL[name])
    return replace(start, search=chosen, embedder=settings.get("embedder", start.embedder), **by_model)


def index_of(base: KnowledgeBase, pipeline: Pipeline) -> tuple[ChunkingOptions, str]:
    """Return the chunking and the embedder that a pipeline uses for a base."""
    return pipeline.chunking or base.chunking, pipeline.embedder or base.embedder


def is_own(base: KnowledgeBase, pipeline: Pipeline) -> bool:
    """Whether a pipeline uses the base's own chunking and embedder."""
    return index_of(base, pipeline) == (base.chunking, base.embedder)


def options(base: KnowledgeBase, pipeline: Pipeline) -> SearchOptions:
    """Return the options for searching a base with a pipeline."""
    chosen = pipeline.search.over(SearchSettings(limit=DEPTH)).chosen()
    return cast(SearchOptions, chosen | {"filters": Filters(bases=(base.name,))})
