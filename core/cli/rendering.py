"""What commands print of the answers of operations, for people."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from core.cli import notelines
from core.cli.texts import say

Lines = Callable[[dict[str, Any]], list[str]]

LINES: Mapping[str, Lines] = {
    "note.history": notelines.of_history,
    "note.diff": notelines.of_difference,
    "note.archive": notelines.of_archived,
}
"""The lines of an answer by the operation; those of another are its names and values."""


def plain_lines(values: Mapping[str, Any]) -> list[str]:
    """Return the names and values of an answer, a line for each."""
    return [*_lines(values, "")]


def _lines(values: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield f"{indent}{name}:"
            yield from _lines(value, f"{indent}  ")
        elif isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
            yield f"{indent}{name}:"
            for item in value:
                yield f"{indent}  - {', '.join(f'{key}: {say(part)}' for key, part in item.items())}"
        else:
            yield f"{indent}{name}: {', '.join(map(say, value)) if isinstance(value, list) else say(value)}"
