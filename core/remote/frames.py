"""What goes between two processes of this machine: calls, nouns, messages, errors and plain values, as pickles.

A pickle can name any code, and reading it would run that. `load` reads no other classes than these.
"""

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field, is_dataclass
from enum import Enum
from io import BytesIO
from typing import IO, Any

from core import errors
from core.errors import TesseraError
from core.messages import Message

PATH = "/remote"
"""Where calls go: a GET proves who answers there, a POST is a call."""
_PLAIN = ("datetime", "pathlib", "pathlib._local")
"""Modules of the standard library whose classes hold values only; Python 3.13 has its paths in the last one."""


@dataclass(frozen=True, slots=True)
class Call:
    """The attribute of the workspace at the end of these names; with `made`, called with arguments."""

    names: tuple[str, ...]
    made: bool = False
    values: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Listener:
    """The argument of a call that stands for the caller's progress."""


@dataclass(frozen=True, slots=True)
class Step:
    """Progress of a call."""

    done: float
    total: float
    what: str | Message


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of a call: its value."""

    value: Any


@dataclass(frozen=True, slots=True)
class Failure:
    """The end of a call: its error."""

    error: TesseraError


@dataclass(frozen=True, slots=True)
class Reference:
    """The value of an attribute that stays where it is: a collection or a method."""


class UnknownClass(pickle.UnpicklingError):
    """A pickle names something that isn't read."""


def is_value(kind: type) -> bool:
    """Whether objects of a class of `core` go from process to process: nouns, messages, errors, choices."""
    return is_dataclass(kind) or issubclass(kind, (TesseraError, Enum, tuple))


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module in _PLAIN or module.partition(".")[0] == "core":
            named = super().find_class(module, name)
            if named is errors.unpickled or (isinstance(named, type) and (module in _PLAIN or is_value(named))):
                return named
        raise UnknownClass(f"{module}.{name}")


def dump(value: object) -> bytes:
    return pickle.dumps(value, protocol=5)


def load(data: bytes) -> Any:
    """Return the value of a pickle; raises UnpicklingError, or another error for data that is none."""
    return _Reader(BytesIO(data)).load()


def frame(value: object) -> bytes:
    """Return a value for a stream: the bytes of its pickle, after a line with their number."""
    data = dump(value)
    return b"%d\n" % len(data) + data


def frames(stream: IO[bytes]) -> Iterator[Any]:
    """Yield the values of a stream."""
    while line := stream.readline():
        yield load(stream.read(int(line)))
