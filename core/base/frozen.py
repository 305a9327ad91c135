"""The decorator of the nouns: data classes whose values don't change."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

_Noun = TypeVar("_Noun")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(kind: type[_Noun]) -> type[_Noun]:
    """Make a class a data class that is frozen and has slots."""
    return dataclass(frozen=True, slots=True)(kind)
