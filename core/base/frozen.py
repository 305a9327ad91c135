"""The decorator for immutable data classes, and the type of their lists of texts."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

_Noun = TypeVar("_Noun")
Texts = tuple[str, ...]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(kind: type[_Noun]) -> type[_Noun]:
    """Make a class a frozen data class with slots."""
    return dataclass(frozen=True, slots=True)(kind)
