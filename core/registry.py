"""A configured name -> an object from a lazily imported module, or an error that says what to do."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from threading import RLock
from typing import Any, TypeVar

from core.errors import MissingDependency, UnknownChoice
from core.messages import Message, message

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of a table: an implementation, its summary and its requirements.

    `target` is `module:attribute`. `package` is an optional package that the target needs, and `extra` the extra of
    this project that installs it. The constructor of an entry that `reads_tokens` takes an embedder with token vectors
    and their centre.
    """

    target: str
    summary: str
    package: str | None = None
    extra: str | None = None
    reads_tokens: bool = False


_building = RLock()


def build(table: Mapping[str, Entry], what: Message, name: str, built: dict[str, T]) -> T:
    """Return the object in `built` for a name; the first call makes it. Raises the errors of `make`."""
    with _building:
        if name not in built:
            built[name] = make(table, what, name)
        return built[name]


def make(table: Mapping[str, Entry], what: Message, name: str, *parts: object) -> Any:
    """Return a new object for `name` or `name:argument`; its constructor gets `parts`, then the argument.

    Raises the errors of `load` and of the constructor.
    """
    kind, _, argument = name.partition(":")
    constructor = load(table, what, kind)
    return constructor(*parts, argument) if argument else constructor(*parts)


def load(table: Mapping[str, Entry], what: Message, name: str) -> Callable[..., Any]:
    """Return the constructor for `name`.

    Raises UnknownChoice, or MissingDependency if its package isn't installed.
    """
    if name not in table:
        raise UnknownChoice(what, name, table)
    entry = table[name]
    if entry.package is not None:
        try:
            import_module(entry.package)
        except ImportError as error:
            choice = message("The {what} '{name}'", what=what, name=name)
            raise MissingDependency(choice, entry.package, entry.extra) from error
    module, _, attribute = entry.target.partition(":")
    constructor: Callable[..., Any] = getattr(import_module(module), attribute)
    return constructor
