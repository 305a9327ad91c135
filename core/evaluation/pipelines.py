"""How a pipeline is written: `chunk_size=256, reranker=none`, and grids of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from itertools import product

from pydantic import TypeAdapter, ValidationError

from core.config import ChunkingSettings, problem_of
from core.errors import ConfigError, UnknownChoice
from core.model import PARTS, ChunkingOptions, Pipeline, SearchSettings

_CUTTING = tuple(field.name for field in fields(ChunkingOptions))
_NAMES = (*_CUTTING, "embedder", *PARTS)
_SEARCH = TypeAdapter(SearchSettings)


def parse(spec: str, start: Pipeline, chunking: ChunkingOptions) -> Pipeline:
    """Return a pipeline that differs from another one as `spec` says, under that name.

    `chunking` is the base's, for what the spec leaves open of it. Raises UnknownChoice for the name of a
    setting, ConfigError for a value that can't be.
    """
    given = dict(_pair(part) for part in spec.split(",") if part.strip())
    if not given:
        raise ConfigError("This pipeline names no setting. Write it as chunk_size=256,reranker=none.")
    return replace(_with(given, start, chunking), name=spec.strip())


def combined(specs: Iterable[str], start: Pipeline, chunking: ChunkingOptions) -> list[Pipeline]:
    """Return a pipeline for every combination of settings such as `chunk_size=256,512`, the start first.

    Raises as `parse` does.
    """
    choices: dict[str, list[str]] = {}
    for spec in specs:
        name, values = _choices(spec)
        choices.setdefault(name, []).extend(values)
    combinations = (dict(zip(choices, chosen, strict=True)) for chosen in product(*choices.values()))
    others = [
        replace(_with(given, start, chunking), name=",".join(f"{name}={value}" for name, value in given.items()))
        for given in combinations
    ]
    return distinct([start, *others])


def distinct(pipelines: Iterable[Pipeline]) -> list[Pipeline]:
    """Return pipelines without those that are another one under another name."""
    found: dict[Pipeline, Pipeline] = {}
    for pipeline in pipelines:
        found.setdefault(replace(pipeline, name=""), pipeline)
    return list(found.values())


def _choices(spec: str) -> tuple[str, Sequence[str]]:
    name, values = _pair(spec)
    listed = [value.strip() for value in values.split(",") if value.strip()]
    if not listed:
        raise _no_setting(spec)
    return name, listed


def _pair(part: str) -> tuple[str, str]:
    name, equals, value = (piece.strip() for piece in part.partition("="))
    if not equals or not value:
        raise _no_setting(part)
    if name not in _NAMES:
        raise UnknownChoice("setting", name, _NAMES)
    return name, value


def _with(given: Mapping[str, str], start: Pipeline, chunking: ChunkingOptions) -> Pipeline:
    cut = {name: value for name, value in given.items() if name in _CUTTING}
    search = {name: value for name, value in given.items() if name in PARTS}
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
    return replace(start, search=chosen, embedder=given.get("embedder", start.embedder))


def _no_setting(part: str) -> ConfigError:
    return ConfigError("'{part}' is no setting with its value. Write it as chunk_size=256.", part=part.strip())
