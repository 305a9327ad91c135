"""Checks of the options of strategies."""

from core.base.errors import ConfigError
from core.model import SETTINGS, SIZES, ChunkingOptions


def check_ranges(options: ChunkingOptions, stored: ChunkingOptions) -> None:
    """Raise ConfigError for a size outside its range. A base keeps what is `stored`: earlier versions took any size."""
    for name, option in SIZES.items():
        value = getattr(options, name)
        if value != getattr(stored, name) and (problem := option.problem(name, value)):
            raise ConfigError(problem)


def positive(name: str, value: int) -> int:
    """Return the value. Raises ConfigError below 1."""
    if value < 1:
        raise ConfigError(
            "“{setting}” ({name}) is {value}; it must be at least 1.", setting=SETTINGS[name], name=name, value=value
        )
    return value


def size(chunk_size: int, max_single_chunk_size: int) -> int:
    """Return `chunk_size`. Raises ConfigError outside 1 to `max_single_chunk_size`."""
    positive("max_single_chunk_size", max_single_chunk_size)
    if not 1 <= chunk_size <= max_single_chunk_size:
        raise ConfigError(
            "The chunk size (chunk_size) is {value}; it must be from 1 to {most}, the largest chunk "
            "(max_single_chunk_size).",
            value=chunk_size,
            most=max_single_chunk_size,
        )
    return chunk_size


def overlap(chunk_overlap: int, chunk_size: int) -> int:
    """Return `chunk_overlap`. Raises ConfigError outside 0 to `chunk_size` - 1."""
    if not 0 <= chunk_overlap < chunk_size:
        raise ConfigError(
            "The overlap (chunk_overlap) is {value}; it must be from 0 to {most}, below the chunk size (chunk_size).",
            value=chunk_overlap,
            most=chunk_size - 1,
        )
    return chunk_overlap
