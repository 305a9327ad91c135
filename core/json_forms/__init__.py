"""Nouns as values for JSON, each with the type of its form; messages stay messages until a door renders them."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

Form = TypeVar("Form")


def formed(form: Callable[..., Form], noun: object, **given: Any) -> Form:
    """Return the form of a noun: its fields are those `given`, and attributes of the noun of the same names."""
    return form(**{name: given[name] if name in given else plain(getattr(noun, name)) for name in _names(form)})


def plain(value: Any) -> Any:
    """Return a value as JSON has it: a time as text, a tuple as a list, a noun as its fields."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, (tuple, list)):
        return [*map(plain, value)]
    if is_dataclass(value) and type(value).__module__.startswith("core.model"):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    return value


@cache
def _names(form: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(get_type_hints(form))
