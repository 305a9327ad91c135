"""A configured name -> an object, lazily imported, or the error that names the cure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from threading import RLock
from typing import Any, TypeVar

from core.errors import MissingDependency, UnknownChoice

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of a table: where the implementation is, what it is for, and what it needs.

    `target` is `module:attribute`. `package` is imported before it, so that its absence is told
    by name; `extra` is the extra of this project that brings it.
    """

    target: str
    summary: str
    package: str | None = None
    extra: str | None = None


_building = RLock()


def build(table: Mapping[str, Entry], what: str, name: str, built: dict[str, T]) -> T:
    """Return what `built` holds for a name, made at the first asking; raises as `make` does."""
    with _building:
        if name not in built:
            built[name] = make(table, what, name)
        return built[name]


def make(table: Mapping[str, Entry], what: str, name: str) -> Any:
    """Return a new object for `name` or `name:argument`; raises as `load` and its constructor do."""
    kind, _, argument = name.partition(":")
    constructor = load(table, what, kind)
    return constructor(argument) if argument else constructor()


def load(table: Mapping[str, Entry], what: str, name: str) -> Callable[..., Any]:
    """Return the constructor that `name` stands for.

    Raises UnknownChoice, or MissingDependency where its package isn't installed.
    """
    if name not in table:
        raise UnknownChoice(what, name, table)
    entry = table[name]
    if entry.package is not None:
        try:
            import_module(entry.package)
        except ImportError as error:
            raise MissingDependency(f"The {what} '{name}'", entry.package, entry.extra) from error
    module, _, attribute = entry.target.partition(":")
    constructor: Callable[..., Any] = getattr(import_module(module), attribute)
    return constructor
