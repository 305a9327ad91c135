"""Checks of the sizes that strategies take, and how a fingerprint spells them."""

from core.errors import ConfigError


def positive(name: str, value: int) -> int:
    """Return the value. Raises ConfigError below 1."""
    if value < 1:
        raise ConfigError(f"{name} is {value}; it must be at least 1.")
    return value


def limit(value: int) -> int:
    """Return `max_single_chunk_size`. Raises ConfigError below 1."""
    return positive("max_single_chunk_size", value)


def size(chunk_size: int, max_single_chunk_size: int) -> int:
    """Return `chunk_size`. Raises ConfigError outside 1 to `max_single_chunk_size`."""
    limit(max_single_chunk_size)
    if not 1 <= chunk_size <= max_single_chunk_size:
        raise ConfigError(
            f"chunk_size is {chunk_size}; it must be from 1 to max_single_chunk_size ({max_single_chunk_size})."
        )
    return chunk_size


def overlap(chunk_overlap: int, chunk_size: int) -> int:
    """Return `chunk_overlap`. Raises ConfigError outside 0 to `chunk_size` - 1."""
    if not 0 <= chunk_overlap < chunk_size:
        raise ConfigError(f"chunk_overlap is {chunk_overlap}; it must be from 0 to {chunk_size - 1}, below chunk_size.")
    return chunk_overlap


def options(name: str, **values: int) -> str:
    """Return the fingerprint of a strategy with its options."""
    return f"{name}({','.join(f'{key}={value}' for key, value in values.items())})"
