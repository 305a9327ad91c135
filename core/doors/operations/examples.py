"""Examples of answers, which the schema of HTTP shows; they are in `examples.json`, by their form or their name."""

import json
from pathlib import Path
from typing import Any

from core.doors.operations.forms import Form

_EXAMPLES: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


def example_for(form: Form) -> Any:
    """Return the example of a form; without one, combine the examples of its parts."""
    return _EXAMPLES[form.name] if form.name in _EXAMPLES else {name: _part(kind) for name, kind in form.parts.items()}


def _part(kind: Any) -> Any:
    return [example_for(kind[0])] if isinstance(kind, list) else example_for(kind)


def __getattr__(name: str) -> Any:
    """Return the example of this name."""
    if name not in _EXAMPLES:
        raise AttributeError(name)
    return _EXAMPLES[name]
