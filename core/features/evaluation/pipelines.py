"""Pipelines as text, such as `chunk_size=256,reranker=none`, and grids of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from itertools import product
from typing import Any, cast, get_args

from pydantic import TypeAdapter, ValidationError

from core.base.errors import ConfigError, UnknownChoice
from core.model import (
    DEFAULTS,
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
from core.reranking import NONE
from core.settings.errors import problem_of
from core.settings.sections import ChunkingSettings

_CUTTING = tuple(field.name for field in fields(ChunkingOptions))
_BY_MODEL = {"answers": get_args(AnswersBy), "judge": get_args(JudgedBy)}
"""What a language model may do in a setup, and the choices of each."""
_NAMES = (*_CUTTING, "embedder", *_BY_MODEL, *PARTS)
_SEARCH = TypeAdapter(SearchSettings)

TRIED: Mapping[str, Sequence[Any]] = {"reranker": (NONE, DEFAULTS.reranker), "semantic_weight": (0.4, 0.6, 0.8)}
"""Values of the search settings that the usual grid varies."""


def parse(spec: str, start: Pipeline, chunking: ChunkingOptions) -> Pipeline:
    """Return the start with the settings of `spec`, which is also its name.

    `chunking` is the base's. Raises UnknownChoice for an unknown setting, ConfigError for an invalid value.
    """
    settings = dict(_pair(part) for part in spec.split(",") if part.strip())
    if not settings:
        raise ConfigError("This setup contains no setting. Write it as chunk_size=256,reranker=none.")
    return replace(_with(settings, start, chunking), name=spec.strip())


def combined(specs: Iterable[str], start: Pipeline, chunking: ChunkingOptions) -> list[Pipeline]:
    """Return the start with every combination of settings such as `chunk_size=256,512`; raises as `parse` does."""
    choices: dict[str, list[str]] = {}
    for spec in specs:
        name, listed = _pair(spec)
        values = [value.strip() for value in listed.split(",") if value.strip()]
        if not values:
            raise _no_setting(spec)
        choices.setdefault(name, []).extend(values)
    combinations = (dict(zip(choices, values, strict=True)) for values in product(*choices.values()))
    return [
        replace(_with(settings, start, chunking), name=",".join(f"{name}={value}" for name, value in settings.items()))
        for settings in combinations
    ]


def distinct(pipelines: Iterable[Pipeline]) -> list[Pipeline]:
    """Return pipelines without those that differ from an earlier one by their name only."""
    first: dict[Pipeline, Pipeline] = {}
    for pipeline in pipelines:
        first.setdefault(replace(pipeline, name=""), pipeline)
    return list(first.values())


def grid(
    own: Pipeline,
    *,
    chunkings: Sequence[ChunkingOptions] = (),
    embedders: Sequence[str] = (),
    choices: Mapping[str, Sequence[Any]] = TRIED,
) -> list[Pipeline]:
    """Return every combination of embedders, chunkings and search settings once, after a pipeline that changes nothing.

    Values of `own`, the base's pipeline, stay open. The order is from simple to costly where the choices are:
    chunkings and embedders, which need another index, change last. The default chunkings are the base's own and, where
    its strategy has sizes, smaller and larger ones; the default embedder is the base's.
    """
    pipelines = [Pipeline()]
    cuts = chunkings or _sizes(own.chunking)
    for embedder, cut, *values in product(embedders or [own.embedder], cuts, *choices.values()):
        chosen = dict(zip(choices, values, strict=True))
        changed = {name: value for name, value in chosen.items() if value != getattr(own.search, name)}
        if chosen.get("reranker") == NONE:
            changed.pop("rerank_weight", None)
        search = SearchSettings(**changed)
        model = "" if embedder == own.embedder else embedder
        pipelines.append(Pipeline(chunking=None if cut == own.chunking else cut, embedder=model, search=search))
    return list(dict.fromkeys(pipelines))


def _sizes(own: ChunkingOptions | None) -> Sequence[ChunkingOptions | None]:
    options = own or ChunkingOptions()
    return [own] if options.strategy in ("none", "lines") else [own, options.smaller(), options.larger()]


def _pair(part: str) -> tuple[str, str]:
    name, equals, value = (piece.strip() for piece in part.partition("="))
    if not equals or not value:
        raise _no_setting(part)
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


def _no_setting(part: str) -> ConfigError:
    return ConfigError("'{part}' isn't a setting with a value. Write it as chunk_size=256.", part=part.strip())


def index_of(base: KnowledgeBase, pipeline: Pipeline) -> tuple[ChunkingOptions, str]:
    """Return the chunking and the embedder of a pipeline on a base."""
    return pipeline.chunking or base.chunking, pipeline.embedder or base.embedder


def is_own(base: KnowledgeBase, pipeline: Pipeline) -> bool:
    """Whether a pipeline has the base's chunking and embedder."""
    return index_of(base, pipeline) == (base.chunking, base.embedder)


def options(base: KnowledgeBase, pipeline: Pipeline) -> SearchOptions:
    """Return the options of a search of a base with a pipeline."""
    chosen = pipeline.search.over(SearchSettings(limit=DEPTH)).chosen()
    return cast(SearchOptions, chosen | {"filters": Filters(bases=(base.name,))})
