"""Examples of arguments and answers, which the schema of HTTP shows; they stand in `examples.json`."""

import json
from pathlib import Path
from typing import Any

_EXAMPLES: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


def __getattr__(name: str) -> Any:
    """Return the example of this name."""
    if name not in _EXAMPLES:
        raise AttributeError(name)
    return _EXAMPLES[name]
