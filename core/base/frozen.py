"""The decorator for immutable data classes."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

_Noun = TypeVar("_Noun")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(kind: type[_Noun]) -> type[_Noun]:
    """Make a class a frozen data class with slots."""
    return dataclass(frozen=True, slots=True)(kind)
