"""Example responses for the schema of the HTTP API, from `examples.json`, by type or name."""

import json
from collections.abc import Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

_EXAMPLES: dict[str, object] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


def example_for(kind: object) -> Any:
    """Return the example for a type; for a dataclass without one, combine examples for its fields."""
    if (name := getattr(kind, "__name__", "")) in _EXAMPLES:
        return _EXAMPLES[name]
    if is_dataclass(kind):
        return {name: example_for(hint) for name, hint in get_type_hints(kind).items()}
    return [example_for(get_args(kind)[0])] if get_origin(kind) in (list, tuple, Sequence) else None


def __getattr__(name: str) -> Any:
    """Return the example with the given name."""
    if name not in _EXAMPLES:
        raise AttributeError(name)
    return _EXAMPLES[name]
