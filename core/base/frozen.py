"""A decorator for immutable data classes, and common field types."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, dataclass_transform

_Noun = TypeVar("_Noun")
Texts = tuple[str, ...]
Pair = tuple[str, str]
# Strings, keyed by name.
TextValues = dict[str, str]
# Read-only version of TextValues.
TextMap = Mapping[str, str]
# Values of any type, keyed by name.
Values = dict[str, object]
# Values of unchecked types, keyed by name.
AnyValues = dict[str, Any]
# Read-only version of AnyValues.
AnyMap = Mapping[str, Any]
# Read-only version of Values.
ValueMap = Mapping[str, object]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(kind: type[_Noun]) -> type[_Noun]:
    """Turn a class into a frozen data class with slots."""
    return dataclass(frozen=True, slots=True)(kind)


def attributes(noun: object, names: Iterable[str]) -> AnyValues:
    """Return some of an object's attributes, by name."""
    return {name: getattr(noun, name) for name in names}
