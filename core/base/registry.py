"""Tables of implementations that are imported on first use, and attributes that are computed on first use."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from importlib.metadata import entry_points
from logging import getLogger
from threading import RLock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from core.base.errors import ModelError, TesseraError, UnknownChoice
from core.base.frozen import frozen
from core.base.messages import Message

T = TypeVar("T")


class lazy(cached_property[T]):  # noqa: N801 - it is used as a decorator
    """A `functools.cached_property` without its lock, which in Python 3.11 is shared by all instances of a class.

    Two threads that take the shared lock and an object's own lock in opposite orders would deadlock. Without the lock,
    two threads may both compute the value, and the later one is kept.
    """

    if not TYPE_CHECKING:  # the types are those of cached_property

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            values = vars(instance)
            if self.attrname not in values:
                values[self.attrname] = self.func(instance)
            return values[self.attrname]


_LOG = getLogger(__name__)


@frozen
class Entry:
    """A registry entry. `target` is `module:attribute`, in an installed `package` or, if that is empty, in Tessera.

    With `reads_tokens`, the constructor takes two arguments: an embedder that returns token vectors, and the mean token
    vector. `kinds` are the file suffixes read by a converter, so that they are known before the converter is loaded.
    `signs` is a pattern for paths. It matches at least one file in any folder that an importer can read.
    """

    target: str
    reads_tokens: bool = False
    kinds: str = ""
    package: str = ""
    signs: str = ""


class Registry(dict[str, Entry], Generic[T]):
    """Implementations of one kind, by name. `what` is the noun for the kind in error messages.

    With a `group`, installed packages can add implementations of `protocol` through entry points in that group. The
    entry points are read when the table is listed, or when a name that isn't Tessera's own is looked up.
    """

    def __init__(
        self, what: Message, entries: Mapping[str, Entry], *, group: str = "", protocol: type = object
    ) -> None:
        super().__init__(entries)
        self._what = what
        self._group = group
        self._protocol = protocol
        self._complete = not group
        self._built: dict[str, T] = {}
        self._building = RLock()

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (not self._complete and name in tuple(self))

    def __missing__(self, name: str) -> Entry:
        if name in self:
            return self[name]
        raise UnknownChoice(self._what, name, self)

    def __iter__(self) -> Iterator[str]:
        with self._building:
            if not self._complete:
                self._complete = True
                for entry in sorted(entry_points(group=self._group)):
                    package = entry.dist.name if entry.dist else entry.module
                    if super().__contains__(entry.name) or ":" in entry.name:
                        _LOG.warning("%s registers '%s', a name that is taken or contains a colon", package, entry.name)
                    else:
                        self[entry.name] = Entry(entry.value, package=package)
        return super().__iter__()

    def build(self, name: str) -> T:
        """Return the shared object for `name` or `name:argument`. Models are large, so each name has only one object.

        Raises the same errors as `make`.
        """
        with self._building:
            if name not in self._built:
                self._built[name] = self.make(name)
            return self._built[name]

    def get_built(self, name: str) -> T | None:
        """Return the object that `build` created for a name, or None if there is none."""
        return self._built.get(name)

    def forget(self, *kinds: str) -> None:
        """Drop the shared objects with the given names, whatever their arguments, so that `build` creates new ones."""
        with self._building:
            for name in [name for name in self._built if name.partition(":")[0] in kinds]:
                del self._built[name]

    def make(self, name: str, *parts: object) -> T:
        """Create an unshared object for `name` or `name:argument`. Its constructor gets `parts`, then the argument.

        Raises UnknownChoice, ConfigError if an argument is missing, and ModelError if a folder contains no model or a
        package is faulty.
        """
        kind, _, argument = name.partition(":")
        constructor = self.constructor(kind)
        with self._translate_errors(kind):
            made: T = constructor(*parts, argument) if argument else constructor(*parts)
            if self[kind].package and (missing := _missing_members(made, self._protocol)):
                raise ModelError(
                    (
                        "The {what} '{name}' from the Python package {package} is missing {parts}. "
                        "Update or remove the package."
                    ),
                    what=self._what,
                    name=kind,
                    package=self[kind].package,
                    parts=missing,
                )
        return made

    def constructor(self, name: str) -> Callable[..., Any]:
        """Return the constructor for `name`. Raises UnknownChoice, or ModelError if its package can't be loaded."""
        module, _, attribute = self[name].target.partition(":")
        with self._translate_errors(name):
            constructor: Callable[..., object] = getattr(import_module(module), attribute)
        return constructor

    @contextmanager
    def _translate_errors(self, name: str) -> Iterator[None]:
        try:
            yield
        except TesseraError:
            raise
        except Exception as error:
            if not self[name].package:
                raise
            raise ModelError(
                (
                    "The {what} '{name}' from the Python package {package} can't be loaded "
                    "({problem}). Update or remove the package."
                ),
                what=self._what,
                name=name,
                package=self[name].package,
                problem=f"{type(error).__name__}: {error}",
            ) from error


def _missing_members(made: object, protocol: type) -> list[str]:
    """Return the names of a protocol's members that an object lacks or has with the wrong type."""
    missing = []
    for name, member in vars(protocol).items():
        if not name.startswith("_"):
            value = getattr(made, name, None)
            sound = (
                isinstance(value, member.fget.__annotations__["return"])
                if isinstance(member, property)
                else callable(value)
            )
            missing += [] if sound else [name]
    return missing
