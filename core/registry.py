"""A configured name -> an object from a lazily imported module, or an error that says what to do."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from threading import RLock
from typing import Any, Generic, TypeVar

from core.errors import UnknownChoice
from core.messages import Message

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of a table: `target` is `module:attribute`.

    The constructor of an entry that `reads_tokens` takes an embedder with token vectors and their centre.
    """

    target: str
    reads_tokens: bool = field(default=False, kw_only=True)


class Table(dict[str, Entry], Generic[T]):
    """The implementations of one kind, by name; `what` is the noun for the kind."""

    def __init__(self, what: Message, entries: Mapping[str, Entry]) -> None:
        super().__init__(entries)
        self._what = what
        self._built: dict[str, T] = {}
        self._building = RLock()

    def build(self, name: str) -> T:
        """Return the shared object for `name` or `name:argument`. Models are large, so each name has one object.

        Raises the errors of `make`.
        """
        with self._building:
            if name not in self._built:
                self._built[name] = self.make(name)
            return self._built[name]

    def built(self, name: str) -> T | None:
        """Return the object that `build` made for a name, or None if it was never built."""
        return self._built.get(name)

    def forget(self, *kinds: str) -> None:
        """Let `build` make the objects of these kinds anew."""
        with self._building:
            for name in [name for name in self._built if name.partition(":")[0] in kinds]:
                del self._built[name]

    def make(self, name: str, *parts: object) -> T:
        """Return an unshared object for `name` or `name:argument`; its constructor gets `parts`, then the argument.

        Raises UnknownChoice, ConfigError for a missing argument, ModelError for a folder without a model.
        """
        kind, _, argument = name.partition(":")
        made: T = self.constructor(kind)(*parts, argument) if argument else self.constructor(kind)(*parts)
        return made

    def constructor(self, name: str) -> Callable[..., Any]:
        """Return the constructor for `name`; raises UnknownChoice."""
        if name not in self:
            raise UnknownChoice(self._what, name, self)
        module, _, attribute = self[name].target.partition(":")
        constructor: Callable[..., Any] = getattr(import_module(module), attribute)
        return constructor
