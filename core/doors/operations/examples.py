"""Examples of answers, which the schema of HTTP shows; they are in `examples.json`, by their form or their name."""

import json
from collections.abc import Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from core.doors.operations.forms import Form

_EXAMPLES: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


def example_for(kind: Any) -> Any:
    """Return the example of a form or of a noun; without one, combine the examples of its parts."""
    if isinstance(kind, list):
        return [example_for(kind[0])]
    name = kind.name if isinstance(kind, Form) else getattr(kind, "__name__", "")
    if name in _EXAMPLES:
        return _EXAMPLES[name]
    if isinstance(kind, Form):
        return {name: example_for(part) for name, part in kind.parts.items()}
    if is_dataclass(kind):
        return {name: example_for(hint) for name, hint in get_type_hints(kind).items()}
    return [example_for(get_args(kind)[0])] if get_origin(kind) in (list, tuple, Sequence) else None


def __getattr__(name: str) -> Any:
    """Return the example of this name."""
    if name not in _EXAMPLES:
        raise AttributeError(name)
    return _EXAMPLES[name]
